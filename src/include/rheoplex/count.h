/* Counts floating-point operations of pointwise code of the kind RHX_KIND_COUNT, whose number is of 128 bits: the compiler
 * calls a function for each +, -, * and /, which here counts one and works in double. Compiled without optimisation, so that
 * what is written is counted; roots, exponentials, logarithms, powers and tanh count one, comparisons, signs and choices none.
 * Included once by a plugin's descriptor and once by the library. */
#ifndef RHX_COUNT_H
#define RHX_COUNT_H

#define RHX_COUNTED(name, op)                                                        \
  __attribute__((visibility("hidden"))) __float128 name(__float128 a, __float128 b); \
  __float128 name(__float128 a, __float128 b)                                        \
  {                                                                                  \
    rhx_flops += 1.0;                                                                \
    return (double)a op(double) b;                                                   \
  }

static double rhx_flops;
RHX_COUNTED(__addtf3, +)
RHX_COUNTED(__subtf3, -)
RHX_COUNTED(__multf3, *)
RHX_COUNTED(__divtf3, /)

#endif
