/* Copies of states of scheme `lumped`: with the side that does the steps, or on the host. */
#include "petsc_compat.h"
#include "scheme/lumped_impl.h"
#include <petsc/private/tsimpl.h>

#define NEAR 16   /* steps between copies that stay where the state is, */
#define CLOSE 0.7 /* of a limit: estimates are not sharper */
#define FAR 512   /* and between those that go to the host */

static PetscErrorCode get_norms(TS ts, double *norm)
{
  RhxLumped lu = (RhxLumped)ts->data;

  PetscFunctionBegin;
  PetscCall(RhxLumpedLoadState(ts));
  PetscCall(lu->side->norms(lu, norm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, norm, RHX_NNORMS, MPI_DOUBLE, MPI_MAX, lu->form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_state(TS ts, int slot)
{
  RhxLumped lu = (RhxLumped)ts->data;
  const RhxSpace sp = lu->form->space;
  PetscBool kept = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RhxLumpedLoadState(ts));
  if (lu->side->keep) PetscCall(lu->side->keep(lu, slot, &kept));
  if (kept) PetscFunctionReturn(PETSC_SUCCESS);
  if (!lu->kept[slot]) PetscCall(PetscMalloc1((size_t)sp->nowned * sp->bs, &lu->kept[slot]));
  PetscCall(lu->side->store(lu, lu->kept[slot]));
  lu->kept_far = lu->resident;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_kept_state(TS ts, int slot, Vec x)
{
  RhxLumped lu = (RhxLumped)ts->data;
  const RhxSpace sp = lu->form->space;
  PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &a));
  if (lu->kept[slot])
    PetscCall(PetscArraycpy(a, lu->kept[slot], (size_t)sp->nowned * sp->bs));
  else
    PetscCall(lu->side->store_kept(lu, slot, a));
  PetscCall(VecRestoreArray(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_keep_interval(TS ts, PetscInt *steps)
{
  PetscFunctionBegin;
  *steps = ((RhxLumped)ts->data)->kept_far ? FAR : NEAR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *const RhxLumpedLimitName[] = {"convective", "viscous", "elastic", "relaxation", "growth"};

/* The largest number of the step, and what lowers it; where none is beyond its limit, or the flow
 * is strong, log-conformation may. */
static PetscErrorCode advise(TS ts, const RhxStepInfo *info, size_t size, char *text)
{
  RhxLumped lu = (RhxLumped)ts->data;
  const PetscBool logconf = (PetscBool)(!lu->form->nmodes || lu->form->representation == RHX_LOGCONF);
  PetscBool beyond;
  char remedy[256];
  int k = 0;

  PetscFunctionBegin;
  for (int i = 1; i < (int)PETSC_STATIC_ARRAY_LENGTH(info->cfl); i++)
    if (info->cfl[i] > info->cfl[k]) k = i;
  beyond = (PetscBool)(info->cfl[k] > CLOSE && lu->opt.cfl == 0.0);
  if (lu->opt.cfl > 0.0)
    PetscCall(PetscSNPrintf(remedy, sizeof(remedy), "a -scheme_lumped_cfl less than %g", lu->opt.cfl));
  else if (beyond)
    PetscCall(PetscSNPrintf(remedy, sizeof(remedy), "-scheme_lumped_dt %.2g or -scheme_lumped_cfl 0.5",
                            0.5 * info->dt / info->cfl[k]));
  else
    PetscCall(PetscSNPrintf(remedy, sizeof(remedy), "a smaller -scheme_lumped_dt"));
  snprintf(text, size, "at t = %g s its dt = %g s was %.3g times the %s limit, the tightest of the time step: try %s%s",
           info->t - info->dt, info->dt, info->cfl[k], RhxLumpedLimitName[k], remedy,
           logconf || (beyond && info->stats.wi <= 1.0) ? "" : ", or -polymer_variable logconf");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLumpedKeepSetUp(TS ts)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeGetNorms_C", get_norms));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeAdvise_C", advise));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeKeepState_C", keep_state));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeGetKeptState_C", get_kept_state));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeGetKeepInterval_C", get_keep_interval));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLumpedKeepReset(RhxLumped lu)
{
  PetscFunctionBegin;
  for (int i = 0; i < RHX_KEPT_STATES; i++) PetscCall(PetscFree(lu->kept[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
