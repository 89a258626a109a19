/* What scalar fields do to the flow at a point, part of kernels/compose.h: a body force, and the shift of all laws (time-temperature
 * superposition; theory.md, 3b). At a shift factor a of time the laws are asked with a times the rate of deformation, as if time went
 * a times faster; eta_s = a v eta(a D), eta_p and lambda a times larger, rates of relaxation a times smaller; moduli stay.
 *
 *   RHX_COUPLED, RHX_SHIFTED            do fields of the case do so? Of a pass with scalar fields beside what kernels/scalar.h says:
 *   rhx_call_shift(io, pt, all, shift)  plugins */
#ifndef RHX_KERNELS_SHIFT_H
#define RHX_KERNELS_SHIFT_H

/* After the flow's values are there. */
RHX_INLINED void rhx_couple(const struct RhxIo *io, RhxPoint *pt)
{
  (void)io;
  (void)pt;
#if RHX_WITH_SCALARS
  if (!RHX_COUPLED) return;
  RHX_OWN_SCALARS
  pt->shift.time = pt->shift.viscosity = RHX_ZERO + 1.0;
  for (int i = 0; i < RHX_DIM; i++) pt->shift.force[i] = RHX_ZERO;
  for (int k = 0; k < RHX_NSCALARS; k++) rhx_in_scalar(io, k, &RHX_SCALARS[k]);
  rhx_call_shift(io, pt, RHX_SCALARS, &pt->shift);
  for (int i = 0; i < RHX_DIM; i++) pt->f[i] += pt->shift.force[i];
#endif
}

#if RHX_WITH_SCALARS
/* The kinematics that laws are asked with: the flow's, or in room those that are shifted. */
RHX_INLINED const RhxKin *rhx_asked(const struct RhxIo *io, const RhxPoint *pt, const RhxKin *kin, RhxKin *room)
{
  (void)io;
  if (!RHX_SHIFTED) return kin;
  for (int k = 0; k < RHX_NTENS; k++) room->D[k] = pt->shift.time * kin->D[k];
  room->shear_rate = pt->shift.time * kin->shear_rate;
  return room;
}
#else
#define rhx_asked(io, pt, kin, room) ((void)(pt), (void)(room), (kin))
#define RHX_SHIFTED 0
#endif

RHX_INLINED RhxReal rhx_viscosity(const struct RhxIo *io, const RhxKin *kin, const RhxPoint *pt)
{
  RhxKin room;
  RhxReal eta = RHX_ZERO;
  rhx_call_viscosity(io, rhx_asked(io, pt, kin, &room), &eta);
  if (RHX_SHIFTED) eta *= pt->shift.time * pt->shift.viscosity;
  return eta;
}

RHX_INLINED void rhx_properties(const struct RhxIo *io, int m, const RhxPoint *pt, const RhxKin *kin, RhxMode *md)
{
  RhxKin room;
  rhx_call_properties(io, m, rhx_asked(io, pt, kin, &room), md->c, &md->prop);
  if (!RHX_SHIFTED) return;
  md->prop.eta_p *= pt->shift.time;
  md->prop.lambda *= pt->shift.time;
}

RHX_INLINED void rhx_stress(const struct RhxIo *io, int m, const RhxPoint *pt, const RhxKin *kin, RhxMode *md)
{
  RhxKin room;
  rhx_call_stress(io, m, rhx_asked(io, pt, kin, &room), md->c, md->tau);
}

RHX_INLINED void rhx_rate(const struct RhxIo *io, int m, const RhxPoint *pt, const RhxKin *kin,
                          const RhxReal c[RHX_NTENS], RhxReal r[RHX_NTENS])
{
  RhxKin room;
  rhx_call_rate(io, m, rhx_asked(io, pt, kin, &room), c, r);
  if (!RHX_SHIFTED) return;
  for (int k = 0; k < RHX_NTENS; k++) r[k] /= pt->shift.time;
}

#endif
