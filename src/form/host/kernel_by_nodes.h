/* A part of kernel.c: matrices by the values of nodes: simplices with one point, whose nodes take part one by one, of complex numbers
 * alone. */
#ifndef RHX_KERNEL_BY_NODES_H
#define RHX_KERNEL_BY_NODES_H

#if RHX_KIND == RHX_KIND_COMPLEX
/* The matrix of an element of nn nodes: column j is the derivative of the m numbers that `evaluate` leaves in `result` by
 * seed[j] of n; rate NULL, or what follows the seed by the shift. */
#define BY_NODES(seed, rate, n, result, m, evaluate)                                      \
  {                                                                                       \
    RhxReal *const follows = (rate);                                                      \
    for (PetscInt j = 0; j < (n); j++) {                                                  \
      const RhxReal u = (seed)[j], v = follows ? follows[j] : RHX_ZERO;                   \
      (seed)[j] = SEEDED(rhx_value(u), 1.0);                                              \
      if (follows) follows[j] = SEEDED(rhx_value(v), pass->shift);                        \
      evaluate;                                                                           \
      (seed)[j] = u;                                                                      \
      if (follows) follows[j] = v;                                                        \
      for (PetscInt k = 0; k < (m); k++) pass->out[k * (n) + j] = RESULT((result)[k], 0); \
    }                                                                                     \
  }

#else
#define BY_NODES(seed, rate, n, result, m, evaluate) \
  {                                                  \
  }
#endif

#endif
