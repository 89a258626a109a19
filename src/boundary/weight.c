/* The body force f of a fluid at rest: K p = load, load_a = integral grad N_a . f = -integral N_a div f + the flow of f through the boundary by
 * node, so that grad p is the part of f that is a gradient. Exact for one f everywhere, p = f . x. */
#include "boundary/backflow.h"
#include "boundary/coupling_impl.h"
#include <math.h>
#include <petscksp.h>

#define TOLERANCE 1e-10 /* the guess is exact for one f */
#define NOTHING 1e-12   /* of |f| V/L at the nodes: f along a period, which no pressure balances, or turning */

#define UNIFORM 1e-6 /* relative: one force along a label */
#define PERIOD \
  1e-6 /* of the mesh: a node that an element sees elsewhere, of a unit vector: one in the span of others */

typedef struct {
  PetscReal *f;   /* [nlocal][dim] N/m^3 */
  double mean[3]; /* over the volume */
} Weight;

static PetscErrorCode evaluate(RhxBoundary bc, double t, Weight *w)
{
  const RhxSpace space = bc->space;
  const PetscInt dim = space->dim, u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  double sum[4] = {0};

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal * dim + 1, &w->f));
  for (PetscInt d = 0; d < dim; d++) {
    const RhxFormula f = bc->row[0][u + d].whole;
    PetscReal *value;
    if (!f) continue;
    PetscCall(PetscMalloc1(space->nlocal + 1, &value));
    PetscCall(RhxBoundaryFormula(bc, f, t, space->nlocal, space->x, 1, value));
    for (PetscInt i = 0; i < space->nlocal; i++) w->f[i * dim + d] = value[i];
    PetscCall(PetscFree(value));
  }
  PetscCall(RhxBoundaryRaise(bc));
  for (PetscInt i = 0; i < space->nowned; i++) {
    sum[3] += space->mass[i];
    for (PetscInt d = 0; d < dim; d++) sum[d] += space->mass[i] * w->f[i * dim + d];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, bc->comm));
  for (PetscInt d = 0; d < 3; d++) w->mean[d] = sum[d] / sum[3];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* load[nowned]; some: is there any? */
static PetscErrorCode find_load(RhxBoundary bc, const Weight *w, PetscScalar *load, PetscBool *some)
{
  const RhxSpace space = bc->space;
  const PetscInt dim = space->dim;
  PetscReal *normal, *spread, side[3];
  double square[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(space->nlocal * dim + 1, &normal, space->nlocal + 1, &spread));
  for (PetscInt i = 0; i < bc->ncond; i++) RhxConditionAddNormals(bc->cond[i].faces, dim, normal);
  PetscCall(RhxSpaceReduce(space, dim, normal));
  PetscCall(RhxFormDivergence(bc->form, w->f, spread));
  PetscCall(RhxSpaceGetExtent(space, side));
  const double length = PetscMax(side[0], PetscMax(side[1], side[2]));
  for (PetscInt i = 0; i < space->nowned; i++) {
    double size = 0;
    load[i] = -spread[i];
    for (PetscInt d = 0; d < dim; d++) {
      load[i] += w->f[i * dim + d] * normal[i * dim + d];
      size += PetscSqr(w->f[i * dim + d]);
    }
    square[0] += PetscSqr(load[i]);
    square[1] += size * PetscSqr(space->mass[i] / length);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, square, 2, MPI_DOUBLE, MPI_SUM, bc->comm));
  *some = (PetscBool)(square[0] > NOTHING * NOTHING * square[1]);
  PetscCall(PetscFree2(normal, spread));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* share[nowned] of the nodes whose mean of p is kept: of open labels, where there are none of those that give p, there then given, else the volume's. */
