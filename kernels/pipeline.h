/* The stages of the weak form at one quadrature point that are core's: kinematics, representation of the conformation,
 * Galerkin terms, strong residuals, time scales. Included by the host's element loops and by the device's kernels; only
 * gather, interpolation, the calls of laws and stabilisers, and scatter differ there. */
#ifndef RHX_PIPELINE_H
#define RHX_PIPELINE_H
#include <kernels/swirl.h>
#include <rheoplex/logconf.h>

/* 1: axisymmetric flow, x along the axis, y = r, zz the hoop; RHX_NTENS 4, with swirl 6. */
#ifndef RHX_AXISYMMETRIC
#define RHX_AXISYMMETRIC 0
#endif

#define RHX_AS_STRESS 0 /* the order of RhxRepresentation */
#define RHX_AS_CONFORMATION 1
#define RHX_AS_LOGCONF 2

RHX_POINTWISE void rhx_convect(RhxPoint *pt)
{
  for (int i = 0; i < RHX_DIM; i++) {
    RhxReal s = pt->u[0] * pt->gu[i][0];
    for (int k = 1; k < RHX_DIM; k++) s += pt->u[k] * pt->gu[i][k];
    pt->conv[i] = pt->convection * s;
  }
}

/* From the interpolated u, grad u, fp: convection, strong residual of continuity; the sums over modes start at zero. */
RHX_POINTWISE void rhx_flow_begin(RhxPoint *pt)
{
  rhx_convect(pt);
  pt->rc = -pt->fp;
  for (int i = 0; i < RHX_DIM; i++) {
    pt->rc += pt->gu[i][i];
    pt->div_tau[i] = RHX_ZERO;
    for (int j = 0; j < RHX_DIM; j++) pt->L[i][j] = pt->gu[i][j];
  }
  for (int k = 0; k < RHX_NTENS; k++) pt->tau[k] = RHX_ZERO;
  pt->eta_s = pt->eta_p = RHX_ZERO;
#if RHX_AXISYMMETRIC
  pt->hoop = pt->u[1] / pt->x[1];
  pt->rc += pt->hoop;
#elif RHX_NTENS == 4
  pt->hoop = RHX_ZERO;
#endif
#if RHX_SWIRL
  rhx_swirl_begin(pt);
#endif
}

/* u.grad s of a mode whose gradient is interpolated. */
RHX_POINTWISE void rhx_mode_begin(const RhxPoint *pt, RhxMode *md)
{
  for (int k = 0; k < RHX_NTENS; k++) {
    RhxReal s = pt->u[0] * md->gs[k][0];
    for (int i = 1; i < RHX_DIM; i++) s += pt->u[i] * md->gs[k][i];
    md->conv[k] = s;
  }
#if RHX_SWIRL
  rhx_swirl_turn(pt, md);
#endif
}

/* D and the shear rate of the gradient that the laws see. */
RHX_POINTWISE void rhx_kinematics(const RhxPoint *pt, RhxKin *kin)
{
#if RHX_NTENS == 4
  kin->D[2] = RHX_AXISYMMETRIC ? pt->hoop : RHX_ZERO;
#endif
  for (int i = 0; i < RHX_LDIM; i++)
    for (int j = i; j < RHX_LDIM; j++) kin->D[rhx_ij(i, j)] = 0.5 * (pt->L[i][j] + pt->L[j][i]);
  kin->shear_rate = RHX_SQRT(2.0 * rhx_double_dot(kin->D, kin->D) + RHX_TINY);
}

/* Conformation at which the law's properties are asked for: c = I in stress, whose modulus gives c afterwards. */
RHX_POINTWISE void rhx_mode_conformation(int as, RhxLog *lg, RhxMode *md)
{
  if (as == RHX_AS_LOGCONF) rhx_log_set(md->s, lg);
  for (int k = 0; k < RHX_NTENS; k++)
    md->c[k] = as == RHX_AS_STRESS ? RHX_ZERO + rhx_delta(k) : as == RHX_AS_LOGCONF ? lg->c[k] : md->s[k];
}

/* tau = G (c - I) */
RHX_POINTWISE void rhx_mode_from_stress(RhxMode *md)
{
  for (int k = 0; k < RHX_NTENS; k++) {
    md->tau[k] = md->s[k];
    md->c[k] += md->s[k] / md->prop.modulus;
  }
}

