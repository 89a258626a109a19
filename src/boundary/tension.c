/* How elastic the developed flow of an inlet is. */
#include "boundary/shift_impl.h"
#include "form/scalars.h"

/* Normal stress over shear stress in simple shear L = g e m, e along the flow, m across: (tau:(e e - m m))/(tau:e m + eta_s g). */
static PetscReal ratio_at(RhxBoundary bc, double eta_s, const PetscReal *L, const PetscReal *tau)
{
  const PetscInt dim = bc->space->dim, ntens = bc->space->ntens;
  PetscReal square = 0, normal = 0, shear = 0;

  for (PetscInt i = 0; i < dim * dim; i++) square += PetscSqr(L[i]);
  if (!(square > 0)) return 0;
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) {
      PetscReal t = 0, across = 0;
      for (PetscInt k = 0; k < bc->form->nmodes; k++) t += tau[k * ntens + rhx_tensor_index(dim, ntens, i, j)];
      for (PetscInt k = 0; k < dim; k++) across += L[i * dim + k] * L[j * dim + k] - L[k * dim + i] * L[k * dim + j];
      normal += t * across;
      shear += t * L[i * dim + j];
    }
  return normal / (PetscSqrtReal(square) * (shear + eta_s * square));
}

PetscErrorCode RhxBoundaryGetTension(RhxBoundary bc, double most, RhxTold *ratios)
{
  const PetscInt dim = bc->space->dim, width = bc->form->nmodes * bc->space->ntens;
  double eta_s, eta_p, shift[2];

  PetscFunctionBegin;
  if (!width) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormViscosity(bc->form, &eta_s, &eta_p));
  PetscCall(RhxFormUsualShift(bc->form, shift));
  eta_s /= shift[0]; /* at gradients that are reduced, which hold the factor */
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    PetscReal *L, *tau, ratio = 0;
    if (!(c->gives & RHX_TYPE_STRESS) || c->opt->polymer != RHX_POLYMER_DEVELOPED ||
        c->opt->polymer_at == RHX_POLYMER_AT_FLUX)
      continue;
    PetscCall(PetscMalloc2(c->s.n * dim * dim, &L, c->s.n * width, &tau));
    PetscCall(RhxConditionProfile(bc, c, PetscMax(bc->t, c->opt->ramp), c->s.n, c->s.x, NULL, L));
    PetscCall(RhxConditionReduce(c, PetscMax(bc->t, c->opt->ramp), c->s.n, c->s.x, L, NULL));
    PetscCall(RhxBoundaryDeveloped(bc, c->s.n, c->s.x, L, NULL, tau));
    for (PetscInt k = 0; k < c->s.n; k++)
      ratio = PetscMax(ratio, ratio_at(bc, eta_s, L + k * dim * dim, tau + k * width));
    PetscCall(PetscFree2(L, tau));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &ratio, 1, MPIU_REAL, MPI_MAX, bc->comm));
    if (ratio > most) PetscCall(RhxToldAdd(ratios, c->label, ratio));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
