/* A stage of an explicit step: momentum and modes, then a pressure. */
#include "petsc_compat.h"
#include "scheme/type_impl.h"

RhxArray RhxStageFirst(RhxScheme sc) { return sc->form->naux ? sc->aux : sc->r; }

PetscErrorCode RhxStageCorrect(RhxScheme sc, RhxArray r)
{
  const RhxOps ops = sc->ops;
  const PetscInt n = sc->settings.mass_corrections;
  PetscFunctionBegin;
  if (n > 1) PetscCall(ops->table->copy(ops, r, sc->first));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(ops->table->rates(ops, sc->x, r, sc->w));
    PetscCall(ops->table->add_mass(ops, 1.0, n > 1 ? sc->first : r, sc->w, r));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u^ and s+ into y, with the given values of the stage's end; b = D v, v the velocity of y less that of `less`. */
static PetscErrorCode advance(RhxScheme sc, RhxArray base, RhxArray x, RhxArray y, RhxArray less, PetscBool first)
{
  const RhxOps ops = sc->ops;
  const RhxSum r = {1, {sc->r}, {1.0}};
  PetscFunctionBegin;
  PetscCall(ops->table->values(ops, PETSC_FALSE));
  PetscCall(ops->table->project(ops, x, sc->aux, sc->r));
  PetscCall(ops->table->residual(ops, RHX_ROWS_ALL, x, sc->xdot, sc->aux, sc->r, first, sc->b));
  PetscCall(RhxStageCorrect(sc, sc->r));
  PetscCall(ops->table->values(ops, PETSC_TRUE));
  PetscCall(ops->table->update(ops, base, &r, less, y, sc->v, first));
  PetscCall(ops->table->divergence(ops, sc->v, sc->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStageProjection(RhxScheme sc, RhxArray base, RhxArray x, RhxArray y, unsigned which)
{
  const RhxOps ops = sc->ops;
  const RhxArray done = ops->done[ops->key];
  PetscFunctionBegin;
  PetscCall(advance(sc, base, x, y, x, (PetscBool)((which & RHX_FIRST) != 0)));
  PetscCall(ops->table->pressure(ops, 0.0, x, sc->r, sc->xdot, sc->b, sc->phi, sc->v));
  PetscCall(ops->table->solve(ops, sc->b, sc->phi));
  PetscCall(ops->table->gradient(ops, sc->phi, sc->v));
  PetscCall(ops->table->correct(ops, x, sc->phi, sc->v, y, sc->x, which & RHX_LAST ? sc->rate : NULL));
  if (done && !ops->second) PetscCall(ops->table->divergence(ops, sc->v, done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStageHand(RhxScheme sc, PetscBool give, PetscScalar *nodes)
{
  const RhxOps ops = sc->ops;
  const PetscInt n = sc->form->space->nowned;
  PetscScalar *done;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &done));
  if (give) {
    PetscCall(ops->table->store(ops, ops->asked[!sc->turn], nodes));
    PetscCall(ops->table->store(ops, ops->done[!sc->turn], done));
    for (PetscInt i = 0; i < n; i++) nodes[i] -= done[i];
  } else {
    PetscCall(ops->table->load(ops, ops->asked[!sc->turn], nodes));
    PetscCall(ops->table->load(ops, ops->done[!sc->turn], done));
  }
  PetscCall(PetscFree(done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStageDissipation(RhxScheme sc, double eps, RhxArray base, RhxArray x, RhxArray y, unsigned which)
{
  const RhxOps ops = sc->ops;
  PetscFunctionBegin;
  PetscCall(advance(sc, base, x, y, NULL, (PetscBool)((which & RHX_FIRST) != 0)));
  PetscCall(ops->table->pressure(ops, -sc->form->rho / eps, x, sc->r, sc->xdot, sc->b, sc->phi, NULL));
  PetscCall(ops->table->solve(ops, sc->b, sc->phi));
  PetscCall(ops->table->correct(ops, x, sc->phi, NULL, y, sc->x, which & RHX_LAST ? sc->rate : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each takes the part DM^-1D'/K of what is left; of what flows through outlets whose pressure is a traction half or a quarter, for
 * there K has two or four times what D M^-1 D' has. */
#define PASSES 4
#define PASSES_OPEN 48

/* One pass: u -= M^-1 grad phi with K phi = R_p; the pressure stays. y is work. */
static PetscErrorCode settle(RhxScheme sc)
{
  const RhxOps ops = sc->ops;
  const RhxSum none = {1, {sc->r}, {0.0}};
  PetscFunctionBegin;
  PetscCall(ops->table->stage(ops, 0.0, 1.0, 0.0, RhxStageFirst(sc)));
  PetscCall(ops->table->values(ops, PETSC_FALSE));
  PetscCall(ops->table->project(ops, sc->x, sc->aux, sc->r));
  PetscCall(ops->table->residual(ops, RHX_ROWS_FLOW, sc->x, sc->xdot, sc->aux, sc->r, PETSC_TRUE, sc->b));
  PetscCall(ops->table->update(ops, sc->x, &none, sc->x, sc->y, sc->v, PETSC_FALSE));
  PetscCall(ops->table->divergence(ops, sc->v, sc->b));
  PetscCall(ops->table->pressure(ops, 0.0, sc->x, sc->r, sc->xdot, sc->b, sc->phi, sc->v));
  PetscCall(ops->table->solve(ops, sc->b, sc->phi));
  PetscCall(ops->table->gradient(ops, sc->phi, sc->v));
  PetscCall(ops->table->correct(ops, sc->x, sc->phi, sc->v, sc->y, sc->x, NULL));
  PetscCall(ops->table->combine(ops, 1.0, sc->y, 0.0, sc->x, sc->y, NULL));
  PetscCall(ops->table->copy(ops, sc->y, sc->x));
  PetscCall(ops->table->ghosts(ops, sc->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStageSettle(RhxScheme sc, double t, double dt)
{
  const int passes = sc->form->open.nall ? PASSES_OPEN : PASSES;
  PetscFunctionBegin;
  sc->ops->fresh = PETSC_TRUE;
  for (int k = 0; k < passes; k++) {
    PetscCall(sc->ops->table->begin(sc->ops, t, dt, 0.0));
    PetscCall(RhxBoundaryRaisePressure(sc->ops->bc)); /* nothing is left that it would rise by */
    PetscCall(settle(sc));
    PetscCall(sc->ops->table->finish(sc->ops));
  }
  sc->ops->fresh = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