/* Adds the mode to the flow's eta_p, tau and, for linear springs in stress and conformation, div tau. */
RHX_POINTWISE void rhx_mode_sum(int as, int div_tau, const RhxMode *md, RhxPoint *pt)
{
  pt->eta_p += md->prop.eta_p;
  for (int k = 0; k < RHX_NTENS; k++) pt->tau[k] += md->tau[k];
  if (div_tau) {
    const RhxReal G = as == RHX_AS_STRESS ? RHX_ZERO + 1.0 : md->prop.modulus;
    for (int i = 0; i < RHX_DIM; i++)
      for (int j = 0; j < RHX_DIM; j++) pt->div_tau[i] += G * md->gs[rhx_ij(i, j)][j];
#if RHX_AXISYMMETRIC
    pt->div_tau[0] += md->tau[rhx_ij(0, 1)] / pt->x[1];
    pt->div_tau[1] += (md->tau[1] - md->tau[2]) / pt->x[1];
#endif
  }
}

/* L - xi D */
RHX_POINTWISE void rhx_slipping(double xi, const RhxKin *kin, const RhxPoint *pt, RhxReal L[RHX_LDIM][RHX_LDIM])
{
  for (int i = 0; i < RHX_LDIM; i++)
    for (int j = 0; j < RHX_LDIM; j++) {
      L[i][j] = pt->L[i][j];
      if (xi != 0.0) L[i][j] -= xi * kin->D[rhx_ij(i, j)];
    }
}

/* Transport of a mode, Galerkin terms: f0 = u.grad s + G (r(c) - L c - c L^T) - source, with G = 1 in conformation; in
 * log c as logconf.h says. r: the law's rate at c. Slip xi replaces L by L - xi D. */
RHX_STAGE void rhx_transport(int as, double xi, const RhxKin *kin, const RhxPoint *pt, const RhxLog *lg,
                             const RhxReal r[RHX_NTENS], RhxMode *md)
{
  RhxReal e[RHX_NTENS], L[RHX_LDIM][RHX_LDIM];
  rhx_slipping(xi, kin, pt, L);
  if (as == RHX_AS_LOGCONF)
    rhx_log_rate(lg, md->s, &L[0][0], r, e);
  else {
    const RhxReal G = as == RHX_AS_STRESS ? md->prop.modulus : RHX_ZERO + 1.0;
    RhxReal up[RHX_NTENS];
    rhx_stretch(&L[0][0], md->c, up);
    for (int k = 0; k < RHX_NTENS; k++) e[k] = G * (r[k] - up[k]);
  }
#if RHX_AXISYMMETRIC && !RHX_SWIRL
  e[2] -= 2.0 * (1.0 - xi) * pt->hoop *
          (as == RHX_AS_LOGCONF  ? RHX_ZERO + 1.0
           : as == RHX_AS_STRESS ? md->prop.modulus * md->c[2]
                                 : md->c[2]);
#endif
  for (int k = 0; k < RHX_NTENS; k++) {
    md->f0[k] = md->conv[k] + e[k] - md->src[k];
    md->rs[k] = md->f0[k] + md->st[k];
    for (int i = 0; i < RHX_DIM; i++) md->f1[k][i] = RHX_ZERO;
  }
}

/* Galerkin terms of momentum and continuity and the strong residual of momentum. The solvent's stress is
 * eta_s (grad u + grad u^T - I div u): the last part vanishes in the solution; without it nodal modes of compression have
 * twice the stiffness of shear, which halves the explicit time step (AAA Re 10: 0.0017 instead of 0.003). */
RHX_POINTWISE void rhx_galerkin(RhxPoint *pt)
{
  for (int i = 0; i < RHX_DIM; i++) {
    const RhxReal inertia = pt->rho * pt->conv[i] - pt->f[i];
    pt->f0u[i] = inertia;
    pt->rm[i] = inertia + pt->rho * pt->ut[i] + pt->gp[i] - pt->div_tau[i];
    for (int j = 0; j < RHX_DIM; j++) pt->f1u[i][j] = pt->eta_s * (pt->gu[i][j] + pt->gu[j][i]) + pt->tau[rhx_ij(i, j)];
    pt->f1u[i][i] -= pt->p + pt->eta_s * pt->rc;
    pt->f1p[i] = RHX_ZERO;
  }
  pt->f0p = pt->rc;
#if RHX_AXISYMMETRIC
  pt->f1h = 2.0 * pt->eta_s * pt->hoop + pt->tau[2] - pt->p - pt->eta_s * pt->rc;
#elif RHX_NTENS == 4
  pt->f1h = RHX_ZERO;
#endif
}

/* After the stabilisers: the hoop's part of momentum, which goes with w_r/r, among what goes with w_r. */
RHX_POINTWISE void rhx_close_hoop(RhxPoint *pt)
{
#if RHX_AXISYMMETRIC
  pt->f0u[1] += pt->f1h / pt->x[1];
#else
  (void)pt;
#endif
}

#endif
