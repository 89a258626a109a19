/* The level of the pressure behind open labels: a run begins with it, and one that is restarted with other outlets has theirs, so that no
 * flow is driven by what is but a level, p' = the change on open labels, harmonic between them. */
#include "boundary/backflow.h"
#include "boundary/coupling_impl.h"
#include "boundary/section_impl.h"
#include "boundary/types/outlet.h"
#include "petsc_compat.h"
#include <math.h>

#define TOLERANCE 1e-9
#define SAME 1e-12 /* of a level: sums over other numbers of ranks */
#define OTHER 0.01 /* of a level: one that is farther is another */

static PetscBool is_open(const RhxCondition *c) { return (PetscBool)((c->gives & RHX_TYPE_OPEN) != 0); }
PetscBool RhxConditionHasLevel(const RhxCondition *c) { return is_open(c); }

PetscErrorCode RhxLaplaceCreate(RhxBoundary bc, RhxLaplace *laplace)
{
  PetscInt n = 0, *rows;
  PC pc;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) n += is_open(&bc->cond[i]) ? bc->cond[i].faces->nnodes : 0;
  PetscCall(PetscMalloc1(n, &rows));
  n = 0;
  for (PetscInt i = 0; i < bc->ncond; i++)
    for (PetscInt j = 0; is_open(&bc->cond[i]) && j < bc->cond[i].faces->nnodes; j++)
      rows[n++] = bc->space->rstart + bc->cond[i].faces->node[j];
  PetscCall(PetscSortRemoveDupsInt(&n, rows));
  PetscCall(RhxFormCreateLaplacian(bc->form, &laplace->K));
  PetscCall(MatCreateVecs(laplace->K, &laplace->phi, &laplace->b));
  PetscCall(MatDuplicate(laplace->K, MAT_COPY_VALUES, &laplace->A));
  PetscCall(MatZeroRowsColumns(laplace->A, n, rows, 1.0, NULL, NULL));
  PetscCall(PetscFree(rows));
  PetscCall(KSPCreate(bc->comm, &laplace->ksp));
  PetscCall(KSPSetType(laplace->ksp, KSPCG));
  PetscCall(KSPGetPC(laplace->ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetOperators(laplace->ksp, laplace->A, laplace->A));
  PetscCall(KSPSetInitialGuessNonzero(laplace->ksp, PETSC_TRUE));
  PetscCall(KSPSetTolerances(laplace->ksp, TOLERANCE, PETSC_DEFAULT, PETSC_DEFAULT, RHX_LAPLACE_ITERATIONS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLaplaceDestroy(RhxLaplace *laplace)
{
  PetscFunctionBegin;
  PetscCall(KSPDestroy(&laplace->ksp));
  PetscCall(MatDestroy(&laplace->A));
  PetscCall(MatDestroy(&laplace->K));
  PetscCall(VecDestroy(&laplace->phi));
  PetscCall(VecDestroy(&laplace->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLaplaceExtend(RhxBoundary bc, RhxLaplace *laplace, KSPConvergedReason *reason)
{
  const PetscScalar *phi;
  PetscScalar *b;

  PetscFunctionBegin;
  PetscCall(MatMult(laplace->K, laplace->phi, laplace->b));
  PetscCall(VecScale(laplace->b, -1.0));
  PetscCall(VecGetArrayRead(laplace->phi, &phi));
  PetscCall(VecGetArray(laplace->b, &b));
  for (PetscInt i = 0; i < bc->ncond; i++)
    for (PetscInt j = 0; is_open(&bc->cond[i]) && j < bc->cond[i].faces->nnodes; j++)
      b[bc->cond[i].faces->node[j]] = phi[bc->cond[i].faces->node[j]];
  PetscCall(VecRestoreArray(laplace->b, &b));
  PetscCall(VecRestoreArrayRead(laplace->phi, &phi));
  PetscCall(KSPSolve(laplace->ksp, laplace->b, laplace->phi));
  PetscCall(KSPGetConvergedReason(laplace->ksp, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p[nowned], given at this rank's open nodes in the range given, which becomes that of all ranks, becomes harmonic between them. */
static PetscErrorCode extend(RhxBoundary bc, const char *option, double range[2], PetscScalar *p)
{
  KSPConvergedReason reason;
  RhxLaplace laplace;

  PetscFunctionBegin;
  range[1] = -range[1];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_DOUBLE, MPI_MIN, bc->comm));
  range[1] = -range[1];
  if (range[0] == range[1]) {
    for (PetscInt i = 0; i < bc->space->nowned; i++) p[i] = range[0];
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!(range[0] < range[1])) PetscFunctionReturn(PETSC_SUCCESS); /* no outlets */
  PetscCall(RhxLaplaceCreate(bc, &laplace));
  PetscCall(VecPlaceArray(laplace.phi, p));
  PetscCall(RhxLaplaceExtend(bc, &laplace, &reason));
  PetscCheck(
      reason > 0, bc->comm, PETSC_ERR_NOT_CONVERGED,
      "%s: the pressure between outlets of different pressures was not found: got %s, expected convergence in %d "
      "iterations",
      option, KSPConvergedReasons[reason], RHX_LAPLACE_ITERATIONS);
  PetscCall(VecResetArray(laplace.phi));
  PetscCall(RhxLaplaceDestroy(&laplace));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void add_pressure(RhxSpace sp, const PetscScalar *p, PetscScalar *x)
{
  const PetscInt at = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  for (PetscInt i = 0; i < sp->nowned; i++) x[(size_t)i * sp->bs + at] += p[i];
}

PetscErrorCode RhxConditionLevelAt(RhxCondition *c, double t, PetscInt node, PetscReal *p)
{
  const PetscReal *x = c->bc->space->x + (size_t)node * c->bc->space->dim;

  PetscFunctionBegin;
  *p = c->type->follow ? c->kept[RHX_FOLLOW_PRESSURE] : 0.0;
  if (!c->type->follow && c->type->pressure) PetscCall(c->type->pressure(c, t, 1, x, p));
  if (RhxOutletLoads(c)) PetscCall(RhxOutletLoad(c, t, 1, x, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryInitialPressure(RhxBoundary bc, double t, PetscBool weighs, PetscScalar *x)
{
  double range[2] = {PETSC_INFINITY, PETSC_NINFINITY};
  PetscScalar *p;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->space->nowned, &p));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    for (PetscInt j = 0; is_open(c) && j < c->faces->nnodes; j++) {
      PetscReal value;
      PetscCall(RhxConditionLevelAt(c, t, c->faces->node[j], &value));
      p[c->faces->node[j]] = value;
      range[0] = PetscMin(range[0], value);
      range[1] = PetscMax(range[1], value);
    }
  }
  if (weighs) PetscCall(RhxBoundaryWeigh(bc, t, p, &weighs));
  if (!weighs) PetscCall(extend(bc, "-initial_pressure", range, p));
  add_pressure(bc->space, p, x);
  PetscCall(PetscFree(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of every open label, [ncond]: mean over its nodes, and largest less smallest, of what it gives at t or, with x, of the state's pressure.
 * Collective. */
static PetscErrorCode measure(RhxBoundary bc, double t, const PetscScalar *x, double (*level)[2])
{
  const PetscInt at = RhxFieldsStart(bc->space->fields, RHX_GROUP_PRESSURE), n = bc->ncond;
  double *mean, (*range)[2]; /* range: of p and -p */

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(n + 1, &mean, n + 1, &range));
  for (PetscInt i = 0; i < n; i++) {
    RhxCondition *c = &bc->cond[i];
    range[i][0] = range[i][1] = PETSC_INFINITY;
    for (PetscInt j = 0; is_open(c) && j < c->faces->nnodes; j++) {
      PetscReal p = x ? x[(size_t)c->faces->node[j] * bc->space->bs + at] : 0.0;
      if (!x) PetscCall(RhxConditionLevelAt(c, t, c->faces->node[j], &p));
      mean[i] += p / c->nnodes;
      range[i][0] = PetscMin(range[i][0], p);
      range[i][1] = PetscMin(range[i][1], -p);
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mean, (PetscMPIInt)n, MPI_DOUBLE, MPI_SUM, bc->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, range, (PetscMPIInt)(2 * n), MPI_DOUBLE, MPI_MIN, bc->comm));
  for (PetscInt i = 0; i < n; i++) {
    level[i][0] = mean[i];
    level[i][1] = is_open(&bc->cond[i]) ? -range[i][0] - range[i][1] : 0.0;
  }
  PetscCall(PetscFree2(mean, range));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define TIMES 16 /* parts of a run */
#define ALIKE 1e-9

/* By what labels give at t: those that count with more than the least pressure, through which the flow that is driven may come in. */
static PetscErrorCode add_driven(RhxBoundary bc, PetscBool (*counts)(RhxBoundary, const char *),
                                 const double (*level)[2], RhxTold *driven)
{
  double least = PETSC_INFINITY, size = 0.0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    if (!is_open(&bc->cond[i])) continue;
    least = PetscMin(least, level[i][0]);
    size = PetscMax(size, PetscAbsReal(level[i][0]));
  }
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if (!is_open(c) || c->type->follow || !counts(bc, c->label)) continue;
    if (level[i][0] - least > ALIKE * size) PetscCall(RhxToldAdd(driven, c->label, level[i][0] - least));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetDriven(RhxBoundary bc, double t, double end,
                                    PetscBool (*counts)(RhxBoundary, const char *), RhxTold *driven)
{
  const int parts = end > t ? TIMES : 0;
  double(*level)[2];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (bc->cond[i].gives & RHX_TYPE_INWARD) PetscFunctionReturn(PETSC_SUCCESS);
  if (bc->source->body_force[0]) PetscFunctionReturn(PETSC_SUCCESS); /* it may hold a difference of pressures */
  PetscCall(PetscCalloc1(bc->ncond + 1, &level));
  for (int k = 0; k <= parts; k++) {
    PetscCall(measure(bc, parts ? t + (end - t) * k / parts : t, NULL, level));
    PetscCall(add_driven(bc, counts, (const double(*)[2])level, driven));
  }
  PetscCall(PetscFree(level));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* m: in space that of the slit of its area and of the walls at its rim, 2 A/P, an annulus' gap. */
static PetscErrorCode find_width(const RhxCondition *c, double *width)
{
  RhxSection s = c->section;
  double rim = 0.0;

  PetscFunctionBegin;
  *width = c->bc->space->dim == 3 ? c->geo.length / c->geo.extent : c->geo.length;
  if (c->bc->space->dim < 3 || c->geo.bend > RHX_FLAT) PetscFunctionReturn(PETSC_SUCCESS);
  if (!s) PetscCall(RhxSectionCreate(c->bc, c, &s));
  for (PetscInt i = 0; i < s->nrim; i++) {
    const PetscReal *x = s->edge + 4 * i;
    const unsigned both = s->flags[s->rim[2 * i]] & s->flags[s->rim[2 * i + 1]];
    if ((both & RHX_TYPE_NO_SLIP) || s->slip[i] >= 0)
      rim += PetscSqrtReal(PetscSqr(x[2] - x[0]) + PetscSqr(x[3] - x[1]));
  }
  if (rim > 0.0) *width = 2.0 * s->area / rim;
  if (s != c->section) PetscCall(RhxSectionDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetApart(RhxBoundary bc, double t, const char *label[2], double *apart, double *width)
{
  const RhxCondition *end[2] = {NULL, NULL};
  double(*level)[2], most = PETSC_NINFINITY, least = PETSC_INFINITY, wide[2];

  PetscFunctionBegin;
  label[0] = label[1] = NULL;
  *apart = *width = 0.0;
  if (bc->source->body_force[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(bc->ncond + 1, &level));
  PetscCall(measure(bc, t, NULL, level));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if (!is_open(c) || c->type->follow) continue;
    if (level[i][0] > most) most = level[i][0], end[0] = c;
    if (level[i][0] < least) least = level[i][0], end[1] = c;
  }
  if (end[0] != end[1]) {
    label[0] = end[0]->label;
    label[1] = end[1]->label;
    *apart = most - least;
    for (int k = 0; k < 2; k++) PetscCall(find_width(end[k], &wide[k]));
    *width = PetscMin(wide[0], wide[1]);
  }
  PetscCall(PetscFree(level));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At least the largest |p|. */
static double size_of(const double level[2]) { return fabs(level[0]) + level[1]; }

PetscErrorCode RhxBoundaryWarnOfLevels(RhxBoundary bc, double t, const PetscScalar *x)
{
  const RhxSpace sp = bc->space;
  const PetscInt at = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  double(*given)[2], (*there)[2], scale = 0.0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(bc->ncond + 1, &given, bc->ncond + 1, &there));
  PetscCall(measure(bc, t, NULL, given));
  PetscCall(measure(bc, t, x, there));
  for (PetscInt i = 0; i < sp->nowned; i++) scale = PetscMax(scale, PetscAbsScalar(x[(size_t)i * sp->bs + at]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &scale, 1, MPI_DOUBLE, MPI_MAX, bc->comm));
  for (PetscInt i = 0; i < bc->ncond; i++) scale = PetscMax(scale, size_of(given[i]));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const char *label = bc->cond[i].label;
    char numbers[256]; /* PETSc writes 1 as "1." */
    if (fabs(given[i][0] - there[i][0]) <= OTHER * scale) continue;
    snprintf(numbers, sizeof(numbers), "a mean of %g Pa on label '%.100s', expected the %g Pa that it gives",
             there[i][0], label, given[i][0]);
    PetscCall(PetscFPrintf(bc->comm, PETSC_STDERR,
                           "rheoplex: warning: -initial_pressure: got %s: the difference drives a flow in the first "
                           "step; without -initial_pressure a run begins with the pressure of the outlets\n",
                           numbers));
  }
  PetscCall(PetscFree2(given, there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A run that is restarted ---- */

static PetscErrorCode note(RhxBoundary bc, double t, int which)
{
  double(*level)[2];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->ncond + 1, &level));
  PetscCall(measure(bc, t, NULL, level));
  for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(PetscArraycpy(bc->cond[i].level[which], level[i], 2));
  PetscCall(PetscFree(level));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryNoteLevels(RhxBoundary bc, double t)
{
  PetscFunctionBegin;
  PetscCall(note(bc, t, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxBoundaryForgetLevels(RhxBoundary bc)
{
  for (PetscInt i = 0; i < bc->ncond; i++) bc->cond[i].level[0][0] = NAN;
}

/* What a label gave then can be compared with what it gives now; means over nodes of two meshes where it is one value alone. */
static PetscBool is_known(const RhxCondition *c, PetscBool other_mesh)
{
  const double uniform = SAME * fmax(size_of(c->level[0]), size_of(c->level[1]));
  return (PetscBool)(!isnan(c->level[0][0]) && !(other_mesh && (c->level[0][1] > uniform || c->level[1][1] > uniform)));
}

static PetscErrorCode say_unknown(RhxBoundary bc, const PetscScalar *x, PetscBool other_mesh)
{
  double(*there)[2];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->ncond + 1, &there));
  PetscCall(measure(bc, 0.0, x, there));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    char numbers[96]; /* PETSc writes 1 as "1." */
    if (!is_open(c) || is_known(c, other_mesh)) continue;
    snprintf(numbers, sizeof(numbers), "its mean is %g Pa there, and the label gives %g Pa", there[i][0],
             c->level[1][0]);
    PetscCall(
        PetscPrintf(bc->comm,
                    "-case_restart: the checkpoint does not say what pressure the label '%s' gave at the nodes of "
                    "this mesh; the state's is taken as it is: %s\n",
                    c->label, numbers));
  }
  PetscCall(PetscFree(there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_change(RhxBoundary bc, const RhxCondition *c)
{
  char numbers[64];

  PetscFunctionBegin;
  snprintf(numbers, sizeof(numbers), "%g Pa for %g Pa", c->level[1][0], c->level[0][0]);
  PetscCall(PetscPrintf(bc->comm,
                        "-case_restart: the label '%s' gives %s now: the pressure of the state changes with it\n",
                        c->label, numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryRestartPressure(RhxBoundary bc, double t, PetscBool other_mesh, PetscScalar *x,
                                          PetscBool *changes)
{
  double range[2] = {PETSC_INFINITY, PETSC_NINFINITY};
  PetscScalar *p;

  PetscFunctionBegin;
  *changes = PETSC_FALSE;
  PetscCall(note(bc, t, 1));
  PetscCall(say_unknown(bc, x, other_mesh));
  PetscCall(PetscCalloc1(bc->space->nowned, &p));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    double change = c->level[1][0] - c->level[0][0];
    if (!is_open(c)) continue;
    if (!is_known(c, other_mesh) || fabs(change) <= SAME * fmax(size_of(c->level[0]), size_of(c->level[1])))
      change = 0.0;
    if (change != 0.0) {
      *changes = PETSC_TRUE;
      PetscCall(say_change(bc, c));
    }
    range[0] = PetscMin(range[0], change);
    range[1] = PetscMax(range[1], change);
    for (PetscInt j = 0; j < c->faces->nnodes; j++) p[c->faces->node[j]] = change;
  }
  if (*changes) {
    PetscCall(extend(bc, "-case_restart", range, p));
    add_pressure(bc->space, p, x);
  }
  PetscCall(PetscFree(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
