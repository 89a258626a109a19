/* A part of kernel.c: geometry of a lane group. */
#ifndef RHX_KERNEL_GEOMETRY_H
#define RHX_KERNEL_GEOMETRY_H

/* Geometry of the group at one point. */
typedef struct {
  RhxLength dN[MAX_NODES][DIM]; /* gradients in space */
  RhxLength w, det;             /* weight times Jacobian; that alone */
  RhxLength g[DIM][DIM], ih2;
  const PetscReal *kept; /* of a simplex, or NULL */
} Geometry;

/* J_ij = d x_i / d xi_j. */
RHX_INLINED void jacobian(int nn, const PetscReal *xg, const PetscReal *dNr, RhxLength J[DIM][DIM])
{
  for (int i = 0; i < DIM; i++)
    for (int j = 0; j < DIM; j++) {
      RhxLength s = load(xg + i * LANES) * dNr[j];
      for (int a = 1; a < nn; a++) s += load(xg + (a * DIM + i) * LANES) * dNr[a * DIM + j];
      J[i][j] = s;
    }
}

RHX_INLINED void gradients(int nn, const PetscReal *dNr, const RhxLength Ji[DIM][DIM], Geometry *ge)
{
  for (int a = 0; a < nn; a++) rhx_to_space(DIM, Ji, dNr + a * DIM, ge->dN[a]);
}

/* What an area sweeps around the axis: 2 pi r at the point; without one 1. */
#if RHX_AXISYMMETRIC
RHX_INLINED RhxLength radius(int nn, const PetscReal *N, const PetscReal *xg)
{
  RhxLength r = N[0] * load(xg + LANES);
  for (int a = 1; a < nn; a++) r += N[a] * load(xg + (a * DIM + 1) * LANES);
  return r;
}
#define swept(nn, N, xg) (RHX_TWO_PI * radius(nn, N, xg))
#else
#define swept(nn, N, xg) 1.0
#endif

/* Of a simplex, what is kept of it (RhxCells.affine) or is computed: J^-1; returns det J. */
RHX_INLINED RhxLength affine(const RhxCells *ce, const PetscReal *xg, const PetscReal *kept, RhxLength Ji[DIM][DIM])
{
  RhxLength J[DIM][DIM];
  if (!kept) {
    jacobian(DIM + 1, xg, ce->dN, J);
    return rhx_invert(DIM, J, Ji);
  }
  for (int k = 0; k < DIM; k++)
    for (int i = 0; i < DIM; i++) Ji[k][i] = load(kept + (k * DIM + i) * LANES);
  return load(kept + DIM * DIM * LANES);
}

/* Gradients of a simplex: those of its nodes but the first are the rows of J^-1. */
RHX_INLINED void simplex(const RhxLength Ji[DIM][DIM], Geometry *ge)
{
  for (int i = 0; i < DIM; i++) {
    RhxLength s = Ji[0][i];
    ge->dN[1][i] = Ji[0][i];
    for (int k = 1; k < DIM; k++) {
      s += Ji[k][i];
      ge->dN[k + 1][i] = Ji[k][i];
    }
    ge->dN[0][i] = -s;
  }
}

/* As rhx_metric: g = 2 sum of grad N_a grad N_a. */
RHX_INLINED RhxLength simplex_metric(Geometry *ge)
{
  RhxLength trace = {0};
  for (int i = 0; i < DIM; i++) {
    for (int j = i; j < DIM; j++) {
      RhxLength s = ge->dN[0][i] * ge->dN[0][j];
      for (int a = 1; a <= DIM; a++) s += ge->dN[a][i] * ge->dN[a][j];
      ge->g[i][j] = ge->g[j][i] = 2.0 * s;
    }
    trace += ge->g[i][i];
  }
  return trace;
}

/* Of the group from element i on, before its points: of simplices (affine) gradients, metric and Jacobian, the same at all points. */
RHX_INLINED void geometry_of(int nn, int metric, const RhxCells *ce, PetscInt i, Geometry *ge)
{
  RhxLength Ji[DIM][DIM];
  ge->kept = NULL;
  if (nn != DIM + 1) return;
  if (ce->affine) ge->kept = ce->affine + start(RHX_AFFINE(DIM), i);
  ge->det = affine(ce, ce->x + start(nn * DIM, i), ge->kept, Ji);
  simplex(Ji, ge);
  if (metric) ge->ih2 = simplex_metric(ge) / (4.0 * DIM);
}

/* At point q. */
RHX_INLINED void geometry(int nn, int q, int metric, const RhxCells *ce, const PetscReal *xg, Geometry *ge)
{
  if (nn != DIM + 1) {
    RhxLength J[DIM][DIM], Ji[DIM][DIM];
    const PetscReal *dNr = ce->dN + (size_t)q * nn * DIM;
    jacobian(nn, xg, dNr, J);
    ge->det = rhx_invert(DIM, J, Ji);
    gradients(nn, dNr, Ji, ge);
    if (metric) ge->ih2 = rhx_metric(DIM, 0, Ji, ce->metric, 1.0, ge->g) / (4.0 * DIM);
  }
  ge->w = ge->det * ce->w[q] * swept(nn, ce->N + q * nn, xg);
}

#if RHX_KIND == RHX_KIND_LANES
static void keep_affine(const RhxCells *ce, PetscReal *kept)
{
  for (PetscInt i = 0; i < ce->n; i += NLANES) {
    const PetscReal *xg = ce->x + start((DIM + 1) * DIM, i);
    PetscReal *to = kept + start(RHX_AFFINE(DIM), i);
    RhxLength Ji[DIM][DIM];
    rhx_store(to + DIM * DIM * LANES, affine(ce, xg, NULL, Ji));
    for (int k = 0; k < DIM * DIM; k++) rhx_store(to + k * LANES, Ji[k / DIM][k % DIM]);
    for (int d = 0; d < DIM; d++) {
      RhxLength s = SHARE * load(xg + d * LANES);
      for (int a = 1; a <= DIM; a++) s += SHARE * load(xg + (a * DIM + d) * LANES);
      rhx_store(to + (DIM * DIM + 1 + d) * LANES, s);
    }
  }
}
#endif

#endif
