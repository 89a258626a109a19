/* A part of kernel.c: terms of faces. */
#ifndef RHX_KERNEL_FACE_H
#define RHX_KERNEL_FACE_H

/* The element of a face at its point q: slopes, metric and, in ge->w, weight times area; its normal n. */
RHX_INLINED void face_geometry(int nn, int q, const RhxFaceGroup *fg, const PetscReal *xg, Geometry *ge, RhxReal n[DIM])
{
  const PetscReal *dNr = fg->dN + (size_t)q * nn * DIM;
  RhxLength J[DIM][DIM], Ji[DIM][DIM], normal[DIM];
  jacobian(nn, xg, dNr, J);
  (void)rhx_invert(DIM, J, Ji);
  gradients(nn, dNr, Ji, ge);
  ge->ih2 = rhx_metric(DIM, nn == DIM + 1, Ji, fg->metric, 1.0, ge->g) / (4.0 * DIM);
  ge->w = face_normal(J, fg->tangent, normal) * fg->w[q] * swept(nn, fg->N + q * nn, xg);
  for (int i = 0; i < DIM; i++) n[i] = normal[i];
}

/* f gets what the form of the face says, but for a prescribed traction. */
RHX_INLINED void face_terms(const struct RhxIo *io, const RhxFaceTerm *term, const RhxReal n[DIM], RhxPoint *pt,
                            RhxReal f[DIM])
{
  for (int k = 0; k < DIM; k++) f[k] = RHX_ZERO;
  if (term->form == RHX_FACE_GRADIENT) rhx_compose_face(io, n, pt, f);
  if (term->form == RHX_FACE_OPEN) rhx_compose_open(io, n, pt, f);
  if (term->backflow > 0) rhx_compose_backflow(io, term->backflow, n, pt, f);
}

/* el->R: f0u = what the form of the face says - prescribed traction, of the group from face i on. */
RHX_INLINED void face_group(int nn, const RhxPass *pass, const RhxFaceGroup *fg, const RhxFaceTerm *term,
                            const PetscReal *traction, PetscInt i, Work *wk, const Element *el)
{
  const PetscReal *xg = fg->x + start(nn * DIM, i);
  const PetscInt bs = el->bs;
  const int as = (int)pass->form->representation, div_tau = pass->form->has_div_tau;
  memset(el->R, 0, sizeof(Result) * nn * bs);
  for (int q = 0; q < fg->nfq; q++) {
    RhxReal n[DIM], f[DIM];
    Geometry ge;
    RhxPoint pt;
    const Io io = {pass, pass->form, wk, el, fg->N + q * nn, xg, &ge, NULL, as, div_tau, nn, 0, 0, 0, 0, 0};
    face_geometry(nn, q, fg, xg, &ge, n);
    face_terms(&io, term, n, &pt, f);
    for (int k = 0; k < DIM; k++) {
      if (traction) f[k] -= load(traction + start((int)fg->nfq * DIM, i) + (q * DIM + k) * LANES);
      for (int a = 0; a < nn; a++) el->R[a * bs + VELOCITY + k] += TAKEN((io.N[a] * ge.w) * f[k]);
    }
  }
}

RHX_INLINED void face_groups(int nn, const RhxPass *pass, const RhxFaceGroup *fg, const RhxFaceTerm *term,
                             const PetscReal *traction)
{
  Work *wk = work_of(pass->form);
  const Element el = element_of(pass->form, wk);
  for (PetscInt i = 0; i < fg->n; i += NLANES) {
    const PetscInt *conn = fg->conn + start(nn, i);
    gather_all(nn, 0, pass, conn, wk, &el);
    face_group(nn, pass, fg, term, traction, i, wk, &el);
    scatter(nn, el.bs, VELOCITY, VELOCITY + DIM, conn, fg->n - i, el.R, pass->out);
  }
}

#endif
