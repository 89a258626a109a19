/* The weak form at one quadrature point: the order of its stages, for the host's element and face loops and the device's
 * residuals, projections, tangents and faces. Gather, interpolation and scatter are the includer's, and how plugins are
 * called. Before this file it defines, on its struct RhxIo,
 *
 *   rhx_in_flow(io, pt)         t to fp and, unless it is there, geometry; rhx_in_aux(io, pt): aux
 *   rhx_in_mode(io, m, md)      s to gs, src, aux; rhx_out_flow(io, pt), rhx_out_mode(io, m, md)
 *   rhx_out_largest(io, k, v)   takes v into number RHX_MOST_* of the largest values
 *   rhx_call_kinematics, _viscosity, _properties, _stress, _rate, _slip, _add_flow, _add_mode, _project, _project_mode,
 *   _diffusion, _pressure_tau   plugins
 *   RHX_EACH_MODE(DO)           DO(m) for every mode. A loop: with RHX_MODE_AT(m) and RHX_LOG_AT(m), pointers to its RhxMode
 *                               and RhxLog, and an empty RHX_OWN_MODES. Lines: each mode is variables of its own here; of an
 *                               array of dual numbers the compiler keeps all in memory
 *   RHX_FOLLOWS_SLOPES(io)      whether a L that kinematics stages have made changes as grad u does: matrices that hold the
 *                               auxiliary fields it is made of. Where there are derivatives, else undefined
 *   RHX_LATE_AUX(io, m)         nothing, or what fills a mode's aux now, before the stabilisers' terms of its rows
 *   RHX_WITH_SCALARS            1 where there may be scalar fields: kernels/scalar.h, shift.h; RHX_WITH_CENTROID: kernels/simplex.h
 *   RHX_AS, RHX_HAS_DIV_TAU, RHX_NMODES, RHX_NAUX_MODE, RHX_PRODUCT_CELL, RHX_TENSOR_OSS, RHX_PROJECT_LAW: of the form, and
 *   RHX_FLOW_ROWS, RHX_MODE_ROWS, RHX_STATS, RHX_FIRST_POINT (of the element): of the pass; literals, or expressions of io */
#ifndef RHX_COMPOSE_H
#define RHX_COMPOSE_H
#include <kernels/dialect.h>
#include <kernels/limits.h>
#ifndef RHX_WITH_SCALARS
#define RHX_WITH_SCALARS 0
#endif
#ifndef RHX_OWN_MODES
#define RHX_OWN_MODE(m) \
  RhxMode rhx_mode_##m; \
  RhxLog rhx_log_##m;
#define RHX_OWN_MODES RHX_EACH_MODE(RHX_OWN_MODE)
#define RHX_MODE_AT(m) (&rhx_mode_##m)
#define RHX_LOG_AT(m) (&rhx_log_##m)
#endif
#ifndef RHX_LATE_AUX
#define RHX_LATE_AUX(io, m)
#endif
#include <kernels/simplex.h>
#if RHX_WITH_SCALARS
#include <kernels/scalar.h>
#define RHX_CONTINUITY_ROWS (RHX_FLOW_ROWS || (RHX_SCALAR_ROWS && RHX_CONSERVATIVE))
#else
#define RHX_CONTINUITY_ROWS RHX_FLOW_ROWS
#endif
#include <kernels/shift.h>

RHX_INLINED void rhx_point(const struct RhxIo *io, RhxPoint *pt)
{
  rhx_in_flow(io, pt);
  rhx_flow_begin(pt);
  rhx_couple(io, pt);
  rhx_in_aux(io, pt);
}

#ifdef RHX_FOLLOWS_SLOPES
/* L with the derivative of grad u. */
RHX_POINTWISE void rhx_follow_slopes(RhxPoint *pt)
{
  for (int i = 0; i < RHX_DIM; i++)
    for (int j = 0; j < RHX_DIM; j++) pt->L[i][j] = pt->gu[i][j] - rhx_value(pt->gu[i][j]) + rhx_value(pt->L[i][j]);
}
#endif

/* What the laws see of the flow, and the solvent's viscosity. */
RHX_INLINED void rhx_solvent(const struct RhxIo *io, RhxPoint *pt, RhxKin *kin)
{
  rhx_call_kinematics(io, pt);
#ifdef RHX_FOLLOWS_SLOPES
  if (RHX_FOLLOWS_SLOPES(io)) rhx_follow_slopes(pt);
#endif
  rhx_kinematics(pt, kin);
  pt->eta_s = rhx_viscosity(io, kin, pt);
}

RHX_INLINED void rhx_mode(const struct RhxIo *io, int m, const RhxPoint *pt, RhxMode *md)
{
  rhx_in_mode(io, m, md);
  rhx_mode_begin(pt, md);
}

/* c, properties and stress of a mode from its unknown; adds to the flow's sums. */
RHX_INLINED void rhx_law_of(const struct RhxIo *io, int m, const RhxKin *kin, RhxPoint *pt, RhxMode *md, RhxLog *lg)
{
  rhx_mode_conformation(RHX_AS, lg, md);
  rhx_properties(io, m, pt, kin, md);
  if (RHX_AS == RHX_AS_STRESS)
    rhx_mode_from_stress(md);
  else
    rhx_stress(io, m, pt, kin, md);
  rhx_mode_sum(RHX_AS, RHX_HAS_DIV_TAU, md, pt);
}

RHX_INLINED void rhx_law(const struct RhxIo *io, int m, const RhxKin *kin, RhxPoint *pt, RhxMode *md, RhxLog *lg)
{
  rhx_mode(io, m, pt, md);
  rhx_law_of(io, m, kin, pt, md, lg);
}

