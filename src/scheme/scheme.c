/* What all schemes have: registration and the calls that a scheme's TS composes. */
#include "scheme/scheme.h"
#include "petsc_compat.h"
#include <petsc/private/petscimpl.h>

extern PetscErrorCode RhxSchemeRegister_Lumped(void);

PetscErrorCode RhxSchemeRegisterAll(void)
{
  PetscFunctionBegin;
  PetscCall(TSInitializePackage());
  PetscCall(RhxSchemeRegister_Lumped());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetProblem(TS ts, RhxForm form, RhxBoundary bc)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeSetProblem_C", (TS, RhxForm, RhxBoundary), (ts, form, bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetDevice(TS ts, RhxDevice device)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeSetDevice_C", (TS, RhxDevice), (ts, device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetLazy(TS ts)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeSetLazy_C", (TS), (ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeStoreState(TS ts)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeStoreState_C", (TS), (ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetNorms(TS ts, double norm[RHX_NNORMS])
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeGetNorms_C", (TS, double *), (ts, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeKeepState(TS ts, int slot)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeKeepState_C", (TS, int), (ts, slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeAdvise(TS ts, const RhxStepInfo *info, size_t size, char *text)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeAdvise_C", (TS, const RhxStepInfo *, size_t, char *), (ts, info, size, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetKeptState(TS ts, int slot, Vec x)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeGetKeptState_C", (TS, int, Vec), (ts, slot, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetKeepInterval(TS ts, PetscInt *steps)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeGetKeepInterval_C", (TS, PetscInt *), (ts, steps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetMark(TS ts, PetscReal mark)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeSetMark_C", (TS, PetscReal), (ts, mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetInfo(TS ts, const RhxStepInfo **info)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeGetInfo_C", (TS, const RhxStepInfo **), (ts, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetRate(TS ts, Vec *rate)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeExchangeRate_C", (TS, Vec *, PetscBool), (ts, rate, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetRate(TS ts)
{
  Vec rate;
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeExchangeRate_C", (TS, Vec *, PetscBool), (ts, &rate, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetBalance(TS ts, RhxBalance *balance)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeGetBalance_C", (TS, RhxBalance *), (ts, balance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeProvides(TS ts, unsigned *capabilities)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeProvides_C", (TS, unsigned *), (ts, capabilities));
  PetscFunctionReturn(PETSC_SUCCESS);
}
