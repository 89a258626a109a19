#include "scheme/spectrum.h"
#include "petsc_compat.h"
#include "scheme/adjoint_impl.h"
#include "scheme/bordered_impl.h"
#include "scheme/krylov_impl.h"
#include "scheme/newton_impl.h"
#include "scheme/pencil_impl.h"
#include "scheme/roughness_impl.h"
#include "scheme/stepper_impl.h"
#include <math.h>

#define TOLERANCE 1e-12 /* of the solves at a shift */
#define SAME 1e-6       /* eigenmodes of one value and direction: relative difference */
#define APART 1e-6      /* of the next one's distance: a shift so near to an eigenvalue is that */
#define MOVE 0.1        /* and becomes one so far away, of that distance */
#define ROUNDING 1e-9   /* of the distance from the shift: what an imaginary part that is zero may have, */
#define OF_STATE 1e-8   /* or of the value: by what the state that Newton's method leaves parts two that are one */
#define NOTHING 1e-8    /* of the largest value, in their units: velocities that vanish */
#define MORE 2          /* adjoint modes beyond those asked for, as several may share a value */

/* Shift-invert with shift s + i w: T = -(K + (s + i w) E)^-1 E (pencil_impl.h) has the values 1/(lambda - s - i w). PETSc's numbers are real: where
 * w is not 0, vectors hold real and imaginary parts side by side, and every eigenpair of the complex T comes with its conjugate,
 * which is no eigenpair of it. */
struct _p_RhxSpectrum {
  TS ts; /* borrowed, as sc, nt and eq: the state and J */
  RhxScheme sc;
  RhxNewton nt;
  RhxEquations eq;
  double t; /* s */
  double residual;
  double fastest; /* 1/s, of modes that the mesh can hold */
  Mat M;
  RhxPencil pencil;
  double shift[2]; /* s, w, 1/s */
  PetscInt parts;  /* 2 with w not 0 */
  Mat A, T;        /* J + (s + i w) M of states, shift-invert */
  PetscBool adjoint;
  PetscBool stepper;
  double silence; /* s */
  Mat H;          /* -(K + (s + i w) E)^-H E^T, of adjoint modes */
  RhxBordered factors;
  KSP ksp; /* of A, by them or without */
  PetscInt solves;
  Vec x[2];              /* parts of a state, */
  Vec y[2], Mv;          /* of a product */
  Vec in[2], out[2], Ez; /* the same of the pencil's vectors */
  Vec rhs, solution;     /* of A */
};

/* ---- Parts of doubled vectors ---- */

