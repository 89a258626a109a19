/* What bounds the time step of an explicit scheme, at one quadrature point, as rates r: a step dt is at the limit where
 * dt r = 1 (share/doc/time-step.md). Included by the host's element loops and by the device's kernels. */
#ifndef RHX_LIMITS_H
#define RHX_LIMITS_H
#include <kernels/pipeline.h>

/* The largest values of a pass: RhxFormStats, in its order. */
enum {
  RHX_MOST_CONVECTIVE, /* squared until the end, as the elastic and relaxation's */
  RHX_MOST_VISCOUS,
  RHX_MOST_ELASTIC,
  RHX_MOST_WI,
  RHX_MOST_TAU,
  RHX_MOST_RELAXATION,
  RHX_MOST_GROWTH,
  RHX_MOST_WAVES,
  RHX_MOST_ANTIDIFFUSION,
  RHX_NSTATS
};

#define RHX_RELAXATION_STEP 0.0009765625 /* of a difference along c: 2^-10 */

/* Squares where it says so: roots are taken of the largest ones. Sums over modes first. */
typedef struct {
  RhxReal wave;       /* sum of w_k = g:(tau_k + G_k I)/(4 rho): square of the frequency of elastic waves, 1/s^2 */
  RhxReal damped;     /* sum of w_k/lambda_k, 1/s^3 */
  RhxReal tension;    /* sum of tr(tau_k + G_k I), Pa */
  RhxReal lambda;     /* largest relaxation time, s */
  RhxReal relaxation; /* square of half the largest derivative of a mode's relaxation, 1/s^2 */
  RhxReal viscous;    /* half the largest eigenvalue of the lumped Laplacian times what diffuses momentum, 1/s */
  RhxReal growth;     /* rate from which on forward Euler amplifies waves, 1/s */
  RhxReal velocity;   /* its part of long waves of velocity alone, 1/s */
  RhxReal elastic;    /* its part of elastic waves alone, 1/s */
} RhxLimits;

RHX_POINTWISE void rhx_limits_begin(RhxLimits *li)
{
  li->wave = li->damped = li->tension = li->lambda = li->relaxation = RHX_ZERO;
  li->viscous = li->growth = li->velocity = li->elastic = RHX_ZERO;
}

/* (1 + step) c, where the law is asked for its rate a second time. */
RHX_POINTWISE void rhx_limits_stretched(const RhxMode *md, RhxReal c[RHX_NTENS])
{
  for (int k = 0; k < RHX_NTENS; k++) c[k] = md->c[k] * (1.0 + RHX_RELAXATION_STEP);
}

/* Adds a mode; r, rs: its law's rate at c and at (1 + step) c. In log c the derivative grows by the largest eigenvalue of
 * c^-1, here by its norm. */
RHX_POINTWISE void rhx_limits_mode(int as, const RhxPoint *pt, const RhxLog *lg, const RhxMode *md,
                                   const RhxReal r[RHX_NTENS], const RhxReal rs[RHX_NTENS], RhxLimits *li)
{
  const RhxReal G = md->prop.modulus;
  RhxReal w = RHX_ZERO, tr = RHX_ZERO, d[RHX_NTENS], dd, scale = RHX_ZERO + 1.0;
  for (int i = 0; i < RHX_DIM; i++) {
    const RhxReal n = md->tau[i] + G;
    tr += n;
    w += pt->g[i][i] * n;
    for (int j = i + 1; j < RHX_DIM; j++) w += 2.0 * pt->g[i][j] * md->tau[rhx_ij(i, j)];
  }
  w = RHX_MAX(w, RHX_ZERO) * (0.25 / pt->rho);
  li->wave += w;
  li->damped += w / md->prop.lambda;
  li->tension += RHX_MAX(tr, RHX_ZERO);
  li->lambda = RHX_MAX(li->lambda, md->prop.lambda);
  for (int k = 0; k < RHX_NTENS; k++) d[k] = rs[k] - r[k];
  dd = rhx_double_dot(d, d) / rhx_double_dot(md->c, md->c);
  if (as == RHX_AS_LOGCONF) scale = RHX_MAX(scale, rhx_double_dot(lg->ic, lg->ic));
  li->relaxation = RHX_MAX(li->relaxation, 0.25 / (RHX_RELAXATION_STEP * RHX_RELAXATION_STEP) * dd * scale);
}

