/* The tangent of the host's form, over laws, representations, stabilisers and cell types: its product along a direction, the
 * projections' part and that of the rate too, against differences of residuals extrapolated to fourth order and, made of lanes with a
 * derivative, against the complex step; its matrix against the product; on several ranks the product against that of one rank. Every second case is that of a rate, whose mass term is
 * integrated here anew. */
#include "form/host/tangent.h"
#include "../common/largest.h"
#include "../device/matrix_setup.h"
#include "form/host/inertia.h"
#include "form/host/kernel.h"
#include "form/inside_impl.h"
#define TANGENT_SWIRL
#include "tangent_cases.h"

#define NEAR 1e-9      /* of differences of fourth order: 2e-13 to 2e-10 are left of them */
#define ROUNDING 1e-12 /* relative to the largest value */
#define SHIFT 0.6      /* 1/s */

static double noise(PetscInt i, PetscInt c) { return 0.8 * PetscSinReal(12.9898 * (i + 1) + 7.1 * c); }

/* Stands for planes of symmetry: the first component vanishes at some nodes. */
static PetscErrorCode constrain(void *ctx, PetscScalar *aux)
{
  const RhxForm form = (RhxForm)ctx;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < form->space->nlocal; i++)
    if (form->space->x[i * form->space->dim] < 0.2) aux[(size_t)i * form->naux] = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode prepare(const char *options, size_t number, Setup *s)
{
  PetscFunctionBegin;
  PetscCall(setup_create(options, s));
  PetscCall(tangent_faces(s->form, number));
  if (cases[number].consistent) PetscCall(RhxFormSetConsistent(s->form, constrain, s->form));
  PetscCall(setup_state(s, 0.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r of the state s->x + h v and the rate s->xdot + h shift v, or without a rate; its projections too. */
static PetscErrorCode moved(Setup *s, const PetscScalar *v, double h, double shift, PetscScalar *r)
{
  const size_t n = (size_t)s->space->nlocal * s->space->bs;
  PetscScalar *x, *xdot, *aux;
  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &x, n, &xdot, (size_t)s->space->nlocal * s->form->naux, &aux));
  for (size_t k = 0; k < n; k++) x[k] = s->x[k] + h * v[k];
  for (size_t k = 0; k < n; k++) xdot[k] = s->xdot[k] + h * shift * v[k];
  PetscCall(RhxFormProject(s->form, 0.0, 0.0, x, aux));
  PetscCall(RhxFormResidual(s->form, RHX_ROWS_ALL, 0.0, 0.0, x, shift > 0.0 ? xdot : NULL, aux, r, NULL));
  PetscCall(PetscFree3(x, xdot, aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds shift M v by the product with the mass; M of ones is the mass of the nodes. */
static PetscErrorCode inertia(Setup *s, const PetscScalar *v, double shift, PetscScalar *want)
{
  const RhxSpace sp = s->space;
  const size_t n = (size_t)sp->nlocal * sp->bs;
  PetscScalar *one, *sum, *Mv;
  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &one, n, &sum, n, &Mv));
  for (size_t k = 0; k < n; k++) one[k] = 1.0;
  PetscCall(PetscArrayzero(sum, n));
  PetscCall(RhxFormAddInertia(s->form, 1.0, one, sum));
  PetscCall(RhxFormMassProduct(s->form, sp->bs, v, Mv));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < sp->bs; c++) {
      const double factor = c < sp->dim ? 1.7 : c == sp->dim ? 0.0 : 1.0;
      const double off = PetscAbsScalar(sum[i * sp->bs + c] - factor * sp->mass[i]);
      expect(off <= ROUNDING * sp->mass[i], "inertia of a uniform rate in row %d: off by %.2e", (int)c, off);
      want[i * sp->bs + c] += shift * factor * Mv[i * sp->bs + c];
    }
  PetscCall(PetscFree3(one, sum, Mv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The derivative along v, of fourth order in h. */
static PetscErrorCode difference(Setup *s, const PetscScalar *v, double shift, PetscScalar *want)
{
  static const double h = 3e-4, at[] = {2.0, 1.0, -1.0, -2.0}, weight[] = {-1.0, 8.0, -8.0, 1.0};
  const size_t n = (size_t)s->space->nlocal * s->space->bs;
  PetscScalar *r;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &r));
  PetscCall(PetscArrayzero(want, n));
  for (int k = 0; k < 4; k++) {
    PetscCall(moved(s, v, at[k] * h, shift, r));
    for (size_t i = 0; i < n; i++) want[i] += weight[k] / (12.0 * h) * r[i];
  }
  if (shift > 0.0) PetscCall(inertia(s, v, shift, want));
  PetscCall(PetscFree(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest difference in owned nodes over the largest value, of each component the worst. */
static double worst(Setup *s, const PetscScalar *got, const PetscScalar *want)
{
  const PetscInt bs = s->space->bs;
  double all = 0;
  for (PetscInt c = 0; c < bs; c++) {
    double d = 0, scale = 1e-3;
    for (PetscInt i = 0; i < s->space->nowned; i++) {
      const double e = PetscAbsScalar(got[i * bs + c] - want[i * bs + c]);
      d = larger(d, e);
      scale = PetscMax(scale, PetscAbsScalar(want[i * bs + c]));
    }
    all = larger(all, d / scale);
  }
  return all;
}

static PetscErrorCode multiply(Setup *s, const RhxTangentPoint *at, const PetscScalar *v, PetscScalar *y)
{
  const PetscInt n = s->space->nowned * s->space->bs;
  Mat A;
  Vec from, to;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(RhxFormCreateBlockMatrix(s->form, &A));
  for (int k = 0; k < 2; k++)
    PetscCall(RhxFormTangentMatrix(s->form, at, A)); /* a second time where entries have places */
  PetscCall(MatCreateVecs(A, &from, &to));
  PetscCall(VecGetArray(from, &a));
  PetscCall(PetscArraycpy(a, v, n));
  PetscCall(VecRestoreArray(from, &a));
  PetscCall(MatMult(A, from, to));
  PetscCall(VecGetArray(to, &a));
  PetscCall(PetscArraycpy(y, a, n));
  PetscCall(VecRestoreArray(to, &a));
  PetscCall(VecDestroy(&from));
  PetscCall(VecDestroy(&to));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest |difference| of `some`, whose blocks are rows [r, r + ...) and columns [c, c + ...) of those of `all`, over the largest of
 * `all`. */
static PetscErrorCode compare_blocks(Mat all, Mat some, PetscInt r, PetscInt c, PetscReal *off)
{
  PetscInt rows, columns, bs[2], first, end;
  PetscReal most, worst = 0.0;
  PetscFunctionBegin;
  PetscCall(MatGetBlockSizes(all, &rows, &columns));
  PetscCall(MatGetBlockSizes(some, &bs[0], &bs[1]));
  PetscCall(MatNorm(all, NORM_INFINITY, &most));
  PetscCall(MatGetOwnershipRange(some, &first, &end));
  for (PetscInt i = first; i < end; i++) {
    const PetscInt row = i / bs[0] * rows + r + i % bs[0], *at;
    const PetscScalar *value;
    PetscInt n;
    PetscCall(MatGetRow(some, i, &n, &at, &value));
    for (PetscInt k = 0; k < n; k++) {
      const PetscInt column = at[k] / bs[1] * columns + c + at[k] % bs[1];
      PetscScalar want;
      PetscCall(MatGetValues(all, 1, &row, 1, &column, &want));
      worst = larger(worst, PetscAbsScalar(value[k] - want));
    }
    PetscCall(MatRestoreRow(some, i, &n, &at, &value));
  }
  *off = worst / most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts of B and C, which are whole, by themselves: one row, some, and those that the faces reach in part. */
static PetscErrorCode check_parts(Setup *s, const RhxTangentPoint *at, Mat B, Mat C)
{
  const PetscInt naux = s->form->naux, half = naux / 2;
  const RhxAuxiliaryPart part[] = {
      {RhxFieldsStart(s->space->fields, RHX_GROUP_PRESSURE), 1, 0, naux},
      {1, s->space->bs - 1, half, naux - half},
      {RhxFieldsStart(s->space->fields, RHX_GROUP_VELOCITY), 1, half, 1},
  };
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(part); k++) {
    PetscReal off[2];
    Mat b, c;
    PetscCall(RhxFormCreateAuxiliaryMatrices(s->form, &part[k], &b, &c));
    PetscCall(RhxFormTangentAuxiliary(s->form, at, &part[k], b, c));
    PetscCall(compare_blocks(B, b, part[k].state, part[k].aux, &off[0]));
    PetscCall(compare_blocks(C, c, part[k].aux, part[k].state, &off[1]));
    for (int m = 0; m < 2; m++)
      expect(off[m] <= ROUNDING, "part %d of %s differs from the whole by %.2e", (int)k, m ? "C" : "B", off[m]);
    PetscCall(MatDestroy(&b));
    PetscCall(MatDestroy(&c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds B M_a^-1 C v, of lumped projections. */
static PetscErrorCode add_projections(Setup *s, const RhxTangentPoint *at, const PetscScalar *v, PetscScalar *y)
{
  const RhxAuxiliaryPart whole = RhxFormWholeAuxiliary(s->form);
  const PetscInt bs = s->space->bs, naux = s->form->naux, n = s->space->nowned;
  Mat B, C;
  Vec from, aux, to;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(RhxFormCreateAuxiliaryMatrices(s->form, &whole, &B, &C));
  for (int k = 0; k < 2; k++) PetscCall(RhxFormTangentAuxiliary(s->form, at, &whole, B, C));
  PetscCall(check_parts(s, at, B, C));
  PetscCall(MatCreateVecs(C, &from, &aux));
  PetscCall(MatCreateVecs(B, NULL, &to));
  PetscCall(VecGetArray(from, &a));
  PetscCall(PetscArraycpy(a, v, n * bs));
  PetscCall(VecRestoreArray(from, &a));
  PetscCall(MatMult(C, from, aux));
  PetscCall(VecGetArray(aux, &a));
  for (PetscInt k = 0; k < n * naux; k++) a[k] /= s->space->mass[k / naux];
  PetscCall(VecRestoreArray(aux, &a));
  PetscCall(MatMult(B, aux, to));
  PetscCall(VecGetArray(to, &a));
  for (PetscInt k = 0; k < n * bs; k++) y[k] += a[k];
  PetscCall(VecRestoreArray(to, &a));
  PetscCall(VecDestroy(&from));
  PetscCall(VecDestroy(&aux));
  PetscCall(VecDestroy(&to));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The product of the whole derivative, in `whole`, and at fixed projections, in `fixed`. */
static PetscErrorCode products(Setup *s, const RhxTangentPoint *at, PetscScalar *v, PetscScalar *whole,
                               PetscScalar *fixed)
{
  PetscScalar *da;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->space->nowned; i++)
    for (PetscInt c = 0; c < s->space->bs; c++) v[i * s->space->bs + c] = noise(s->space->natural[i], c);
  PetscCall(RhxSpaceGlobalToLocal(s->space, s->space->bs, v, v));
  PetscCall(PetscCalloc1((size_t)s->space->nlocal * s->form->naux, &da));
  PetscCall(RhxFormTangentProject(s->form, at, v, da));
  PetscCall(RhxFormTangentProduct(s->form, at, v, da, whole));
  PetscCall(RhxFormTangentProduct(s->form, at, v, NULL, fixed));
  PetscCall(PetscFree(da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same products and the matrix by complex numbers against those of lanes. A form of which one plugin was built without those is
 * of complex numbers. */
static double by_complex(Setup *s, const RhxTangentPoint *at, PetscScalar *v, const PetscScalar *whole,
                         const PetscScalar *fixed, PetscScalar *one, PetscScalar *two)
{
  const RhxForm form = s->form;
  const RhxKernel *lanes = form->in->product;
  RhxPlugin without = *form->stabiliser[form->nstabilisers - 1].plugin;
  const RhxPlugin **plugin = (const RhxPlugin **)&form->stabiliser[form->nstabilisers - 1].plugin, *with = *plugin;
  double d;
  memset(without.dual, 0, sizeof(without.dual));
  *plugin = &without;
  form->in->product = RhxFormProductLoops(form);
  *plugin = with;
  expect(form->in->product != lanes, "a plugin without derivatives in lanes is asked for them");
  if (products(s, at, v, one, two)) return NAN;
  d = larger(worst(s, whole, one), worst(s, fixed, two));
  if (multiply(s, at, v, two)) return NAN;
  d = larger(d, worst(s, fixed, two));
  form->in->product = lanes;
  return d;
}

static PetscErrorCode check_one(const char *options, size_t number, double shift)
{
  Setup s;
  PetscScalar *v, *whole, *fixed, *want, *other;
  double product, matrix, lanes;
  PetscFunctionBegin;
  PetscCall(prepare(options, number, &s));
  const size_t n = (size_t)s.space->nlocal * s.space->bs;
  const RhxTangentPoint at = {0.0, 0.0, s.x, s.aux, shift > 0.0 ? s.xdot : NULL, shift, 0.0, 0};
  PetscCall(PetscMalloc5(n, &v, n, &whole, n, &fixed, n, &want, n, &other));
  PetscCall(products(&s, &at, v, whole, fixed));
  lanes = by_complex(&s, &at, v, whole, fixed, want, other);
  PetscCall(difference(&s, v, shift, want));
  product = worst(&s, whole, want);
  PetscCall(multiply(&s, &at, v, want));
  matrix = worst(&s, want, fixed);
  if (s.form->naux && !cases[number].consistent) PetscCall(add_projections(&s, &at, v, want));
  if (s.form->naux && !cases[number].consistent) matrix = PetscMax(matrix, worst(&s, want, whole));
  expect(lanes <= ROUNDING, "%s: products of lanes differ from those of complex numbers by %.2e", options, lanes);
  expect(product <= NEAR, "%s: the product differs from differences by %.2e", options, product);
  expect(matrix <= ROUNDING, "%s: the matrices differ from the products by %.2e", options, matrix);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "product %.1e, of complex numbers %.1e, matrix %.1e: %s\n", product, lanes,
                        matrix, options));
  PetscCall(PetscFree5(v, whole, fixed, want, other));
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that follows, times v, where the velocity is linear: G is then grad u. */
static PetscErrorCode follow(const char *stabiliser, size_t mesh, int follows, PetscScalar **y, Setup *s)
{
  char options[1024];
  PetscScalar *v;
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(options, sizeof(options),
                          "-form_density 1.7 -physics carreau_yasuda,giesekus -polymer_variable logconf %s "
                          "-stabiliser %s,split_oss -stabiliser_%s_theta 0.7",
                          meshes[mesh], stabiliser, stabiliser));
  PetscCall(setup_create(options, s));
  PetscCall(tangent_faces(s->form, 1));
  PetscCall(setup_state(s, 0.0));
  const PetscInt bs = s->space->bs, dim = s->space->dim;
  const size_t n = (size_t)s->space->nlocal * bs;
  for (PetscInt i = 0; i < s->space->nlocal; i++)
    for (PetscInt c = 0; c < dim; c++) {
      s->x[i * bs + c] = 0.3 * (1 + c);
      for (PetscInt d = 0; d < dim; d++) s->x[i * bs + c] += (0.7 * c - 0.4 * d + 0.2) * s->space->x[i * dim + d];
    }
  PetscCall(RhxFormProject(s->form, 0.0, 0.0, s->x, s->aux));
  PetscCall(PetscMalloc1(n, &v));
  PetscCall(PetscMalloc1(n, y));
  for (size_t k = 0; k < n; k++) v[k] = noise((PetscInt)k / bs, (PetscInt)k % bs);
  PetscCall(multiply(s, &(RhxTangentPoint){.x = s->x, .aux = s->aux, .follows = follows}, v, *y));
  PetscCall(PetscFree(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_follows(size_t mesh)
{
  PetscScalar *y[3];
  Setup s[3];
  double same, held;
  PetscFunctionBegin;
  PetscCall(follow("devss", mesh, 0, &y[0], &s[0]));
  PetscCall(follow("devss_g", mesh, 1, &y[1], &s[1]));
  PetscCall(follow("devss_g", mesh, 0, &y[2], &s[2]));
  same = worst(&s[0], y[1], y[0]);
  held = worst(&s[0], y[2], y[0]);
  expect(same <= ROUNDING, "%s: a matrix that follows grad u differs from that of grad u by %.2e", meshes[mesh], same);
  expect(held > 0.01, "%s: a matrix at fixed G differs from that of grad u by %.2e alone", meshes[mesh], held);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "follows %.1e, else %.1e: %s\n", same, held, meshes[mesh]));
  for (int k = 0; k < 3; k++) {
    PetscCall(PetscFree(y[k]));
    PetscCall(setup_destroy(&s[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrix and products on all ranks against those of this rank alone, node by node. */
static PetscErrorCode check_ranks(const char *options, size_t number, double shift)
{
  Setup s[2];
  PetscScalar *v[2], *whole[2], *fixed[2], *matrix[2], *there;
  double d[2];
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    setup_comm = k ? PETSC_COMM_SELF : PETSC_COMM_WORLD;
    PetscCall(prepare(options, number, &s[k]));
    const size_t n = (size_t)s[k].space->nlocal * s[k].space->bs;
    const RhxTangentPoint at = {0.0, 0.0, s[k].x, s[k].aux, shift > 0.0 ? s[k].xdot : NULL, shift, 0.0, 0};
    PetscCall(PetscMalloc4(n, &v[k], n, &whole[k], n, &fixed[k], n, &matrix[k]));
    PetscCall(products(&s[k], &at, v[k], whole[k], fixed[k]));
    PetscCall(multiply(&s[k], &at, v[k], matrix[k]));
  }
  const PetscInt bs = s[0].space->bs;
  PetscCall(PetscMalloc1((size_t)s[1].space->nglobal * bs, &there));
  for (int what = 0; what < 2; what++) {
    const PetscScalar *one = what ? matrix[1] : whole[1], *mine = what ? matrix[0] : whole[0];
    PetscScalar *want = fixed[0];
    for (PetscInt i = 0; i < s[1].space->nowned; i++)
      PetscCall(PetscArraycpy(there + (size_t)s[1].space->natural[i] * bs, one + (size_t)i * bs, bs));
    for (PetscInt i = 0; i < s[0].space->nowned; i++)
      PetscCall(PetscArraycpy(want + (size_t)i * bs, there + (size_t)s[0].space->natural[i] * bs, bs));
    d[what] = worst(&s[0], mine, want);
  }
  expect(d[0] <= 100 * ROUNDING, "%s: the product differs from that of one rank by %.2e", options, d[0]);
  expect(d[1] <= ROUNDING, "%s: the matrix differs from that of one rank by %.2e", options, d[1]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ranks: product %.1e, matrix %.1e: %s\n", d[0], d[1], options));
  PetscCall(PetscFree(there));
  for (int k = 0; k < 2; k++) {
    PetscCall(PetscFree4(v[k], whole[k], fixed[k], matrix[k]));
    PetscCall(setup_destroy(&s[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;
  PetscCall(setup_begin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++) {
    const double shift = k % 2 ? 0.0 : SHIFT;
    char options[1024];
    PetscCall(tangent_options(k, sizeof(options), options));
    if (size == 1)
      PetscCall(check_one(options, k, shift));
    else if (k % 3 == 1)
      PetscCall(check_ranks(options, k, shift));
  }
  for (size_t mesh = 1; size == 1 && mesh < 4; mesh += 2) PetscCall(check_follows(mesh));
  return setup_end();
}
