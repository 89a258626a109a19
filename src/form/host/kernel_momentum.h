/* A part of kernel.c: matrices of implicit momentum and of implicit transport of a mode (form/host/momentum.h), of real numbers alone. */
#if !defined(RHX_KERNEL_MOMENTUM_H) && !TANGENT
#define RHX_KERNEL_MOMENTUM_H

/* Of row a: that node a's velocity is not the centroid's. rho: what the convection is weighted with. */
RHX_INLINED void add_linear_convection(const struct RhxIo *io, int a, const RhxPoint *pt, double rho, RhxReal *K)
{
  const RhxReal w = LINEAR * io->ge->w * rho;
  RhxReal u[DIM], p;
  rhx_node_flow(io, a, u, &p);
  for (int b = 0; b < io->nn; b++) {
    RhxReal along = (u[0] - pt->u[0]) * io->ge->dN[b][0];
    for (int i = 1; i < DIM; i++) along += (u[i] - pt->u[i]) * io->ge->dN[b][i];
    K[b] += w * along;
  }
}

/* u.grad N of the nodes. */
RHX_INLINED void along_flow(const struct RhxIo *io, const RhxPoint *pt, RhxReal *along)
{
  for (int a = 0; a < io->nn; a++) {
    along[a] = pt->u[0] * io->ge->dN[a][0];
    for (int i = 1; i < DIM; i++) along[a] += pt->u[i] * io->ge->dN[a][i];
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
  along_flow(io, pt, along);
  for (int a = 0; a < nn; a++) {
    const RhxReal row = io->N[a] * w + s * along[a];
    if (RHX_AXISYMMETRIC) hoop[a] += io->N[a] * eta / (pt->x[1] * pt->x[1]);
    for (int b = 0; b < nn; b++) {
      RhxReal lap = ge->dN[a][0] * ge->dN[b][0];
      for (int i = 1; i < DIM; i++) lap += ge->dN[a][i] * ge->dN[b][i];
      K[a * nn + b] += row * along[b] + eta * lap;
    }
    if (io->centroid) add_linear_convection(io, a, pt, pt->convection * pt->rho, K + a * nn);
  }
}

/* The same of a mode's matrix; the integral of N_a N_b is exact where the centroid is the only point. */
RHX_INLINED void add_transport(const struct RhxIo *io, const RhxPoint *pt, RhxReal relaxation, RhxReal streamline,
                               RhxReal *K)
{
  const int nn = io->nn;
  const RhxReal w = io->ge->w, s = w * streamline, r = w * relaxation;
  RhxReal along[MAX_NODES];
  along_flow(io, pt, along);
  for (int a = 0; a < nn; a++) {
    const RhxReal row = io->N[a] * w + s * along[a];
    for (int b = 0; b < nn; b++)
      K[a * nn + b] += row * along[b] + r * (io->centroid ? LINEAR * (1 + (a == b)) : io->N[a] * io->N[b]);
    if (io->centroid) add_linear_convection(io, a, pt, 1.0, K + a * nn);
  }
}

RHX_INLINED void scatter_matrix(int nn, const PetscInt *at, int lanes, const RhxReal *K, PetscScalar *out)
{
  for (int k = 0; k < nn * nn; k++)
    if (lanes >= NLANES)
      for (int l = 0; l < NLANES; l++) out[at[k * LANES + l]] += RHX_LANE(K[k], l);
    else
      for (int l = 0; l < lanes; l++) out[at[k * LANES + l]] += RHX_LANE(K[k], l);
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
    scatter_matrix(nn, at, lanes, K, pass->out);
    if (RHX_AXISYMMETRIC) scatter(nn, 1, 0, 1, ce->conn + start(nn, i), lanes, hoop, pass->hoop);
  }
}

/* Of the mode that the pass names. */
RHX_INLINED void transport_cells(int nn, int nq, const RhxPass *pass, const RhxCells *ce)
{
  const RhxForm form = pass->form;
  const int m = (int)pass->mode;
  Work *wk = work_of(form);
  const Element el = element_of(form, wk);
  for (PetscInt i = 0; i < ce->n; i += NLANES) {
    const PetscReal *xg = ce->x + start(nn * DIM, i);
    Geometry ge;
    RhxReal K[MAX_NODES * MAX_NODES];
    gather_all(nn, nq == 1, pass, ce->conn + start(nn, i), wk, &el);
    for (int k = 0; k < nn * nn; k++) K[k] = RHX_ZERO;
    geometry_of(nn, 1, ce, i, &ge);
    for (int q = 0; q < nq; q++) {
      geometry(nn, q, 1, ce, xg, &ge);
      const Io io = {
          pass, form,    wk, &el, ce->N + q * nn, xg, &ge, NULL, (int)form->representation, form->has_div_tau, nn, 0,
          0,    nq == 1, 0,  0};
      RhxPoint pt;
      RhxReal relaxation, streamline;
      rhx_compose_transport(&io, m, &pt, &wk->mode[m], &wk->log[m], &relaxation, &streamline);
      add_transport(&io, &pt, relaxation, streamline, K);
    }
    scatter_matrix(nn, pass->at + start(nn * nn, i), (int)PetscMin(ce->n - i, NLANES), K, pass->out);
  }
}

#endif
