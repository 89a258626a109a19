/* What drivers that look into a run's end share: the case of the command line is run, then its scheme is handed to check. */
#ifndef TESTS_CASERUN_H
#define TESTS_CASERUN_H

#include "case/case.h"
#include "petsc_compat.h"
#include "scheme/type_impl.h"
#include <rheoplex/rheoplex.h>

static PetscErrorCode run_case(PetscErrorCode (*check)(RhxScheme sc))
{
  RhxCase rc;
  RhxScheme sc;
  TS ts;
  PetscFunctionBegin;
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &rc));
  PetscCall(RhxCaseSetFromOptions(rc));
  PetscCall(RhxCaseSetUp(rc));
  PetscCall(RhxCaseRun(rc));
  PetscCall(RhxCaseGetTS(rc, &ts));
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(check(sc));
  PetscCall(RhxCaseDestroy(&rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