/* Bound of the eigenvalues of the Laplacian with lumped mass, 1/m^2: that of one element, with the largest sum of a row of g
 * in place of its eigenvalue; in axisymmetric flow that of an element at the axis, whose nodes there have little mass. */
RHX_POINTWISE RhxReal rhx_limits_laplacian(int product_cell, const RhxPoint *pt)
{
  RhxReal most = RHX_ZERO;
  for (int i = 0; i < RHX_DIM; i++) {
    RhxReal row = pt->g[i][i];
    for (int j = 0; j < RHX_DIM; j++)
      if (j != i) row += RHX_ABS(pt->g[i][j]);
    most = RHX_MAX(most, row);
  }
  most *= product_cell ? 1.0 : 0.5 * (RHX_DIM + 1);
  return RHX_AXISYMMETRIC ? (product_cell ? 9.0 / 8.0 : 4.0 / 3.0) * most : most;
}

/* After the modes and the stabilisers' diffusion. rise: of the viscosity with the rate of deformation. tensor_oss: convection of the modes is stabilised. Forward Euler amplifies
 *   long waves of velocity from 1/dt = rho u^2/(2 eta) on;
 *   elastic waves: damped at the rate of relaxation and by the solvent, 1/(sum w_k/lambda_k/w^2 + eta_s/tension);
 *   waves of the modes: with C = v dt, C^2/(1 + C) = 2/(lambda v) where stabilised, else C = 2/(lambda v);
 *   and the last two together as the square of the sum of their roots. */
RHX_POINTWISE void rhx_limits_end(int product_cell, int tensor_oss, int nmodes, const RhxPoint *pt, RhxReal rise,
                                  const RhxDiffusion *df, RhxLimits *li)
{
  RhxReal uu = pt->u[0] * pt->u[0];
  for (int i = 1; i < RHX_DIM; i++) uu += pt->u[i] * pt->u[i];
  li->viscous =
      rhx_limits_laplacian(product_cell, pt) * (pt->eta_s + rise + df->viscosity + df->bulk) * (0.5 / pt->rho);
  li->velocity = (0.5 * pt->rho * pt->convection) * (1.0 - df->upwind) * uu / (pt->eta_s + pt->eta_p + RHX_TINY);
  li->growth = li->velocity;
  if (!nmodes) return;
  const RhxReal v = 0.5 * rhx_convective_rate(pt), a = 2.0 / li->lambda, ww = li->wave * li->wave;
  const RhxReal root = tensor_oss ? RHX_ZERO + RHX_SQRT(a * (a + 4.0 * v)) : a;
  const RhxReal convected = 2.0 * v * v / (a + root);
  li->elastic = ww * li->tension / (li->damped * li->tension + pt->eta_s * ww + RHX_TINY);
  li->growth = RHX_MAX(li->growth, li->elastic + convected + 2.0 * RHX_SQRT(li->elastic * convected));
}

/* A scalar field of diffusivity D, which forward Euler carries without growth of long waves up to
 * dt = 2 D/u^2. */
RHX_POINTWISE void rhx_limits_scalar(int product_cell, const RhxPoint *pt, RhxReal D, RhxReal *viscous, RhxReal *growth)
{
  RhxReal uu = pt->u[0] * pt->u[0];
  for (int i = 1; i < RHX_DIM; i++) uu += pt->u[i] * pt->u[i];
  *viscous = 0.5 * rhx_limits_laplacian(product_cell, pt) * D;
  *growth = 0.5 * uu / (D + RHX_TINY);
}

/* What is added to a scalar field of a usual value `scale` where sources are asked for a second time. */
RHX_POINTWISE RhxReal rhx_limits_away(RhxReal c, double scale)
{
  return RHX_RELAXATION_STEP * (RHX_ABS(c) + RHX_RELAXATION_STEP * scale);
}
#endif
