/* section <options> <label> <flux>: the developed flow of a label over its faces, also where it is a circle, by fluxes that come and go; it
 * is that of the flux alone. Prints a row a node: places along y and z, velocity, its slopes. */
#include "boundary/duct_impl.h"
#include "common.h"
#include <stdlib.h>

static const double way[] = {0.3, 0.6, 0.7, 0.74, 0.75, 0.75, 1.1, 1.04, 1.01, 0, 1};

static PetscErrorCode check_alone(Setup *s, RhxSection section, double aim, const PetscReal *w)
{
  RhxDuct duct;
  const PetscReal *alone;
  PetscReal off = 0, most = 0;

  PetscFunctionBegin;
  PetscCall(RhxDuctCreate(s->form, section, NULL, &duct));
  PetscCall(RhxDuctSolve(duct, aim, PETSC_FALSE));
  RhxDuctGetVelocity(duct, &alone);
  for (PetscInt i = 0; i < section->nnodes; i++) {
    most = PetscMax(most, alone[i]);
    if (!(PetscAbsReal(w[i] - alone[i]) <= off)) off = PetscAbsReal(w[i] - alone[i]);
  }
  PetscCheck(off <= 1e-12 * most, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "got a flow %g of its largest velocity off that of its flux alone", off / most);
  PetscCall(RhxDuctDestroy(&duct));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_flow(Setup *s, const char *label, double aim)
{
  const RhxCondition *c = NULL;
  const RhxSectionPlace *place;
  RhxSection section;
  RhxDuct duct;
  const PetscReal *w;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->bc->ncond; i++)
    if (!strcmp(s->bc->cond[i].label, label)) c = &s->bc->cond[i];
  PetscCheck(c, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "no label %s", label);
  PetscCall(RhxSectionCreate(s->bc, c, &section));
  PetscCall(RhxDuctCreate(s->form, section, NULL, &duct));
  RhxDuctGetVelocity(duct, &w);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(way); i++) {
    PetscCall(RhxDuctSolve(duct, way[i] * aim, PETSC_FALSE));
    if (way[i] > 0) PetscCall(check_alone(s, section, way[i] * aim, w));
  }
  for (PetscInt i = 0; i < section->nnodes; i++) {
    PetscReal x[3], U, slope[1][3];
    for (PetscInt d = 0; d < 3; d++)
      x[d] = section->origin[d] + section->x[2 * i] * section->axis[0][d] + section->x[2 * i + 1] * section->axis[1][d];
    PetscCall(RhxSectionLocate(section, 1, x, &place));
    RhxSectionEvaluate(section, place, 1, w, &U, slope);
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
