/* With the recovered gradients G_a at nodes the estimate d = sum_a N_a G_a less the element's own gradient, and of a value the root of
 * h^2 d^2/10, h the element's length along d: of a quadratic field that is its interpolation. theory.md, 10. */
#include "diagnostics/resolution.h"
#include "diagnostics/recovery_impl.h"
#include "kernels/geometry.h"
#include "petsc_compat.h"
#include "space/face.h"
#include <math.h>
#include <stdio.h>

#define ROUNDING 1e-12 /* of the largest value: a field that varies by so little is uniform */

/* What is looked at, of some components. */
typedef struct {
  RhxSpace space;
  PetscInt n;
  PetscScalar *f, *G; /* [n][nlocal]; [n][nlocal][dim] */
  double times[6];    /* that each occurs, of a tensor off its diagonal 2 */
  PetscBool slope;    /* of the gradient */
  PetscBool hoop[6];  /* it is u_r, whose gradient has u_r/r, or u_theta with -u_theta/r */
} Field;

/* Sums of each element. */
typedef struct {
  double *share, *size, *volume; /* [ncells] of the estimate and of the field the squares */
} Squares;

/* Square of the length of an element in each direction, that of the side of a square or a cube; of a regular triangle and
 * tetrahedron .84 and .77 of it, with which the estimate meets the error of interpolation (theory.md, 10). */
static void find_lengths(const RhxCells *c, PetscInt dim, PetscInt e, double M[3][3])
{
  const double times = c->nn > dim + 1 ? 4.0 / c->nn : dim == 2 ? 1.4 : 1.2;
  double centre[3] = {0};

  for (PetscInt a = 0; a < c->nn; a++)
    for (PetscInt i = 0; i < dim; i++) centre[i] += RhxCellsPlace(c, dim, e, a, i) / c->nn;
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) {
      M[i][j] = 0.0;
      for (PetscInt a = 0; a < c->nn; a++)
        M[i][j] += times * (RhxCellsPlace(c, dim, e, a, i) - centre[i]) * (RhxCellsPlace(c, dim, e, a, j) - centre[j]);
    }
}

/* Squares of the estimate and of component k at quadrature point q of element e with gradients dN and lengths M. */
static void look_at_point(const Field *field, PetscInt k, const RhxCells *c, PetscInt e, PetscInt q, double dN[8][3],
                          double M[3][3], double *error, double *size)
{
  const PetscInt dim = field->space->dim;
  const PetscScalar *f = field->f + k * field->space->nlocal, *G = field->G + k * field->space->nlocal * dim;
  const double *N = c->N + q * c->nn;
  double off[3] = {0}, slope[3] = {0}, value = 0.0;

  for (PetscInt a = 0; a < c->nn; a++) {
    const PetscInt node = RhxCellsNode(c, e, a);
    value += N[a] * f[node];
    for (PetscInt i = 0; i < dim; i++) {
      slope[i] += dN[a][i] * f[node];
      off[i] += N[a] * G[node * dim + i] - dN[a][i] * f[node];
    }
  }
  *error = *size = 0.0;
  for (PetscInt i = 0; i < dim; i++) {
    if (field->slope) *size += PetscSqr(slope[i]);
    if (field->slope) *error += PetscSqr(off[i]);
    for (PetscInt j = 0; !field->slope && j < dim; j++) *error += 0.1 * field->times[k] * off[i] * M[i][j] * off[j];
  }
  if (field->hoop[k]) *size += PetscSqr(value * RHX_TWO_PI / RhxCellsSwept(c, e, q));
  if (!field->slope) *size = field->times[k] * value * value;
}

static void look_at_element(const Field *field, const RhxCells *c, PetscInt e, Squares *s, PetscInt at)
{
  double error, size, dN[8][3], M[3][3];

  find_lengths(c, field->space->dim, e, M);
  for (PetscInt q = 0; q < c->nq; q++) {
    const double w = RhxCellsGradients(c, field->space->dim, e, q, dN);
    s->volume[at] += w;
    for (PetscInt k = 0; k < field->n; k++) {
      look_at_point(field, k, c, e, q, dN, M, &error, &size);
      s->share[at] += w * error;
      s->size[at] += w * size;
    }
  }
}

