/* One point a simplex, its centroid (-form_quadrature centroid): part of kernels/compose.h. Gradients are constant in the element;
 * laws, times of stabilisers and their terms are those of the centroid. What varies linearly besides is integrated exactly,
 *
 *   integral of N_a f = V/n (f_c + (f_a - f_c)/(n + 1)),   V volume, n nodes, f_a at node a, f_c at the centroid:
 *
 * convection, sources, stretching, relaxation by 1/lambda, and what is projected. Sources of scalar fields are taken at the nodes
 * (kernels/scalar.h). The stress of a mode is linear in its unknown (core refuses others). The includer of compose.h defines besides
 *
 *   RHX_CENTROID                 is it such a pass?
 *   rhx_node_flow(io, a, u, p)   u and p of node a; rhx_node_source(io, a, f, fp): sources there
 *   rhx_node_mode(io, m, a, s, src)
 *   rhx_out_linear_flow(io, a, f0u, f0p), rhx_out_linear_mode(io, m, a, f0)   f_a - f_c of rows that rhx_out_flow, _mode took
 *   rhx_projected_at(io, a, out), rhx_out_projected(io, a, out)                where values of node a go, if not to out; they are there */
#ifndef RHX_KERNELS_SIMPLEX_H
#define RHX_KERNELS_SIMPLEX_H

#ifndef RHX_WITH_CENTROID
#define RHX_CENTROID 0
#define RHX_LAST_NODE 0
#define rhx_linear_flow(io, pt)
#define rhx_linear_mode(io, m, kin, pt, md)
#define rhx_to_node(io, a, pt)
#define rhx_mode_to_node(io, m, a, pt, md)
#define rhx_projected_at(io, a, out) (out)
#define rhx_out_projected(io, a, out)
#else
#define RHX_LAST_NODE (RHX_CENTROID ? RHX_DIM : 0)

RHX_INLINED void rhx_linear_flow(const struct RhxIo *io, const RhxPoint *pt)
{
  RHX_FOR (int a = 0; a <= RHX_DIM; a++) {
    RhxReal u[RHX_DIM], p, f[RHX_DIM], fp, f0[RHX_DIM];
    rhx_node_flow(io, a, u, &p);
    rhx_node_source(io, a, f, &fp);
    for (int i = 0; i < RHX_DIM; i++) {
      RhxReal conv = (u[0] - pt->u[0]) * pt->gu[i][0];
      for (int k = 1; k < RHX_DIM; k++) conv += (u[k] - pt->u[k]) * pt->gu[i][k];
      f0[i] = pt->rho * pt->convection * conv - (f[i] - pt->f[i]);
    }
    rhx_out_linear_flow(io, a, f0, pt->fp - fp);
  }
}

/* Of stress and conformation: u.grad s - L s - s L^T + s/lambda - source. */
RHX_INLINED void rhx_linear_mode(const struct RhxIo *io, int m, const RhxKin *kin, const RhxPoint *pt,
                                 const RhxMode *md)
{
  const RhxReal rate = 1.0 / md->prop.lambda;
  RhxReal L[RHX_LDIM][RHX_LDIM];
  rhx_slipping(rhx_call_slip(io, m), kin, pt, L);
  RHX_FOR (int a = 0; a <= RHX_DIM; a++) {
    RhxReal u[RHX_DIM], p, s[RHX_NTENS], src[RHX_NTENS], up[RHX_NTENS], f0[RHX_NTENS];
    rhx_node_flow(io, a, u, &p);
    rhx_node_mode(io, m, a, s, src);
    for (int k = 0; k < RHX_NTENS; k++) s[k] -= md->s[k];
    rhx_stretch(&L[0][0], s, up);
    for (int k = 0; k < RHX_NTENS; k++) {
      f0[k] = rate * s[k] - up[k] - (src[k] - md->src[k]);
      for (int i = 0; i < RHX_DIM; i++) f0[k] += (u[i] - pt->u[i]) * md->gs[k][i];
    }
    rhx_out_linear_mode(io, m, a, f0);
  }
}

/* From the centroid to node a: u, p and u.grad u. */
RHX_INLINED void rhx_to_node(const struct RhxIo *io, int a, RhxPoint *pt)
{
  rhx_node_flow(io, a, pt->u, &pt->p);
  rhx_convect(pt);
}

RHX_INLINED void rhx_mode_to_node(const struct RhxIo *io, int m, int a, const RhxPoint *pt, RhxMode *md)
{
  RhxReal src[RHX_NTENS];
  rhx_node_mode(io, m, a, md->s, src);
  rhx_mode_begin(pt, md);
}

#endif
#endif
