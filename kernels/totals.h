/* Totals: integrals over the domain of what kernels/compose_totals.h finds at a quadrature point, in the order of its list. A line
 * here and one there make another one, on host and device. 2D: per m of depth; axisymmetric: of the whole turn. */
#ifndef RHX_KERNELS_TOTALS_H
#define RHX_KERNELS_TOTALS_H

enum {
  RHX_TOTAL_VOLUME,  /* 1, m^3 */
  RHX_TOTAL_KINETIC, /* rho u.u/2, J */
  RHX_TOTAL_BODY,    /* f.u, W */
  RHX_TOTAL_VISCOUS, /* 2 eta_s D:D, W */
  RHX_TOTAL_POLYMER, /* tau:D, W */
  RHX_TOTAL_ELASTIC, /* tr tau/2, J */
  RHX_TOTAL_RELAXED, /* G tr r/2, W; r: the law's rate */
  RHX_NTOTALS
};
#endif
