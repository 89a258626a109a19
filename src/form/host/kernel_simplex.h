/* A part of kernel.c: simplices with one point, for kernels/simplex.h. */
#ifndef RHX_KERNEL_SIMPLEX_H
#define RHX_KERNEL_SIMPLEX_H

#define LINEAR (1.0 / ((DIM + 1) * (DIM + 2))) /* of the volume: integral of N_a f, f = 0 at the centroid, over f_a */

RHX_INLINED void rhx_node_flow(Io *io, int a, RhxReal u[DIM], RhxReal *p)
{
  const RhxReal *U = io->el->U + a * io->el->bs;
  for (int i = 0; i < DIM; i++) u[i] = U[VELOCITY + i];
  *p = U[PRESSURE];
}

RHX_INLINED void rhx_node_source(Io *io, int a, RhxReal f[DIM], RhxReal *fp)
{
  const RhxReal *S = io->el->S + a * io->el->bs;
  const int has = io->form->source != NULL;
  for (int i = 0; i < DIM; i++) f[i] = has ? S[VELOCITY + i] : RHX_ZERO;
  *fp = has ? S[PRESSURE] : RHX_ZERO;
}

RHX_INLINED void rhx_node_mode(Io *io, int m, int a, RhxReal s[NTENS], RhxReal src[NTENS])
{
  const PetscInt at = a * io->el->bs + FIRST_MODE + m * NTENS;
  for (int k = 0; k < NTENS; k++) {
    s[k] = io->el->U[at + k];
    src[k] = io->form->source ? io->el->S[at + k] : RHX_ZERO;
  }
}

RHX_INLINED void rhx_node_place(Io *io, int a, RhxReal x[DIM])
{
  for (int i = 0; i < DIM; i++) x[i] = load(io->xg + (a * DIM + i) * LANES);
}

RHX_INLINED void rhx_node_scalar(Io *io, int k, int a, RhxReal *c, RhxReal *src)
{
  const PetscInt at = a * io->el->bs + io->form->first_scalar + k;
  *c = io->el->U[at];
  *src = io->form->source ? io->el->S[at] : RHX_ZERO;
}

RHX_INLINED void rhx_out_linear_flow(Io *io, int a, const RhxReal f0u[DIM], RhxReal f0p)
{
  const RhxLength w = LINEAR * io->ge->w;
  Result *R = io->el->R + a * io->el->bs;
  for (int i = 0; i < DIM; i++) R[VELOCITY + i] += TAKEN(w * f0u[i]);
  R[PRESSURE] += TAKEN(w * f0p);
}

RHX_INLINED void rhx_out_linear_mode(Io *io, int m, int a, const RhxReal f0[NTENS])
{
  const RhxLength w = LINEAR * io->ge->w;
  Result *R = io->el->R + a * io->el->bs + FIRST_MODE + m * NTENS;
  for (int k = 0; k < NTENS; k++) R[k] += TAKEN(w * f0[k]);
}

RHX_INLINED void rhx_out_linear_scalar(Io *io, int k, int a, RhxReal f0)
{
  io->el->R[a * io->el->bs + io->form->first_scalar + k] += TAKEN(LINEAR * io->ge->w * f0);
}

RHX_INLINED RhxReal *rhx_projected_at(Io *io, int a, RhxReal *out)
{
  return io->centroid ? io->wk->A + a * io->el->naux : out;
}
#define rhx_out_projected(io, a, out) ((void)0)

/* From values at the nodes to their integrals: every node has a share of all of them, and of its own two. */
RHX_INLINED void integrate_nodes(PetscInt naux, RhxLength volume, const RhxReal *A, Result *Q)
{
  for (PetscInt c = 0; c < naux; c++) {
    RhxReal sum = A[c];
    for (int a = 1; a <= DIM; a++) sum += A[a * naux + c];
    for (int a = 0; a <= DIM; a++) Q[a * naux + c] = TAKEN(LINEAR * volume * (sum + A[a * naux + c]));
  }
}

#endif
