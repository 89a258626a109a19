/* diagnostics_resolved -options: estimates of a state of zeros are 0, of one with a velocity and a scalar field that are no numbers they are none either, on every rank. */
#include "case/case.h"
#include "diagnostics/resolution.h"
#include "petsc_compat.h"
#include <math.h>
#include <rheoplex/rheoplex.h>

static int failures;

static void check(const char *what, double got, PetscBool number)
{
  if (number ? got == 0.0 : isnan(got)) return;
  PetscCallVoid(PetscPrintf(PETSC_COMM_SELF, "%s: got %g, expected %s\n", what, got, number ? "0" : "nan"));
  failures++;
}

static PetscErrorCode look(RhxForm form, const PetscScalar *x, PetscBool number)
{
  RhxResolution r;

  PetscFunctionBegin;
  PetscCall(RhxResolutionCreate(form, &r));
  PetscCall(RhxResolutionFind(&r, x));
  for (PetscInt k = 0; k < r.n; k++) {
    check("error", RhxResolvedRelative(&r.part[k]), number);
    check("mean", r.part[k].mean, number);
    check("worst", r.part[k].local, number);
  }
  for (PetscInt e = 0; e < r.n * r.ncells; e++) check("element", r.share[e], number);
  PetscCall(RhxResolutionDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode act(void)
{
  RhxCase rc;
  RhxForm form;
  PetscScalar *x;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &rc));
  PetscCall(RhxCaseSetFromOptions(rc));
  PetscCall(RhxCaseSetUp(rc));
  PetscCall(RhxCaseGetForm(rc, &form));
  PetscCall(PetscCalloc1((size_t)form->space->nlocal * form->space->bs, &x));
  PetscCall(look(form, x, PETSC_TRUE));
  PetscCallMPI(MPI_Comm_rank(form->comm, &rank));
  if (!rank) x[RhxFieldsStart(form->space->fields, RHX_GROUP_VELOCITY)] = x[form->first_scalar] = NAN;
  PetscCall(look(form, x, PETSC_FALSE));
  PetscCall(PetscFree(x));
  PetscCall(RhxCaseDestroy(&rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  PetscCall(RhxInitialize(&argc, &args, NULL));
  PetscCall(act());
  PetscCall(RhxFinalize());
  return failures ? 1 : 0;
}
