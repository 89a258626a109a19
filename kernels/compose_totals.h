/* What totals (kernels/totals.h) sum at a quadrature point; the includer defines what kernels/compose.h asks for, of which plugins
 * that are stabilisers are not called: the laws see grad u itself. */
#ifndef RHX_KERNELS_COMPOSE_TOTALS_H
#define RHX_KERNELS_COMPOSE_TOTALS_H
#include <kernels/compose.h>
#include <kernels/totals.h>

RHX_INLINED void rhx_mode_totals(const struct RhxIo *io, int m, const RhxKin *kin, RhxPoint *pt,
                                 RhxReal total[RHX_NTOTALS])
{
  RhxMode md;
  RhxLog lg;
  RhxReal r[RHX_NTENS];
  rhx_law(io, m, kin, pt, &md, &lg);
  rhx_rate(io, m, pt, kin, md.c, r);
  total[RHX_TOTAL_POLYMER] += rhx_double_dot(md.tau, kin->D);
  for (int k = 0; k < (RHX_NTENS == 3 ? 2 : 3); k++) {
    total[RHX_TOTAL_ELASTIC] += 0.5 * md.tau[k];
    total[RHX_TOTAL_RELAXED] += 0.5 * md.prop.modulus * r[k];
  }
}

#define RHX_DO_TOTALS(m) rhx_mode_totals(io, m, &kin, pt, total);

RHX_INLINED void rhx_compose_totals(const struct RhxIo *io, RhxPoint *pt, RhxReal total[RHX_NTOTALS])
{
  RhxKin kin;
  rhx_in_flow(io, pt);
  rhx_flow_begin(pt);
  rhx_couple(io, pt);
  rhx_kinematics(pt, &kin);
  pt->eta_s = rhx_viscosity(io, &kin, pt);
  for (int k = 0; k < RHX_NTOTALS; k++) total[k] = RHX_ZERO;
  total[RHX_TOTAL_VOLUME] += 1.0;
  for (int i = 0; i < RHX_DIM; i++) {
    total[RHX_TOTAL_KINETIC] += 0.5 * pt->rho * pt->u[i] * pt->u[i];
    total[RHX_TOTAL_BODY] += pt->f[i] * pt->u[i];
  }
#if RHX_SWIRL
  RhxScalar sc;
  rhx_in_scalar(io, RHX_SWIRL_FIELD, &sc);
  total[RHX_TOTAL_KINETIC] += 0.5 * pt->rho * pt->w * pt->w;
  total[RHX_TOTAL_BODY] += pt->rho * sc.src * pt->w;
#endif
  total[RHX_TOTAL_VISCOUS] += 2.0 * pt->eta_s * rhx_double_dot(kin.D, kin.D);
  RHX_EACH_MODE(RHX_DO_TOTALS)
}
#endif
