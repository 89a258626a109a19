/* Scalar fields of a steady state of which every level is one. */
#include "boundary/scalar.h"
#include "case/impl.h"
#include "diagnostics/diagnostics.h"
#include "petsc_compat.h"

PetscErrorCode RhxCaseDoubtScalarLevels_Private(RhxCase rc)
{
  const RhxForm form = rc->form;
  PetscBool closed, holds, moves = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryIsClosed(rc->bc, &closed));
  for (PetscInt k = 0; k < form->nscalars && closed; k++) {
    const char *name = form->scalar[k].row->name;
    PetscCall(RhxBoundaryHoldsScalar(rc->bc, k, &holds));
    if (!holds) PetscCall(RhxSourceMoves(form, k, rc->x, &moves));
    if (holds || moves) continue;
    PetscCall(
        PetscFPrintf(rc->comm, PETSC_STDERR,
                     "rheoplex: warning: -scheme steady: got a closed domain in which nothing gives a level of "
                     "'%s', neither a label nor a source that follows its value: every level is a steady state, with "
                     "a source none; expected -bc_<label>_%s on one label at least, or a run in time, which goes on "
                     "from what it begins with\n",
                     name, name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
