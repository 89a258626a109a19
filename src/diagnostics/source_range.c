/* The source that a plugin of scalar fields makes at the nodes of a state if one of the fields had another value: of what sign is it? Gradients are
 * recovered there. */
#include "diagnostics/diagnostics.h"
#include "diagnostics/pointnode_impl.h"
#include "diagnostics/recovery_impl.h"
#include "form/scalars.h"
#include "petsc_compat.h"

typedef struct {
  RhxForm form;
  const RhxPointLaw *point;
  const PetscScalar *x; /* [nlocal][bs] */
  PetscScalar *G, *tau; /* [dim][nlocal][dim] of the velocity; [nlocal][ntens] of all modes */
} Nodes;

static PetscErrorCode find_gradient(Nodes *nodes)
{
  const RhxSpace sp = nodes->form->space;
  const PetscInt n = sp->nlocal, first = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  RhxRecovery recovery;
  PetscScalar *u;

  PetscFunctionBegin;
  PetscCall(RhxRecoveryCreate(sp, &recovery));
  PetscCall(PetscMalloc1(n, &u));
  for (PetscInt i = 0; i < sp->dim; i++) {
    for (PetscInt a = 0; a < n; a++) u[a] = nodes->x[(size_t)a * sp->bs + first + i];
    PetscCall(RhxRecoverGradient(recovery, u, nodes->G + (size_t)i * n * sp->dim));
  }
  PetscCall(PetscFree(u));
  PetscCall(RhxRecoveryDestroy(&recovery));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_stress(Nodes *nodes)
{
  const RhxSpace sp = nodes->form->space;
  const size_t n = (size_t)sp->nlocal * sp->ntens;
  PetscScalar *tau;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &tau));
  for (PetscInt mode = 0; mode < nodes->form->nmodes; mode++) {
    PetscCall(RhxFormPolymerStress(nodes->form, mode, sp->nlocal, nodes->x, tau));
    for (size_t i = 0; i < n; i++) nodes->tau[i] += tau[i];
  }
  PetscCall(PetscFree(tau));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* eta_s = v a eta_s(a L), theory.md, 3b. */
static double find_viscosity(const Nodes *nodes, const double *L, const double shift[2])
{
  const RhxForm form = nodes->form;
  double shifted[9], eta = 0.0;

  for (PetscInt i = 0; i < form->space->dim * form->space->dim; i++) shifted[i] = shift[0] * L[i];
  if (form->viscous) nodes->point->viscosity(form->viscous, form->viscous_par, shifted, &eta);
  return eta * shift[0] * shift[1];
}

static PetscErrorCode source_at(const Nodes *nodes, PetscInt k, double value, PetscInt a, double *source)
{
  const RhxForm form = nodes->form;
  const RhxSpace sp = form->space;
  const PetscInt dim = sp->dim;
  const PetscScalar *block = nodes->x + (size_t)a * sp->bs;
  const RhxFormScalars *owner = form->owner + form->scalar[k].owner;
  PetscScalar c[RHX_MAX_SCALARS];
  double L[9];
  RhxPointNode at;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(c, block + form->first_scalar, form->nscalars));
  c[k] = value;
  for (PetscInt i = 0; i < dim * dim; i++) L[i] = nodes->G[((size_t)(i / dim) * sp->nlocal + a) * dim + i % dim];
  PetscCall(RhxPointNodeSet(form, a, block, c, 0.0, &at));
  at.first = (int)owner->first;
  at.unknown = RhxPointUnknown();
  if (form->swirl < 0) {
    at.L = L;
    at.tau = nodes->tau + (size_t)a * sp->ntens;
    at.hoop = !sp->axisymmetric ? 0.0 : at.x[1] > 0.0 ? at.u[1] / at.x[1] : L[3];
    at.eta_s = find_viscosity(nodes, L, at.shift);
  }
  *source = nodes->point->of_node(owner->plugin, owner->par, &at, (int)form->scalar[k].number, 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSourceRange(RhxForm form, PetscInt k, Vec x, double value, double range[2])
{
  const RhxSpace sp = form->space;
  const PetscScalar *state;
  PetscScalar *local;
  Nodes nodes = {.form = form, .point = RhxPointLawGet((int)sp->dim, (int)sp->ntens, RHX_KIND_DOUBLE)};
  double source = 0.0, all[2] = {PETSC_INFINITY, PETSC_INFINITY};

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)sp->nlocal * sp->bs, &local, (size_t)sp->dim * sp->nlocal * sp->dim, &nodes.G));
  PetscCall(PetscCalloc1((size_t)sp->nlocal * sp->ntens, &nodes.tau));
  PetscCall(VecGetArrayRead(x, &state));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, state, local));
  PetscCall(VecRestoreArrayRead(x, &state));
  nodes.x = local;
  PetscCall(find_gradient(&nodes));
  PetscCall(find_stress(&nodes));
  for (PetscInt a = 0; a < sp->nowned; a++) {
    PetscCall(source_at(&nodes, k, value, a, &source));
    all[0] = PetscMin(all[0], PetscIsNanReal(source) ? PETSC_NINFINITY : source);
    all[1] = PetscMin(all[1], PetscIsNanReal(source) ? PETSC_NINFINITY : -source);
  }
  PetscCall(PetscFree2(local, nodes.G));
  PetscCall(PetscFree(nodes.tau));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_MIN, sp->comm));
  range[0] = all[0];
  range[1] = -all[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}
