/* Stages of scalar fields at a point, part of kernels/compose.h. The includer of that defines besides
 *
 *   RHX_NSCALARS, RHX_NAUX_SCALAR; RHX_SCALARS, their array, which RHX_OWN_SCALARS may declare; RHX_SCALAR_ROWS of the pass
 *   RHX_SCALAR_AUX(out, k)      rows of field k
 *   RHX_SWIRL_FIELD             with RHX_SWIRL: which of them is u_theta, in pt too after rhx_in_flow
 *   RHX_SCALE_OF(k)             a usual value of field k; RHX_LEVEL_OF(k): a constant about which it varies
 *   RHX_CONSERVATIVE            their convection is that of the mass; reads the rows of continuity
 *   rhx_in_scalar(io, k, sc), rhx_out_scalar(io, k, sc), rhx_call_diffusivity, _source, _reaction (io, k, pt, all, out),
 *   _add_scalar(io, pt, sc), _project_scalar(io, pt, sc, out)
 *
 * and with RHX_WITH_CENTROID, beside what kernels/simplex.h asks for,
 *
 *   rhx_node_place(io, a, x), rhx_node_scalar(io, k, a, c, src)   of node a: x; field k and its source
 *   rhx_out_linear_scalar(io, k, a, f0)                           f_a - f_c of a row that rhx_out_scalar took */
#ifndef RHX_KERNELS_SCALAR_H
#define RHX_KERNELS_SCALAR_H

/* u.grad c of a scalar field whose gradient is interpolated. */
RHX_POINTWISE void rhx_scalar_convect(const RhxPoint *pt, RhxScalar *sc)
{
  sc->conv = pt->u[0] * sc->gc[0];
  for (int i = 1; i < RHX_DIM; i++) sc->conv += pt->u[i] * sc->gc[i];
}

RHX_POINTWISE void rhx_scalar_begin(const RhxPoint *pt, RhxScalar *sc)
{
  rhx_scalar_convect(pt, sc);
  sc->D = sc->s = sc->reaction = RHX_ZERO;
}

/* Transport of a scalar field, Galerkin terms: f0 = u.grad c - s - source, f1 = D grad c; conservative: c - level times the rows of
 * continuity, stabilisation included, are added (theory.md, 3a). */
RHX_POINTWISE void rhx_scalar_transport(int conservative, double level, const RhxPoint *pt, RhxScalar *sc)
{
  const RhxReal above = sc->c - level;
  sc->f0 = sc->conv - sc->s - sc->src;
  sc->rs = sc->ct + sc->f0;
  for (int i = 0; i < RHX_DIM; i++) sc->f1[i] = sc->D * sc->gc[i];
  if (!conservative) return;
  sc->f0 += above * pt->f0p;
  for (int i = 0; i < RHX_DIM; i++) sc->f1[i] += above * pt->f1p[i];
}

/* Values of all scalar fields, their diffusivities and reactions. */
RHX_INLINED void rhx_scalars(const struct RhxIo *io, const RhxPoint *pt, RhxScalar *sc)
{
  for (int k = 0; k < RHX_NSCALARS; k++) {
    rhx_in_scalar(io, k, &sc[k]);
    rhx_scalar_begin(pt, &sc[k]);
  }
  for (int k = 0; k < RHX_NSCALARS; k++) {
    rhx_call_diffusivity(io, k, pt, sc, &sc[k].D);
    rhx_call_reaction(io, k, pt, sc, &sc[k].reaction);
  }
}

#ifdef RHX_WITH_CENTROID
/* Of field k, whose f0 is Galerkin's: u.grad c - s - source at the nodes, s of what is there and of the centroid's gradients,
 * viscosity and stress, and what is conservative. Leaves pt and sc as they were. */
RHX_INLINED void rhx_linear_scalar(const struct RhxIo *io, int k, RhxPoint *pt, RhxScalar *sc)
{
  const RhxReal p = pt->p;
  RhxReal x[RHX_DIM], u[RHX_DIM];
  for (int i = 0; i < RHX_DIM; i++) {
    x[i] = pt->x[i];
    u[i] = pt->u[i];
  }
  RHX_FOR (int a = 0; a <= RHX_DIM; a++) {
    RhxReal f[RHX_DIM], fp, src = RHX_ZERO, s = RHX_ZERO, f0;
    rhx_node_place(io, a, pt->x);
    rhx_to_node(io, a, pt);
    rhx_node_source(io, a, f, &fp);
    for (int l = 0; l < RHX_NSCALARS; l++) {
      RhxReal of_l;
      rhx_node_scalar(io, l, a, &sc[l].c, &of_l);
      rhx_scalar_convect(pt, &sc[l]);
      if (l == k) src = of_l;
    }
    rhx_call_source(io, k, pt, sc, &s);
    f0 = sc[k].conv - s - src - sc[k].f0;
    if (RHX_CONSERVATIVE) f0 += (sc[k].c - RHX_LEVEL_OF(k)) * (pt->f0p + pt->fp - fp);
    rhx_out_linear_scalar(io, k, a, f0);
  }
  for (int i = 0; i < RHX_DIM; i++) {
    pt->x[i] = x[i];
    pt->u[i] = u[i];
  }
  pt->p = p;
  rhx_convect(pt);
  for (int l = 0; l < RHX_NSCALARS; l++) {
    rhx_in_scalar(io, l, &sc[l]);
    rhx_scalar_convect(pt, &sc[l]);
  }
}
#else
#define rhx_linear_scalar(io, k, pt, sc)
#define rhx_node_scalar(io, k, a, c, src)
#endif

