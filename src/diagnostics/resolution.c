/* With the recovered gradients G_a at nodes the estimate d = sum_a N_a G_a less the element's own gradient, and of a value the root of
 * h^2 d^2/10, h the element's length along d: of a quadratic field that is its interpolation. theory.md, 10. */
#include "diagnostics/resolution.h"
#include "diagnostics/recovery_impl.h"
#include "kernels/geometry.h"
#include "petsc_compat.h"
#include "space/face.h"
#include <math.h>
#include <stdio.h>

/* A component that is looked at. */
typedef struct {
  RhxSpace space;
  const PetscScalar *f, *G; /* [nlocal]; [nlocal][dim] */
  double times;             /* that it occurs, of a tensor off its diagonal 2 */
  PetscBool slope, hoop;    /* of its gradient; it is u_r, whose gradient has u_r/r, or u_theta with -u_theta/r */
} Component;

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

/* Squares of the estimate and of the field at quadrature point q of element e with the lengths M; returns weight times Jacobian. */
static double look_at_point(const Component *k, const RhxCells *c, PetscInt e, PetscInt q, double M[3][3],
                            double *error, double *size)
{
  const PetscInt dim = k->space->dim;
  const double *N = c->N + q * c->nn;
  double dN[8][3], off[3] = {0}, slope[3] = {0}, value = 0.0;
  const double w = RhxCellsGradients(c, dim, e, q, dN);

  for (PetscInt a = 0; a < c->nn; a++) {
    const PetscInt node = RhxCellsNode(c, e, a);
    value += N[a] * k->f[node];
    for (PetscInt i = 0; i < dim; i++) {
      slope[i] += dN[a][i] * k->f[node];
      off[i] += N[a] * k->G[node * dim + i] - dN[a][i] * k->f[node];
    }
  }
  *error = *size = 0.0;
  for (PetscInt i = 0; i < dim; i++) {
    if (k->slope) *size += PetscSqr(slope[i]);
    if (k->slope) *error += PetscSqr(off[i]);
    for (PetscInt j = 0; !k->slope && j < dim; j++) *error += 0.1 * k->times * off[i] * M[i][j] * off[j];
  }
  if (k->hoop) *size += PetscSqr(value * RHX_TWO_PI / RhxCellsSwept(c, e, q));
  if (!k->slope) *size = k->times * value * value;
  return w;
}

/* Adds squares to share[ncells] and size[ncells]. */
static void look(const Component *k, double *share, double *size)
{
  const RhxSpace sp = k->space;
  double error, own, M[3][3];

  for (const RhxCells *c = sp->cells; c < sp->cells + sp->ntypes; c++)
    for (PetscInt e = 0; e < c->n; e++, share++, size++) {
      find_lengths(c, sp->dim, e, M);
      for (PetscInt q = 0; q < c->nq; q++) {
        const double w = look_at_point(k, c, e, q, M, &error, &own);
        *share += w * error;
        *size += w * own;
      }
    }
}

