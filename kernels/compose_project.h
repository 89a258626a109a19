/* What is projected at a quadrature point; part of kernels/compose.h, as its stages are. */
#ifndef RHX_COMPOSE_PROJECT_H
#define RHX_COMPOSE_PROJECT_H

#define RHX_DO_MODE(m) rhx_mode(io, m, pt, RHX_MODE_AT(m));
#define RHX_DO_PROJECT(m)                                           \
  if (RHX_CENTROID) rhx_mode_to_node(io, m, a, pt, RHX_MODE_AT(m)); \
  rhx_call_project_mode(io, m, pt, RHX_MODE_AT(m), at);

/* Values whose projections fill the auxiliary fields. The laws are evaluated only if a stabiliser says that it reads them. */
RHX_INLINED void rhx_compose_project(const struct RhxIo *io, RhxPoint *pt, RhxReal *out)
{
  RHX_OWN_MODES
#if RHX_WITH_SCALARS
  RHX_OWN_SCALARS
#endif
  rhx_point(io, pt);
  if (RHX_PROJECT_LAW) {
    RhxKin kin;
    rhx_solvent(io, pt, &kin);
    RHX_EACH_MODE(RHX_DO_LAW)
  } else if (RHX_NAUX_MODE) {
    RHX_EACH_MODE(RHX_DO_MODE)
  }
  RHX_FOR (int a = 0; a <= RHX_LAST_NODE; a++) {
    RhxReal *const at = rhx_projected_at(io, a, out);
    if (RHX_CENTROID) rhx_to_node(io, a, pt);
    rhx_call_project(io, pt, at);
    if (RHX_NAUX_MODE) {
      RHX_EACH_MODE(RHX_DO_PROJECT)
    }
#if RHX_WITH_SCALARS
    if (RHX_NAUX_SCALAR) rhx_scalar_projections(io, a, pt, RHX_SCALARS, at);
#endif
    if (RHX_CENTROID) rhx_out_projected(io, a, at);
  }
}
#endif
