/* Doubts about the polymer of the fluid that comes in. */
#include "boundary/backflow.h"
#include "case/choose_impl.h"
#include "case/impl.h"

static PetscErrorCode doubt_free(RhxCase rc, double t, double end)
{
  const char *label;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetFreeInlet(rc->bc, t, end, &label));
  if (!label) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: -bc_%s_polymer: got free for an inlet through which fluid comes in, with "
                         "a stress that nothing gives and that may grow there; expected developed, formula or rest, or "
                         "free where fluid goes out\n",
                         label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode doubt_rest(RhxCase rc, double t, double end)
{
  const char *label;
  double over;
  char option[RHX_STRING_LENGTH];
  PetscBool said;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetDriven(rc->bc, t, end, RhxBoundaryBringsRest, &label, &over));
  if (!label) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_polymer_inflow", label));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &said));
  if (said) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: fluid comes in through '%s', which is open with a pressure %.3g Pa above "
                         "another one, and its polymer at rest: expected -bc_%s_polymer_inflow developed where the "
                         "channel goes on, or -bc_%s_polymer_inflow rest, as out of a reservoir, which says so\n",
                         label, over, label, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseDoubtPolymer_Private(RhxCase rc, double t, PetscBool steady)
{
  const double end = !steady && rc->stop.time > t ? rc->stop.time : t;

  PetscFunctionBegin;
  if (!rc->form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(doubt_free(rc, t, end));
  PetscCall(doubt_rest(rc, t, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}
