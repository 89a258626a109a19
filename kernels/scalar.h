/* Stages of scalar fields at a point, part of kernels/compose.h. The includer of that defines besides
 *
 *   RHX_NSCALARS, RHX_NAUX_SCALAR; RHX_SCALARS, their array, which RHX_OWN_SCALARS may declare; RHX_SCALAR_ROWS of the pass
 *   RHX_SCALAR_AUX(out, k)      rows of field k
 *   RHX_SWIRL_FIELD             with RHX_SWIRL: which of them is u_theta, in pt too after rhx_in_flow
 *   RHX_SCALE_OF(k)             a usual value of field k
 *   RHX_CONSERVATIVE            their convection is that of the mass; reads the rows of continuity
 *   rhx_in_scalar(io, k, sc), rhx_out_scalar(io, k, sc), rhx_call_diffusivity, _source, _reaction (io, k, pt, all, out),
 *   _add_scalar(io, pt, sc), _project_scalar(io, pt, sc, out) */
#ifndef RHX_KERNELS_SCALAR_H
#define RHX_KERNELS_SCALAR_H

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

RHX_INLINED void rhx_scalar_rows(const struct RhxIo *io, const RhxPoint *pt, RhxScalar *sc)
{
  for (int k = 0; k < RHX_NSCALARS; k++) {
    rhx_call_source(io, k, pt, sc, &sc[k].s);
#if RHX_SWIRL
    if (k == RHX_SWIRL_FIELD)
      rhx_swirl_transport(pt, &sc[k]);
    else
#endif
      rhx_scalar_transport(RHX_CONSERVATIVE, pt, &sc[k]);
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

RHX_INLINED void rhx_scalar_projections(const struct RhxIo *io, const RhxPoint *pt, RhxScalar *sc, RhxReal *out)
{
  for (int k = 0; k < RHX_NSCALARS; k++) {
    rhx_in_scalar(io, k, &sc[k]);
    rhx_scalar_begin(pt, &sc[k]);
#if RHX_SWIRL
    if (k == RHX_SWIRL_FIELD) sc[k].conv = pt->convection * sc[k].conv;
#endif
    rhx_call_project_scalar(io, pt, &sc[k], RHX_SCALAR_AUX(out, k));
  }
}

#endif
