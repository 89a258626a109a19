/* KSP type `polynomial`: x += p(M^-1 A) M^-1 (b - A x), applied as a product over the roots of 1 - t p(t) in Leja's order (Loe, Morgan:
 * Numerical Linear Algebra with Applications 29, 2022, algorithm 3). 1 - t p(t) is the polynomial of its degree, 1 at 0, whose squares
 * sum up to the least over 20 Ritz values of M^-1 A, found from noise when the matrix is new: GMRES on the noise itself gives one that
 * is large at the few eigenvalues that noise hardly has. Products with A and applications of the PC alone: no inner products, so that
 * nothing waits for a device or for other ranks. A smoother for matrices that are not symmetric, in place of iterations of GMRES.
 *
 *   -ksp_polynomial_degree 4    applications of the PC; products with A are one fewer, and one for the residual
 *   -ksp_max_it 1               how often
 *
 * Preconditioned from the left; without a norm it ends after -ksp_max_it. */
#ifndef RHX_POLYNOMIAL_IMPL_H
#define RHX_POLYNOMIAL_IMPL_H
#include <petscksp.h>

#define RHX_KSP_POLYNOMIAL "polynomial"

PetscErrorCode RhxPolynomialRegister(void);
#endif