static PetscErrorCode split(const RhxSpectrum sp, Vec v, Vec part[2])
{
  const PetscInt n = sp->parts;
  const PetscScalar *from;
  PetscInt size;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(v, &from));
  for (PetscInt k = 0; k < n; k++) {
    PetscScalar *to;
    PetscCall(VecGetLocalSize(part[k], &size));
    PetscCall(VecGetArray(part[k], &to));
    for (PetscInt i = 0; i < size; i++) to[i] = from[n * i + k];
    PetscCall(VecRestoreArray(part[k], &to));
  }
  PetscCall(VecRestoreArrayRead(v, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode join(const RhxSpectrum sp, Vec part[2], Vec v)
{
  const PetscInt n = sp->parts;
  PetscScalar *to;
  PetscInt size;
  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &to));
  for (PetscInt k = 0; k < n; k++) {
    const PetscScalar *from;
    PetscCall(VecGetLocalSize(part[k], &size));
    PetscCall(VecGetArrayRead(part[k], &from));
    for (PetscInt i = 0; i < size; i++) to[n * i + k] = from[i];
    PetscCall(VecRestoreArrayRead(part[k], &from));
  }
  PetscCall(VecRestoreArray(v, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Operators ---- */

/* y = (J + (s + i w) M) x */
static PetscErrorCode multiply(Mat A, Vec x, Vec y)
{
  RhxSpectrum sp;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(A, &sp));
  PetscCall(split(sp, x, sp->x));
  for (int k = 0; k < sp->parts; k++) PetscCall(MatMult(sp->eq->J, sp->x[k], sp->y[k]));
  for (int k = 0; k < sp->parts; k++) {
    PetscCall(MatMult(sp->M, sp->x[k], sp->Mv));
    PetscCall(VecAXPY(sp->y[k], sp->shift[0], sp->Mv));
    if (sp->parts > 1) PetscCall(VecAXPY(sp->y[1 - k], k ? -sp->shift[1] : sp->shift[1], sp->Mv));
  }
  PetscCall(RhxPencilMultiplyLate(sp->pencil, sp->shift, sp->parts, sp->x, sp->y));
  PetscCall(join(sp, sp->y, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shift_invert(Mat T, Vec x, Vec y)
{
  RhxSpectrum sp;
  KSPConvergedReason reason;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(T, &sp));
  PetscCall(split(sp, x, sp->in));
  for (int k = 0; k < sp->parts; k++) {
    PetscCall(MatMult(sp->pencil->E, sp->in[k], sp->out[k]));
    PetscCall(VecScale(sp->out[k], -1.0));
  }
  PetscCall(RhxPencilReduce(sp->pencil, PETSC_FALSE, sp->shift, sp->parts, sp->out, sp->y));
  PetscCall(join(sp, sp->y, sp->rhs));
  PetscCall(KSPSolve(sp->ksp, sp->rhs, sp->solution));
  sp->solves++;
  PetscCall(split(sp, sp->solution, sp->x));
  PetscCall(RhxPencilExpand(sp->pencil, PETSC_FALSE, sp->shift, sp->parts, sp->out, sp->x, sp->in));
  PetscCall(join(sp, sp->in, y));
  PetscCall(KSPGetConvergedReason(sp->ksp, &reason));
  PetscCheck(
      reason > 0, PetscObjectComm((PetscObject)T), PETSC_ERR_NOT_CONVERGED,
      "-eigen_shifts: the equations at the shift %g%+gi cannot be solved (%s): is it an eigenvalue itself? Expected "
      "one beside it%s",
      sp->shift[0], sp->shift[1], KSPConvergedReasons[reason],
      sp->stepper ? ", or a larger one, a shorter step of -eigen_method stepper, or another -solver" : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What rows of given values would get are the multipliers of what is given, of which E^T keeps nothing: zero. */
static PetscErrorCode shift_invert_adjoint(Mat H, Vec x, Vec y)
{
  RhxSpectrum sp;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(H, &sp));
  PetscCall(split(sp, x, sp->in));
  for (int k = 0; k < sp->parts; k++) {
    PetscCall(MatMultTranspose(sp->pencil->E, sp->in[k], sp->out[k]));
    PetscCall(VecScale(sp->out[k], -1.0));
  }
  PetscCall(RhxPencilReduce(sp->pencil, PETSC_TRUE, sp->shift, sp->parts, sp->out, sp->y));
  PetscCall(join(sp, sp->y, sp->rhs));
  PetscCall(RhxBorderedSolveTransposed(sp->factors, sp->rhs, NULL, sp->solution));
  PetscCall(split(sp, sp->solution, sp->x));
  PetscCall(RhxPencilExpand(sp->pencil, PETSC_TRUE, sp->shift, sp->parts, sp->out, sp->x, sp->in));
  for (int k = 0; k < sp->parts; k++) PetscCall(RhxPencilFree(sp->pencil, PETSC_TRUE, sp->in[k]));
  PetscCall(join(sp, sp->in, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M from tangents with the rate and without, rows of given values zero. */
static PetscErrorCode create_mass(RhxSpectrum sp)
{
  const RhxEquations eq = sp->eq;
  const RhxTangentTable *tangent = eq->ops->table->tangent;
  RhxOpsPoint at = {.t = eq->t, .x = eq->state, .aux = eq->aux};
  Mat none;
  PetscFunctionBegin;
  PetscCall(tangent->create(eq->ops, &sp->M));
  if (eq->form->needs_rate) {
    PetscCall(tangent->create(eq->ops, &none));
    PetscCall(tangent->matrix(eq->ops, &at, none));
    PetscCall(VecZeroEntries(sp->nt->rate));
    PetscCall(RhxOpsLoadVec(eq->ops, eq->rate, sp->nt->rate));
    at.xdot = eq->rate;
    at.shift = 1.0;
    PetscCall(tangent->matrix(eq->ops, &at, sp->M));
    PetscCall(MatAXPY(sp->M, -1.0, none, SAME_NONZERO_PATTERN));
    PetscCall(MatDestroy(&none));
  } else {
    PetscCall(tangent->inertia_matrix(eq->ops, sp->M));
    PetscCall(MatAssemblyBegin(sp->M, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(sp->M, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(RhxEquationsFreeRows(eq, sp->M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_shell(RhxSpectrum sp, Mat like, PetscErrorCode (*product)(Mat, Vec, Vec), Mat *A)
{
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(like, &n, NULL));
  n *= sp->parts;
  PetscCall(MatCreateShell(sp->eq->form->comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, sp, A));
  PetscCall(MatSetBlockSize(*A, sp->parts));
  PetscCall(MatShellSetOperation(*A, MATOP_MULT, (void (*)(void))product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_operators(RhxSpectrum sp, const double shift[2])
{
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) sp->shift[k] = shift[k];
  sp->parts = shift[1] != 0.0 ? 2 : 1;
  PetscCall(create_shell(sp, sp->M, multiply, &sp->A));
  PetscCall(create_shell(sp, sp->pencil->E, shift_invert, &sp->T));
  PetscCall(create_shell(sp, sp->pencil->E, shift_invert_adjoint, &sp->H));
  PetscCall(MatCreateVecs(sp->A, &sp->solution, &sp->rhs));
  if (sp->stepper) {
    PetscCall(RhxStepperCreate(sp->eq, sp->A, sp->M, sp->shift, &sp->ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxBorderedCreate(sp->eq, sp->M, sp->shift, "-eigen_method stepper with -solver split", &sp->factors));
  PetscCall(RhxBorderedCreateSolver(sp->factors, sp->A, TOLERANCE, &sp->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_operators(RhxSpectrum sp)
{
  PetscFunctionBegin;
  PetscCall(KSPDestroy(&sp->ksp));
  PetscCall(RhxBorderedDestroy(&sp->factors));
  PetscCall(MatDestroy(&sp->A));
  PetscCall(MatDestroy(&sp->T));
  PetscCall(MatDestroy(&sp->H));
  PetscCall(VecDestroy(&sp->rhs));
  PetscCall(VecDestroy(&sp->solution));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Modes ---- */

/* The same numbers on any number of ranks; width: numbers of a node, behind which others may stand. */
static PetscErrorCode random_vector(RhxSpectrum sp, PetscInt width, Vec v)
{
  const RhxSpace space = sp->eq->form->space;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecSet(v, 0.3));
  PetscCall(VecGetArray(v, &a));
  for (PetscInt i = 0; i < space->nowned; i++)
    for (PetscInt c = 0; c < width; c++) {
      const double x = 12.9898 * (space->natural[i] + 1) + 78.233 * c;
      a[i * width + c] = 43758.5453 * sin(x) - floor(43758.5453 * sin(x)) - 0.5;
    }
  PetscCall(VecRestoreArray(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where Krylov's method starts: nothing of what T takes to zero. */
static PetscErrorCode start_vector(RhxSpectrum sp, Mat T, Vec *start)
{
  Vec v;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(T, &v, start));
  PetscCall(random_vector(sp, sp->parts * sp->eq->form->space->bs, v));
  PetscCall(MatMult(T, v, *start));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The complex vector of a pair (z, -i z) or (conj z, i conj z) of a doubled T, of which *conjugate says the second: with parts a, b
 * of either pair a + i b is 2 z or 0. */
static PetscErrorCode undouble(RhxSpectrum sp, Vec re, Vec im, PetscBool *conjugate, Vec zr, Vec zi)
{
  PetscReal norm[2][2];
  Vec a[2], b[2]; /* parts of re, of im */
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDuplicate(zr, &a[k]));
    PetscCall(VecDuplicate(zr, &b[k]));
  }
  PetscCall(split(sp, re, a));
  PetscCall(split(sp, im, b));
  for (int c = 0; c < 2; c++) {
    PetscCall(VecWAXPY(zr, c ? 1.0 : -1.0, b[1], a[0]));
    PetscCall(VecWAXPY(zi, c ? -1.0 : 1.0, b[0], a[1]));
    PetscCall(VecNorm(zr, NORM_2, &norm[c][0]));
    PetscCall(VecNorm(zi, NORM_2, &norm[c][1]));
  }
  *conjugate = (PetscBool)(hypot(norm[1][0], norm[1][1]) > hypot(norm[0][0], norm[0][1]));
  if (!*conjugate) {
    PetscCall(VecWAXPY(zr, -1.0, b[1], a[0]));
    PetscCall(VecWAXPY(zi, 1.0, b[0], a[1]));
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDestroy(&a[k]));
    PetscCall(VecDestroy(&b[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_velocity(RhxForm form, PetscInt component)
{
  return (PetscBool)(component < form->space->dim ||
                     (form->swirl >= 0 && component == form->first_scalar + form->swirl));
}

/* The complex value of largest modulus among the velocities, or where they vanish, all in their units, of all. */
static PetscErrorCode largest(RhxSpectrum sp, Vec re, Vec im, double z[2])
{
  const RhxSpace space = sp->eq->form->space;
  const PetscScalar *a, *b;
  struct {
    double value;
    int rank;
  } mine = {0.0, 0}, all = {0.0, 0};
  const double U = RhxScalingUnit(sp->nt->scaling, 0);
  double most = 0.0; /* of all, in their units */
  PetscMPIInt rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(space->comm, &rank));
  PetscCall(VecGetArrayRead(re, &a));
  PetscCall(VecGetArrayRead(im, &b));
  for (int any = 0; any < 2 && all.value <= NOTHING * most * U; any++) {
    PetscInt at = -1;
    mine.value = 0.0;
    mine.rank = rank;
    for (PetscInt k = 0; k < space->nowned * space->bs; k++) {
      const double m = hypot(a[k], b[k]);
      most = PetscMax(most, m / RhxScalingUnit(sp->nt->scaling, k % space->bs));
      if ((any || is_velocity(sp->eq->form, k % space->bs)) && m > mine.value) {
        mine.value = m;
        at = k;
      }
    }
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, space->comm));
    PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, space->comm));
    z[0] = at >= 0 ? a[at] : 0.0;
    z[1] = at >= 0 ? b[at] : 0.0;
  }
  PetscCall(VecRestoreArrayRead(re, &a));
  PetscCall(VecRestoreArrayRead(im, &b));
  PetscCallMPI(MPI_Bcast(z, 2, MPI_DOUBLE, all.rank, space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v/z of its largest value z. */
static PetscErrorCode normalise(RhxSpectrum sp, RhxEigenmode *m)
{
  double z[2], d;
  Vec re;
  PetscFunctionBegin;
  PetscCall(largest(sp, m->re, m->im, z));
  d = z[0] * z[0] + z[1] * z[1];
  PetscCall(VecDuplicate(m->re, &re));
  PetscCall(VecCopy(m->re, re));
  PetscCall(VecAXPBY(m->re, z[1] / d, z[0] / d, m->im));
  PetscCall(VecAXPBY(m->im, -z[1] / d, z[0] / d, re));
  PetscCall(VecDestroy(&re));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |K v + lambda E v| / |E v| */
static PetscErrorCode find_residual(RhxSpectrum sp, RhxEigenmode *m)
{
  Vec part[2] = {m->re, m->im}, Mv[2];
  PetscReal norm, error = 0.0, mass = 0.0;
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDuplicate(m->re, &Mv[k]));
    PetscCall(MatMult(sp->pencil->E, part[k], Mv[k]));
    PetscCall(VecNorm(Mv[k], NORM_2, &norm));
    mass = hypot(mass, norm);
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(MatMult(sp->pencil->K, part[k], sp->out[0]));
    PetscCall(VecAXPBYPCZ(sp->out[0], m->value[0], k ? m->value[1] : -m->value[1], 1.0, Mv[k], Mv[1 - k]));
    PetscCall(VecNorm(sp->out[0], NORM_2, &norm));
    error = hypot(error, norm);
  }
  for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&Mv[k]));
  m->residual = error / mass;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is it an earlier one? A real value of a doubled T comes with two vectors of one eigenmode. */
static PetscErrorCode is_known(RhxSpectrum sp, const RhxEigenmode *m, PetscInt n, const RhxEigenmode *mode,
                               PetscBool *known)
{
  PetscFunctionBegin;
  *known = PETSC_FALSE;
  for (PetscInt i = 0; i < n && !*known; i++) {
    const double off = hypot(m->value[0] - mode[i].value[0], m->value[1] - mode[i].value[1]);
    PetscReal a, b;
    if (off > SAME * hypot(m->value[0] - sp->shift[0], m->value[1] - sp->shift[1])) continue;
    PetscCall(VecWAXPY(sp->Ez, -1.0, mode[i].re, m->re));
    PetscCall(VecNorm(sp->Ez, NORM_2, &a));
    PetscCall(VecNorm(m->re, NORM_2, &b));
    *known = (PetscBool)(a <= SAME * b);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is a frequency none, of a value `away` from the shift, the larger of which is of this size? */
static PetscBool is_real(double frequency, double away, double size)
{
  return (PetscBool)(PetscAbs(frequency) <= PetscMax(ROUNDING * away, OF_STATE * size));
}

/* Of eigenpair i of T, the positive imaginary part of a conjugate pair; or of H, whose values are those of T conjugated. */
static PetscErrorCode make_mode(RhxSpectrum sp, PetscBool adjoint, const RhxEigenpairs *pairs, PetscInt i,
                                RhxEigenmode *m)
{
  const double re = pairs->value[i][0], im = pairs->value[i][1], d = re * re + im * im;
  PetscBool conjugate = PETSC_TRUE; /* lambda of a real shift has the other sign of its imaginary part */
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(sp->pencil->E, &m->re, &m->im));
  if (sp->parts > 1) {
    PetscCall(undouble(sp, pairs->re[i], pairs->im[i], &conjugate, m->re, m->im));
  } else {
    PetscCall(VecCopy(pairs->re[i], m->re));
    PetscCall(VecCopy(pairs->im[i], m->im));
    if (!adjoint) PetscCall(VecScale(m->im, -1.0));
    conjugate = (PetscBool)!adjoint;
  }
  m->value[0] = sp->shift[0] + re / d;
  m->value[1] = sp->shift[1] + (conjugate != adjoint ? im : -im) / d;
  if (is_real(m->value[1], 1.0 / sqrt(d), hypot(m->value[0], sp->shift[0]))) m->value[1] = 0.0;
  PetscCall(normalise(sp, m));
  if (!adjoint) PetscCall(find_residual(sp, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates of the limits of explicit steps, which are those of what a mesh can hold: faster is a constraint, without mass. */
#define FASTEST 100.0
#define LOOSE 0.1 /* of the distance from the shift */

static PetscErrorCode find_fastest(RhxSpectrum sp)
{
  const RhxScheme sc = sp->sc;
  const RhxOps ops = sc->ops;
  const RhxFormStats *st = &ops->result.stats;
  PetscFunctionBegin;
  PetscCall(RhxEquationsLoad(sp->eq, sc->y, sp->nt->x));
  PetscCall(ops->table->begin(ops, sp->t, 1.0, 0.0));
  PetscCall(ops->table->stage(ops, 0.0, 0.0, 0.0, NULL));
  PetscCall(ops->table->ghosts(ops, sc->y));
  PetscCall(ops->table->project(ops, sc->y, sc->aux, NULL));
  PetscCall(ops->table->residual(ops, RHX_ROWS_FLOW, sc->y, sc->xdot, sc->aux, sc->r, PETSC_TRUE, NULL));
  PetscCall(ops->table->stats(ops));
  PetscCall(ops->table->begin(ops, sp->t, 0.0, 0.0));
  sp->fastest = FASTEST * (st->convective + st->viscous + st->elastic + st->relaxation);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the search adds where there are fewer eigenmodes than are asked for. */
static PetscBool is_spurious(RhxSpectrum sp, const RhxEigenmode *m)
{
  const double away = hypot(m->value[0] - sp->shift[0], m->value[1] - sp->shift[1]);
  return (PetscBool) !(m->residual <= LOOSE * away && hypot(m->value[0], m->value[1]) <= sp->fastest);
}

/* A real value that counts twice, such as that of a wave that stands in a periodic flow, may come as two that rounding made conjugate, with
 * vectors re +- i im: of a real shift two real pairs then, whose vectors are re and im. */
static PetscErrorCode part_pairs(RhxSpectrum sp, RhxEigenpairs *pairs)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; sp->parts == 1 && i + 1 < pairs->n; i++) {
    const double im = pairs->value[i][1];
    const double re = pairs->value[i][0], d = re * re + im * im;
    if (im == 0.0 || !is_real(im / d, 1.0 / sqrt(d), hypot(sp->shift[0] + re / d, sp->shift[0]))) continue;
    if (pairs->value[i + 1][1] != -im || pairs->value[i + 1][0] != pairs->value[i][0]) continue;
    PetscCall(VecCopy(pairs->im[i], pairs->re[i + 1]));
    for (int k = 0; k < 2; k++) {
      PetscCall(VecSet(pairs->im[i + k], 0.0));
      pairs->value[i + k][1] = 0.0;
    }
    i++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell_few(RhxSpectrum sp, PetscInt n, PetscInt found, PetscBool all, PetscInt most)
{
  char why[128] = "the others that the search had are no eigenmodes of the flow on this mesh";
  PetscFunctionBegin;
  if (!all)
    snprintf(why, sizeof(why),
             "the search ended after %d restarts (-eigen_restarts, a shift that is nearer, fewer of them)", (int)most);
  PetscCall(PetscPrintf(sp->eq->form->comm,
                        "  %" PetscInt_FMT " of the %" PetscInt_FMT " that were asked for (-eigen_number): %s\n", found,
                        n, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Up to n eigenmodes of T, or adjoint ones of H. */
static PetscErrorCode find_modes(RhxSpectrum sp, PetscBool adjoint, PetscInt n, PetscInt most, PetscInt *found,
                                 RhxEigenmode *mode)
{
  const Mat T = adjoint ? sp->H : sp->T;
  RhxEigenpairs pairs = {0};
  PetscInt size;
  Vec start;
  PetscFunctionBegin;
  PetscCall(start_vector(sp, T, &start));
  PetscCall(VecGetSize(start, &size));
  PetscCheck(adjoint || n <= size / sp->parts, PetscObjectComm((PetscObject)start), PETSC_ERR_USER_INPUT,
             "-eigen_number: got %" PetscInt_FMT " eigenmodes, expected at most %" PetscInt_FMT
             ", as many as there are unknowns",
             n, size / sp->parts);
  PetscCall(RhxKrylovSolve(T, start, n, most, sp->silence, &pairs));
  PetscCall(part_pairs(sp, &pairs));
  *found = 0;
  for (PetscInt i = 0; i < pairs.n && *found < n; i++) {
    PetscBool known;
    if (pairs.value[i][1] < 0.0) continue;
    PetscCall(make_mode(sp, adjoint, &pairs, i, &mode[*found]));
    PetscCheck(PetscIsNormalReal(1.0 + PetscAbs(mode[*found].value[0]) + PetscAbs(mode[*found].value[1])) &&
                   mode[*found].residual <= PETSC_MAX_REAL,
               PetscObjectComm((PetscObject)start), PETSC_ERR_NOT_CONVERGED,
               "rheoplex eigen: an eigenmode at the shift %g%+gi is not finite, expected a shift nearer to eigenmodes "
               "(-eigen_shifts)",
               sp->shift[0], sp->shift[1]);
    PetscCall(is_known(sp, &mode[*found], *found, mode, &known));
    if (known || (!adjoint && is_spurious(sp, &mode[*found])))
      PetscCall(RhxEigenmodeDestroy(&mode[*found]));
    else
      (*found)++;
  }
  if (!adjoint && *found < n) PetscCall(tell_few(sp, n, *found, pairs.all, most));
  PetscCall(VecDestroy(&start));
  PetscCall(RhxEigenpairsDestroy(&pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By products with K itself, of which H has but the assembled transpose, along a direction that meets what is given. */
static PetscErrorCode find_adjoint_residual(RhxSpectrum sp, RhxEigenmode *m)
{
  const Vec z = sp->in[0], Kz = sp->out[0];
  double Kx[2], Ex[2];
  PetscFunctionBegin;
  PetscCall(random_vector(sp, sp->eq->form->space->bs, z));
  PetscCall(RhxPencilFree(sp->pencil, PETSC_FALSE, z));
  PetscCall(MatMult(sp->pencil->K, z, Kz));
  PetscCall(VecAXPY(z, -1.0, Kz));
  PetscCall(RhxPencilFree(sp->pencil, PETSC_FALSE, Kz));
  PetscCall(VecAXPY(z, 1.0, Kz));
  PetscCall(MatMult(sp->pencil->K, z, Kz));
  PetscCall(MatMult(sp->pencil->E, z, sp->Ez));
  PetscCall(RhxAdjointDot(m, Kz, Kx));
  PetscCall(RhxAdjointDot(m, sp->Ez, Ex));
  m->adjoint_residual =
      hypot(Kx[0] + m->value[0] * Ex[0] - m->value[1] * Ex[1], Kx[1] + m->value[0] * Ex[1] + m->value[1] * Ex[0]) /
      hypot(Ex[0], Ex[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell_lacking(RhxSpectrum sp, PetscInt n, PetscInt lacking, PetscInt m)
{
  static const char expected[] = "a value has fewer vectors than its multiplicity, or more are as near to the shift; "
                                 "expected another -eigen_number or shift, or more -eigen_restarts";
  PetscFunctionBegin;
  PetscCheck(lacking < n, sp->eq->form->comm, PETSC_ERR_NOT_CONVERGED,
             "-eigen_adjoint: got no adjoint one of any of %" PetscInt_FMT " modes among the %" PetscInt_FMT
             " that were found: %s",
             n, m, expected);
  if (lacking)
    PetscCall(PetscPrintf(sp->eq->form->comm,
                          "  %" PetscInt_FMT " of the %" PetscInt_FMT
                          " modes without an adjoint one among the %" PetscInt_FMT
                          " that were found (-eigen_adjoint): %s\n",
                          lacking, n, m, expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_adjoint(RhxSpectrum sp, PetscInt most, PetscInt n, RhxEigenmode *mode)
{
  RhxEigenmode *other;
  PetscInt m, lacking;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n + MORE, &other));
  PetscCall(find_modes(sp, PETSC_TRUE, n + MORE, most, &m, other));
  PetscCall(RhxAdjointMatch(sp->pencil->E, n, mode, m, other, &lacking));
  for (PetscInt i = 0; i < m; i++) PetscCall(RhxEigenmodeDestroy(&other[i]));
  if (n) PetscCall(tell_lacking(sp, n, lacking, m));
  for (PetscInt i = 0; i < n; i++) {
    mode[i].adjoint_residual = NAN;
    if (mode[i].adjoint_re) PetscCall(find_adjoint_residual(sp, &mode[i]));
  }
  PetscCall(PetscFree(other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpectrumSetStepper(RhxSpectrum sp)
{
  PetscFunctionBegin;
  sp->stepper = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpectrumSetProgress(RhxSpectrum sp, double seconds)
{
  PetscFunctionBegin;
  sp->silence = seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpectrumSetAdjoint(RhxSpectrum sp)
{
  PetscFunctionBegin;
  sp->adjoint = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a mode what is a state. */
static PetscErrorCode shed(RhxSpectrum sp, RhxEigenmode *m)
{
  Vec *const part[] = {&m->re, &m->im, &m->adjoint_re, &m->adjoint_im};
  PetscFunctionBegin;
  for (int k = 0; k < 4; k++) {
    Vec x;
    if (!*part[k]) continue;
    PetscCall(VecDuplicate(sp->Mv, &x));
    PetscCall(RhxPencilGetState(sp->pencil, *part[k], x));
    PetscCall(VecDestroy(part[k]));
    *part[k] = x;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell_solves(RhxSpectrum sp)
{
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(KSPGetTotalIterations(sp->ksp, &n));
  PetscCall(PetscPrintf(sp->eq->form->comm,
                        "eigen: %" PetscInt_FMT " solves of the stepper at the shift %g%+gi, %.1f iterations each\n",
                        sp->solves, sp->shift[0], sp->shift[1], (double)n / PetscMax(sp->solves, 1)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the shift an eigenvalue, to which all of T's accuracy goes? Then `moved` is between it and the next one. */
static PetscBool is_eigenvalue(const double shift[2], PetscInt n, const RhxEigenmode *mode, double moved[2])
{
  double near = PETSC_MAX_REAL, next = PETSC_MAX_REAL;
  for (PetscInt i = 0; i < n; i++)
    near = PetscMin(near, hypot(mode[i].value[0] - shift[0], mode[i].value[1] - shift[1]));
  for (PetscInt i = 0; i < n; i++) {
    const double away = hypot(mode[i].value[0] - shift[0], mode[i].value[1] - shift[1]);
    if (near <= APART * away) next = PetscMin(next, away);
  }
  moved[0] = shift[0] + MOVE * next;
  moved[1] = shift[1];
  return (PetscBool)(next < PETSC_MAX_REAL);
}

PetscErrorCode RhxSpectrumSolve(RhxSpectrum sp, const double shift[2], PetscInt n, PetscInt most, PetscInt *found,
                                RhxEigenmode *mode)
{
  double moved[2];
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) mode[i] = (RhxEigenmode){0};
  PetscCall(create_operators(sp, shift));
  sp->solves = 0;
  PetscCall(find_modes(sp, PETSC_FALSE, n, most, found, mode));
  if (!sp->stepper && is_eigenvalue(shift, *found, mode, moved)) {
    for (PetscInt i = 0; i < *found; i++) PetscCall(RhxEigenmodeDestroy(&mode[i]));
    PetscCall(destroy_operators(sp));
    PetscCall(create_operators(sp, moved));
    PetscCall(find_modes(sp, PETSC_FALSE, n, most, found, mode));
  }
  if (sp->stepper) PetscCall(tell_solves(sp));
  if (sp->adjoint) PetscCall(find_adjoint(sp, most, *found, mode));
  for (PetscInt i = 0; i < *found; i++) {
    PetscCall(shed(sp, &mode[i]));
    PetscCall(RhxRoughness(sp->nt->scaling, sp->eq->form, mode[i].re, mode[i].im, &mode[i].roughness));
  }
  PetscCall(destroy_operators(sp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxSpectrumHasLate(RhxSpectrum sp) { return (PetscBool)(sp->pencil->nlate > 0); }

PetscErrorCode RhxEigenmodeDestroy(RhxEigenmode *m)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&m->re));
  PetscCall(VecDestroy(&m->im));
  PetscCall(VecDestroy(&m->adjoint_re));
  PetscCall(VecDestroy(&m->adjoint_im));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- About a state ---- */

PetscErrorCode RhxSpectrumCheck(TS ts)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxKrylovCheck(PetscObjectComm((PetscObject)ts)));
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(RhxSteadyCheck(sc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At the state of Newton's method. */
static PetscErrorCode linearise(RhxSpectrum sp)
{
  const RhxNewton nt = sp->nt;
  double norm;
  PetscFunctionBegin;
  PetscCall(find_fastest(sp));
  PetscCall(RhxNewtonBegin(nt, sp->t));
  PetscCall(RhxNewtonResidual(nt, &norm));
  sp->residual = norm <= nt->rounding ? 0.0 : norm / nt->scale;
  PetscCall(RhxEquationsLinearise(sp->eq, nt->x, NULL, 0.0));
  PetscCall(RhxEquationsAssemble(sp->eq, PETSC_FALSE));
  PetscCall(MatDestroy(&sp->M));
  PetscCall(create_mass(sp));
  PetscCall(RhxPencilDestroy(&sp->pencil));
  PetscCall(RhxPencilCreate(sp->eq, sp->M, &sp->pencil));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpectrumMove(RhxSpectrum sp, const RhxParameter *parameter, double value, const char *hint, Vec x)
{
  const RhxNewton nt = sp->nt;
  char where[512];
  PetscBool solved;
  PetscFunctionBegin;
  snprintf(where, sizeof(where), ", %s = %.8g", parameter->option, value);
  PetscCall(RhxSteadyMove(sp->ts, sp->sc, parameter, value));
  sp->t = RhxSteadyGetTime(sp->sc);
  PetscCall(RhxEquationsHold(sp->eq, nt->x));
  PetscCall(RhxEquationsSetTime(sp->eq, sp->t));
  PetscCall(RhxEquationsImpose(sp->eq, nt->x));
  PetscCall(RhxNewtonBegin(nt, sp->t));
  PetscCall(RhxNewtonSolve(nt, 0.0, 0, &solved));
  if (!solved) PetscCall(RhxNewtonFail(nt, where, hint));
  PetscCall(linearise(sp));
  PetscCall(VecCopy(nt->x, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpectrumCreate(TS ts, Vec x, RhxSpectrum *out)
{
  RhxSpectrum sp;
  PetscFunctionBegin;
  PetscCall(RhxSpectrumCheck(ts));
  PetscCall(PetscNew(out));
  sp = *out;
  sp->ts = ts;
  PetscCall(RhxSchemeGet(ts, &sp->sc));
  PetscCall(RhxSteadyGetNewton(sp->sc, &sp->nt, &sp->t));
  sp->eq = sp->nt->eq;
  PetscCall(VecCopy(x, sp->nt->x));
  PetscCall(linearise(sp));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatCreateVecs(sp->M, &sp->x[k], &sp->y[k]));
    PetscCall(MatCreateVecs(sp->pencil->E, &sp->in[k], &sp->out[k]));
  }
  PetscCall(MatCreateVecs(sp->M, &sp->Mv, NULL));
  PetscCall(MatCreateVecs(sp->pencil->E, &sp->Ez, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpectrumGetResidual(RhxSpectrum sp, double *residual)
{
  PetscFunctionBegin;
  *residual = sp->residual;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpectrumDestroy(RhxSpectrum *spectrum)
{
  RhxSpectrum sp = *spectrum;
  PetscFunctionBegin;
  if (!sp) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(destroy_operators(sp));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDestroy(&sp->x[k]));
    PetscCall(VecDestroy(&sp->y[k]));
    PetscCall(VecDestroy(&sp->in[k]));
    PetscCall(VecDestroy(&sp->out[k]));
  }
  PetscCall(VecDestroy(&sp->Mv));
  PetscCall(VecDestroy(&sp->Ez));
  PetscCall(RhxPencilDestroy(&sp->pencil));
  PetscCall(MatDestroy(&sp->M));
  PetscCall(PetscFree(*spectrum));
  PetscFunctionReturn(PETSC_SUCCESS);
}
