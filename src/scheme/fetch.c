/* Values of listed nodes of the last step's end: of the state, and the reactions of its momentum balance. */
#include "form/patch.h"
#include "kernels/nodal.h"
#include "kernels/totals.h"
#include "petsc_compat.h"
#include "scheme/type_impl.h"

/* As RhxSchemeTell has it, with its ghosts. */
static PetscErrorCode tell_all(TS ts, RhxScheme sc, RhxArray *told)
{
  PetscFunctionBegin;
  PetscCall(RhxSchemeLoad(ts, sc));
  PetscCall(RhxSchemeTell(sc, told));
  if (*told != sc->x) PetscCall(sc->ops->table->ghosts(sc->ops, *told));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeFetchState(TS ts, IS nodes, PetscScalar *x)
{
  RhxScheme sc;
  RhxArray told;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(tell_all(ts, sc, &told));
  PetscCall(sc->ops->table->fetch(sc->ops, told, nodes, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetPart(TS ts, PetscInt first, PetscInt end, Vec *x)
{
  RhxScheme sc;
  RhxArray told;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  if (!sc->stale || !sc->device) {
    PetscCall(RhxSchemeStore(ts, sc));
    PetscCall(TSGetSolution(ts, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!sc->part_vec) PetscCall(VecDuplicate(sc->rate_vec, &sc->part_vec));
  PetscCall(RhxSchemeTell(sc, &told));
  PetscCall(VecGetArray(sc->part_vec, &a));
  PetscCall(sc->ops->table->store_part(sc->ops, told, first, end - first, a));
  PetscCall(VecRestoreArray(sc->part_vec, &a));
  *x = sc->part_vec;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the consistent mass multiply the rate of the balance? Then it does where reactions are found, else M where they are fetched. */
static PetscBool consistent(RhxScheme sc)
{
  return (PetscBool)(sc->settings.mass_corrections > 0 || sc->settings.implicit || sc->slope);
}

/* Of scalar fields, which an implicit step carries with M. */
static PetscBool consistent_scalars(RhxScheme sc) { return (PetscBool)(consistent(sc) && !sc->settings.implicit); }

/* Is the rate at the end of a step of two slopes? */
static PetscBool of_two(RhxScheme sc) { return (PetscBool)(sc->settings.implicit && sc->info.dt > 0.0); }

/* rho M_c u_t. In an implicit step u_t is of that step's slope and of the one before, whose memory is kept until the next step; after a
 * restart, until then, it is the slope. */
static PetscErrorCode add_inertia(RhxScheme sc, RhxArray rate)
{
  const RhxOps ops = sc->ops;
  const PetscBool two = of_two(sc);
  PetscFunctionBegin;
  PetscCall(ops->table->add_mass(ops, two ? sc->lead : 1.0, NULL, rate, sc->r));
  if (!two) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ops->table->ghosts(ops, sc->rate));
  PetscCall(ops->table->add_mass(ops, -sc->late, NULL, sc->rate, sc->r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the state's time that of the operations, with the conditions and the dt of the scheme's last step; before the first one dt
 * is that of the options. clear: as in a stage. */
static PetscErrorCode hold_time(TS ts, RhxScheme sc, RhxArray clear)
{
  const RhxOpsTable *table = sc->ops->table;
  PetscReal t;
  double dt;
  PetscFunctionBegin;
  dt = sc->info.dt > 0.0 ? sc->info.dt : ((RhxSchemeOptions *)sc->opt)->dt;
  PetscCall(TSGetTime(ts, &t));
  if (sc->type->newton) { /* its time need not be that of the conditions */
    t = sc->ops->t;
    dt = 0.0;
  }
  if (sc->slope) dt = 0.0;
  PetscCall(table->begin(sc->ops, t, dt, 0.0));
  PetscCall(table->stage(sc->ops, 0.0, sc->lead > 0.0 ? 1.0 / sc->lead : 1.0, 1.0, clear));
  PetscCall(table->values(sc->ops, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetTotals(TS ts, double *total)
{
  RhxScheme sc;
  RhxArray told;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(tell_all(ts, sc, &told));
  PetscCall(hold_time(ts, sc, NULL));
  PetscCall(sc->ops->table->nodal->totals(sc->ops, told, total));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, total, RHX_NTOTALS, MPI_DOUBLE, MPI_SUM, sc->form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One list of nodes that reactions have been asked for. */
struct RhxReactionPatch {
  IS nodes;
  RhxPatch patch;
  struct RhxReactionPatch *next;
};

static PetscErrorCode find_patch(RhxScheme sc, IS nodes, RhxPatch *patch)
{
  struct RhxReactionPatch *p = sc->patches;
  PetscFunctionBegin;
  *patch = NULL;
  if (!nodes) PetscFunctionReturn(PETSC_SUCCESS);
  while (p && p->nodes != nodes) p = p->next;
  if (!p) {
    PetscCall(PetscNew(&p));
    PetscCall(PetscObjectReference((PetscObject)nodes));
    p->nodes = nodes;
    p->next = sc->patches;
    sc->patches = p;
    PetscCall(RhxPatchCreate(sc->form, nodes, &p->patch));
  }
  *patch = p->patch;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeFreePatches(RhxScheme sc)
{
  PetscFunctionBegin;
  while (sc->patches) {
    struct RhxReactionPatch *p = sc->patches;
    sc->patches = p->next;
    PetscCall(ISDestroy(&p->nodes));
    PetscCall(RhxPatchDestroy(&p->patch));
    PetscCall(PetscFree(p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the rate that the strong residuals read. */
PetscErrorCode RhxSchemeFindReactions(TS ts, IS nodes)
{
  RhxScheme sc;
  RhxArray told, rate;
  RhxPatch patch;
  const RhxOpsTable *table;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  table = sc->ops->table;
  PetscCall(tell_all(ts, sc, &told));
  rate = sc->slope && sc->info.dt > 0.0 ? sc->slope : sc->xdot;
  PetscCall(table->ghosts(sc->ops, rate));
  PetscCall(hold_time(ts, sc, RhxStageFirst(sc)));
  PetscCall(find_patch(sc, nodes, &patch));
  PetscCall(RhxFormSetPatch(sc->form, patch));
  PetscCall(table->project(sc->ops, told, sc->aux, sc->r));
  PetscCall(table->residual(sc->ops, sc->form->nscalars ? RHX_ROWS_ALL : RHX_ROWS_FLOW, told, rate, sc->aux, sc->r,
                            PETSC_FALSE, NULL));
  if (consistent(sc)) PetscCall(add_inertia(sc, rate));
  PetscCall(RhxFormSetPatch(sc->form, NULL));
  PetscCall(table->ghosts(sc->ops, sc->r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A patch without elements leaves the faces of a residual alone. */
PetscErrorCode RhxSchemeFetchFaceLoads(TS ts, IS nodes, IS none, PetscScalar *load)
{
  RhxScheme sc;
  RhxArray told, rate;
  RhxPatch patch[2];
  const RhxOpsTable *table;
  PetscInt n, swirl;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  table = sc->ops->table;
  swirl = sc->form->swirl < 0 ? -1 : sc->form->first_scalar + sc->form->swirl;
  PetscCall(tell_all(ts, sc, &told));
  rate = sc->slope && sc->info.dt > 0.0 ? sc->slope : sc->xdot;
  PetscCall(table->ghosts(sc->ops, rate));
  PetscCall(hold_time(ts, sc, RhxStageFirst(sc)));
  PetscCall(find_patch(sc, nodes, &patch[0]));
  PetscCall(find_patch(sc, none, &patch[1]));
  PetscCall(RhxFormSetPatch(sc->form, patch[0]));
  PetscCall(table->project(sc->ops, told, sc->aux, sc->r));
  PetscCall(RhxFormSetPatch(sc->form, patch[1]));
  PetscCall(table->residual(sc->ops, sc->form->nscalars ? RHX_ROWS_ALL : RHX_ROWS_FLOW, told, rate, sc->aux, sc->r,
                            PETSC_FALSE, NULL));
  PetscCall(RhxFormSetPatch(sc->form, NULL));
  PetscCall(table->fetch(sc->ops, sc->r, nodes, load));
  PetscCall(ISGetLocalSize(nodes, &n));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < sc->form->space->bs; k++)
      load[i * sc->form->space->bs + k] *= k == swirl ? -sc->form->rho : -1.0; /* u_theta is momentum's */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sum of x.y over this rank's nodes, of the components of momentum or, swirl, of u_theta alone. */
static PetscErrorCode momentum_product(RhxScheme sc, RhxArray x, RhxArray y, PetscBool bare, PetscBool swirl,
                                       double *product)
{
  const RhxForm form = sc->form;
  const int dim = swirl ? 0 : (int)form->space->dim;
  RhxNodalComponents c = {.n = dim, .width = (int)form->space->bs, .bare = bare};
  RhxNodalMeasure m[4];
  PetscFunctionBegin;
  for (int k = 0; k < c.n; k++) c.at[k] = (int)RhxFieldsStart(form->space->fields, RHX_GROUP_VELOCITY) + k;
  if (form->swirl >= 0) c.at[c.n++] = (int)(form->first_scalar + form->swirl);
  PetscCall(sc->ops->table->nodal->measure(sc->ops, x, y, &c, m));
  *product = 0.0;
  for (int k = 0; k < c.n; k++) /* of the velocity M_c has rho, of u_theta not */
    *product += (bare && k < dim ? 1.0 : form->rho) * m[k].sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rho w.M w_t of u_theta where the scheme carries it with M. */
static PetscErrorCode add_lumped_swirl(RhxScheme sc, RhxArray told, double *rate)
{
  double last, before = 0.0;
  PetscFunctionBegin;
  if (consistent_scalars(sc) || sc->form->swirl < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(momentum_product(sc, told, sc->xdot, PETSC_FALSE, PETSC_TRUE, &last));
  if (of_two(sc)) PetscCall(momentum_product(sc, told, sc->rate, PETSC_FALSE, PETSC_TRUE, &before));
  *rate += of_two(sc) ? sc->lead * last - sc->late * before : last;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeKineticRate(TS ts, double *rate)
{
  RhxScheme sc;
  RhxArray told, slope;
  double before, after;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(tell_all(ts, sc, &told));
  if (!consistent(sc)) {
    PetscCall(momentum_product(sc, told, sc->xdot, PETSC_FALSE, PETSC_FALSE, rate));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  slope = sc->slope && sc->info.dt > 0.0 ? sc->slope : sc->xdot;
  PetscCall(sc->ops->table->ghosts(sc->ops, slope));
  PetscCall(momentum_product(sc, told, sc->r, PETSC_TRUE, PETSC_FALSE, &before));
  PetscCall(add_inertia(sc, slope));
  PetscCall(momentum_product(sc, told, sc->r, PETSC_TRUE, PETSC_FALSE, &after));
  *rate = after - before;
  PetscCall(add_lumped_swirl(sc, told, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeFetchReactions(TS ts, IS nodes, PetscScalar *r)
{
  RhxScheme sc;
  RhxSpace sp;
  PetscScalar *rate, *before = NULL;
  const PetscInt *node;
  PetscInt n, u;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  sp = sc->form->space;
  u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  PetscCall(ISGetLocalSize(nodes, &n));
  PetscCall(PetscMalloc1((size_t)n * sp->bs, &rate));
  PetscCall(sc->ops->table->fetch(sc->ops, sc->r, nodes, r));
  PetscCall(sc->ops->table->fetch(sc->ops, sc->xdot, nodes, rate)); /* collective */
  if (of_two(sc)) {
    PetscCall(PetscMalloc1((size_t)n * sp->bs, &before));
    PetscCall(sc->ops->table->fetch(sc->ops, sc->rate, nodes, before));
    for (PetscInt i = 0; i < n * sp->bs; i++) rate[i] = sc->lead * rate[i] - sc->late * before[i];
  }
  PetscCall(ISGetIndices(nodes, &node));
  for (PetscInt i = 0; !consistent(sc) && i < n; i++)
    for (PetscInt d = 0; d < sp->dim; d++)
      r[i * sp->bs + u + d] += sc->form->rho * sc->ops->mass[node[i]] * rate[i * sp->bs + u + d];
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < sc->form->nscalars; k++) {
      const PetscInt at = i * sp->bs + sc->form->first_scalar + k;
      const double mass = k == sc->form->swirl ? sc->form->rho : 1.0; /* u_theta is momentum's */
      r[at] = mass * (r[at] + (consistent_scalars(sc) ? 0.0 : sc->ops->mass[node[i]] * rate[at]));
    }
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscCall(PetscFree(before));
  PetscCall(PetscFree(rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}
