/* A part of kernel.c: matrices of elements and faces by the complex step, of complex numbers alone. */
#if !defined(RHX_KERNEL_MATRICES_H) && RHX_KIND == RHX_KIND_COMPLEX
#define RHX_KERNEL_MATRICES_H

/* Adds a matrix of an element of nn nodes conn: column j is the derivative of the m numbers that `evaluate` leaves in `result` by
 * seed[j] of n; rate NULL, or what follows the seed by the shift. */
#define ADD_MATRIX(seed, rate, n, result, m, evaluate)                                            \
  {                                                                                               \
    RhxReal *const follows = (rate);                                                              \
    PetscInt node[MAX_NODES];                                                                     \
    for (int a = 0; a < nn; a++) node[a] = conn[a * LANES];                                       \
    for (PetscInt j = 0; j < (n); j++) {                                                          \
      const RhxReal u = (seed)[j], v = follows ? follows[j] : RHX_ZERO;                           \
      (seed)[j] = SEEDED(rhx_value(u), 1.0);                                                      \
      if (follows) follows[j] = SEEDED(rhx_value(v), pass->shift);                                \
      evaluate;                                                                                   \
      (seed)[j] = u;                                                                              \
      if (follows) follows[j] = v;                                                                \
      for (PetscInt k = 0; k < (m); k++) pass->out[k * (n) + j] = RESULT((result)[k], 0);         \
    }                                                                                             \
    PetscCall(MatSetValuesBlockedLocal(pass->matrix, nn, node, nn, node, pass->out, ADD_VALUES)); \
  }

static PetscErrorCode kernel_cell_matrices(const RhxPass *pass, const RhxCells *all)
{
  const RhxCells cells = cells_of(all, has_centroid(pass, all)), *ce = &cells;
  const int nn = (int)ce->nn, nq = (int)ce->nq;
  Work *wk = work_of(pass->form);
  const Element el = element_of(pass->form, wk);
  PetscFunctionBegin;
  for (PetscInt i = 0; i < ce->n; i++) {
    const PetscInt *conn = ce->conn + start(nn, i);
    gather_all(nn, 0, pass, conn, wk, &el);
    ADD_MATRIX(el.U, pass->xdot ? el.V : NULL, nn * el.bs, el.R, nn * el.bs,
               residual_group(nn, nq, pass, ce, i, wk, &el, NULL))
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode kernel_auxiliary_matrices(const RhxPass *pass, const RhxCells *all)
{
  const RhxCells cells = cells_of(all, has_centroid(pass, all)), *ce = &cells;
  const int nn = (int)ce->nn, nq = (int)ce->nq;
  Work *wk = work_of(pass->form);
  const Element el = element_of(pass->form, wk);
  PetscFunctionBegin;
  for (PetscInt i = 0; i < ce->n; i++) {
    const PetscInt *conn = ce->conn + start(nn, i);
    gather_all(nn, 0, pass, conn, wk, &el);
    ADD_MATRIX(wk->A, NULL, nn * pass->form->naux, el.R, nn * el.bs, residual_group(nn, nq, pass, ce, i, wk, &el, NULL))
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode kernel_projection_matrices(const RhxPass *pass, const RhxCells *all)
{
  const RhxCells cells = cells_of(all, has_centroid(pass, all)), *ce = &cells;
  const int nn = (int)ce->nn, nq = (int)ce->nq, law = projects_law(pass->form);
  Work *wk = work_of(pass->form);
  const Element el = element_of(pass->form, wk);
  PetscFunctionBegin;
  for (PetscInt i = 0; i < ce->n; i++) {
    const PetscInt *conn = ce->conn + start(nn, i);
    gather_all(nn, 0, pass, conn, wk, &el);
    ADD_MATRIX(el.U, NULL, nn * el.bs, wk->A, nn * pass->form->naux, project_group(nn, nq, pass, ce, i, law, wk, &el))
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode kernel_face_matrices(const RhxPass *pass, const RhxFaceGroup *fg, const RhxFaceTerm *term)
{
  const int nn = (int)fg->nn;
  Work *wk = work_of(pass->form);
  const Element el = element_of(pass->form, wk);
  PetscFunctionBegin;
  for (PetscInt i = 0; i < fg->n && (term->form || term->backflow > 0); i++) {
    const PetscInt *conn = fg->conn + start(nn, i);
    gather_all(nn, 0, pass, conn, wk, &el);
    ADD_MATRIX(el.U, pass->xdot ? el.V : NULL, nn * el.bs, el.R, nn * el.bs,
               face_group(nn, pass, fg, term, NULL, i, wk, &el))
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode kernel_face_auxiliary_matrices(const RhxPass *pass, const RhxFaceGroup *fg,
                                                     const RhxFaceTerm *term)
{
  const int nn = (int)fg->nn;
  Work *wk = work_of(pass->form);
  const Element el = element_of(pass->form, wk);
  PetscFunctionBegin;
  for (PetscInt i = 0; i < fg->n && term->form; i++) {
    const PetscInt *conn = fg->conn + start(nn, i);
    gather_all(nn, 0, pass, conn, wk, &el);
    ADD_MATRIX(wk->A, NULL, nn * pass->form->naux, el.R, nn * el.bs, face_group(nn, pass, fg, term, NULL, i, wk, &el))
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
