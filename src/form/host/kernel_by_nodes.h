/* A part of kernel.c: matrices by the values of nodes: simplices with one point, whose nodes take part one by one, of complex numbers
 * alone. */
#ifndef RHX_KERNEL_BY_NODES_H
#define RHX_KERNEL_BY_NODES_H

#if RHX_KIND == RHX_KIND_COMPLEX
/* Some of the components of every node. */
typedef struct {
  RhxReal *at; /* [nn][width] */
  PetscInt width, first, n;
} OfNodes;

/* The matrix of an element of nn nodes: derivatives of the numbers `rows`, which `evaluate` leaves there, by `columns`; rate NULL, or
 * what follows `columns` by the shift. */
#define BY_NODES(nn, columns, rate, rows, evaluate)                                                   \
  {                                                                                                   \
    const OfNodes by = (columns), of = (rows);                                                        \
    RhxReal *const follows = (rate);                                                                  \
    for (PetscInt j = 0; j < (nn)*by.n; j++) {                                                        \
      const PetscInt at = j / by.n * by.width + by.first + j % by.n;                                  \
      const RhxReal u = by.at[at], v = follows ? follows[at] : RHX_ZERO;                              \
      by.at[at] = SEEDED(rhx_value(u), 1.0);                                                          \
      if (follows) follows[at] = SEEDED(rhx_value(v), pass->shift);                                   \
      evaluate;                                                                                       \
      by.at[at] = u;                                                                                  \
      if (follows) follows[at] = v;                                                                   \
      for (PetscInt k = 0; k < (nn)*of.n; k++)                                                        \
        pass->out[k * (nn)*by.n + j] = RESULT((of.at)[k / of.n * of.width + of.first + k % of.n], 0); \
    }                                                                                                 \
  }

#else
#define BY_NODES(nn, columns, rate, rows, evaluate) \
  {                                                 \
  }
#endif

#endif