static PetscErrorCode look(RhxRecovery recovery, Field *field, Squares *s)
{
  const RhxSpace sp = field->space;
  PetscInt at = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < field->n; k++)
    PetscCall(RhxRecoverGradient(recovery, field->f + k * sp->nlocal, field->G + k * sp->nlocal * sp->dim));
  for (const RhxCells *c = sp->cells; c < sp->cells + sp->ntypes; c++)
    for (PetscInt e = 0; e < c->n; e++) look_at_element(field, c, e, s, at++);
  PetscCall(PetscFree2(field->f, field->G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_field(RhxSpace space, PetscInt n, Field *field)
{
  PetscFunctionBegin;
  *field = (Field){.space = space, .n = n};
  PetscCall(PetscMalloc2((size_t)n * space->nlocal, &field->f, (size_t)n * space->nlocal * space->dim, &field->G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Component k is that of x[nlocal][stride] at its beginning. */
static void set_component(Field *field, PetscInt k, const PetscScalar *x, PetscInt stride)
{
  PetscScalar *f = field->f + k * field->space->nlocal;

  for (PetscInt a = 0; a < field->space->nlocal; a++) f[a] = x[(size_t)a * stride];
}

static PetscErrorCode look_at_velocity(RhxForm form, RhxRecovery recovery, const PetscScalar *x, Squares *s)
{
  const RhxSpace sp = form->space;
  const PetscInt first = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  Field field;

  PetscFunctionBegin;
  PetscCall(make_field(sp, sp->dim + (form->swirl >= 0), &field));
  field.slope = PETSC_TRUE;
  for (PetscInt i = 0; i < field.n; i++) {
    field.hoop[i] = (PetscBool)(sp->axisymmetric && i > 0);
    set_component(&field, i, x + (i < sp->dim ? first + i : form->first_scalar + form->swirl), sp->bs);
  }
  PetscCall(look(recovery, &field, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_at_stress(RhxForm form, PetscInt mode, RhxRecovery recovery, const PetscScalar *x,
                                     Squares *s)
{
  const RhxSpace sp = form->space;
  const PetscInt n = sp->ntens, diagonal = n == 6 ? 3 : n - 1;
  PetscScalar *tau;
  Field field;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)sp->nlocal * n, &tau));
  PetscCall(RhxFormPolymerStress(form, mode, sp->nlocal, x, tau));
  PetscCall(make_field(sp, n, &field));
  for (PetscInt i = 0; i < n; i++) {
    field.times[i] = i < diagonal ? 1.0 : 2.0;
    set_component(&field, i, tau + i, n);
  }
  PetscCall(PetscFree(tau));
  PetscCall(look(recovery, &field, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Scalar field k of the form, less its mean: of a temperature 300 K are no size. What rounding leaves of a uniform one is nothing. */
static PetscErrorCode look_at_scalar(RhxForm form, PetscInt k, RhxRecovery recovery, const PetscScalar *x, Squares *s)
{
  const RhxSpace sp = form->space;
  double sum[2] = {0.0, 0.0}, most[2] = {0.0, 0.0};
  Field field;

  PetscFunctionBegin;
  PetscCall(make_field(sp, 1, &field));
  field.times[0] = 1.0;
  set_component(&field, 0, x + form->first_scalar + k, sp->bs);
  for (PetscInt a = 0; a < sp->nowned; a++) {
    sum[0] += sp->mass[a] * field.f[a];
    sum[1] += sp->mass[a];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, sp->comm));
  for (PetscInt a = 0; a < sp->nlocal; a++) {
    most[0] = PetscMax(most[0], PetscAbsReal(field.f[a]));
    field.f[a] -= sum[0] / sum[1];
    most[1] = PetscMax(most[1], PetscAbsReal(field.f[a]));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, sp->comm));
  if (!PetscIsNanReal(sum[0]) && most[1] <= ROUNDING * most[0]) PetscCall(PetscArrayzero(field.f, sp->nlocal));
  PetscCall(look(recovery, &field, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RhxResolutionScalar(RhxForm form, PetscInt k)
{
  const PetscInt i = k - 1 - form->nmodes;

  return i + (form->swirl >= 0 && i >= form->swirl);
}

/* Sums over elements of squares of the estimate and of the field, of what both make in the mean, and the volume; the worst element. */
typedef struct {
  double sum[5], most;
  RhxResolved *part;
} Sums;

static void add_element(const RhxCells *c, PetscInt dim, PetscInt e, double error, double size, double volume, Sums *s)
{
  const double terms[5] = {error, size, sqrt(error * volume), sqrt((error + size) * volume), volume};

  for (int i = 0; i < 5; i++) s->sum[i] += terms[i];
  if (error <= s->most) return;
  s->most = isnan(error) ? HUGE_VAL : error; /* which nothing exceeds */
  s->part->local = sqrt(error / (error + size));
  for (PetscInt i = 0; i < dim; i++) {
    s->part->at[i] = 0.0;
    for (PetscInt a = 0; a < c->nn; a++) s->part->at[i] += RhxCellsPlace(c, dim, e, a, i) / c->nn;
  }
}

/* Squares become parts of the whole. */
static PetscErrorCode sum_up(RhxSpace sp, const Squares *of, RhxResolution *r, RhxResolved *part)
{
  Sums s = {.part = part};
  struct {
    double value;
    int rank;
  } mine, worst;
  PetscInt n = 0;

  PetscFunctionBegin;
  for (const RhxCells *c = sp->cells; c < sp->cells + sp->ntypes; c++)
    for (PetscInt e = 0; e < c->n; e++, n++) add_element(c, sp->dim, e, of->share[n], of->size[n], of->volume[n], &s);
  mine.value = s.most;
  PetscCallMPI(MPI_Comm_rank(sp->comm, &mine.rank));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, s.sum, 5, MPI_DOUBLE, MPI_SUM, sp->comm));
  PetscCallMPI(MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, sp->comm));
  PetscCallMPI(MPI_Bcast(part->at, 3, MPI_DOUBLE, worst.rank, sp->comm));
  PetscCallMPI(MPI_Bcast(&part->local, 1, MPI_DOUBLE, worst.rank, sp->comm));
  part->error = sqrt(s.sum[0]);
  part->size = sqrt(s.sum[0] + s.sum[1]);
  part->mean = s.sum[3] == 0.0 ? 0.0 : s.sum[2] / s.sum[3];
  r->volume = s.sum[4];
  for (PetscInt k = 0; k < n; k++) of->share[k] = part->size == 0.0 ? 0.0 : sqrt(of->share[k]) / part->size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RhxResolutionCount(RhxForm form) { return 1 + form->nmodes + form->nscalars - (form->swirl >= 0); }

PetscErrorCode RhxResolutionCreate(RhxForm form, RhxResolution *r)
{
  const RhxSpace sp = form->space;

  PetscFunctionBegin;
  *r = (RhxResolution){.form = form, .n = RhxResolutionCount(form)};
  for (PetscInt t = 0; t < sp->ntypes; t++) r->ncells += sp->cells[t].n;
  PetscCall(PetscMalloc2(r->n, &r->part, (size_t)r->n * r->ncells, &r->share));
  PetscCall(RhxRecoveryCreate(sp, &r->recovery));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxResolutionFind(RhxResolution *r, const PetscScalar *x)
{
  Squares s;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(r->part, r->n));
  PetscCall(PetscArrayzero(r->share, (size_t)r->n * r->ncells));
  PetscCall(PetscMalloc2(r->ncells, &s.size, r->ncells, &s.volume));
  for (PetscInt k = 0; k < r->n; k++) {
    s.share = r->share + (size_t)k * r->ncells;
    PetscCall(PetscArrayzero(s.size, r->ncells));
    PetscCall(PetscArrayzero(s.volume, r->ncells));
    if (!k)
      PetscCall(look_at_velocity(r->form, r->recovery, x, &s));
    else if (k <= r->form->nmodes)
      PetscCall(look_at_stress(r->form, k - 1, r->recovery, x, &s));
    else
      PetscCall(look_at_scalar(r->form, RhxResolutionScalar(r->form, k), r->recovery, x, &s));
    PetscCall(sum_up(r->form->space, &s, r, &r->part[k]));
  }
  PetscCall(PetscFree2(s.size, s.volume));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxResolutionDestroy(RhxResolution *r)
{
  PetscFunctionBegin;
  PetscCall(RhxRecoveryDestroy(&r->recovery));
  PetscCall(PetscFree2(r->part, r->share));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxResolutionName(RhxForm form, PetscInt k, size_t size, char *name)
{
  if (k > form->nmodes)
    snprintf(name, size, "%s", form->scalar[RhxResolutionScalar(form, k)].row->name);
  else if (k && form->nmodes > 1)
    snprintf(name, size, "stress_%d", (int)k - 1);
  else
    snprintf(name, size, "%s", k ? "stress" : "velocity_gradient");
}

double RhxResolvedRelative(const RhxResolved *part) { return part->size == 0.0 ? 0.0 : part->error / part->size; }