RHX_INLINED void rhx_scalar_terms(const struct RhxIo *io, int k, RhxPoint *pt, RhxScalar *sc)
{
  rhx_call_source(io, k, pt, sc, &sc[k].s);
#if RHX_SWIRL
  if (k == RHX_SWIRL_FIELD)
    rhx_swirl_transport(pt, &sc[k]);
  else
#endif
    rhx_scalar_transport(RHX_CONSERVATIVE, RHX_LEVEL_OF(k), pt, &sc[k]);
}

RHX_INLINED void rhx_scalar_rows(const struct RhxIo *io, RhxPoint *pt, RhxScalar *sc)
{
  for (int k = 0; k < RHX_NSCALARS; k++) {
    rhx_scalar_terms(io, k, pt, sc);
    if (RHX_CENTROID) rhx_linear_scalar(io, k, pt, sc);
    rhx_call_add_scalar(io, pt, &sc[k]);
    rhx_out_scalar(io, k, &sc[k]);
  }
}

/* Bound of the eigenvalues of what the sources of all fields change by with the fields: of row k the sum of
 * |d s_k/d c_l|, each field over its usual value, or what its plugin says, if that is more. */
RHX_INLINED RhxReal rhx_scalar_reaction(const struct RhxIo *io, int k, const RhxPoint *pt, RhxScalar *sc)
{
  RhxReal sum = RHX_ZERO, here = RHX_ZERO;
  rhx_call_source(io, k, pt, sc, &here);
  for (int l = 0; l < RHX_NSCALARS; l++) {
    const RhxReal c = sc[l].c, away = rhx_limits_away(c, RHX_SCALE_OF(l));
    RhxReal there = RHX_ZERO;
    sc[l].c = c + away;
    rhx_call_source(io, k, pt, sc, &there);
    sc[l].c = c;
    sum += RHX_ABS(there - here) / away * (RHX_SCALE_OF(l) / RHX_SCALE_OF(k));
  }
  return RHX_MAX(sum, sc[k].reaction);
}

/* After those of the flow. A reaction counts in full, not by half: a field that decays keeps its sign. */
RHX_INLINED void rhx_scalar_limits(const struct RhxIo *io, const RhxPoint *pt, RhxScalar *sc)
{
  for (int k = 0; k < RHX_NSCALARS; k++) {
    RhxReal viscous, growth, alone, D = sc[k].D;
#if RHX_SWIRL
    if (k == RHX_SWIRL_FIELD) D = pt->eta_s / pt->rho;
#endif
    rhx_limits_scalar(RHX_PRODUCT_CELL, pt, D, &viscous, &growth);
    rhx_out_largest(io, RHX_MOST_VISCOUS, viscous);
    alone = viscous + rhx_scalar_reaction(io, k, pt, sc); /* beside momentum that is implicit */
    rhx_out_largest(io, RHX_MOST_RELAXATION, alone * alone);
#if RHX_SWIRL
    if (k == RHX_SWIRL_FIELD) continue; /* momentum's own */
#endif
    rhx_out_largest(io, RHX_MOST_GROWTH, growth);
  }
}

/* Of a pass without their rows: stabilisers add to the diffusivity all the same. */
RHX_INLINED void rhx_scalar_diffusion(const struct RhxIo *io, RhxPoint *pt, RhxScalar *sc)
{
  for (int k = 0; k < RHX_NSCALARS; k++) {
    rhx_scalar_terms(io, k, pt, sc);
    rhx_call_add_scalar(io, pt, &sc[k]);
  }
}

/* Rows and limits of all scalar fields, after the flow's. */
RHX_INLINED void rhx_compose_scalars(const struct RhxIo *io, RhxPoint *pt)
{
  RHX_OWN_SCALARS
  rhx_scalars(io, pt, RHX_SCALARS);
  if (RHX_SCALAR_ROWS) rhx_scalar_rows(io, pt, RHX_SCALARS);
  if (!RHX_SCALAR_ROWS && RHX_STATS && RHX_FIRST_POINT) rhx_scalar_diffusion(io, pt, RHX_SCALARS);
  if (RHX_STATS && RHX_FIRST_POINT) rhx_scalar_limits(io, pt, RHX_SCALARS);
}

/* a: the node, of a simplex with one point. */
RHX_INLINED void rhx_scalar_projections(const struct RhxIo *io, int a, const RhxPoint *pt, RhxScalar *sc, RhxReal *out)
{
  (void)a;
  for (int k = 0; k < RHX_NSCALARS; k++) {
    rhx_in_scalar(io, k, &sc[k]);
    if (RHX_CENTROID) rhx_node_scalar(io, k, a, &sc[k].c, &sc[k].src);
    rhx_scalar_begin(pt, &sc[k]);
#if RHX_SWIRL
    if (k == RHX_SWIRL_FIELD) sc[k].conv = pt->convection * sc[k].conv;
#endif
    rhx_call_project_scalar(io, pt, &sc[k], RHX_SCALAR_AUX(out, k));
  }
}

#endif
