/* The tractions that the weak form itself gives at a quadrature point of a face; part of kernels/compose.h, as its stages are. */
#ifndef RHX_COMPOSE_FACE_H
#define RHX_COMPOSE_FACE_H

/* f = eta_s (rc n - (grad u)^T n), the face term of the gradient form: with it the traction prescribed there is that of
 * eta_s grad u - p I. */
RHX_INLINED void rhx_compose_face(const struct RhxIo *io, const RhxReal n[RHX_DIM], RhxPoint *pt, RhxReal f[RHX_DIM])
{
  RhxKin kin;
  rhx_point(io, pt);
  for (int i = 0; i < RHX_DIM; i++) pt->n[i] = n[i];
  rhx_solvent(io, pt, &kin);
  for (int i = 0; i < RHX_DIM; i++) {
    f[i] = pt->eta_s * pt->rc * pt->n[i];
    for (int j = 0; j < RHX_DIM; j++) f[i] -= pt->eta_s * pt->gu[j][i] * pt->n[j];
  }
}

/* f -= share rho min(u.n, 0) u: where the flow comes back in, energy is not brought along from half a share on. */
RHX_INLINED void rhx_compose_backflow(const struct RhxIo *io, double share, const RhxReal n[RHX_DIM], RhxPoint *pt,
                                      RhxReal f[RHX_DIM])
{
  RhxReal un = RHX_ZERO;
  rhx_in_flow(io, pt);
  for (int i = 0; i < RHX_DIM; i++) un += pt->u[i] * n[i];
  un = RHX_MIN(un, RHX_ZERO) * (share * pt->convection * pt->rho);
  for (int i = 0; i < RHX_DIM; i++) f[i] -= un * pt->u[i];
}

/* A mode's law with its unknown at a place `inside` of the point, against the normal; adds its modulus. */
RHX_INLINED void rhx_law_inside(const struct RhxIo *io, int m, const RhxKin *kin, RhxReal inside, RhxPoint *pt,
                                RhxMode *md, RhxLog *lg, RhxReal *modulus)
{
  rhx_mode(io, m, pt, md);
  for (int k = 0; k < RHX_NTENS; k++)
    for (int i = 0; i < RHX_DIM; i++) md->s[k] -= inside * pt->n[i] * md->gs[k][i];
  rhx_law_of(io, m, kin, pt, md, lg);
  *modulus += md->prop.modulus;
}

#define RHX_DO_INSIDE(m) rhx_law_inside(io, m, &kin, inside, pt, RHX_MODE_AT(m), RHX_LOG_AT(m), &tension);

/* Share of the impedance of elastic waves. Of all of it an explicit step at .9 of its limits is too long on triangles, whose nodes on
 * a boundary have less mass: from .8 (row-sum mass) or 1 (one correction) on elastic flow through a channel swings; .4 will do. */
#define RHX_OPEN_DRAG 0.6

/* f = -(sigma + p I).n + (eta + .6 h sqrt(rho T)) grad u.n, the face term of the open form: the traction is that of the state but
 * for the pressure, and the velocity is drawn to du/dn = 0. sigma: all of the flux of momentum, with the polymer's stress of one
 * element width h inside, where it follows the stress of the face instead of leading it; eta: solvent and stabilisers;
 * sqrt(rho T): impedance of elastic waves along n, T = n.(tau + G I).n. */
RHX_INLINED void rhx_compose_open(const struct RhxIo *io, const RhxReal n[RHX_DIM], RhxPoint *pt, RhxReal f[RHX_DIM])
{
  RhxKin kin;
  RHX_OWN_MODES
  rhx_point(io, pt);
  for (int i = 0; i < RHX_DIM; i++) pt->n[i] = n[i];
  rhx_solvent(io, pt, &kin);
  RhxReal square = RHX_ZERO, tension = RHX_ZERO;
  RhxDiffusion df = {RHX_ZERO, RHX_ZERO, RHX_ZERO, RHX_ZERO};
  for (int i = 0; i < RHX_DIM; i++)
    for (int j = 0; j < RHX_DIM; j++) square += pt->n[i] * pt->g[i][j] * pt->n[j];
  const RhxReal inside = 2.0 / RHX_SQRT(square);
  RHX_EACH_MODE(RHX_DO_INSIDE)
  rhx_galerkin(pt);
  for (int i = 0; i < RHX_DIM; i++)
    for (int j = 0; j < RHX_DIM; j++) tension += pt->n[i] * pt->tau[rhx_ij(i, j)] * pt->n[j];
  rhx_call_add_flow(io, pt);
  rhx_call_diffusion(io, pt, &df);
  const RhxReal wave = RHX_SQRT(pt->rho * RHX_MAX(tension, RHX_ZERO) + RHX_TINY);
  const RhxReal drag = pt->eta_s + df.viscosity + RHX_OPEN_DRAG * inside * wave;
  for (int i = 0; i < RHX_DIM; i++) {
    f[i] = -pt->p * pt->n[i];
    for (int j = 0; j < RHX_DIM; j++) f[i] += (drag * pt->gu[i][j] - pt->f1u[i][j]) * pt->n[j];
  }
}

#endif
