/* Implicit transport of a mode at a point, by what the includer defines for kernels/compose.h. */
#ifndef RHX_KERNELS_TRANSPORT_H
#define RHX_KERNELS_TRANSPORT_H
#include <kernels/compose.h>

/* Rate at which the law takes the unknown back, >= 0, 1/s, from its rates r and rs at c and (1 + step) c: |dr(c)[c]|/|c|, 1/lambda of a
 * linear one. In log c it is T = c^-1 (dr(c)[c] - r), of directions with different rates, of which |T T|/|T| is at least 0.85 times
 * the largest: what is extrapolated beside it is stable up to 4/3 of it (share/doc/theory.md, section 7). */
RHX_POINTWISE RhxReal rhx_relaxation_rate(int as, const RhxLog *lg, const RhxReal c[RHX_NTENS],
                                          const RhxReal r[RHX_NTENS], const RhxReal rs[RHX_NTENS])
{
  RhxReal d[RHX_NTENS], dd[RHX_NTENS], ii[RHX_NTENS], i4[RHX_NTENS], tt;
  for (int k = 0; k < RHX_NTENS; k++)
    d[k] = (rs[k] - r[k]) / RHX_RELAXATION_STEP - (as == RHX_AS_LOGCONF ? r[k] : RHX_ZERO);
  if (as != RHX_AS_LOGCONF) return RHX_SQRT(rhx_double_dot(d, d) / rhx_double_dot(c, c));
  rhx_square(d, dd);
  rhx_square(lg->ic, ii);
  tt = rhx_double_dot(dd, ii);
  rhx_square(dd, d);
  rhx_square(ii, i4);
  return RHX_SQRT(rhx_double_dot(d, i4) / (tt + RHX_TINY));
}

/* s of (u.grad w, s (u.grad s - P)) that stabilisers add to the mode, by what they make of a convection of 1 and P = 0. */
RHX_INLINED RhxReal rhx_mode_streamline(const struct RhxIo *io, const RhxPoint *pt, RhxMode *md)
{
  RhxReal none[RHX_MAX_AUX_COMPONENTS], along = RHX_ZERO, uu = RHX_ZERO + RHX_TINY;
  const RhxReal *const own = md->aux;
  for (int c = 0; c < RHX_NAUX_MODE; c++) none[c] = RHX_ZERO;
  for (int k = 0; k < RHX_NTENS; k++) {
    md->conv[k] = md->rs[k] = RHX_ZERO + 1.0;
    md->f0[k] = RHX_ZERO;
    for (int i = 0; i < RHX_DIM; i++) md->f1[k][i] = RHX_ZERO;
  }
  md->aux = none;
  rhx_call_add_mode(io, pt, md);
  md->aux = own;
  for (int i = 0; i < RHX_DIM; i++) {
    along += md->f1[0][i] * pt->u[i];
    uu += pt->u[i] * pt->u[i];
  }
  return along / uu;
}

/* The flow, and of mode m its rate of relaxation and what the stabilisers weight its convection with. */
RHX_INLINED void rhx_compose_transport(const struct RhxIo *io, int m, RhxPoint *pt, RhxMode *md, RhxLog *lg,
                                       RhxReal *relaxation, RhxReal *streamline)
{
  RhxKin kin;
  RhxReal c[RHX_NTENS], r[RHX_NTENS], rs[RHX_NTENS];
  rhx_point(io, pt);
  rhx_solvent(io, pt, &kin);
  rhx_law(io, m, &kin, pt, md, lg);
  rhx_limits_stretched(md, c);
  rhx_rate(io, m, pt, &kin, md->c, r);
  rhx_rate(io, m, pt, &kin, c, rs);
  *relaxation = rhx_relaxation_rate(RHX_AS, lg, md->c, r, rs);
  *streamline = rhx_mode_streamline(io, pt, md);
}

#endif