static PetscErrorCode find_shares(RhxBoundary bc, PetscReal *share, PetscScalar *p, PetscBool *open)
{
  const RhxSpace space = bc->space;
  PetscInt n[2] = {0, bc->npressure};

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(share, space->nowned));
  for (PetscInt i = 0; i < bc->ncond; i++)
    for (PetscInt j = 0; RhxConditionHasLevel(&bc->cond[i]) && j < bc->cond[i].faces->nnodes; j++, n[0]++)
      share[bc->cond[i].faces->node[j]] = 1;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 2, MPIU_INT, MPI_SUM, bc->comm));
  *open = (PetscBool)(n[0] > 0);
  for (PetscInt i = 0; !*open && i < bc->npressure; i++) {
    share[bc->pressure_node[i]] = 1;
    p[bc->pressure_node[i]] = bc->fixed[RHX_GROUP_PRESSURE].val[i];
  }
  if (!n[0] && !n[1]) PetscCall(PetscArraycpy(share, space->mass, space->nowned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mean_of(RhxBoundary bc, const PetscReal *share, const PetscScalar *v, double *mean)
{
  double sum[2] = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->space->nowned; i++) {
    sum[0] += share[i] * v[i];
    sum[1] += share[i];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, bc->comm));
  *mean = sum[0] / sum[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b = load - K phi, phi given at open nodes, there phi itself; phi = the guess elsewhere, unless it is worse than none. */
static PetscErrorCode begin(RhxBoundary bc, RhxLaplace *laplace, PetscBool open, const PetscReal *share,
                            const PetscScalar *load, const PetscScalar *guess)
{
  const PetscInt n = bc->space->nowned;
  PetscScalar *phi, *b;
  PetscReal size, left;
  Vec r;

  PetscFunctionBegin;
  PetscCall(MatMult(laplace->K, laplace->phi, laplace->b));
  PetscCall(VecGetArray(laplace->b, &b));
  PetscCall(VecGetArray(laplace->phi, &phi));
  for (PetscInt i = 0; i < n; i++) {
    const PetscBool given = (PetscBool)(open && share[i] > 0);
    b[i] = given ? phi[i] : load[i] - b[i];
    if (!given) phi[i] = guess[i];
  }
  PetscCall(VecRestoreArray(laplace->phi, &phi));
  PetscCall(VecRestoreArray(laplace->b, &b));
  PetscCall(VecDuplicate(laplace->b, &r));
  PetscCall(MatMult(laplace->A, laplace->phi, r));
  PetscCall(VecAXPY(r, -1.0, laplace->b));
  PetscCall(VecNorm(r, NORM_2, &left));
  PetscCall(VecNorm(laplace->b, NORM_2, &size));
  PetscCall(VecDestroy(&r));
  if (!(left < size)) PetscCall(VecZeroEntries(laplace->phi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p[nowned], given where open, in the whole domain. */
static PetscErrorCode solve(RhxBoundary bc, PetscBool open, const PetscReal *share, const PetscScalar *load,
                            const PetscScalar *guess, PetscScalar *p)
{
  KSPConvergedReason reason;
  MatNullSpace constant;
  RhxLaplace laplace;

  PetscFunctionBegin;
  PetscCall(RhxLaplaceCreate(bc, &laplace));
  PetscCall(MatNullSpaceCreate(bc->comm, PETSC_TRUE, 0, NULL, &constant));
  PetscCall(VecPlaceArray(laplace.phi, p));
  PetscCall(begin(bc, &laplace, open, share, load, guess));
  if (!open) PetscCall(MatSetNullSpace(laplace.A, constant));
  if (!open) PetscCall(MatNullSpaceRemove(constant, laplace.b));
  PetscCall(KSPSetTolerances(laplace.ksp, TOLERANCE, PETSC_DEFAULT, PETSC_DEFAULT, RHX_LAPLACE_ITERATIONS));
  PetscCall(KSPSolve(laplace.ksp, laplace.b, laplace.phi));
  PetscCall(KSPGetConvergedReason(laplace.ksp, &reason));
  PetscCheck(reason > 0 || reason == KSP_DIVERGED_ITS, bc->comm,
             PETSC_ERR_NOT_CONVERGED, /* near enough to begin with */
             "-form_body_force: the pressure of the fluid at rest was not found: got %s, expected convergence; "
             "-initial_pressure gives another to begin with",
             KSPConvergedReasons[reason]);
  PetscCall(VecResetArray(laplace.phi));
  PetscCall(MatNullSpaceDestroy(&constant));
  PetscCall(RhxLaplaceDestroy(&laplace));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxBoundaryHasBodyForce(RhxBoundary bc) { return (PetscBool)(bc->source->body_force[0] != 0); }

PetscErrorCode RhxBoundaryWeigh(RhxBoundary bc, double t, PetscScalar *p, PetscBool *weighs)
{
  const PetscInt n = bc->space->nowned, dim = bc->space->dim;
  PetscScalar *load, *guess;
  PetscReal *share;
  PetscBool open = PETSC_FALSE;
  Weight w = {0};
  double given, along, there;

  PetscFunctionBegin;
  *weighs = RhxBoundaryHasBodyForce(bc);
  if (!*weighs) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc3(n + 1, &load, n + 1, &guess, n + 1, &share));
  PetscCall(evaluate(bc, t, &w));
  PetscCall(find_load(bc, &w, load, weighs));
  if (*weighs) {
    PetscCall(find_shares(bc, share, p, &open));
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt d = 0; d < dim; d++) guess[i] += w.mean[d] * bc->space->x[i * dim + d];
    PetscCall(mean_of(bc, share, p, &given));
    PetscCall(mean_of(bc, share, guess, &along));
    for (PetscInt i = 0; i < n; i++) {
      guess[i] -= along;
      p[i] = open && share[i] > 0 ? p[i] - given : 0;
    }
    PetscCall(solve(bc, open, share, load, guess, p));
    PetscCall(mean_of(bc, share, p, &there));
    for (PetscInt i = 0; i < n; i++) p[i] += given - there;
  }
  PetscCall(PetscFree3(load, guess, share));
  PetscCall(PetscFree(w.f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does an open label end on walls alone, so that nothing flows along it for ever, as a film does that runs down below a free surface? */
static PetscErrorCode ends_on_walls(RhxBoundary bc, const RhxCondition *c, PetscBool *walls)
{
  PetscInt n[2] = {0, 0}; /* of its nodes that walls, and that others hold too */
  char *own;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->space->nowned + 1, &own));
  for (PetscInt j = 0; j < c->faces->nnodes; j++) own[c->faces->node[j]] = 1;
  for (const RhxCondition *other = bc->cond; other < bc->cond + bc->ncond; other++)
    for (PetscInt j = 0; other != c && j < other->faces->nnodes; j++)
      n[(other->gives & (RHX_TYPE_OPEN | RHX_TYPE_INWARD)) != 0] += own[other->faces->node[j]];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 2, MPIU_INT, MPI_SUM, bc->comm));
  *walls = (PetscBool)(n[0] && !n[1]);
  PetscCall(PetscFree(own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v joins the orthonormal e[*n], unless it is in their span but for `least`. */
static void join(int dim, const double *v, double least, int *n, double e[3][3])
{
  double rest[3] = {0}, square = 0;

  for (int d = 0; d < dim; d++) rest[d] = v[d];
  for (int k = 0; k < *n; k++) {
    double part = 0;
    for (int d = 0; d < dim; d++) part += rest[d] * e[k][d];
    for (int d = 0; d < dim; d++) rest[d] -= part * e[k][d];
  }
  for (int d = 0; d < dim; d++) square += rest[d] * rest[d];
  if (*n == dim || !(square > least * least)) return;
  for (int d = 0; d < dim; d++) e[*n][d] = rest[d] / sqrt(square);
  (*n)++;
}

/* Orthonormal e[*n] that span the periods of the mesh: what elements see a node moved by. Of this rank's elements. */
static PetscErrorCode find_own_periods(RhxSpace space, int *n, double e[3][3])
{
  const PetscInt dim = space->dim;
  double side[3], shift[3] = {0};

  PetscFunctionBegin;
  *n = 0;
  PetscCall(RhxSpaceGetExtent(space, side));
  const double least = PERIOD * PetscMax(side[0], PetscMax(side[1], side[2]));
  for (const RhxCells *cells = space->cells; cells < space->cells + space->ntypes; cells++)
    for (PetscInt i = 0; i < cells->ngroups * cells->nn; i++)
      for (PetscInt l = 0; l < RHX_LANES; l++) {
        const PetscReal *x = space->x + cells->conn[i * RHX_LANES + l] * dim;
        for (PetscInt d = 0; d < dim; d++) shift[d] = cells->x[(i * dim + d) * RHX_LANES + l] - x[d];
        join((int)dim, shift, least, n, e);
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of all ranks': the columns of the sum of their projections. */
static PetscErrorCode find_periods(RhxSpace space, int *n, double e[3][3])
{
  double sum[3][3] = {{0}};

  PetscFunctionBegin;
  PetscCall(find_own_periods(space, n, e));
  for (int k = 0; k < *n; k++)
    for (int i = 0; i < 9; i++) sum[i / 3][i % 3] += e[k][i / 3] * e[k][i % 3];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 9, MPI_DOUBLE, MPI_SUM, space->comm));
  *n = 0;
  for (PetscInt d = 0; d < space->dim; d++) join((int)space->dim, sum[d], PERIOD, n, e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Along periods, where p is periodic, a force drives the flow: no outlet could hold it. */
static PetscErrorCode leave_periods_out(RhxSpace space, Weight *w)
{
  const PetscInt dim = space->dim;
  double e[3][3] = {{0}};
  int n;

  PetscFunctionBegin;
  PetscCall(find_periods(space, &n, e));
  for (PetscInt i = 0; i < space->nlocal; i++)
    for (int k = 0; k < n; k++) {
      PetscReal *f = w->f + i * dim;
      double part = 0;
      for (PetscInt d = 0; d < dim; d++) part += f[d] * e[k][d];
      for (PetscInt d = 0; d < dim; d++) f[d] -= part * e[k][d];
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The body force of the label's nodes; uniform FALSE: not one all along. */
static PetscErrorCode force_along(RhxBoundary bc, const Weight *w, const RhxCondition *c, double f[3],
                                  PetscBool *uniform)
{
  const PetscInt dim = bc->space->dim;
  double least[6], size = 0; /* of f and -f; largest component */

  PetscFunctionBegin;
  for (int k = 0; k < 6; k++) least[k] = k % 3 < dim ? PETSC_INFINITY : 0;
  for (PetscInt j = 0; j < c->faces->nnodes; j++)
    for (PetscInt d = 0; d < dim; d++) {
      const double value = w->f[c->faces->node[j] * dim + d];
      least[d] = PetscMin(least[d], value);
      least[3 + d] = PetscMin(least[3 + d], -value);
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, least, 6, MPI_DOUBLE, MPI_MIN, bc->comm));
  *uniform = PETSC_TRUE;
  for (int d = 0; d < 3; d++) {
    f[d] = (least[d] - least[3 + d]) / 2;
    size = PetscMax(size, fabs(f[d]));
  }
  for (int d = 0; d < 3; d++)
    if (!(-least[3 + d] - least[d] <= UNIFORM * size)) *uniform = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* over 0: no force along the label. */
static PetscErrorCode not_held(RhxBoundary bc, double t, RhxCondition *c, const double f[3], double *over)
{
  const PetscInt dim = bc->space->dim;
  double least[4]; /* of p - f.x and f.x, and their negatives */

  PetscFunctionBegin;
  for (int k = 0; k < 4; k++) least[k] = PETSC_INFINITY;
  for (PetscInt j = 0; j < c->faces->nnodes; j++) {
    PetscReal p, held = 0;
    PetscCall(RhxConditionLevelAt(c, t, c->faces->node[j], &p));
    for (PetscInt d = 0; d < dim; d++) held += f[d] * bc->space->x[c->faces->node[j] * dim + d];
    least[0] = PetscMin(least[0], p - held);
    least[1] = PetscMin(least[1], held - p);
    least[2] = PetscMin(least[2], held);
    least[3] = PetscMin(least[3], -held);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, least, 4, MPI_DOUBLE, MPI_MIN, bc->comm));
  *over = -least[0] - least[1];
  if (!(-least[2] - least[3] > UNIFORM * *over)) *over = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetUnheld(RhxBoundary bc, double t, double force[3], RhxTold *unheld)
{
  Weight w = {0};
  double f[3], over = 0, most = 0;
  PetscBool walls = PETSC_FALSE, uniform = PETSC_FALSE;

  PetscFunctionBegin;
  if (!RhxBoundaryHasBodyForce(bc)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(evaluate(bc, t, &w));
  PetscCall(leave_periods_out(bc->space, &w));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if (!RhxConditionHasLevel(c)) continue;
    PetscCall(ends_on_walls(bc, c, &walls));
    PetscCall(force_along(bc, &w, c, f, &uniform));
    if (!walls || !uniform) continue;
    PetscCall(not_held(bc, t, c, f, &over));
    if (!(over > 0)) continue;
    PetscCall(RhxToldAdd(unheld, c->label, over));
    if (!(over > most)) continue;
    most = over;
    PetscCall(PetscArraycpy(force, f, 3));
  }
  PetscCall(PetscFree(w.f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
