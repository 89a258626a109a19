/* A part of kernel.c: totals (kernels/totals.h), of real numbers alone. */
#if !defined(RHX_KERNEL_TOTALS_H) && !TANGENT
#define RHX_KERNEL_TOTALS_H
#include "kernels/compose_totals.h"

RHX_INLINED void totals_cells(int nn, int nq, const RhxPass *pass, const RhxCells *ce)
{
  const RhxForm form = pass->form;
  Work *wk = work_of(form);
  const Element el = element_of(form, wk);
  for (PetscInt i = 0; i < ce->n; i += NLANES) {
    const PetscReal *xg = ce->x + start(nn * DIM, i);
    const int lanes = (int)PetscMin(ce->n - i, NLANES);
    Geometry ge;
    RhxReal sum[RHX_NTOTALS], at[RHX_NTOTALS];
    gather_all(nn, 0, pass, ce->conn + start(nn, i), wk, &el);
    for (int k = 0; k < RHX_NTOTALS; k++) sum[k] = RHX_ZERO;
    geometry_of(nn, 1, ce, i, &ge);
    for (int q = 0; q < nq; q++) {
      geometry(nn, q, 1, ce, xg, &ge);
      const Io io = {pass, form, wk, &el, ce->N + q * nn, xg, &ge, NULL, (int)form->representation, 0, nn, 0,
                     0,    0,    0,  0};
      RhxPoint pt;
      rhx_compose_totals(&io, &pt, at);
      for (int k = 0; k < RHX_NTOTALS; k++) sum[k] += ge.w * at[k];
    }
    for (int k = 0; k < RHX_NTOTALS; k++)
      for (int l = 0; l < lanes; l++) pass->out[k] += RHX_LANE(sum[k], l);
  }
}

#endif
