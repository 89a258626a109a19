/* diagnostics_driver <folder> -options: measures the case's initial state, steady. Prints a line a figure; writes the wall
 * table of every label to <folder>/<label>.csv. "poison" as folder: a NaN is put into the state first; "shear <c>": the last
 * mode's c_xy is c where x > 0.4, which no initial state may have. */
#include "case/case.h"
#include "case/error.h"
#include "petsc_compat.h"
#include <math.h>
#include <rheoplex/rheoplex.h>
#include <stdlib.h>
#include <string.h>

static PetscErrorCode measure_labels(TS ts, RhxForm form, RhxBoundary bc, Vec x, const char *folder)
{
  const RhxSpace space = form->space;
  const PetscScalar *g;
  PetscScalar *local;
  PetscInt n;
  const char *const *label;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetLabels(space->mesh, &n, &label));
  PetscCall(RhxSchemeFindReactions(ts, NULL));
  PetscCall(PetscMalloc1(space->nlocal * space->bs, &local));
  PetscCall(VecGetArrayRead(x, &g));
  PetscCall(RhxSpaceGlobalToLocal(space, space->bs, g, local));
  PetscCall(VecRestoreArrayRead(x, &g));
  for (PetscInt i = 0; i < n; i++) {
    double torque[3], force[3], out, in;
    char file[PETSC_MAX_PATH_LEN];
    int err;
    RhxWallMesh *mesh;
    RhxWall *wall;
    RhxLabelForce on;
    PetscCall(RhxLabelForceCreate(form, bc, label[i], (double[3]){0, 0, 0}, PETSC_FALSE, &on));
    PetscCall(RhxLabelForceEvaluate(on, ts, force, torque));
    PetscCall(RhxLabelForceDestroy(&on));
    PetscCall(RhxFluxParts(form, label[i], local, &out, &in));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "force %s %.17g %.17g %.17g\nflux %s %.17g\n", label[i], force[0], force[1],
                          force[2], label[i], out - in));
    PetscCall(RhxWallMeshCreate(form, label[i], &mesh));
    PetscCall(RhxWallCreate(ts, form, bc, mesh, local, PETSC_TRUE, &wall));
    PetscCall(PetscSNPrintf(file, sizeof file, "%s/%s.csv", folder, label[i]));
    PetscCall(RhxWallWrite(wall, form->space->dim, file, 2, 0.5, &err));
    PetscCheck(!err, PETSC_COMM_WORLD, PETSC_ERR_FILE_WRITE, "%s cannot be written", file);
    PetscCall(RhxWallDestroy(&wall));
    PetscCall(RhxWallMeshDestroy(&mesh));
  }
  PetscCall(PetscFree(local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure_state(RhxForm form, Vec x)
{
  RhxConformationHealth h;
  PetscBool finite;
  double error, flux[3];
  char message[512];

  PetscFunctionBegin;
  PetscCall(RhxFluxes(form, x, &flux[0], &flux[1], &flux[2]));
  error = RhxMassErrorOfFluxes(flux[0], flux[1], flux[2]);
  PetscCall(RhxConformationCheck(form, x, &h));
  PetscCall(RhxCheckFinite(form, x, 2, 0.5, 3, &finite, message));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "mass %.17g\nhealth %.17g %.17g %.17g %.17g %.17g %d %d\nfinite %d %s\n",
                        error, h.min_eigenvalue, h.x[0], h.x[1], h.x[2], h.max_trace, (int)h.mode, (int)h.nbad, finite,
                        message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The second velocity component of the last node of the last rank. */
static PetscErrorCode poison(RhxForm form, Vec x)
{
  PetscInt entry = (form->space->nglobal - 1) * form->space->bs + 1;

  PetscFunctionBegin;
  PetscCall(VecSetValue(x, entry, NAN, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shear(RhxForm form, double c, Vec x)
{
  const RhxSpace sp = form->space;
  PetscScalar *state;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &state));
  for (PetscInt i = 0; i < sp->nowned; i++)
    if (sp->x[i * sp->dim] > 0.4) state[(i + 1) * sp->bs - 1] = c;
  PetscCall(VecRestoreArray(x, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode act(const char *folder)
{
  RhxCase rc;
  RhxForm form;
  RhxBoundary bc;
  TS ts;
  Vec x;

  PetscFunctionBegin;
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &rc));
  PetscCall(RhxCaseSetFromOptions(rc));
  PetscCall(RhxCaseSetUp(rc));
  PetscCall(RhxCaseGetForm(rc, &form));
  PetscCall(RhxCaseGetBoundary(rc, &bc));
  PetscCall(RhxCaseGetState(rc, &x));
  PetscCall(RhxCaseGetTS(rc, &ts));
  PetscCall(RhxBoundarySetTime(bc, 0));
  if (!strcmp(folder, "poison"))
    PetscCall(poison(form, x));
  else if (!strncmp(folder, "shear ", 6))
    PetscCall(shear(form, atof(folder + 6), x));
  else
    PetscCall(measure_labels(ts, form, bc, x, folder));
  PetscCall(measure_state(form, x));
  PetscCall(RhxCaseDestroy(&rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  const char *folder = args[1];
  PetscErrorCode code;

  args[1] = args[0];
  argc--;
  args++;
  if (RhxErrorHandlerPush(PETSC_FALSE)) return 1;
  code = RhxInitialize(&argc, &args, NULL);
  if (!code) code = act(folder);
  if (!code) code = RhxFinalize();
  if (code) RhxErrorExit();
  return 0;
}
