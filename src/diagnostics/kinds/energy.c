/* Budget of the kinetic energy, and the energy of the polymer. In 2D all is per m of depth. Sums over the mesh are taken where the
 * state is; of its values those of the labels travel. */
#include "diagnostics/named.h"
#include "diagnostics/traction_impl.h"
#include "kernels/totals.h"
#include "petsc_compat.h"
#include <string.h>

enum {
  KINETIC,
  ELASTIC,
  KINETIC_RATE,
  REACTION_WORK,
  OPEN_WORK,
  INFLOW,
  BODY_WORK,
  VISCOUS,
  POLYMER,
  RELAXED,
  RESIDUAL,
  NSUMS
};
static const char *const columns[] = {
    "kinetic",        "elastic",   "kinetic_rate",        "wall_work",    "open_work",
    "kinetic_inflow", "body_work", "viscous_dissipation", "polymer_work", "polymer_dissipation",
    "residual"};

/* Owned nodes of all labels, each once. */
static PetscErrorCode list_nodes(RhxSpace space, IS *nodes)
{
  PetscInt n = 0, *list;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < space->nlabels; l++) n += space->faces[l].nnodes;
  PetscCall(PetscMalloc1(n, &list));
  n = 0;
  for (PetscInt l = 0; l < space->nlabels; l++)
    for (PetscInt i = 0; i < space->faces[l].nnodes; i++) list[n++] = space->faces[l].node[i];
  PetscCall(PetscSortRemoveDupsInt(&n, list));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, list, PETSC_COPY_VALUES, nodes));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  IS nodes; /* of all labels, owned */
} Options;

static PetscErrorCode setup(RhxDiagnostic *d)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  const PetscBool plane = (PetscBool)(space->dim == 2 && !space->axisymmetric);

  PetscFunctionBegin;
  for (int k = 0; k < NSUMS; k++)
    PetscCall(
        RhxDiagnosticAddColumnUnit(d, columns[k], k < KINETIC_RATE ? (plane ? "J/m" : "J") : (plane ? "W/m" : "W")));
  PetscCall(list_nodes(space, &((Options *)d->own)->nodes));
  PetscCall(RhxDiagnosticSetAllLabels(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Power of the reactions: where the velocity is given and on walls with slip, at other nodes they vanish. */
static PetscErrorCode add_reactions(RhxDiagnostic *d, double *sum)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const RhxSpace space = run->form->space;
  const PetscInt bs = space->bs, u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  const PetscInt swirl = run->form->swirl < 0 ? -1 : run->form->first_scalar + run->form->swirl;
  const IS nodes = ((Options *)d->own)->nodes;
  PetscScalar *r, *x;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(nodes, &n));
  PetscCall(PetscMalloc2((size_t)n * bs, &r, (size_t)n * bs, &x));
  PetscCall(RhxSchemeFindReactions(run->ts, nodes));
  PetscCall(RhxWallReactions(run->ts, space, run->bc, NULL, nodes, r));
  PetscCall(RhxSchemeFetchState(run->ts, nodes, x));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = u; k < u + space->dim; k++) sum[REACTION_WORK] += r[i * bs + k] * x[i * bs + k];
    if (swirl >= 0) sum[REACTION_WORK] += r[i * bs + swirl] * x[i * bs + swirl];
  }
  PetscCall(PetscFree2(r, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  double rho, *sum;
  PetscBool open; /* elsewhere the work is that of the reactions */
} Outside;

static void add_face(void *ctx, const RhxFaceSample *s)
{
  const Outside *outside = ctx;
  double un = 0, uu = 0;

  for (int i = 0; i < 3; i++) {
    un += s->u[i] * s->n[i];
    uu += s->u[i] * s->u[i];
    if (outside->open) outside->sum[OPEN_WORK] += (s->pressure[i] + s->solvent[i] + s->polymer[i]) * s->u[i];
  }
  outside->sum[INFLOW] -= 0.5 * outside->rho * uu * un;
}

static PetscErrorCode add_boundary(RhxDiagnostic *d, double *sum)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const RhxSpace space = run->form->space;
  Outside outside = {run->form->rho * run->form->convection, sum, PETSC_FALSE};
  PetscScalar *x;
  PetscBool plane;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticGetStateNear(d, &x));
  for (PetscInt l = 0; l < space->nlabels; l++) {
    PetscCall(RhxBoundaryIsPlane(run->bc, space->faces[l].label, &plane, &outside.open));
    PetscCall(RhxVisitFaces(run->form, space->faces[l].label, x, add_face, &outside));
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *sum)
{
  static const struct {
    int column, total;
  } inside[] = {{KINETIC, RHX_TOTAL_KINETIC}, {ELASTIC, RHX_TOTAL_ELASTIC}, {BODY_WORK, RHX_TOTAL_BODY},
                {VISCOUS, RHX_TOTAL_VISCOUS}, {POLYMER, RHX_TOTAL_POLYMER}, {RELAXED, RHX_TOTAL_RELAXED}};
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  double total[RHX_NTOTALS];

  PetscFunctionBegin;
  (void)step;
  PetscCall(PetscArrayzero(sum, NSUMS));
  PetscCall(RhxSchemeGetTotals(run->ts, total));
  PetscCall(add_reactions(d, sum));
  PetscCall(RhxSchemeKineticRate(run->ts, &sum[KINETIC_RATE]));
  PetscCall(add_boundary(d, sum));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, NSUMS, MPI_DOUBLE, MPI_SUM, run->form->comm));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(inside); k++) sum[inside[k].column] = total[inside[k].total];
  sum[RESIDUAL] = sum[REACTION_WORK] + sum[OPEN_WORK] + sum[INFLOW] + sum[BODY_WORK] - sum[VISCOUS] - sum[POLYMER] -
                  sum[KINETIC_RATE];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  PetscFunctionBegin;
  PetscCall(ISDestroy(&((Options *)d->own)->nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_energy = {
    .entry = {sizeof(RhxDiagnosticType), "energy",
              "budget of the kinetic energy: work of boundaries and body forces, dissipation, work on the polymer, and "
              "what does not close; energy and dissipation of the polymer"},
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .destroy = destroy};
