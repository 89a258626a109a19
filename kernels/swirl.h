/* Stages of u_theta = w(z, r) of axisymmetric flow, beside those of kernels/pipeline.h; theory.md, 4. */
#ifndef RHX_SWIRL_H
#define RHX_SWIRL_H
#include <rheoplex/point.h>

#if RHX_SWIRL
/* Convection along r, and what is of theta in the gradient that the laws see. */
RHX_POINTWISE void rhx_swirl_begin(RhxPoint *pt)
{
  const RhxReal spin = pt->w / pt->x[1];
  pt->conv[1] -= pt->convection * pt->w * spin;
  for (int j = 0; j < RHX_DIM; j++) pt->L[2][j] = pt->gw[j];
  pt->L[0][2] = RHX_ZERO;
  pt->L[1][2] = -spin;
  pt->L[2][2] = pt->hoop;
}

/* u.grad s += (w/r) (W s + s W^T): the base turns along theta. */
RHX_POINTWISE void rhx_swirl_turn(const RhxPoint *pt, RhxMode *md)
{
  const RhxReal spin = pt->w / pt->x[1], *s = md->s;
  md->conv[1] -= 2.0 * spin * s[3];
  md->conv[2] += 2.0 * spin * s[3];
  md->conv[3] += spin * (s[1] - s[2]);
  md->conv[4] += spin * s[5];
  md->conv[5] -= spin * s[4];
}

/* Momentum along theta over rho, T the stress: f0 = u.grad w + u_r w/r - T_rtheta/(rho r) - source, f1 = T_.theta/rho. */
RHX_POINTWISE void rhx_swirl_transport(const RhxPoint *pt, RhxScalar *sc)
{
  const RhxReal along = pt->eta_s * pt->gw[0] + pt->tau[4],
                across = pt->eta_s * (pt->gw[1] - pt->w / pt->x[1]) + pt->tau[3];
  sc->conv = pt->convection * sc->conv;
  sc->rs = sc->ct + sc->conv + pt->convection * pt->hoop * pt->w - sc->src;
  sc->f0 = sc->rs - sc->ct - across / (pt->rho * pt->x[1]);
  sc->f1[0] = along / pt->rho;
  sc->f1[1] = across / pt->rho;
}
#endif

#endif
