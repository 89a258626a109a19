/* The weak form at a quadrature point by turns: the modes', then that of the flow and of scalar fields, which finds there what the modes left. For
 * stabilisers whose terms of a mode read nothing of the flow but geometry, u, grad u and u.grad u (src/law/pointlaw.h). Beside
 * what kernels/compose.h asks for, the includer defines
 *
 *   rhx_out_sums(io, m, pt), rhx_in_sums(io, pt)    tau, eta_p and div tau of the modes before m, to which mode m's are added
 *   rhx_out_rates(io, m, li), rhx_in_rates(io, li)  wave, damped, tension and lambda, likewise
 *
 * Beside the composition of all modes at once, for registers: of four modes in log c, tets, that one spills 3832 bytes a thread, 4120 with
 * limits (ptxas, sm_90), this one none and 76; a step of 126k nodes on an H200 took 183 ms, on an H100 2.9 now. A launch a mode took 3.4.
 * Where all fits, all at once are faster: four modes in the plane up to 1.2 times (H100, 1M nodes; src/form/cuda/plan.c). */
#ifndef RHX_COMPOSE_TURNS_H
#define RHX_COMPOSE_TURNS_H
#include <kernels/compose.h>

/* Sums of mode m, its rows if they are asked for, and what it says of the time step. */
RHX_INLINED void rhx_compose_mode(const struct RhxIo *io, int m, int rows, RhxPoint *pt)
{
  RhxKin kin;
  RhxMode md;
  RhxLog lg;
  rhx_in_flow(io, pt);
  rhx_flow_begin(pt);
  rhx_kinematics(pt, &kin);
  rhx_law(io, m, &kin, pt, &md, &lg);
  rhx_out_sums(io, m, pt);
  if (rows) rhx_mode_rows(io, m, &kin, pt, &md, &lg);
  if (RHX_STATS) {
    rhx_out_largest(io, RHX_MOST_WI, md.prop.lambda * kin.shear_rate);
    if (RHX_FIRST_POINT) {
      RhxLimits li;
      rhx_limits_begin(&li);
      rhx_mode_limits(io, m, &kin, pt, &md, &lg, &li);
      rhx_out_largest(io, RHX_MOST_RELAXATION, li.relaxation);
      rhx_out_rates(io, m, &li);
    }
  }
}

/* Rows of the flow and of scalar fields, after all modes. */
RHX_INLINED void rhx_compose_flow(const struct RhxIo *io, RhxPoint *pt)
{
  RhxKin kin;
  rhx_point(io, pt);
  rhx_solvent(io, pt, &kin);
  rhx_in_sums(io, pt);
  rhx_galerkin(pt);
  rhx_call_add_flow(io, pt);
  if (RHX_FLOW_ROWS) {
    rhx_close_hoop(pt);
    rhx_out_flow(io, pt);
    if (RHX_CENTROID) rhx_linear_flow(io, pt);
  }
#if RHX_WITH_SCALARS
  rhx_compose_scalars(io, pt);
#endif
  if (RHX_STATS) {
    if (RHX_FIRST_POINT) {
      RhxLimits li;
      rhx_limits_begin(&li);
      rhx_in_rates(io, &li);
      rhx_flow_limits(io, &kin, pt, &li);
    }
    rhx_pressure_bound(io, pt);
  }
}

RHX_INLINED void rhx_compose_project_flow(const struct RhxIo *io, RhxPoint *pt, RhxReal *out)
{
#if RHX_WITH_SCALARS
  RHX_OWN_SCALARS
#endif
  rhx_in_flow(io, pt);
  rhx_flow_begin(pt);
  RHX_FOR (int a = 0; a <= RHX_LAST_NODE; a++) {
    if (RHX_CENTROID) rhx_to_node(io, a, pt);
    rhx_call_project(io, pt, out);
#if RHX_WITH_SCALARS
    if (RHX_NAUX_SCALAR) rhx_scalar_projections(io, a, pt, RHX_SCALARS, out);
#endif
    if (RHX_CENTROID) rhx_out_projected(io, a, out);
  }
}

RHX_INLINED void rhx_compose_project_mode(const struct RhxIo *io, int m, RhxPoint *pt, RhxReal *out)
{
  RhxMode md;
  rhx_in_flow(io, pt);
  rhx_flow_begin(pt);
  rhx_mode(io, m, pt, &md);
  RHX_FOR (int a = 0; a <= RHX_LAST_NODE; a++) {
    if (RHX_CENTROID) {
      rhx_to_node(io, a, pt);
      rhx_mode_to_node(io, m, a, pt, &md);
    }
    rhx_call_project_mode(io, m, pt, &md, out);
    if (RHX_CENTROID) rhx_out_projected(io, a, out);
  }
}
#endif
