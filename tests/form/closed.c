/* Passes of P1 with one point against their formulas, element by element, of a flow without polymer under all parts of split_oss:
 * residual, projections, divergence, gradient, matrix of implicit momentum; with geometry that is kept and computed; with a scalar field, whose
 * source is not linear, too. */
#include "../common/largest.h"
#include "../device/matrix_setup.h"
#include "form/host/momentum.h"
#include "form/implicit_impl.h"
#include "kernels/geometry.h"
#include "space/colour.h"

#define RHO 3.0
#define ETA 0.7
#define D_DYE 0.3
#define DECAY 1.7 /* times c^2 */
#define WITH_DYE "-physics newtonian,outside_dye -form_scalar_convection "
#define ROUNDING 1e-12 /* relative to the largest value */

static const struct {
  PetscBool kept;
  const char *options;
} cases[] = {
    {PETSC_TRUE, "-mesh_box_cell triangle -mesh_box_faces 5,4"},
    {PETSC_FALSE, "-mesh_box_cell triangle -mesh_box_faces 5,4 -form_geometry_memory 0"},
    {PETSC_FALSE, "-mesh_box_cell triangle -mesh_box_faces 5,4 -form_geometry_memory 0.001"},
    {PETSC_TRUE, "-mesh_box_cell tetrahedron -mesh_box_faces 3,2,2 -mesh_box_lower 0 -mesh_box_upper 1"},
    {PETSC_FALSE, "-mesh_box_cell tetrahedron -mesh_box_faces 3,2,2 -mesh_box_lower 0 -mesh_box_upper 1 "
                  "-form_geometry_memory 0"},
    {PETSC_TRUE, "-mesh_box_cell triangle -mesh_box_faces 5,4 " WITH_DYE "convective"},
    {PETSC_FALSE, "-mesh_box_cell triangle -mesh_box_faces 5,4 -form_geometry_memory 0 " WITH_DYE "conservative"},
    {PETSC_TRUE,
     "-mesh_box_cell tetrahedron -mesh_box_faces 3,2,2 -mesh_box_lower 0 -mesh_box_upper 1 " WITH_DYE "conservative"},
};

/* An element, gradients and values of its nodes and of its centroid. */
typedef struct {
  int dim, node[4];
  double V, dN[4][3], ih2, g[3][3], u[4][3], uc[3], gu[3][3], p, gp[3], f[4][4], aux[7];
  PetscInt bs, naux;
  int dye, conservative; /* whether there is a scalar field */
  double c[4], gc[3], fc[4];
} Simplex;

static Simplex simplex_of(const Setup *s, const RhxCells *ce, PetscInt e)
{
  const RhxSpace sp = s->space;
  Simplex t = {.dim = (int)sp->dim,
               .bs = sp->bs,
               .naux = s->form->naux,
               .dye = (int)s->form->nscalars,
               .conservative = s->form->conservative};
  const int d = t.dim, n = d + 1;
  double J[3][3] = {{0}}, Ji[3][3] = {{0}};
  for (int a = 0; a < n; a++) t.node[a] = RhxCellsNode(ce, e, a);
  for (int i = 0; i < d; i++)
    for (int k = 0; k < d; k++) J[i][k] = sp->x[t.node[k + 1] * d + i] - sp->x[t.node[0] * d + i];
  t.V = rhx_invert(d, (const double(*)[3])J, Ji) / (d == 2 ? 2 : 6);
  for (int i = 0; i < d; i++)
    for (int k = 0; k < d; k++) {
      t.dN[k + 1][i] = Ji[k][i];
      t.dN[0][i] -= Ji[k][i];
    }
  for (int a = 0; a < n; a++) {
    const PetscScalar *x = s->x + (size_t)t.node[a] * sp->bs, *f = s->form->source + (size_t)t.node[a] * sp->bs;
    t.p += x[d] / n;
    for (int i = 0; i < d; i++) {
      t.u[a][i] = x[i];
      t.uc[i] += x[i] / n;
      t.gp[i] += t.dN[a][i] * x[d];
      for (int j = 0; j < d; j++) {
        t.gu[i][j] += x[i] * t.dN[a][j];
        t.g[i][j] += 2.0 * t.dN[a][i] * t.dN[a][j];
      }
    }
    for (int c = 0; c < n; c++) t.f[a][c] = f[c];
    for (PetscInt c = 0; c < t.naux; c++) t.aux[c] += s->aux[(size_t)t.node[a] * t.naux + c] / n;
    if (!t.dye) continue;
    t.c[a] = x[n];
    t.fc[a] = f[n];
    for (int i = 0; i < d; i++) t.gc[i] += t.dN[a][i] * x[n];
  }
  for (int i = 0; i < d; i++) t.ih2 += t.g[i][i] / (4.0 * d);
  return t;
}

/* The integral of N_a times what has the values f at the nodes, `width` apart. */
static double integral(const Simplex *t, int a, const double *f, int width)
{
  double sum = f[a * width];
  for (int b = 0; b <= t->dim; b++) sum += f[b * width];
  return t->V / ((t->dim + 1) * (t->dim + 2)) * sum;
}

