/* A part of kernel.c: matrices of elements and faces, of numbers with a derivative. */
#if !defined(RHX_KERNEL_MATRICES_H) && TANGENT
#define RHX_KERNEL_MATRICES_H
#include "form/host/insert.h"
#include "form/host/kernel_by_nodes.h"
#include "form/host/kernel_derivatives.h"

/* ---- By what a point sees: values, and slopes where they are columns too ---- */

/* Adds the part of a point of each lane, whose nodes are at xg, to dv->k. law: projections read the laws. */
static void take_point(int nn, const RhxPass *pass, const PetscReal *N, const PetscReal *xg, const Geometry *ge,
                       const Element *el, Work *wk, int law, const Ask *ask, int by_aux, const Derivatives *dv)
{
  RhxReal *const nodes = wk->A;
  Element point = *el;
  PetscReal x[DIM * LANES];
  point_values(nn, pass, N, ge, el, wk);
  for (int i = 0; i < DIM; i++)
    for (int l = 0; l < NLANES; l++) {
      x[i * LANES + l] = 0.0;
      for (int a = 0; a < nn; a++) x[i * LANES + l] += N[a] * xg[(a * DIM + i) * LANES + l];
    }
  point.U = wk->P;
  point.V = wk->P + el->bs;
  point.S = wk->P + 2 * el->bs;
  wk->A = wk->B;
  const Io io = {.pass = pass,
                 .form = pass->form,
                 .wk = wk,
                 .el = &point,
                 .xg = x,
                 .ge = ge,
                 .as = (int)pass->form->representation,
                 .div_tau = pass->form->has_div_tau,
                 .law = law};
  differentiate(&io, ask, by_aux, dv);
  wk->A = nodes;
  for (int l = 0; l < NLANES; l++) add_point(nn, l, N, ge, dv);
}

/* pass->out: the matrices of the group from element i on. */
static void cell_matrix(const RhxPass *pass, const RhxCells *ce, PetscInt i, int law, Work *wk, const Element *el,
                        const Ask *ask, int by_aux, const Derivatives *dv)
{
  const int nn = (int)ce->nn;
  const PetscReal *xg = ce->x + start(nn * DIM, i);
  Geometry ge;
  geometry_of(nn, 1, ce, i, &ge);
  for (int q = 0; q < ce->nq; q++) {
    geometry(nn, q, 1, ce, xg, &ge);
    take_point(nn, pass, ce->N + q * nn, xg, &ge, el, wk, law, ask, by_aux, dv);
  }
  for (int l = 0; l < NLANES; l++) turn_nodes(nn, l, dv, pass->out);
}

static void face_matrix(const RhxPass *pass, const RhxFaceGroup *fg, const RhxFaceTerm *term, PetscInt i, Work *wk,
                        const Element *el, int by_aux, const Derivatives *dv)
{
  const int nn = (int)fg->nn;
  const PetscReal *xg = fg->x + start(nn * DIM, i);
  for (int q = 0; q < fg->nfq; q++) {
    RhxReal n[DIM];
    Result f[DIM];
    Geometry ge;
    const Ask ask = {ask_face, f, DIM, term, n};
    face_geometry(nn, q, fg, xg, &ge, n);
    take_point(nn, pass, fg->N + q * nn, xg, &ge, el, wk, 0, &ask, by_aux, dv);
  }
  for (int l = 0; l < NLANES; l++) turn_nodes(nn, l, dv, pass->out);
}

