/* The tangent as one sparse matrix: the projections a of the stabilisers are unknowns beside the state x, for direct factors.
 *
 *   S = [P + (s + i w) M   B  ]      P, M, B, C: form/host/tangent.h, inertia.h; P at fixed projections, with rows of given values;
 *       [    -C            M_a]      M_a: mass of the projections, consistent or lumped
 *
 * Where pressures or stresses follow a flux (following_impl.h) Q_k are unknowns too, the last ones: a column f'_k(s + i w) dR/dP_k and the row
 * Q_k - dQ_k/dx x = 0.
 *
 * Rows of B are N B (equations_impl.h), those of the projections K (M_a a - C x) + (1 - K) a, K what planes of symmetry leave of them.
 *
 * With w not 0 real and imaginary parts stand side by side. */
#ifndef RHX_BORDERED_IMPL_H
#define RHX_BORDERED_IMPL_H
#include "scheme/equations_impl.h"
#include <petscksp.h>

typedef struct _RhxBordered *RhxBordered;

/* Where the equations are linearised, borrowed; M borrowed too. instead: what to do where the factors do not fit into the memory, static.
 * Collective, as all here. */
PetscErrorCode RhxBorderedCreate(RhxEquations eq, Mat M, const double shift[2], const char *instead, RhxBordered *b);
/* S and its factors where the equations are linearised now, at the same shift; where fluxes are unknowns it has to be created anew. */
PetscErrorCode RhxBorderedRenew(RhxBordered b);
/* GMRES for A, which is J + (s + i w) M or nearly, by these factors, to `tolerance` of the right-hand side; the caller's, b outlives it. */
PetscErrorCode RhxBorderedCreateSolver(RhxBordered b, Mat A, double tolerance, KSP *ksp);
/* y = (J + (s + i w) M)^-T x as real matrices, parts side by side: of complex vectors the inverse of the Hermitian transpose. Where J is
 * not that of S, projections by the lumped mass with corrections, an error. w: NULL, or (w = 0) weights of the residual's rows before what is
 * given replaces them; x then holds their sum's derivative at fixed projections, that by these joins. */
PetscErrorCode RhxBorderedSolveTransposed(RhxBordered b, Vec x, Vec w, Vec y);
PetscErrorCode RhxBorderedGetSign(RhxBordered b, int *sign); /* of det S, 0: its factors do not say it, or failed */
PetscErrorCode RhxBorderedDestroy(RhxBordered *b);
#endif
