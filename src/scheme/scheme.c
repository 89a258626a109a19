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

PetscErrorCode RhxSchemeStoreState(TS ts)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeStoreState_C", (TS), (ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeLastGood(TS ts, Vec x, Vec rate, PetscBool *kept)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeLastGood_C", (TS, Vec, Vec, PetscBool *), (ts, x, rate, kept));
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
