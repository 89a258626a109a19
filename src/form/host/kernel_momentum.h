/* A part of kernel.c: matrices of implicit momentum (form/host/momentum.h), of real numbers alone. */
#if !defined(RHX_KERNEL_MOMENTUM_H) && RHX_KIND != RHX_KIND_COMPLEX
#define RHX_KERNEL_MOMENTUM_H

/* Of row a: that node a's velocity is not the centroid's. */
RHX_INLINED void add_linear_convection(const struct RhxIo *io, int a, const RhxPoint *pt, RhxReal *K)
{
  const RhxReal w = LINEAR * io->ge->w * (pt->convection * pt->rho);
  RhxReal u[DIM], p;
  rhx_node_flow(io, a, u, &p);
  for (int b = 0; b < io->nn; b++) {
    RhxReal along = (u[0] - pt->u[0]) * io->ge->dN[b][0];
    for (int i = 1; i < DIM; i++) along += (u[i] - pt->u[i]) * io->ge->dN[b][i];
    K[b] += w * along;
  }
}

/* A point's part of an element's matrix of momentum, and of its hoop. */
RHX_INLINED void add_momentum(const struct RhxIo *io, const RhxPoint *pt, const RhxDiffusion *df, RhxReal *K,
                              RhxReal *hoop)
{
  const Geometry *ge = io->ge;
  const int nn = io->nn;
  const RhxReal eta = io->pass->viscous * (pt->eta_s + df->viscosity) * ge->w, w = ge->w * (pt->convection * pt->rho),
                s = ge->w * df->streamline * pt->convection;
  RhxReal along[MAX_NODES];
  for (int a = 0; a < nn; a++) {
    along[a] = pt->u[0] * ge->dN[a][0];
    for (int i = 1; i < DIM; i++) along[a] += pt->u[i] * ge->dN[a][i];
  }
  for (int a = 0; a < nn; a++) {
    const RhxReal row = io->N[a] * w + s * along[a];
    if (RHX_AXISYMMETRIC) hoop[a] += io->N[a] * eta / (pt->x[1] * pt->x[1]);
    for (int b = 0; b < nn; b++) {
      RhxReal lap = ge->dN[a][0] * ge->dN[b][0];
      for (int i = 1; i < DIM; i++) lap += ge->dN[a][i] * ge->dN[b][i];
      K[a * nn + b] += row * along[b] + eta * lap;
    }
    if (io->centroid) add_linear_convection(io, a, pt, K + a * nn);
  }
}

/* nm, na: as of residual_cells. */
RHX_INLINED void momentum_cells(int nn, int nq, int nm, int na, const RhxPass *pass, const RhxCells *ce)
{
  const RhxForm form = pass->form;
  Work *wk = work_of(form);
  RhxReal U[ONE_MODE];
  const Element here = {U, wk->V, wk->S, NULL, wk->G, wk->mode, wk->log, FIRST_MODE + nm * NTENS, na, nm, 0},
                general = element_of(form, wk);
  const Element *el = nm < 0 ? &general : &here;
  for (PetscInt i = 0; i < ce->n; i += NLANES) {
    const PetscInt *at = pass->at + start(nn * nn, i);
    const PetscReal *xg = ce->x + start(nn * DIM, i);
    const int lanes = (int)PetscMin(ce->n - i, NLANES);
    Geometry ge;
    RhxReal K[MAX_NODES * MAX_NODES], hoop[MAX_NODES];
    gather_all(nn, nq == 1, pass, ce->conn + start(nn, i), wk, el);
    for (int k = 0; k < nn * nn; k++) K[k] = RHX_ZERO;
    for (int a = 0; a < nn; a++) hoop[a] = RHX_ZERO;
    geometry_of(nn, 1, ce, i, &ge);
    for (int q = 0; q < nq; q++) {
      geometry(nn, q, 1, ce, xg, &ge);
      const Io io = {
          pass, form,    wk, el, ce->N + q * nn, xg, &ge, NULL, (int)form->representation, form->has_div_tau, nn, 0,
          0,    nq == 1, 0,  0};
      RhxPoint pt;
      RhxDiffusion df;
      rhx_compose_momentum(&io, &pt, &df);
      add_momentum(&io, &pt, &df, K, hoop);
    }
    for (int k = 0; k < nn * nn; k++)
      if (lanes >= NLANES)
        for (int l = 0; l < NLANES; l++) pass->out[at[k * LANES + l]] += RHX_LANE(K[k], l);
      else
        for (int l = 0; l < lanes; l++) pass->out[at[k * LANES + l]] += RHX_LANE(K[k], l);
    if (RHX_AXISYMMETRIC) scatter(nn, 1, 0, 1, ce->conn + start(nn, i), lanes, hoop, pass->hoop);
  }
}

#endif
