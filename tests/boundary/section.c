/* section <options> <label> <flux>: the developed flow of a label over its faces, also where it is a circle. Prints a row a node: places along
 * y and z, velocity, its slopes. */
#include "boundary/duct.h"
#include "common.h"
#include <stdlib.h>

static PetscErrorCode print_flow(Setup *s, const char *label, double aim)
{
  const RhxCondition *c = NULL;
  RhxSection section;
  RhxDuct duct;
  const PetscReal *w;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->bc->ncond; i++)
    if (!strcmp(s->bc->cond[i].label, label)) c = &s->bc->cond[i];
  PetscCheck(c, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "no label %s", label);
  PetscCall(RhxSectionCreate(s->bc, c, &section));
  PetscCall(RhxDuctCreate(s->form, section, &duct));
  PetscCall(RhxDuctSolve(duct, 0.3 * aim, PETSC_FALSE));
  PetscCall(RhxDuctSolve(duct, aim, PETSC_FALSE));
  RhxDuctGetVelocity(duct, &w);
  for (PetscInt i = 0; i < section->nnodes; i++) {
    PetscReal x[3], U, slope[1][3];
    for (PetscInt d = 0; d < 3; d++)
      x[d] = section->origin[d] + section->x[2 * i] * section->axis[0][d] + section->x[2 * i + 1] * section->axis[1][d];
    RhxSectionEvaluate(section, x, 1, w, &U, slope);
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD, "%.16e %.16e %.16e %.16e %.16e\n", x[1], x[2], U, slope[0][1], slope[0][2]));
  }
  PetscCall(RhxDuctDestroy(&duct));
  PetscCall(RhxSectionDestroy(&section));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Setup s;
  char options[4096], label[128];
  double aim;

  if (argc < 4) return 2;
  snprintf(options, sizeof(options), "%s", argv[1]);
  snprintf(label, sizeof(label), "%s", argv[2]);
  aim = atof(argv[3]);
  argc = 1;
  PetscCall(test_begin(&argc, &argv));
  PetscCall(setup_create(options, NULL, &s));
  PetscCall(RhxBoundarySetUp(s.bc));
  PetscCall(print_flow(&s, label, aim));
  PetscCall(setup_destroy(&s));
  return test_end();
}