/* Lanes below `lanes` are elements, the rest is padding. */
static PetscErrorCode add_matrices(const RhxPass *pass, int nn, const PetscInt *conn, PetscInt lanes,
                                   const Derivatives *dv)
{
  PetscInt node[MAX_NODES];
  PetscFunctionBegin;
  for (int l = 0; l < NLANES && l < lanes; l++) {
    for (int a = 0; a < nn; a++) node[a] = conn[a * LANES + l];
    PetscCall(RhxInsertAdd(pass->matrix, nn, node, pass->out + l * dv->element));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The passes ---- */

static PetscErrorCode kernel_cell_matrices(const RhxPass *pass, const RhxCells *all)
{
  const RhxCells cells = cells_of(all, has_centroid(pass, all)), *ce = &cells;
  const int nn = (int)ce->nn, nq = (int)ce->nq;
  Work *wk = work_of(pass->form);
  const Element el = element_of(pass->form, wk);
  const Ask ask = {ask_residual, el.R, el.bs, NULL, NULL};
  Derivatives dv = derivatives(nn, pass, 0, el.bs, el.bs, el.bs);
  PetscFunctionBegin;
  dv.sloped = dv.slopes = 1;
  for (PetscInt i = 0; i < ce->n; i += NLANES) {
    const PetscInt *conn = ce->conn + start(nn, i);
    gather_all(nn, 0, pass, conn, wk, &el);
    if (nq > 1)
      cell_matrix(pass, ce, i, 0, wk, &el, &ask, 0, &dv);
    else
      BY_NODES(nn, ((OfNodes){el.U, el.bs, 0, el.bs}), pass->xdot ? el.V : NULL, ((OfNodes){el.R, el.bs, 0, el.bs}),
               residual_group(nn, 1, pass, ce, i, wk, &el, NULL))
    PetscCall(add_matrices(pass, nn, conn, ce->n - i, &dv));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode kernel_auxiliary_matrices(const RhxPass *pass, const RhxCells *all)
{
  const RhxCells cells = cells_of(all, has_centroid(pass, all)), *ce = &cells;
  const RhxAuxiliaryPart part = pass->part;
  const int nn = (int)ce->nn, nq = (int)ce->nq;
  Work *wk = work_of(pass->form);
  const Element el = element_of(pass->form, wk);
  const Ask ask = {ask_residual, el.R, el.bs, NULL, NULL};
  Derivatives dv = derivatives(nn, pass, 0, part.nstate, part.nstate, part.naux);
  PetscFunctionBegin;
  dv.sloped = 1;
  dv.from = part.aux;
  dv.of = part.state;
  for (PetscInt i = 0; i < ce->n; i += NLANES) {
    const PetscInt *conn = ce->conn + start(nn, i);
    gather_all(nn, 0, pass, conn, wk, &el);
    if (nq > 1)
      cell_matrix(pass, ce, i, 0, wk, &el, &ask, 1, &dv);
    else
      BY_NODES(nn, ((OfNodes){wk->A, pass->form->naux, part.aux, part.naux}), NULL,
               ((OfNodes){el.R, el.bs, part.state, part.nstate}), residual_group(nn, 1, pass, ce, i, wk, &el, NULL))
    PetscCall(add_matrices(pass, nn, conn, ce->n - i, &dv));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode kernel_projection_matrices(const RhxPass *pass, const RhxCells *all)
{
  const RhxCells cells = cells_of(all, has_centroid(pass, all)), *ce = &cells;
  const PetscInt naux = pass->form->naux;
  const RhxAuxiliaryPart part = pass->part;
  const int nn = (int)ce->nn, nq = (int)ce->nq, law = projects_law(pass->form);
  Work *wk = work_of(pass->form);
  const Element el = element_of(pass->form, wk);
  const Ask ask = {ask_projection, wk->Q, naux, NULL, NULL};
  Derivatives dv = derivatives(nn, pass, 0, part.naux, part.naux, part.nstate);
  PetscFunctionBegin;
  dv.slopes = 1;
  dv.from = part.state;
  dv.of = part.aux;
  for (PetscInt i = 0; i < ce->n; i += NLANES) {
    const PetscInt *conn = ce->conn + start(nn, i);
    gather_all(nn, 0, pass, conn, wk, &el);
    if (nq > 1)
      cell_matrix(pass, ce, i, law, wk, &el, &ask, 0, &dv);
    else
      BY_NODES(nn, ((OfNodes){el.U, el.bs, part.state, part.nstate}), NULL,
               ((OfNodes){wk->Q, naux, part.aux, part.naux}), project_group(nn, 1, pass, ce, i, law, wk, &el))
    PetscCall(add_matrices(pass, nn, conn, ce->n - i, &dv));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the state, or by auxiliary fields, which no other term of a face reads. */
static PetscErrorCode face_matrices(const RhxPass *pass, const RhxFaceGroup *fg, const RhxFaceTerm *term, int by_aux)
{
  const int nn = (int)fg->nn;
  Work *wk = work_of(pass->form);
  const Element el = element_of(pass->form, wk);
  const RhxAuxiliaryPart part = by_aux ? pass->part : (RhxAuxiliaryPart){0, el.bs, 0, el.bs};
  const PetscInt first = PetscMax(VELOCITY, part.state), end = PetscMin(VELOCITY + DIM, part.state + part.nstate);
  Derivatives dv = derivatives(nn, pass, first - part.state, PetscMax(end - first, 0), part.nstate, part.naux);
  PetscFunctionBegin;
  dv.slopes = !by_aux;
  dv.from = part.aux;
  dv.of = first - VELOCITY;
  for (PetscInt i = 0; i < fg->n && dv.rows && (term->form || (!by_aux && term->backflow > 0)); i += NLANES) {
    const PetscInt *conn = fg->conn + start(nn, i);
    gather_all(nn, 0, pass, conn, wk, &el);
    face_matrix(pass, fg, term, i, wk, &el, by_aux, &dv);
    PetscCall(add_matrices(pass, nn, conn, fg->n - i, &dv));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode kernel_face_matrices(const RhxPass *pass, const RhxFaceGroup *fg, const RhxFaceTerm *term)
{
  PetscFunctionBegin;
  PetscCall(face_matrices(pass, fg, term, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode kernel_face_auxiliary_matrices(const RhxPass *pass, const RhxFaceGroup *fg,
                                                     const RhxFaceTerm *term)
{
  PetscFunctionBegin;
  PetscCall(face_matrices(pass, fg, term, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