static double along(const Simplex *t, const double *u, const double *gradient)
{
  double sum = 0.0;
  for (int i = 0; i < t->dim; i++) sum += u[i] * gradient[i];
  return sum;
}

/* rho alpha_u, and tau1 */
static double weights(const Simplex *t, double *tau)
{
  const double viscous = 8.0 * t->dim * ETA / RHO * t->ih2;
  double ugu = 0.0;
  for (int i = 0; i < t->dim; i++) ugu += t->uc[i] * along(t, t->uc, t->g[i]);
  *tau = 1.0 / (4.0 * ETA * t->ih2 + RHO * sqrt(ugu));
  return RHO / sqrt(ugu + viscous * viscous);
}

static void add_residual(const Simplex *t, PetscScalar *r, PetscScalar *projected)
{
  const int d = t->dim, n = d + 1;
  double tau, conv[4][3], own[4][4], div = 0.0, fp = 0.0;
  const double weight = weights(t, &tau);
  for (int i = 0; i < d; i++) div += t->gu[i][i];
  for (int a = 0; a < n; a++) {
    for (int i = 0; i < d; i++) {
      conv[a][i] = along(t, t->u[a], t->gu[i]);
      own[a][i] = RHO * conv[a][i] - t->f[a][i];
    }
    own[a][d] = div - t->f[a][d];
    fp += t->f[a][d] / n;
  }
  for (int a = 0; a < n; a++) {
    PetscScalar *R = r + t->node[a] * t->bs, *P = projected + t->node[a] * t->naux;
    for (int i = 0; i < d; i++) {
      const double fine = weight * (along(t, t->uc, t->gu[i]) - t->aux[d + i]);
      R[i] += integral(t, a, &own[0][i], 4) - t->V * t->dN[a][i] * (t->p + ETA * (div - fp));
      for (int j = 0; j < d; j++) R[i] += t->V * t->dN[a][j] * (ETA * (t->gu[i][j] + t->gu[j][i]) + fine * t->uc[j]);
      R[d] += t->V * t->dN[a][i] * tau * (t->gp[i] - t->aux[i]);
      P[i] += t->V / n * t->gp[i];
      P[d + i] += integral(t, a, &conv[0][i], 3);
    }
    R[d] += integral(t, a, &own[0][d], 4);
  }
}

/* The field after the flow's: f0 at the nodes and its own at the centroid, whose square of c is not the mean of theirs. */
static void add_dye(const Simplex *t, PetscScalar *r, PetscScalar *projected)
{
  const int d = t->dim, n = d + 1;
  double tau, taken, conv[4], f0[4], middle, c = 0.0, div = 0.0, fp = 0.0, fc = 0.0, ugu = 0.0;
  (void)weights(t, &tau);
  for (int i = 0; i < d; i++) {
    ugu += t->uc[i] * along(t, t->uc, t->g[i]);
    div += t->gu[i][i];
  }
  for (int a = 0; a < n; a++) {
    c += t->c[a] / n;
    fc += t->fc[a] / n;
    fp += t->f[a][d] / n;
    conv[a] = along(t, t->u[a], t->gc);
    f0[a] = conv[a] + DECAY * t->c[a] * t->c[a] - t->fc[a] + (t->conservative ? t->c[a] * (div - t->f[a][d]) : 0.0);
  }
  middle = along(t, t->uc, t->gc) + DECAY * c * c - fc + (t->conservative ? c * (div - fp) : 0.0);
  taken = (along(t, t->uc, t->gc) - t->aux[2 * d]) / (4.0 * D_DYE * t->ih2 + sqrt(ugu));
  for (int a = 0; a < n; a++) {
    double *R = r + t->node[a] * t->bs + n;
    *R += t->V / n * (middle + (f0[a] - middle) / (n + 1));
    for (int i = 0; i < d; i++) {
      *R += t->V * t->dN[a][i] * (D_DYE * t->gc[i] + taken * t->uc[i]);
      if (t->conservative) *R += t->V * t->dN[a][i] * c * tau * (t->gp[i] - t->aux[i]);
    }
    projected[t->node[a] * t->naux + 2 * d] += integral(t, a, conv, 1);
  }
}

static void add_product(const Simplex *t, double viscous, const PetscScalar *v, PetscScalar *y)
{
  double tau, carried[4], g[3] = {0};
  const double weight = weights(t, &tau);
  for (int b = 0; b <= t->dim; b++)
    for (int i = 0; i < t->dim; i++) g[i] += t->dN[b][i] * v[t->node[b]];
  for (int a = 0; a <= t->dim; a++) carried[a] = RHO * along(t, t->u[a], g);
  for (int a = 0; a <= t->dim; a++)
    y[t->node[a]] += integral(t, a, carried, 1) + t->V * (viscous * ETA * along(t, t->dN[a], g) +
                                                          weight * along(t, t->uc, t->dN[a]) * along(t, t->uc, g));
}

