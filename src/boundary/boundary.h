/* Boundary conditions by label: Dirichlet values of the node blocks and face terms of the form. */
#ifndef RHX_BOUNDARY_H
#define RHX_BOUNDARY_H
#include "form/form.h"

typedef struct _p_RhxBoundary *RhxBoundary;

PetscErrorCode RhxBoundaryRegisterOptions(void); /* -bc_<label>_..., -initial_..., form sources by formula */
PetscErrorCode RhxBoundaryCreate(RhxForm form, RhxBoundary *bc);
PetscErrorCode RhxBoundarySetFromOptions(RhxBoundary bc);
/* Every boundary label must have exactly one condition; errors list the labels and their face counts. Hands the face
 * terms to the form. */
PetscErrorCode RhxBoundarySetUp(RhxBoundary bc);
PetscErrorCode RhxBoundaryView(RhxBoundary bc, PetscViewer viewer);
PetscErrorCode RhxBoundaryDestroy(RhxBoundary *bc);

/* Evaluates what depends on time (values, ramps, face tractions, sources) at t; cheap when nothing does. Collective. */
PetscErrorCode RhxBoundarySetTime(RhxBoundary bc, double t);

#define RHX_BC_VELOCITY 1u
#define RHX_BC_PRESSURE 2u
#define RHX_BC_MODES    4u
/* Writes the values of SetTime into x[nowned][bs] (Dirichlet rows; on symmetry planes the normal velocity and the
 * shear components of the tensors are removed). */
PetscErrorCode RhxBoundaryImpose(RhxBoundary bc, unsigned what, PetscScalar *x);
/* The same rows set to zero, as for rates, residuals of free rows and increments. */
PetscErrorCode RhxBoundaryZero(RhxBoundary bc, unsigned what, PetscScalar *x);
/* Behaviour of projected fields at symmetry planes: aux[nlocal][naux] (odd components vanish). */
PetscErrorCode RhxBoundaryImposeAuxiliary(RhxBoundary bc, PetscScalar *aux);
/* Owned nodes whose pressure is fixed; n = 0 on every rank: the pressure is free (constant null space). */
PetscErrorCode RhxBoundaryGetPressureNodes(RhxBoundary bc, PetscInt *n, const PetscInt **nodes, PetscBool *free);
/* Initial state (formulas of -initial_..., c = I by default) into x[nowned][bs]. */
PetscErrorCode RhxBoundaryInitialState(RhxBoundary bc, double t, PetscScalar *x);
/* Owned nodes whose velocity is taken from this label (for reactions); borrowed. */
PetscErrorCode RhxBoundaryGetVelocityNodes(RhxBoundary bc, const char *label, PetscInt *n, const PetscInt **nodes);
/* "wall", "inlet", ... of a label. */
PetscErrorCode RhxBoundaryGetType(RhxBoundary bc, const char *label, const char **type);

/* Formulas in x, y, z, t (muParser), compiled once, evaluated in bulk. */
typedef struct _p_RhxFormula *RhxFormula;
PetscErrorCode RhxFormulaCreate(MPI_Comm comm, const char *option, const char *text, RhxFormula *f); /* error names option, text, place */
PetscErrorCode RhxFormulaEvaluate(RhxFormula f, double t, PetscInt n, PetscInt dim, const PetscReal *x, PetscReal *values);
PetscErrorCode RhxFormulaDependsOnTime(RhxFormula f, PetscBool *depends);
PetscErrorCode RhxFormulaDestroy(RhxFormula *f);
#endif
