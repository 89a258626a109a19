/* PC `renew`. Its inner PC, of the options' prefix `renew_`, is set up with a copy of the matrix and kept with it. Between two
 * set-ups by PETSc, which are those of changed matrices, its applications are counted in place of iterations. */
#include "petsc_compat.h"
#include "scheme/factors_impl.h"
#include "scheme/renew_impl.h"
#include "scheme/renewpc_impl.h"
#include <petsc/private/pcimpl.h>
#include <petsctime.h>

typedef struct {
  PC inner;
  Mat kept; /* owned: that of the last set-up */
  RhxRenew renew;
  PetscInt applied, place; /* since the matrix changed; of the solve to come */
  double seconds;
} Renew;

static PetscErrorCode apply(PC pc, Vec x, Vec y)
{
  Renew *r = (Renew *)pc->data;
  PetscLogDouble begin, end;
  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  PetscCall(PCApply(r->inner, x, y));
  PetscCall(PetscTime(&end));
  r->seconds += end - begin;
  r->applied++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode renew(PC pc, Renew *r)
{
  double clock;
  PetscFunctionBegin;
  PetscCall(RhxRenewSetUpBegin(&clock));
  if (r->kept)
    PetscCall(MatCopy(pc->pmat, r->kept, SAME_NONZERO_PATTERN));
  else
    PetscCall(MatDuplicate(pc->pmat, MAT_COPY_VALUES, &r->kept));
  if (r->kept && !r->renew.there)
    PetscCall(PCReset(r->inner)); /* the last one failed: factors of MUMPS are lost then */
  r->inner->failedreason = PC_NOERROR;
  if (pc->dm) PetscCall(PCSetDM(r->inner, pc->dm));
  PetscCall(PCSetOperators(r->inner, r->kept, r->kept));
  PetscCall(PCSetUp(r->inner));
  PetscCall(RhxFactorsEnlarge(r->inner));
  PetscCall(RhxRenewSetUpEnd(&r->renew, clock));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count(Renew *r)
{
  PetscFunctionBegin;
  if (r->applied) PetscCall(RhxRenewCount(&r->renew, r->applied, r->seconds, PETSC_FALSE));
  r->applied = 0;
  r->seconds = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(PC pc)
{
  Renew *r = (Renew *)pc->data;
  PCFailedReason reason;
  PetscBool due;
  int failed;
  PetscFunctionBegin;
  PetscCall(count(r));
  RhxRenewSetPlace(&r->renew, r->place);
  PetscCall(RhxRenewIsDue(&r->renew, &due));
  if (due) PetscCall(renew(pc, r));
  PetscCall(PCGetFailedReason(r->inner, &reason));
  failed = reason != PC_NOERROR;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, r->renew.comm));
  if (failed) RhxRenewForget(&r->renew); /* it is due again with the next matrix, on every rank */
  pc->failedreason = reason;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_from_options(PC pc, RhxOptionItems PetscOptionsObject)
{
  Renew *r = (Renew *)pc->data;
  RhxRenew *rn = &r->renew;
  PetscInt policy = rn->policy;
  PetscReal x = rn->x, a = rn->a, b = rn->b;
  const char *prefix;
  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "PC renew");
  PetscCall(PetscOptionsEList("-pc_renew", "when it is set up anew", "", RhxRenewNames, RHX_RENEW_NEVER + 1,
                              RhxRenewNames[policy], &policy, NULL));
  PetscCall(PetscOptionsReal("-pc_renew_x", "applications that a set-up is worth; < 0: by time", "", x, &x, NULL));
  PetscCall(PetscOptionsReal("-pc_renew_a", "a of `iterations` and `cfl`", "", a, &a, NULL));
  PetscCall(PetscOptionsReal("-pc_renew_b", "b of `iterations` and `cfl`", "", b, &b, NULL));
  PetscCall(PetscOptionsInt("-pc_renew_interval", "solves of `interval`", "", rn->interval, &rn->interval, NULL));
  PetscOptionsHeadEnd();
  rn->policy = (RhxRenewPolicy)policy;
  rn->x = x;
  rn->a = a;
  rn->b = b;
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PCSetOptionsPrefix(r->inner, prefix));
  PetscCall(PCAppendOptionsPrefix(r->inner, "renew_"));
  PetscCall(PCSetFromOptions(r->inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view(PC pc, PetscViewer viewer)
{
  const Renew *r = (const Renew *)pc->data;
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  set up anew: %s\n", RhxRenewNames[r->renew.policy]));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(PCView(r->inner, viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(PC pc)
{
  Renew *r = (Renew *)pc->data;
  PetscFunctionBegin;
  PetscCall(PCDestroy(&r->inner));
  PetscCall(MatDestroy(&r->kept));
  PetscCall(PetscFree(pc->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(PC pc)
{
  Renew *r;
  PetscFunctionBegin;
  PetscCall(PetscNew(&r));
  pc->data = r;
  pc->ops->apply = apply;
  pc->ops->setup = set_up;
  pc->ops->setfromoptions = set_from_options;
  pc->ops->view = view;
  pc->ops->destroy = destroy;
  r->renew = (RhxRenew){.policy = RHX_RENEW_DEMAND, .a = 25, .b = 1.5, .x = -1, .interval = 10};
  PetscCall(RhxRenewInitialise(&r->renew, PetscObjectComm((PetscObject)pc), NULL));
  PetscCall(PCCreate(PetscObjectComm((PetscObject)pc), &r->inner));
  PetscCall(PCSetType(r->inner, PCBJACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRenewPCRegister(void)
{
  PetscFunctionBegin;
  PetscCall(PCRegister(RHXPCRENEW, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Those of a PC ---- */

typedef PetscErrorCode (*Act)(PC pc, Renew *r, void *ctx);

static PetscErrorCode for_each(PC pc, Act act, void *ctx)
{
  PetscBool one, split;
  KSP *inner;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, RHXPCRENEW, &one));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCFIELDSPLIT, &split));
  if (one) PetscCall(act(pc, (Renew *)pc->data, ctx));
  if (!split || !pc->setupcalled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFieldSplitGetSubKSP(pc, &n, &inner));
  for (PetscInt k = 0; k < n; k++) {
    PC sub;
    PetscCall(KSPGetPC(inner[k], &sub));
    PetscCall(for_each(sub, act, ctx));
  }
  PetscCall(PetscFree(inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt place;
  double cfl;
} Place;

static PetscErrorCode take_place(PC pc, Renew *r, void *ctx)
{
  const Place *p = (const Place *)ctx;
  PetscFunctionBegin;
  (void)pc;
  r->place = p->place;
  r->renew.cfl = p->cfl;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRenewPCPlace(PC pc, PetscInt place, double cfl)
{
  Place p = {place, cfl};
  PetscFunctionBegin;
  PetscCall(for_each(pc, take_place, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say(PC pc, Renew *r, void *ctx)
{
  const RhxRenew *rn = &r->renew;
  const char *prefix;
  PetscFunctionBegin;
  (void)ctx;
  PetscCall(count(r));
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PetscPrintf(PetscObjectComm((PetscObject)pc),
                        "-%spc_type renew (%s): %" PetscInt_FMT " set-ups, %.3g s; %" PetscInt_FMT
                        " solves, %" PetscInt_FMT " applications, %.3g s\n",
                        prefix ? prefix : "", RhxRenewNames[rn->policy], rn->setups, rn->setup_seconds, rn->solves,
                        rn->iterations, rn->solve_seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRenewPCSay(PC pc)
{
  PetscFunctionBegin;
  PetscCall(for_each(pc, say, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
