/* Scheme `steady`: one step is the steady state, R(u, p, s) = 0 with what is given, by Newton's method (SNES).
 *
 *   J dx = -R,  J exact, projections included (form/tangent.h), rows of given values those of the identity
 *
 * GMRES with J, preconditioned by the factors of dR/dx at fixed projections. With dt > 0 a pseudo-transient start comes before:
 * one iteration a step of R + M (x - x_old)/dt_k, dt_k = dt |R_0|/|R_k|, until |R| has fallen by START. */
#include "petsc_compat.h"
#include "scheme/newton.h"

#define START 1e-3      /* of the first residual: from there on Newton's method is alone */
#define MOST_STEPS 200  /* of the pseudo-transient start */
#define MOST_GROWTH 5.0 /* of its time step from one to the next */

enum { PROJECTION_CONSISTENT, PROJECTION_LUMPED };

typedef struct {
  RhxSchemeOptions common;
  double time;
  int projection;
} Options;

#define SLOT(member) offsetof(Options, member)
static const RhxRow rows[] = {
    {"dt", RHX_REAL, 0, offsetof(RhxSchemeOptions, dt), "0", RHX_GE, 0, 0, NULL, "s",
     "first time step of a pseudo-transient start, for a Newton's method that does not converge from the initial "
     "state; "
     "0: none"},
    {"projection", RHX_CHOICE, 0, SLOT(projection), "consistent", RHX_ANY, 0, 0, "consistent|lumped", "",
     "mass of the projections that stabilisers ask for; lumped, as in explicit schemes, is of lower accuracy"},
    {"time", RHX_REAL, 0, SLOT(time), "0", RHX_ANY, 0, 0, NULL, "s",
     "time at which conditions and sources are taken; they may not change after it"},
};
static const RhxOptionTable table = {"scheme", "scheme_steady_", PETSC_STATIC_ARRAY_LENGTH(rows), rows};

static PetscErrorCode impose_odd(void *ctx, PetscScalar *aux)
{
  PetscFunctionBegin;
  PetscCall(RhxBoundaryImposeAuxiliary((RhxBoundary)ctx, aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode arrays(RhxScheme sc)
{
  PetscFunctionBegin;
  PetscCheck(!sc->device, sc->form->comm, PETSC_ERR_SUP,
             "-scheme steady runs on the CPU alone: got a device, expected -device cpu");
  if (((const Options *)sc->opt)->projection == PROJECTION_CONSISTENT)
    PetscCall(RhxFormSetConsistent(sc->form, impose_odd, sc->bc));
  PetscCall(RhxNewtonCreate(sc->form, sc->bc, (RhxNewton *)&sc->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxScheme sc)
{
  PetscFunctionBegin;
  PetscCall(RhxNewtonDestroy((RhxNewton *)&sc->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_conditions(RhxScheme sc, double t)
{
  PetscBool steady;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryIsSteady(sc->bc, t, &steady));
  PetscCheck(steady, sc->form->comm, PETSC_ERR_USER_INPUT,
             "-scheme steady: got conditions or sources that change after t = %g s, expected a -scheme_steady_time at "
             "which ramps are over, and no formula in t",
             t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ends where the steady residual has fallen by START; what happens later is Newton's. */
static PetscErrorCode pseudo_transient(RhxScheme sc, RhxNewton nt, double *steps)
{
  double dt = ((const Options *)sc->opt)->common.dt, first, last, now;
  PetscBool solved;
  PetscFunctionBegin;
  *steps = 0.0;
  if (!(dt > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxNewtonResidual(nt, &first));
  for (last = now = first; *steps < MOST_STEPS && now > START * first; *steps += 1.0) {
    PetscCall(RhxNewtonSolve(nt, 1.0 / dt, 1, &solved));
    PetscCall(RhxNewtonResidual(nt, &now));
    PetscCheck(now <= PETSC_MAX_REAL, sc->form->comm, PETSC_ERR_NOT_CONVERGED,
               "-scheme steady: the pseudo-transient start blew up in step %g with a time step of %g s: expected a "
               "smaller -scheme_steady_dt",
               *steps + 1.0, dt);
    dt *= PetscMin(last / now, MOST_GROWTH);
    last = now;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a step tells: the state does not change any more. */
static PetscErrorCode report(RhxScheme sc, const RhxNewton nt)
{
  const RhxOps ops = sc->ops;
  RhxStepResult *rs = &ops->result;
  PetscFunctionBegin;
  PetscCall(ops->table->ghosts(ops, sc->y));
  PetscCall(ops->table->project(ops, sc->y, sc->aux, NULL));
  PetscCall(ops->table->residual(ops, RHX_ROWS_FLOW, sc->y, sc->xdot, sc->aux, sc->r, PETSC_TRUE, NULL));
  PetscCall(PetscArrayzero((PetscScalar *)sc->rate->at, (size_t)sc->form->space->nlocal * sc->rate->width));
  rs->du_dt = rs->ds_dt = 0.0;
  rs->continuity = 0.0;
  rs->finite = PETSC_TRUE;
  rs->iterations = nt->iterations;
  sc->done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode step(RhxScheme sc)
{
  const RhxOps ops = sc->ops;
  const double t = ((const Options *)sc->opt)->time;
  RhxNewton nt = (RhxNewton)sc->data;
  PetscScalar *a;
  PetscBool solved;
  double steps;
  PetscFunctionBegin;
  PetscCall(ops->table->begin(ops, t, 0.0));
  PetscCall(ops->table->stage(ops, 0.0, 0.0, 0.0, NULL));
  PetscCall(ops->table->values(ops, PETSC_FALSE));
  PetscCall(check_conditions(sc, t));
  PetscCall(VecGetArray(nt->x, &a));
  PetscCall(ops->table->store(ops, sc->x, a));
  PetscCall(RhxBoundaryImpose(sc->bc, RHX_BC_ALL, a));
  PetscCall(VecRestoreArray(nt->x, &a));
  PetscCall(RhxNewtonBegin(nt, t));
  PetscCall(pseudo_transient(sc, nt, &steps));
  PetscCall(RhxNewtonSolve(nt, 0.0, 0, &solved));
  if (!solved) PetscCall(RhxNewtonFail(nt));
  PetscCall(RhxNewtonSay(nt, (PetscInt)steps));
  PetscCall(VecGetArray(nt->x, &a));
  PetscCall(ops->table->load(ops, sc->y, a));
  PetscCall(VecRestoreArray(nt->x, &a));
  PetscCall(report(sc, nt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view(RhxScheme sc, PetscViewer viewer)
{
  const Options *o = (const Options *)sc->opt;
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  Newton's method, projections by the %s mass\n",
                                   o->projection == PROJECTION_LUMPED ? "lumped" : "consistent"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RhxSchemeType RhxSchemeSteady = {.name = "steady",
                                 .options = &table,
                                 .size = sizeof(Options),
                                 .settings = {.without_pressure = PETSC_TRUE},
                                 .newton = PETSC_TRUE,
                                 .arrays = arrays,
                                 .destroy = destroy,
                                 .step = step,
                                 .view = view};
