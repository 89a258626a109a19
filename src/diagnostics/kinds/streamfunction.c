/* Streamfunction of plane flow, u = d psi/dy, v = -d psi/dx, of axisymmetric flow Stokes', r u = d psi/dr, r v = -d psi/dz, and its
 * extremes inside: centres of vortices. */
#include "diagnostics/loops_impl.h"
#include "diagnostics/near_impl.h"
#include "petsc_compat.h"
#include "space/diameter.h"
#include "space/face.h"
#include <math.h>
#include <petscksp.h>
#include <stddef.h>
#include <stdio.h>

#define MEAN 0.01 /* of the speed: what is left of the mean by a psi that fits */
#define APART 0.1 /* of an edge: an image of a node is elsewhere */

typedef struct {
  char label[RHX_STRING_LENGTH]; /* first: RhxLabelOptions */
  int n;
  RhxLoops loops; /* owned, as what follows */
  Mat K, P;       /* psi = P y + what runs along the lines; y: at nodes inside, then of each line but the first */
  KSP ksp;        /* of P^T K P */
  PetscBool periodic;
  Vec along, b, psi, y, rhs;
} Options;

static const RhxRow rows[] = {
    {"label", RHX_STRING, 0, offsetof(Options, label), "", RHX_ANY, 0, 0, NULL, "1",
     "labels whose least and greatest psi have columns, comma-separated"},
    {"vortices", RHX_INT, 0, offsetof(Options, n), "3", RHX_IN, 1, 100, NULL, "1",
     "vortices that have columns, the strongest first"},
};

