/* A scheme of somebody else: the explicit midpoint rule, loaded by -dll_append, chosen by -scheme midpoint.
 *   (u, s)* = (u, s) + dt/2 f(u, s, p, t),  (u, s)+ = (u, s) + dt f((u, s)*, p*, t + dt/2),  each with its projection. */
#include "petsc_compat.h"
#include "scheme/type_impl.h"

static const RhxRow rows[] = {RHX_SCHEME_ROWS};
static const RhxOptionTable table = {"scheme", "scheme_midpoint_", PETSC_STATIC_ARRAY_LENGTH(rows), rows};

static PetscErrorCode arrays(RhxScheme sc)
{
  PetscFunctionBegin;
  PetscCall(RhxOpsArray(sc->ops, sc->form->space->bs, "the state at half of the step", &sc->own[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode step(RhxScheme sc)
{
  const RhxOps ops = sc->ops;
  const RhxArray half = sc->own[0];
  PetscFunctionBegin;
  PetscCall(ops->table->stage(ops, 0.0, 0.5, 0.5, RhxStageFirst(sc)));
  if (sc->form->needs_rate) PetscCall(ops->table->ghosts(ops, sc->xdot));
  PetscCall(RhxStageProjection(sc, sc->x, sc->x, half, RHX_FIRST));
  PetscCall(ops->table->ghosts(ops, half));
  PetscCall(ops->table->stage(ops, 0.5, 1.0, 1.0, RhxStageFirst(sc)));
  PetscCall(RhxStageProjection(sc, sc->x, half, sc->y, RHX_LAST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view(RhxScheme sc, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  explicit midpoint, dt %g s\n", ((const RhxSchemeOptions *)sc->opt)->dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RhxSchemeType midpoint = {.name = "midpoint",
                                 .options = &table,
                                 .size = sizeof(RhxSchemeOptions),
                                 .settings = {.strong_rate = PETSC_TRUE, .recordable = PETSC_TRUE},
                                 .arrays = arrays,
                                 .step = step,
                                 .view = view};

/* The name that PETSc looks for in a library of this name. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_midpoint(void)
{
  PetscFunctionBegin;
  PetscCall(RhxSchemeRegister(&midpoint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
