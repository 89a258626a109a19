/* Disturbances of a steady state, E dz/dt = -K z. z is the state and, of labels whose pressure answers their flux late (following_impl.h), what
 * comes late, s_k, Pa:
 *
 *   K = [J - sum G_k c_k w_k^T   c_k]    E = [M   0 ]    c_k = dR/dP_k, w_k = dQ_k/dx
 *       [       -G_k w_k^T        1 ]        [0  T_k]
 *
 * Without such labels K = J, E = M. (K + z E)^-1 is that of J + z M with f'_k(z) in place of f'_k, on states: */
#ifndef RHX_PENCIL_IMPL_H
#define RHX_PENCIL_IMPL_H
#include "scheme/equations_impl.h"

typedef struct _RhxPencil *RhxPencil;
struct _RhxPencil {
  RhxEquations eq;       /* borrowed */
  Mat M, J;              /* references */
  Mat E, K;              /* without such labels M and J */
  PetscInt nlate, *late; /* numbers of the labels; the last rank has theirs, behind its part of the state */
  PetscBool last;        /* is this it? */
  Vec x, y;              /* states */
};

/* Where eq is linearised, with its mass M. Error of a label that does not say how late it is. Collective, as all here. */
PetscErrorCode RhxPencilCreate(RhxEquations eq, Mat M, RhxPencil *pencil);
PetscErrorCode RhxPencilDestroy(RhxPencil *pencil);
/* Parts of z, real and imaginary (1 or 2 of them), and of states: (K + shift E) z = b where x solves the same of states with the right-hand
 * side a; transposed: of the Hermitian transpose. */
PetscErrorCode RhxPencilReduce(RhxPencil pencil, PetscBool transposed, const double shift[2], PetscInt parts, Vec b[2],
                               Vec a[2]);
PetscErrorCode RhxPencilExpand(RhxPencil pencil, PetscBool transposed, const double shift[2], PetscInt parts, Vec b[2],
                               Vec x[2], Vec z[2]);
/* y += (f'_k(shift) - f'_k) c_k w_k^T x of labels that are late, of parts of states. */
PetscErrorCode RhxPencilMultiplyLate(RhxPencil pencil, const double shift[2], PetscInt parts, Vec x[2], Vec y[2]);
PetscErrorCode RhxPencilFree(RhxPencil pencil, PetscBool transposed,
                             Vec z);                              /* N of the state's part (equations_impl.h) */
PetscErrorCode RhxPencilGetState(RhxPencil pencil, Vec z, Vec x); /* it */
#endif
