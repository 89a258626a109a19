/* The derivative of the pressure's projection in the matrix that preconditions an implicit step.
 *
 * Stabilisers weigh (grad q, tau (grad p - P)), P the projection of grad p: next to nothing of a pressure that is smooth. At fixed P it
 * is (grad q, tau grad p), and the pressure's Schur complement, of the order of dt L, L the Laplacian, becomes (dt/rho + tau) L: where tau is many
 * times dt/rho, in coarse cells and slow flow of a step bound by the smallest cells, GMRES needs as many more iterations. So
 *
 *   A = P + B_p M_L^-1 C_p
 *
 * with rows and columns of the pressure alone of B and C (step/tangent.h), M_L the lumped mass: neighbours of neighbours, of pressures. */
#ifndef RHX_PROJECTED_IMPL_H
#define RHX_PROJECTED_IMPL_H
#include "scheme/equations_impl.h"
#include <petscpc.h>

typedef enum { RHX_PRESSURE_AUTO, RHX_PRESSURE_FIXED, RHX_PRESSURE_PROJECTED } RhxPressureChoice;

typedef struct _RhxProjected *RhxProjected;

/* Error where it is asked for of a matrix on a device; option: its name, without -. */
PetscErrorCode RhxProjectedCreate(RhxEquations eq, const char *option, int choice, RhxProjected *pj);
PetscErrorCode RhxProjectedDestroy(RhxProjected *pj);
/* After RhxEquationsAssemble: *A is eq->P or A, borrowed. Each call chooses; where the choice turns it is told, and the preconditioner
 * begins anew, that of the flow of splits by a Schur complement of the pressure or its multigrid again (RhxSplitsBuildFlow). Error
 * where it is asked for and nothing projects the pressure's gradient. */
PetscErrorCode RhxProjectedMatrix(RhxProjected pj, PC pc, Mat *A);
/* After the first of them: is it not chosen, but may be later? pj NULL: no. */
PetscBool RhxProjectedMayCome(RhxProjected pj);
/* The preconditioner is another PC now, which is set up for the first time; the next choice is for it. */
void RhxProjectedReplace(RhxProjected pj);
/* The next choice is as of a run that begins there. */
void RhxProjectedForget(RhxProjected pj);
#endif