RHX_INLINED void rhx_mode_rows(const struct RhxIo *io, int m, const RhxKin *kin, const RhxPoint *pt, RhxMode *md,
                               const RhxLog *lg)
{
  RhxReal r[RHX_NTENS];
  rhx_rate(io, m, pt, kin, md->c, r);
  rhx_transport(RHX_AS, rhx_call_slip(io, m), kin, pt, lg, r, md);
  RHX_LATE_AUX(io, m);
  rhx_call_add_mode(io, pt, md);
  rhx_out_mode(io, m, md);
  if (RHX_CENTROID) rhx_linear_mode(io, m, kin, pt, md);
}

RHX_INLINED void rhx_mode_limits(const struct RhxIo *io, int m, const RhxKin *kin, const RhxPoint *pt,
                                 const RhxMode *md, const RhxLog *lg, RhxLimits *li)
{
  RhxReal c[RHX_NTENS], r[RHX_NTENS], rs[RHX_NTENS];
  rhx_limits_stretched(md, c);
  rhx_rate(io, m, pt, kin, md->c, r);
  rhx_rate(io, m, pt, kin, c, rs);
  rhx_limits_mode(RHX_AS, pt, lg, md, r, rs, li);
}

/* g d eta_s/d g where that is above 0, by a difference: a change of D along D is diffused by so much more. */
RHX_INLINED RhxReal rhx_viscosity_rise(const struct RhxIo *io, const RhxKin *kin, const RhxPoint *pt)
{
  RhxKin faster = *kin;
  for (int k = 0; k < RHX_NTENS; k++) faster.D[k] *= 1.0 + RHX_RELAXATION_STEP;
  faster.shear_rate *= 1.0 + RHX_RELAXATION_STEP;
  return RHX_MAX((rhx_viscosity(io, &faster, pt) - pt->eta_s) / RHX_RELAXATION_STEP, RHX_ZERO);
}

RHX_INLINED void rhx_flow_limits(const struct RhxIo *io, const RhxKin *kin, const RhxPoint *pt, RhxLimits *li)
{
  RhxDiffusion df = {RHX_ZERO, RHX_ZERO, RHX_ZERO, RHX_ZERO};
  rhx_call_diffusion(io, pt, &df);
  rhx_limits_end(RHX_PRODUCT_CELL, RHX_TENSOR_OSS, RHX_NMODES, pt, rhx_viscosity_rise(io, kin, pt), &df, li);
  rhx_out_largest(io, RHX_MOST_CONVECTIVE, rhx_ugu(pt));
  rhx_out_largest(io, RHX_MOST_VISCOUS, li->viscous);
  rhx_out_largest(io, RHX_MOST_ELASTIC, li->wave);
  rhx_out_largest(io, RHX_MOST_RELAXATION, li->relaxation);
  rhx_out_largest(io, RHX_MOST_GROWTH, li->growth);
  rhx_out_largest(io, RHX_MOST_WAVES, li->elastic);
  rhx_out_largest(io, RHX_MOST_ANTIDIFFUSION, li->velocity);
}

/* The pressure stabilisation's time at u = 0, its bound: overwrites u. */
RHX_INLINED void rhx_pressure_bound(const struct RhxIo *io, RhxPoint *pt)
{
  for (int i = 0; i < RHX_DIM; i++) pt->u[i] = RHX_ZERO;
  rhx_call_pressure_tau(io, pt);
}

#define RHX_DO_LAW(m) rhx_law(io, m, &kin, pt, RHX_MODE_AT(m), RHX_LOG_AT(m));
#define RHX_DO_ROWS(m) rhx_mode_rows(io, m, &kin, pt, RHX_MODE_AT(m), RHX_LOG_AT(m));
#define RHX_DO_WI(m) rhx_out_largest(io, RHX_MOST_WI, RHX_MODE_AT(m)->prop.lambda *kin.shear_rate);
#define RHX_DO_LIMITS(m) rhx_mode_limits(io, m, &kin, pt, RHX_MODE_AT(m), RHX_LOG_AT(m), &li);

/* f0 and f1 of every row, and the largest values if there are to be any. */
RHX_INLINED void rhx_compose_residual(const struct RhxIo *io, RhxPoint *pt)
{
  RhxKin kin;
  RHX_OWN_MODES
  rhx_point(io, pt);
  rhx_solvent(io, pt, &kin);
  RHX_EACH_MODE(RHX_DO_LAW)
  rhx_galerkin(pt);
  if (RHX_STATS) {
    RHX_EACH_MODE(RHX_DO_WI)
    if (RHX_FIRST_POINT) {
      RhxLimits li;
      rhx_limits_begin(&li);
      RHX_EACH_MODE(RHX_DO_LIMITS)
      rhx_flow_limits(io, &kin, pt, &li);
    }
  }
  if (RHX_CONTINUITY_ROWS) rhx_call_add_flow(io, pt);
  if (RHX_FLOW_ROWS) {
    rhx_close_hoop(pt);
    rhx_out_flow(io, pt);
    if (RHX_CENTROID) rhx_linear_flow(io, pt);
  }
  if (RHX_MODE_ROWS) {
    RHX_EACH_MODE(RHX_DO_ROWS)
  }
#if RHX_WITH_SCALARS
  rhx_compose_scalars(io, pt);
#endif
  if (RHX_STATS) rhx_pressure_bound(io, pt);
}

#include <kernels/compose_project.h>
#include <kernels/compose_face.h>
#endif
