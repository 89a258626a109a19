/* Runge-Kutta tables for -ts_type arkimex: implicit in each stage, the last of which is the end of the step (stiffly accurate), with one
 * diagonal element. A stage at t + c_i dt has the values
 *
 *   g_i = g(t) + dt sum_j a_ij g'(t + c_j dt),  in place of g(t + c_i dt), the same at the end,
 *
 * which are off by O(dt^2): x_t of what is given is then g' at each stage, as that of what is free is the balance's. With g(t + c_i dt) it
 * is a difference quotient, off by dt g'', and so is what balances it: the pressure is of order 1. g' is that of the polynomial through g
 * at t and all stages. */
#ifndef RHX_SDIRK_IMPL_H
#define RHX_SDIRK_IMPL_H
#include "scheme/equations_impl.h"
#include <petsc/private/tsimpl.h>

typedef struct _RhxSdirk *RhxSdirk;

/* The table of -ts_arkimex_type becomes that of the TS, an arkimex; error of PETSc's own and of options that do not go with it. Both
 * are borrowed. Collective, as all here. */
PetscErrorCode RhxSdirkCreate(TS ts, RhxEquations eq, RhxSdirk *sdirk);
PetscErrorCode RhxSdirkDestroy(RhxSdirk *sdirk);
/* Before a stage of the TS at t: what is given becomes that of the stage. */
PetscErrorCode RhxSdirkGive(RhxSdirk sdirk, double t);
/* Then x, the stage or the step before, is brought there; slope: x_t of it. */
PetscErrorCode RhxSdirkGuess(RhxSdirk sdirk, Vec slope, Vec x);
/* What TSEvaluateWLTE asks for, by the embedded formula. */
PetscErrorCode RhxSdirkError(TS ts, NormType type, PetscInt *order, PetscReal *error);
#endif
