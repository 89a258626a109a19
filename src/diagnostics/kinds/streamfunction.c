/* Streamfunction of plane flow, u = d psi/dy, v = -d psi/dx, of axisymmetric flow Stokes', r u = d psi/dr, r v = -d psi/dz, and its
 * extremes inside: centres of vortices. */
#include "diagnostics/near.h"
#include "petsc_compat.h"
#include "space/face.h"
#include <math.h>
#include <petscksp.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
  int n;
  KSP ksp; /* owned, as what follows */
  Vec psi, rhs;
} Options;

static const RhxRow rows[] = {
    {"vortices", RHX_INT, 0, offsetof(Options, n), "3", RHX_IN, 1, 100, NULL, "1",
     "vortices that have columns, the strongest first"},
};

/* psi fits -v, u by least squares over the elements: integral grad N . grad psi = integral grad N . (-v, u), in axisymmetric flow
 * over what they sweep with r (-v, u); no condition is needed at boundaries. */
static PetscErrorCode create_solver(RhxDiagnostic *d, Options *o)
{
  const RhxForm form = RhxDiagnosticGetRun(d)->form;
  MatNullSpace constant;
  Mat K;
  PC pc;

  PetscFunctionBegin;
  PetscCall(RhxFormCreateLaplacian(form, &K));
  PetscCall(MatNullSpaceCreate(form->comm, PETSC_TRUE, 0, NULL, &constant));
  PetscCall(MatSetNullSpace(K, constant));
  PetscCall(MatNullSpaceDestroy(&constant));
  PetscCall(KSPCreate(form->comm, &o->ksp));
  PetscCall(KSPSetOperators(o->ksp, K, K));
  PetscCall(KSPSetType(o->ksp, KSPCG));
  PetscCall(KSPGetPC(o->ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetTolerances(o->ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 20000));
  PetscCall(KSPSetInitialGuessNonzero(o->ksp, PETSC_TRUE));
  PetscCall(MatCreateVecs(K, &o->psi, &o->rhs));
  PetscCall(MatDestroy(&K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxDiagnostic *d)
{
  const char *unit = RhxDiagnosticGetRun(d)->form->axisymmetric ? "m^3/s" : "m^2/s";
  Options *o = d->own;
  char column[64];

  PetscFunctionBegin;
  PetscCheck(RhxDiagnosticGetDimension(d) == 2, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_kind: got streamfunction in 3D, expected a plane or axisymmetric flow", d->name);
  PetscCall(create_solver(d, o));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "psi_min", unit));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "psi_max", unit));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "vortices", "1"));
  for (int k = 0; k < o->n; k++)
    for (int i = 0; i < 3; i++) {
      static const char *const what[] = {"x", "y", "psi"};
      PetscCall(PetscSNPrintf(column, sizeof(column), "vortex_%d_%s", k, what[i]));
      PetscCall(RhxDiagnosticAddColumnUnit(d, column, i < 2 ? "m" : unit));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_rhs(RhxForm form, const PetscScalar *x, Vec rhs)
{
  const RhxSpace space = form->space;
  const PetscInt first = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  PetscScalar *r, *to;
  double dN[8][3];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal, &r));
  for (PetscInt t = 0; t < space->ntypes; t++)
    for (PetscInt e = 0; e < space->cells[t].n; e++)
      for (PetscInt q = 0; q < space->cells[t].nq; q++) {
        const RhxCells *c = &space->cells[t];
        const PetscInt *node = c->conn + (e / RHX_LANES) * c->nn * RHX_LANES + e % RHX_LANES;
        const double w = RhxCellsGradients(c, 2, e, q, dN);
        double u[2] = {0, 0}, radius = 0;
        for (PetscInt a = 0; a < c->nn; a++) {
          radius += c->N[q * c->nn + a] * c->x[(((e / RHX_LANES) * c->nn + a) * 2 + 1) * RHX_LANES + e % RHX_LANES];
          for (int i = 0; i < 2; i++)
            u[i] += c->N[q * c->nn + a] * x[(size_t)node[a * RHX_LANES] * space->bs + first + i];
        }
        const double scale = space->axisymmetric ? w * radius : w;
        for (PetscInt a = 0; a < c->nn; a++) r[node[a * RHX_LANES]] += scale * (dN[a][1] * u[0] - dN[a][0] * u[1]);
      }
  PetscCall(RhxSpaceReduce(space, 1, r));
  PetscCall(VecGetArray(rhs, &to));
  PetscCall(PetscArraycpy(to, r, space->nowned));
  PetscCall(VecRestoreArray(rhs, &to));
  PetscCall(PetscFree(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its least value on the boundary becomes 0; without a boundary its mean is. psi[nlocal] */
static PetscErrorCode solve(RhxDiagnostic *d, Options *o, PetscScalar *psi)
{
  const RhxForm form = RhxDiagnosticGetRun(d)->form;
  const RhxSpace space = form->space;
  const PetscScalar *g;
  const PetscInt u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  KSPConvergedReason reason;
  PetscScalar *x;
  double least = PETSC_INFINITY;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticGetLocalPart(d, u, u + 2, &x));
  PetscCall(fill_rhs(form, x, o->rhs));
  PetscCall(PetscFree(x));
  PetscCall(KSPSolve(o->ksp, o->rhs, o->psi));
  PetscCall(KSPGetConvergedReason(o->ksp, &reason));
  PetscCheck(reason > 0, form->comm, PETSC_ERR_NOT_CONVERGED,
             "-diagnostic_%s_kind streamfunction: its equation is not solved, reason %d", d->name, (int)reason);
  PetscCall(VecGetArrayRead(o->psi, &g));
  for (PetscInt l = 0; l < space->nlabels; l++)
    for (PetscInt i = 0; i < space->faces[l].nnodes; i++) least = PetscMin(least, g[space->faces[l].node[i]]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, form->comm));
  PetscCall(RhxSpaceGlobalToLocal(space, 1, g, psi));
  PetscCall(VecRestoreArrayRead(o->psi, &g));
  for (PetscInt i = 0; i < space->nlocal && least < PETSC_INFINITY; i++) psi[i] -= least;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of owned and ghost nodes in which psi is sign's least, or its greatest, at the node; counted over ranks, beside all
 * elements of the node: count[nlocal][3]. */
static PetscErrorCode count_extremes(RhxSpace space, const PetscScalar *psi, PetscScalar *count)
{
  PetscFunctionBegin;
  for (PetscInt t = 0; t < space->ntypes; t++)
    for (PetscInt e = 0; e < space->cells[t].n; e++) {
      const RhxCells *c = &space->cells[t];
      const PetscInt *node = c->conn + (e / RHX_LANES) * c->nn * RHX_LANES + e % RHX_LANES;
      for (PetscInt a = 0; a < c->nn; a++) {
        PetscBool least = PETSC_TRUE, most = PETSC_TRUE;
        for (PetscInt b = 0; b < c->nn; b++) {
          if (b == a) continue;
          if (!(psi[node[a * RHX_LANES]] < psi[node[b * RHX_LANES]])) least = PETSC_FALSE;
          if (!(psi[node[a * RHX_LANES]] > psi[node[b * RHX_LANES]])) most = PETSC_FALSE;
        }
        count[3 * node[a * RHX_LANES]] += least;
        count[3 * node[a * RHX_LANES] + 1] += most;
        count[3 * node[a * RHX_LANES] + 2] += 1;
      }
    }
  PetscCall(RhxSpaceReduce(space, 3, count));
  for (PetscInt l = 0; l < space->nlabels; l++) /* not on the boundary */
    for (PetscInt i = 0; i < space->faces[l].nnodes; i++) count[3 * space->faces[l].node[i] + 2] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The strongest vortex that is weaker than `bound`: |psi| and its place, on all ranks; 0: there is none. */
static PetscErrorCode next_vortex(RhxSpace space, const PetscScalar *psi, const PetscScalar *count, double bound,
                                  double place[3])
{
  struct {
    double value;
    int rank;
  } best = {0, 0};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(space->comm, &rank));
  best.rank = rank;
  for (int i = 0; i < 3; i++) place[i] = NAN;
  for (PetscInt i = 0; i < space->nowned; i++) {
    const PetscScalar *n = count + 3 * i;
    if ((n[0] != n[2] && n[1] != n[2]) || !(fabs(psi[i]) > best.value) || !(fabs(psi[i]) < bound)) continue;
    best.value = fabs(psi[i]);
    place[0] = space->x[2 * i];
    place[1] = space->x[2 * i + 1];
    place[2] = psi[i];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, space->comm));
  PetscCallMPI(MPI_Bcast(place, 3, MPI_DOUBLE, best.rank, space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  Options *o = d->own;
  PetscScalar *psi, *count;
  double value[2], at[2][3], bound = PETSC_INFINITY;

  PetscFunctionBegin;
  (void)step;
  PetscCall(PetscMalloc1(space->nlocal, &psi));
  PetscCall(PetscCalloc1(3 * space->nlocal, &count));
  PetscCall(solve(d, o, psi));
  PetscCall(count_extremes(space, psi, count));
  PetscCall(RhxNodalExtremes(space, 1, psi, value, at));
  values[0] = value[0];
  values[1] = value[1];
  values[2] = 0;
  for (PetscInt i = 0; i < space->nowned; i++)
    if (count[3 * i] == count[3 * i + 2] || count[3 * i + 1] == count[3 * i + 2]) values[2]++;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, values + 2, 1, MPI_DOUBLE, MPI_SUM, space->comm));
  for (int k = 0; k < o->n; k++) {
    PetscCall(next_vortex(space, psi, count, bound, values + 3 + 3 * k));
    bound = isnan(values[5 + 3 * k]) ? 0 : fabs(values[5 + 3 * k]);
  }
  PetscCall(PetscFree(psi));
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  PetscCall(KSPDestroy(&o->ksp));
  PetscCall(VecDestroy(&o->psi));
  PetscCall(VecDestroy(&o->rhs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_streamfunction = {
    .entry = {sizeof(RhxDiagnosticType), "streamfunction",
              "plane flow: extremes of the streamfunction psi, u = d psi/dy, and the centres of vortices"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .destroy = destroy};
