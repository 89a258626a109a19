/* How much of a mode lies between nodes: what alternates from one to the next is of the mesh, not of the flow.
 *
 *   r_f^2 = sum_i m_i |v_i - <v>_i|^2 / sum_i m_i |v_i|^2
 *
 * over inner nodes i of a field f, <v>_i the mean of the means over the nodes of each element about node i, m the lumped mass; on equal
 * rectangles 1 - cos^2(k h_x/2) cos^2(m h_y/2) of a wave of k and m: 1 of one that alternates, 0.5 of four elements a wave along x, 0.15 of eight. */
#ifndef RHX_ROUGHNESS_IMPL_H
#define RHX_ROUGHNESS_IMPL_H
#include "scheme/scaling_impl.h"

/* The largest r_f of re + i im, both global, among velocity, polymer modes and scalar fields, but for those that hardly take part
 * in the units of `scaling`. Collective. */
PetscErrorCode RhxRoughness(RhxScaling scaling, RhxForm form, Vec re, Vec im, double *roughness);
#endif
