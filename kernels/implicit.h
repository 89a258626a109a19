/* What host and device share of implicit momentum: launches of its matrix's elements, and what its solver leaves. */
#ifndef RHX_KERNELS_IMPLICIT_H
#define RHX_KERNELS_IMPLICIT_H
#include <kernels/pass.h>

/* Elements of one type, which add to value: the entry of nodes a and b of element e is at[(e nn + a) nn + b]. */
typedef struct {
  RhxMatrixPass cells;
  const int *at;
  double *value;
  double *hoop;     /* [nodes] of axisymmetric flow, or NULL */
  double viscous;   /* factor of the viscosity */
  int mode, unused; /* whose transport it is */
} RhxMomentumPass;
RHX_SIZE_IS(RhxMomentumPass, 168);

/* What a velocity adds to the rate of subscales at a node, times u/d; and the bound of projections of convection that are
 * extrapolated, times (u dt/d)^2 (theory.md, section 7). */
#define RHX_OWN_RATE 0.7
#define RHX_HELD 6.0

/* Products that are summed at a time. */
#define RHX_DOTS 3
/* Why the solver stopped, by PETSc's numbers; 0: it goes on. */
enum {
  RHX_BY_RTOL = 2,
  RHX_BY_ATOL = 3,
  RHX_BY_ITERATIONS = -3,
  RHX_BY_DTOL = -4,
  RHX_BY_BREAKDOWN = -5,
  RHX_BY_NAN = -9
};
/* The numbers between which sums are taken: at the start, of A p, of A s, after an iteration. */
enum { RHX_AT_START, RHX_AT_PRODUCT_P, RHX_AT_PRODUCT_S, RHX_AT_END };

/* Of BiCGStab; beta and omega: of the next direction. */
typedef struct {
  double rho, alpha, beta, omega, norm, start;
  int iterations, reason, live, finite; /* finite: the right-hand side is */
} RhxStabState;
RHX_SIZE_IS(RhxStabState, 64);

typedef struct {
  double relative, absolute, divergence;
  int most, unused;
} RhxStabGoals;
RHX_SIZE_IS(RhxStabGoals, 32);
#endif