/* The first place in loops.node of a node of this rank or of a later one. */
static PetscErrorCode first_place(RhxSpace space, const RhxLoops *loops, PetscInt *first)
{
  PetscFunctionBegin;
  PetscCall(PetscFindInt(space->rstart, loops->nnodes, loops->node, first));
  if (*first < 0) *first = -(*first + 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_projector(RhxSpace space, const RhxLoops *loops, Mat *P)
{
  PetscInt k, inside, column, behind;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(space->comm, &rank));
  PetscCall(first_place(space, loops, &k));
  inside = space->nowned;
  for (PetscInt i = k; i < loops->nnodes && loops->node[i] < space->rstart + space->nowned; i++) inside--;
  behind = inside; /* lines have the columns behind those of the first rank's nodes inside */
  PetscCallMPI(MPI_Bcast(&behind, 1, MPIU_INT, 0, space->comm));
  PetscCall(MatCreateAIJ(space->comm, space->nowned, inside + (rank ? 0 : PetscMax(0, loops->nloops - 1)),
                         PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 1, NULL, P));
  PetscCall(MatGetOwnershipRangeColumn(*P, &column, NULL));
  for (PetscInt i = space->rstart; i < space->rstart + space->nowned; i++)
    if (k == loops->nnodes || loops->node[k] != i)
      PetscCall(MatSetValue(*P, i, column++, 1, INSERT_VALUES));
    else if (loops->loop[k++])
      PetscCall(MatSetValue(*P, i, behind + loops->loop[k - 1] - 1, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*P, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* psi fits -v, u by least squares over the elements: integral grad N . grad psi = integral grad N . (-v, u), in axisymmetric flow
 * over what they sweep with r (-v, u). Along the lines of the boundary it is what flows out, up to a constant of each. */
static PetscErrorCode create_solver(RhxDiagnostic *d, Options *o)
{
  const RhxForm form = RhxDiagnosticGetRun(d)->form;
  MatNullSpace constant;
  Mat A;
  PC pc;

  PetscFunctionBegin;
  PetscCall(RhxLoopsCreate(form, RhxDiagnosticGetRun(d)->bc, &o->loops));
  PetscCall(RhxFormCreateLaplacian(form, &o->K));
  PetscCall(create_projector(form->space, &o->loops, &o->P));
  PetscCall(MatPtAP(o->K, o->P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &A));
  if (!o->loops.nloops) {
    PetscCall(MatNullSpaceCreate(form->comm, PETSC_TRUE, 0, NULL, &constant));
    PetscCall(MatSetNullSpace(A, constant));
    PetscCall(MatNullSpaceDestroy(&constant));
  }
  PetscCall(KSPCreate(form->comm, &o->ksp));
  PetscCall(KSPSetOperators(o->ksp, A, A));
  PetscCall(KSPSetType(o->ksp, KSPCG));
  PetscCall(KSPGetPC(o->ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetTolerances(o->ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, 20000));
  PetscCall(KSPSetInitialGuessNonzero(o->ksp, PETSC_TRUE));
  PetscCall(MatCreateVecs(A, &o->y, &o->rhs));
  PetscCall(MatCreateVecs(o->K, &o->psi, &o->b));
  PetscCall(VecDuplicate(o->psi, &o->along));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are there periodic images? */
static PetscErrorCode has_periods(RhxSpace space, PetscBool *has)
{
  int any = 0;

  PetscFunctionBegin;
  for (PetscInt t = 0; t < space->ntypes; t++)
    for (PetscInt e = 0; e < space->cells[t].n; e++)
      for (PetscInt a = 0; a < space->cells[t].nn; a++) {
        const RhxCells *c = &space->cells[t];
        const size_t at = ((size_t)(e / RHX_LANES) * c->nn + a) * 2 * RHX_LANES + e % RHX_LANES;
        const PetscInt node = c->conn[((size_t)(e / RHX_LANES) * c->nn + a) * RHX_LANES + e % RHX_LANES];
        if (node >= space->nowned) continue;
        if (hypot(c->x[at] - space->x[2 * node], c->x[at + RHX_LANES] - space->x[2 * node + 1]) >
            APART * RhxCellDiameter(c, 2, e))
          any = 1;
      }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, space->comm));
  *has = (PetscBool)any;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxDiagnostic *d)
{
  static const char *const ends[] = {"psi_min", "psi_max"};
  const char *unit = RhxDiagnosticGetRun(d)->form->axisymmetric ? "m^3/s" : "m^2/s";
  Options *o = d->own;
  char column[64];

  PetscFunctionBegin;
  PetscCheck(RhxDiagnosticGetDimension(d) == 2, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_kind: got streamfunction in 3D, expected a plane or axisymmetric flow", d->name);
  PetscCall(create_solver(d, o));
  PetscCall(has_periods(RhxDiagnosticGetRun(d)->form->space, &o->periodic));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "psi_min", unit));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "psi_max", unit));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "vortices", "1"));
  for (int k = 0; k < o->n; k++)
    for (int i = 0; i < 3; i++) {
      static const char *const what[] = {"x", "y", "psi"};
      PetscCall(PetscSNPrintf(column, sizeof(column), "vortex_%d_%s", k, what[i]));
      PetscCall(RhxDiagnosticAddColumnUnit(d, column, i < 2 ? "m" : unit));
    }
  if (o->label[0]) PetscCall(RhxDiagnosticSetLabels(d, 2, ends, unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r (u, v) at quadrature point q of an element, r 1 in the plane; x[nlocal][bs]. */
static void flow_at(RhxSpace space, const RhxCells *c, PetscInt e, PetscInt q, const PetscScalar *x, double u[2])
{
  const PetscInt first = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  double radius = space->axisymmetric ? 0 : 1;

  u[0] = u[1] = 0;
  for (PetscInt a = 0; a < c->nn; a++) {
    const size_t at = (size_t)(e / RHX_LANES) * c->nn + a;
    const PetscInt node = c->conn[at * RHX_LANES + e % RHX_LANES];
    if (space->axisymmetric) radius += c->N[q * c->nn + a] * c->x[(2 * at + 1) * RHX_LANES + e % RHX_LANES];
    for (int i = 0; i < 2; i++) u[i] += c->N[q * c->nn + a] * x[(size_t)node * space->bs + first + i];
  }
  u[0] *= radius;
  u[1] *= radius;
}

static PetscErrorCode fill_rhs(RhxForm form, const PetscScalar *x, Vec rhs)
{
  const RhxSpace space = form->space;
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
        double u[2];
        flow_at(space, c, e, q, x, u);
        for (PetscInt a = 0; a < c->nn; a++) r[node[a * RHX_LANES]] += w * (dN[a][1] * u[0] - dN[a][0] * u[1]);
      }
  PetscCall(RhxSpaceReduce(space, 1, r));
  PetscCall(VecGetArray(rhs, &to));
  PetscCall(PetscArraycpy(to, r, space->nowned));
  PetscCall(VecRestoreArray(rhs, &to));
  PetscCall(PetscFree(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* o->along: what runs along the lines, 0 inside; closed: there is a psi. */
static PetscErrorCode follow_lines(RhxForm form, Options *o, const PetscScalar *x, PetscBool *closed)
{
  PetscScalar *to;
  double *psi;
  PetscInt first;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(o->loops.nnodes, &psi));
  PetscCall(RhxLoopsFollow(&o->loops, form, x, psi, closed));
  PetscCall(first_place(form->space, &o->loops, &first));
  PetscCall(VecZeroEntries(o->along));
  PetscCall(VecGetArray(o->along, &to));
  for (PetscInt k = first; k < o->loops.nnodes; k++)
    if (o->loops.node[k] < form->space->rstart + form->space->nowned)
      to[o->loops.node[k] - form->space->rstart] = psi[k];
  PetscCall(VecRestoreArray(o->along, &to));
  PetscCall(PetscFree(psi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its least value on the boundary becomes 0; without a boundary its mean is. */
static PetscErrorCode shift(RhxSpace space, Vec psi)
{
  PetscScalar *g;
  double least = PETSC_INFINITY;

  PetscFunctionBegin;
  PetscCall(VecGetArray(psi, &g));
  for (PetscInt l = 0; l < space->nlabels; l++)
    for (PetscInt i = 0; i < space->faces[l].nnodes; i++) least = PetscMin(least, g[space->faces[l].node[i]]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, space->comm));
  for (PetscInt i = 0; i < space->nowned && least < PETSC_INFINITY; i++) g[i] -= least;
  PetscCall(VecRestoreArray(psi, &g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a flow with a mean across every period of a domain psi rises from period to period: none that is a function of the place fits it. */
static PetscErrorCode check_mean(RhxForm form, const PetscScalar *x, const PetscScalar *psi, PetscBool *fits)
{
  const RhxSpace space = form->space;
  double dN[8][3], sum[3] = {0, 0, 0}; /* integrals of grad psi - (-v, u), and of |u| */

  PetscFunctionBegin;
  for (PetscInt t = 0; t < space->ntypes; t++)
    for (PetscInt e = 0; e < space->cells[t].n; e++)
      for (PetscInt q = 0; q < space->cells[t].nq; q++) {
        const RhxCells *c = &space->cells[t];
        const PetscInt *node = c->conn + (e / RHX_LANES) * c->nn * RHX_LANES + e % RHX_LANES;
        const double w = RhxCellsGradients(c, 2, e, q, dN);
        double u[2], slope[2] = {0, 0};
        flow_at(space, c, e, q, x, u);
        for (PetscInt a = 0; a < c->nn; a++)
          for (int i = 0; i < 2; i++) slope[i] += dN[a][i] * psi[node[a * RHX_LANES]];
        sum[0] += w * (slope[0] + u[1]);
        sum[1] += w * (slope[1] - u[0]);
        sum[2] += w * hypot(u[0], u[1]);
      }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, space->comm));
  *fits = (PetscBool)(hypot(sum[0], sum[1]) <= MEAN * sum[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* psi[nlocal], if there is one */
static PetscErrorCode solve(RhxDiagnostic *d, Options *o, PetscScalar *psi, PetscBool *closed)
{
  const RhxForm form = RhxDiagnosticGetRun(d)->form;
  const RhxSpace space = form->space;
  const PetscScalar *g;
  const PetscInt u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  KSPConvergedReason reason;
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticGetLocalPart(d, u, u + 2, &x));
  PetscCall(follow_lines(form, o, x, closed));
  PetscCall(fill_rhs(form, x, o->b));
  if (!*closed) PetscCall(PetscFree(x));
  if (!*closed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMult(o->K, o->along, o->psi));
  PetscCall(VecAXPY(o->b, -1, o->psi));
  PetscCall(MatMultTranspose(o->P, o->b, o->rhs));
  PetscCall(KSPSolve(o->ksp, o->rhs, o->y));
  PetscCall(KSPGetConvergedReason(o->ksp, &reason));
  PetscCheck(reason > 0, form->comm, PETSC_ERR_NOT_CONVERGED,
             "-diagnostic_%s_kind streamfunction: its equation is not solved, reason %d", d->name, (int)reason);
  PetscCall(MatMultAdd(o->P, o->y, o->along, o->psi));
  PetscCall(shift(space, o->psi));
  PetscCall(VecGetArrayRead(o->psi, &g));
  PetscCall(RhxSpaceGlobalToLocal(space, 1, g, psi));
  PetscCall(VecRestoreArrayRead(o->psi, &g));
  if (o->periodic) PetscCall(check_mean(form, x, psi, closed));
  PetscCall(PetscFree(x));
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

/* Least and greatest psi of a label's nodes: value[2]. */
static PetscErrorCode label_extremes(RhxSpace space, const char *label, const PetscScalar *psi, double *value)
{
  const RhxFaces *faces;

  PetscFunctionBegin;
  PetscCall(RhxSpaceGetFaces(space, label, &faces));
  value[0] = PETSC_INFINITY;
  value[1] = -PETSC_INFINITY;
  for (PetscInt i = 0; i < faces->nnodes; i++) {
    value[0] = PetscMin(value[0], psi[faces->node[i]]);
    value[1] = PetscMax(value[1], psi[faces->node[i]]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_MIN, space->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value + 1, 1, MPI_DOUBLE, MPI_MAX, space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* values[d->ncolumns] of psi[nlocal] */
static PetscErrorCode measure(RhxDiagnostic *d, const PetscScalar *psi, double *values)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  const Options *o = d->own;
  PetscScalar *count;
  double value[2], at[2][3], bound = PETSC_INFINITY;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(3 * space->nlocal, &count));
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
  for (PetscInt l = 0; l < d->nlabels; l++)
    PetscCall(label_extremes(space, d->label[l], psi, values + 3 + 3 * o->n + 2 * l));
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  PetscScalar *psi;
  PetscBool closed;

  PetscFunctionBegin;
  (void)step;
  PetscCall(PetscMalloc1(RhxDiagnosticGetRun(d)->form->space->nlocal, &psi));
  PetscCall(solve(d, d->own, psi, &closed));
  if (closed) PetscCall(measure(d, psi, values));
  for (PetscInt i = 0; i < d->ncolumns && !closed; i++) values[i] = NAN;
  PetscCall(PetscFree(psi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  PetscCall(RhxLoopsDestroy(&o->loops));
  PetscCall(KSPDestroy(&o->ksp));
  PetscCall(MatDestroy(&o->K));
  PetscCall(MatDestroy(&o->P));
  PetscCall(VecDestroy(&o->along));
  PetscCall(VecDestroy(&o->b));
  PetscCall(VecDestroy(&o->psi));
  PetscCall(VecDestroy(&o->y));
  PetscCall(VecDestroy(&o->rhs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_streamfunction = {
    .entry =
        {sizeof(RhxDiagnosticType), "streamfunction",
         "plane and axisymmetric flow: extremes of the streamfunction psi, u = d psi/dy, and the centres of vortices"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .destroy = destroy};
