/* Discontinuity capturing of scalar fields, across the streamline alone:
 *   scalar (grad S, nu_c (I - u u^T/|u|^2) grad c), nu_c = max(0, (C/2) h_c min(|r|/|grad c|, |u|) - D),
 *   h_c = 2/sqrt(n.g.n) along n = grad c/|grad c|, r = u.grad c - P with P the L2 projection of u.grad c: what of the
 *   residual c_t + u.grad c - s - source is not in the finite element space. D + nu_c is what the time step sees. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW) ROW(REAL, coefficient, "0.7", RHX_GE, 0, 0, "1", "factor C of the crosswind diffusion")
#define RHX_PARTS(PART) PART(scalar, RHX_PROVIDES_CAPTURING, "crosswind diffusion of scalar fields")
#define RHX_AUX(ROW) ROW(conv_c, RHX_AUX_SCALAR, 2, "u.grad c")
#define RHX_STAGES(OP) OP(add_scalar) OP(project_scalar)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_STABILISER();

RHX_POINTWISE unsigned needs(const RhxParams *par, unsigned parts)
{
  (void)par;
  return parts;
}

RHX_POINTWISE void project_scalar(const RhxParams *par, const RhxStage *st, int row, const RhxPoint *pt,
                                  const RhxScalar *sc, RhxReal *out)
{
  (void)par;
  (void)st;
  (void)row;
  (void)pt;
  out[0] = sc->conv;
}

/* m^2/s */
RHX_POINTWISE RhxReal crosswind_diffusivity(double C, const RhxPoint *pt, RhxReal r, const RhxScalar *sc)
{
  RhxReal uu = RHX_ZERO, cc = RHX_ZERO, cgc = RHX_ZERO;
  for (int i = 0; i < RHX_DIM; i++) {
    uu += pt->u[i] * pt->u[i];
    cc += sc->gc[i] * sc->gc[i];
    for (int j = 0; j < RHX_DIM; j++) cgc += sc->gc[i] * pt->g[i][j] * sc->gc[j];
  }
  return RHX_MAX(C * RHX_SQRT(RHX_MIN(r * r, uu * cc) / (cgc + RHX_TINY) + RHX_TINY) - sc->D, RHX_ZERO);
}

RHX_POINTWISE void add_scalar(const RhxParams *par, const RhxStage *st, const RhxPoint *pt, RhxScalar *sc)
{
  if (!RHX_PART_ON(st, scalar)) return;
  const RhxReal *P = RHX_AUX_AT(sc, st, conv_c);
  const RhxReal nu = crosswind_diffusivity(par->coefficient, pt, sc->conv - P[0], sc);
  RhxReal uu = RHX_ZERO, along = RHX_ZERO;
  for (int i = 0; i < RHX_DIM; i++) {
    uu += pt->u[i] * pt->u[i];
    along += pt->u[i] * sc->gc[i];
  }
  along = along / (uu + RHX_TINY);
  for (int i = 0; i < RHX_DIM; i++) sc->f1[i] += nu * (sc->gc[i] - along * pt->u[i]);
  sc->D += nu;
}

RHX_STABILISER_PLUGIN("crosswind", "discontinuity capturing of scalar fields by diffusion across the streamline",
                      "Codina, Comput. Methods Appl. Mech. Eng. 110 (1993) 325", 0);