/* Largest difference over the largest value, of n rows' components from `first` on. */
static double apart_from(PetscInt first, PetscInt width, PetscInt n, const PetscScalar *got, const PetscScalar *want)
{
  double d = 0, scale = 0;
  for (PetscInt i = 0; i < n * width; i++) {
    if (i % width < first) continue;
    d = larger(d, PetscAbsScalar(got[i] - want[i]));
    scale = larger(scale, PetscAbsScalar(want[i]));
  }
  return d / scale;
}

static double apart(PetscInt n, const PetscScalar *got, const PetscScalar *want)
{
  return apart_from(0, 1, n, got, want);
}

static PetscErrorCode check_matrix(Setup *s, const PetscScalar *v, const PetscScalar *want, double *difference)
{
  RhxMomentumMatrix m;
  Mat A;
  Vec x, y;
  const PetscScalar *hoop, *got;
  PetscFunctionBegin;
  PetscCall(RhxMomentumMatrixCreate(s->form, &m));
  PetscCall(RhxMomentumMatrixAssemble(m, 0.0, 0.1, 0.0, s->x, s->aux));
  PetscCall(RhxMomentumMatrixGet(m, &A, &hoop));
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, s->space->nlocal, v, &x));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecGetArrayRead(y, &got));
  *difference = apart(s->space->nlocal, got, want);
  PetscCall(VecRestoreArrayRead(y, &got));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(RhxMomentumMatrixDestroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the passes give: residual, integrals that are projected, divergence of xdot's velocity, gradient of the first numbers of xdot. */
static PetscErrorCode check_values(Setup *s, double difference[5])
{
  const RhxSpace sp = s->space;
  const int d = (int)sp->dim;
  const PetscInt n = sp->nlocal, bs = sp->bs, naux = s->form->naux;
  PetscScalar *r, *want, *P, *y, *div, *grad, *got;
  PetscFunctionBegin;
  PetscCall(PetscCalloc7(n * bs, &r, n * bs, &want, n * naux, &P, n, &y, n, &div, n * d, &grad, n * d, &got));
  for (PetscInt e = 0; e < sp->cells[0].n; e++) {
    const Simplex t = simplex_of(s, &sp->cells[0], e);
    add_residual(&t, want, P);
    if (t.dye) add_dye(&t, want, P);
    add_product(&t, RhxFormImplicitViscosity(s->form), s->xdot, y);
    for (int a = 0; a <= d; a++)
      for (int b = 0; b <= d; b++)
        for (int i = 0; i < d; i++) {
          div[t.node[a]] += t.V / (d + 1) * t.dN[b][i] * s->xdot[t.node[b] * d + i];
          grad[t.node[a] * d + i] += t.V / (d + 1) * t.dN[b][i] * s->xdot[t.node[b]];
        }
  }
  PetscCall(RhxFormResidual(s->form, RHX_ROWS_ALL, 0.0, 0.1, s->x, s->xdot, s->aux, r, NULL));
  difference[0] = apart(n * bs, r, want);
  for (PetscInt i = 0; i < n * naux; i++) P[i] /= sp->mass[i / naux];
  difference[1] = apart(n * naux, s->aux, P);
  if (bs > d + 1) { /* of the scalar alone, which might be small beside the flow */
    difference[0] = larger(difference[0], apart_from(d + 1, bs, n, r, want));
    difference[1] = larger(difference[1], apart_from(2 * d, naux, n, s->aux, P));
  }
  PetscCall(RhxFormDivergence(s->form, s->xdot, got));
  difference[2] = apart(n, got, div);
  PetscCall(RhxFormGradient(s->form, s->xdot, got));
  difference[3] = apart(n * d, got, grad);
  PetscCall(check_matrix(s, s->xdot, y, &difference[4]));
  PetscCall(PetscFree7(r, want, P, y, div, grad, got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(const char *words, PetscBool kept)
{
  static const char *const name[] = {"residual", "projections", "divergence", "gradient", "matrix"};
  char options[1024];
  double difference[5];
  PetscScalar *source;
  Setup s;
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(options, sizeof(options),
                          "-physics newtonian -physics_newtonian_viscosity %g -form_density %g -stabiliser split_oss "
                          "-physics_outside_dye_diffusivity %g -physics_outside_dye_decay %g "
                          "-mesh_box_jitter 0.2 -form_quadrature centroid %s",
                          ETA, RHO, D_DYE, DECAY, words));
  PetscCall(setup_create(options, &s));
  PetscCall(RhxFormNeedSource(s.form, &source));
  for (PetscInt i = 0; i < s.space->nlocal * s.space->bs; i++) source[i] = PetscSinReal(1.7 * i);
  PetscCall(setup_state(&s, 0.0));
  PetscCall(check_values(&s, difference));
  for (int k = 0; k < 5; k++) expect(difference[k] <= ROUNDING, "%s: %s off by %.2e", words, name[k], difference[k]);
  expect(!s.space->cells[0].affine == !kept, "%s: geometry is %skept", words, kept ? "not " : "");
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%.0e %.0e %.0e %.0e %.0e: %s\n", difference[0], difference[1], difference[2],
                        difference[3], difference[4], words));
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(setup_begin(&argc, &argv));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++) PetscCall(check(cases[k].options, cases[k].kept));
  return setup_end();
}
