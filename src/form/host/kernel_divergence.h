/* A part of kernel.c: divergence and gradient of the pressure step, of real numbers alone. */
#if !defined(RHX_KERNEL_DIVERGENCE_H) && !TANGENT
#define RHX_KERNEL_DIVERGENCE_H

/* Geometry at point q for gradients that are only integrated. In quads and hexes det J is left out of the weight, and
 * gradients are det J times their own, by A = det J J^-1 and without a division; in simplices A is not set. Returns what
 * gradients have more: det J or 1. */
RHX_INLINED RhxReal geometry_undivided(int nn, int q, const RhxCells *ce, const PetscReal *xg, Geometry *ge,
                                       RhxReal A[DIM][DIM])
{
  if (nn == DIM + 1) {
    geometry(nn, q, 0, ce, xg, ge);
    return 1.0 + RHX_ZERO;
  }
  RhxReal J[DIM][DIM];
  jacobian(nn, xg, ce->dN + (size_t)q * nn * DIM, J);
  ge->w = ce->w[q] * swept(nn, ce->N + q * nn, xg) + RHX_ZERO;
  return rhx_adjugate(DIM, J, A);
}

/* d: gradient of component c of U at point q, in quads and hexes times det J (geometry_undivided). */
RHX_INLINED void slopes_undivided(int nn, int q, PetscInt bs, const RhxCells *ce, const Geometry *ge,
                                  const RhxReal A[DIM][DIM], const RhxReal *U, PetscInt c, RhxReal d[DIM])
{
  const PetscReal *dNr = ce->dN + (size_t)q * nn * DIM;
  RhxReal r[DIM];
  for (int k = 0; k < DIM && nn != DIM + 1; k++) {
    r[k] = dNr[k] * U[c];
    for (int a = 1; a < nn; a++) r[k] += dNr[a * DIM + k] * U[a * bs + c];
  }
  for (int i = 0; i < DIM; i++)
    if (nn == DIM + 1)
      d[i] = slope(nn, bs, ge, U, c, i);
    else {
      d[i] = A[0][i] * r[0];
      for (int k = 1; k < DIM; k++) d[i] += A[k][i] * r[k];
    }
}

RHX_INLINED void divergence_cells(int nn, int nq, const RhxPass *pass, const RhxCells *ce)
{
  RhxReal U[MAX_NODES * DIM], R[MAX_NODES];
  for (PetscInt i = 0; i < ce->n; i += NLANES) {
    const PetscInt *conn = ce->conn + start(nn, i);
    const PetscReal *xg = ce->x + start(nn * DIM, i);
    Geometry ge;
    gather(nn, DIM, conn, pass->x, NULL, 1.0, U);
    for (int a = 0; a < nn; a++) R[a] = RHX_ZERO;
    geometry_of(nn, 0, ce, i, &ge);
    for (int q = 0; q < nq; q++) {
      RhxReal A[DIM][DIM], g[DIM], d = RHX_ZERO;
      const RhxReal det = geometry_undivided(nn, q, ce, xg, &ge, A);
      (void)det;
      for (int k = 0; k < DIM; k++) {
        slopes_undivided(nn, q, DIM, ce, &ge, A, U, k, g);
        d += g[k];
      }
#if RHX_AXISYMMETRIC
      d += det * value(nn, DIM, ce->N + q * nn, U, 1) / radius(nn, ce->N + q * nn, xg);
#endif
      d *= ge.w;
      for (int a = 0; a < nn; a++) R[a] += ce->N[q * nn + a] * d;
    }
    scatter(nn, 1, 0, 1, conn, ce->n - i, R, pass->out);
  }
}

RHX_INLINED void gradient_cells(int nn, int nq, const RhxPass *pass, const RhxCells *ce)
{
  RhxReal P[MAX_NODES], R[MAX_NODES * DIM];
  for (PetscInt i = 0; i < ce->n; i += NLANES) {
    const PetscInt *conn = ce->conn + start(nn, i);
    const PetscReal *xg = ce->x + start(nn * DIM, i);
    Geometry ge;
    gather(nn, 1, conn, pass->x, NULL, 1.0, P);
    for (int a = 0; a < nn * DIM; a++) R[a] = RHX_ZERO;
    geometry_of(nn, 0, ce, i, &ge);
    for (int q = 0; q < nq; q++) {
      RhxReal A[DIM][DIM], g[DIM];
      (void)geometry_undivided(nn, q, ce, xg, &ge, A);
      slopes_undivided(nn, q, 1, ce, &ge, A, P, 0, g);
      for (int k = 0; k < DIM; k++) {
        g[k] *= ge.w;
        for (int a = 0; a < nn; a++) R[a * DIM + k] += ce->N[q * nn + a] * g[k];
      }
    }
    scatter(nn, DIM, 0, DIM, conn, ce->n - i, R, pass->out);
  }
}

#endif
