/* Budget of the kinetic energy, and the energy of the polymer. In 2D all is per m of depth. Sums over the mesh are taken where the
 * state is; of its values those of the labels travel. */
#include "diagnostics/named.h"
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
  IS nodes, none; /* of all labels, owned; an empty one */
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
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 0, NULL, PETSC_COPY_VALUES, &((Options *)d->own)->none));
  PetscCall(RhxDiagnosticSetAllLabels(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w.x of momentum over the nodes, blocks of them. */
static double power(const RhxForm form, PetscInt n, const PetscScalar *w, const PetscScalar *x)
{
  const RhxSpace space = form->space;
  const PetscInt bs = space->bs, u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  const PetscInt swirl = form->swirl < 0 ? -1 : form->first_scalar + form->swirl;
  double sum = 0;

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = u; k < u + space->dim; k++) sum += PetscRealPart(w[i * bs + k] * x[i * bs + k]);
    if (swirl >= 0) sum += PetscRealPart(w[i * bs + swirl] * x[i * bs + swirl]);
  }
  return sum;
}

/* Of walls with slip: part of the reactions, and of the loads of faces. */
static PetscErrorCode friction_power(const RhxDiagnosticsRun *run, IS nodes, const PetscScalar *x, double *sum)
{
  const RhxSpace space = run->form->space;
  const PetscInt dim = space->dim, u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY), *node;
  PetscScalar *friction;
  PetscInt n;

  PetscFunctionBegin;
  *sum = 0;
  PetscCall(PetscCalloc1(space->nlocal * dim, &friction));
  PetscCall(RhxBoundaryAddFriction(run->bc, NULL, friction));
  PetscCall(ISGetLocalSize(nodes, &n));
  PetscCall(ISGetIndices(nodes, &node));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < dim; k++) *sum += PetscRealPart(friction[node[i] * dim + k] * x[i * space->bs + u + k]);
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscCall(PetscFree(friction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Power of the reactions, where the velocity is given and on walls with slip, at other nodes they vanish; and of what the faces of
 * open labels put into the balance, as the scheme has it. */
static PetscErrorCode add_work(RhxDiagnostic *d, double *sum)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const RhxSpace space = run->form->space;
  const Options *o = d->own;
  PetscScalar *r, *x;
  double friction;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(o->nodes, &n));
  PetscCall(PetscMalloc2((size_t)n * space->bs, &r, (size_t)n * space->bs, &x));
  PetscCall(RhxSchemeFindReactions(run->ts, o->nodes));
  PetscCall(RhxWallReactions(run->ts, space, run->bc, NULL, o->nodes, r));
  PetscCall(RhxSchemeFetchState(run->ts, o->nodes, x));
  sum[REACTION_WORK] = power(run->form, n, r, x);
  PetscCall(RhxSchemeFetchFaceLoads(run->ts, o->nodes, o->none, r));
  PetscCall(friction_power(run, o->nodes, x, &friction));
  sum[OPEN_WORK] = power(run->form, n, r, x) - friction;
  PetscCall(PetscFree2(r, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_inflow(RhxDiagnostic *d, double *sum)
{
  const RhxForm form = RhxDiagnosticGetRun(d)->form;
  PetscScalar *x;
  double flux;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticGetStateNear(d, &x));
  RhxKineticFlux(form, x, &flux);
  sum[INFLOW] = -form->convection * flux;
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
  PetscCall(add_work(d, sum));
  PetscCall(RhxSchemeKineticRate(run->ts, &sum[KINETIC_RATE]));
  PetscCall(add_inflow(d, sum));
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
  PetscCall(ISDestroy(&((Options *)d->own)->none));
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