/* The component of x[nlocal][stride] at its beginning. */
static PetscErrorCode look_at(RhxRecovery recovery, Component *k, const PetscScalar *x, PetscInt stride, double *share,
                              double *size)
{
  const PetscInt n = k->space->nlocal;
  PetscScalar *f, *G;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &f, n * k->space->dim, &G));
  for (PetscInt a = 0; a < n; a++) f[a] = x[(size_t)a * stride];
  PetscCall(RhxRecoverGradient(recovery, f, G));
  k->f = f;
  k->G = G;
  look(k, share, size);
  PetscCall(PetscFree2(f, G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_at_velocity(RhxForm form, RhxRecovery recovery, const PetscScalar *x, double *share,
                                       double *size)
{
  const RhxSpace sp = form->space;
  const PetscInt first = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < sp->dim + (form->swirl >= 0); i++) {
    Component k = {.space = sp, .slope = PETSC_TRUE, .hoop = (PetscBool)(sp->axisymmetric && i > 0)};
    const PetscInt at = i < sp->dim ? first + i : form->first_scalar + form->swirl;
    PetscCall(look_at(recovery, &k, x + at, sp->bs, share, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_at_stress(RhxForm form, PetscInt mode, RhxRecovery recovery, const PetscScalar *x,
                                     double *share, double *size)
{
  const RhxSpace sp = form->space;
  const PetscInt n = sp->ntens, diagonal = n == 6 ? 3 : n - 1;
  PetscScalar *tau;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)sp->nlocal * n, &tau));
  PetscCall(RhxFormPolymerStress(form, mode, sp->nlocal, x, tau));
  for (PetscInt i = 0; i < n; i++) {
    Component k = {.space = sp, .times = i < diagonal ? 1.0 : 2.0};
    PetscCall(look_at(recovery, &k, tau + i, n, share, size));
  }
  PetscCall(PetscFree(tau));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double volume_of(const RhxCells *c, PetscInt dim, PetscInt e)
{
  double volume = 0.0, dN[8][3];

  for (PetscInt q = 0; q < c->nq; q++) volume += RhxCellsGradients(c, dim, e, q, dN);
  return volume;
}

/* Sums over elements of squares of the estimate and of the field, of what both make in the mean, and the volume; the worst element. */
typedef struct {
  double sum[5], most;
  RhxResolved *part;
} Sums;

static void add_element(const RhxCells *c, PetscInt dim, PetscInt e, double error, double size, Sums *s)
{
  const double volume = volume_of(c, dim, e);
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
static PetscErrorCode sum_up(RhxSpace sp, double *share, const double *size, RhxResolution *r, RhxResolved *part)
{
  Sums s = {.part = part};
  struct {
    double value;
    int rank;
  } mine, worst;
  PetscInt n = 0;

  PetscFunctionBegin;
  for (const RhxCells *c = sp->cells; c < sp->cells + sp->ntypes; c++)
    for (PetscInt e = 0; e < c->n; e++, n++) add_element(c, sp->dim, e, share[n], size[n], &s);
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
  for (PetscInt k = 0; k < n; k++) share[k] = part->size == 0.0 ? 0.0 : sqrt(share[k]) / part->size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxResolutionFind(RhxForm form, const PetscScalar *x, RhxResolution *r)
{
  const RhxSpace sp = form->space;
  RhxRecovery recovery;
  double *size;

  PetscFunctionBegin;
  *r = (RhxResolution){.n = 1 + form->nmodes};
  for (PetscInt t = 0; t < sp->ntypes; t++) r->ncells += sp->cells[t].n;
  PetscCall(PetscCalloc1(r->n, &r->part));
  PetscCall(PetscCalloc1((size_t)r->n * r->ncells, &r->share));
  PetscCall(PetscMalloc1(r->ncells, &size));
  PetscCall(RhxRecoveryCreate(sp, &recovery));
  for (PetscInt k = 0; k < r->n; k++) {
    double *share = r->share + (size_t)k * r->ncells;
    PetscCall(PetscArrayzero(size, r->ncells));
    if (k)
      PetscCall(look_at_stress(form, k - 1, recovery, x, share, size));
    else
      PetscCall(look_at_velocity(form, recovery, x, share, size));
    PetscCall(sum_up(sp, share, size, r, &r->part[k]));
  }
  PetscCall(RhxRecoveryDestroy(&recovery));
  PetscCall(PetscFree(size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxResolutionDestroy(RhxResolution *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(r->part));
  PetscCall(PetscFree(r->share));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxResolutionName(RhxForm form, PetscInt k, size_t size, char *name)
{
  if (k && form->nmodes > 1)
    snprintf(name, size, "stress_%d", (int)k - 1);
  else
    snprintf(name, size, "%s", k ? "stress" : "velocity_gradient");
}

double RhxResolvedRelative(const RhxResolved *part) { return part->size == 0.0 ? 0.0 : part->error / part->size; }
