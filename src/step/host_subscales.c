/* Tracked subscales of implicit momentum on the host (theory.md, section 7). */
#include "kernels/implicit.h"
#include "kernels/step.h"
#include "petsc_compat.h"
#include "step/host_impl.h"
#include "step/numbers_impl.h"
#include <math.h>

PetscErrorCode RhxStepHostSubscalesCreate(RhxOps ops)
{
  RhxStepHost *h = (RhxStepHost *)ops->data;
  const PetscInt n = ops->form->space->nlocal;
  PetscFunctionBegin;
  PetscCall(PetscCalloc4(n * ops->form->space->dim, &h->slope, n, &h->kept, n, &h->balance[0], n, &h->balance[1]));
  if (ops->form->open.rise) PetscCall(PetscCalloc3(n, &h->rise[0], n, &h->rise[1], n, &h->kept_rise));
  PetscCall(PetscCalloc4(n * ops->form->space->dim, &h->ahead, n, &h->right[0], n, &h->right[1], n, &h->free_mass));
  PetscCall(RhxStepFreeMass(ops, h->free_mass));
  PetscCall(RhxStepGraded(ops, &h->graded));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepHostSubscalesDestroy(RhxOps ops)
{
  RhxStepHost *h = (RhxStepHost *)ops->data;
  PetscFunctionBegin;
  PetscCall(PetscFree4(h->slope, h->kept, h->balance[0], h->balance[1]));
  if (h->kept_rise) PetscCall(PetscFree3(h->rise[0], h->rise[1], h->kept_rise));
  PetscCall(PetscFree4(h->ahead, h->right[0], h->right[1], h->free_mass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The part of the last increment that is known of the next: less where subscales of small cells damp the pressure little beside
 * those of the largest, on other cells than simplices. */
static double graded(const RhxOps ops)
{
  const double most = ((const RhxStepHost *)ops->data)->graded;
  return PetscMin(1.0, most / (ops->form->rho * ops->result.stats.tau * ops->result.stats.viscous));
}

/* What is known of the increment, from the one before: kept; divergences take its gradient as the correction will. */
static PetscErrorCode keep_increment(RhxOps ops, const PetscScalar *xdot, PetscScalar *v)
{
  RhxStepHost *h = (RhxStepHost *)ops->data;
  const RhxSpace sp = ops->form->space;
  const RhxOpenNodes *open = &ops->form->open;
  const PetscInt dim = sp->dim, p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  const double rest = graded(ops) * h->part;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sp->nowned; i++) h->kept[i] = rest * xdot[(size_t)i * sp->bs + p];
  PetscCall(RhxSpaceGlobalToLocal(sp, 1, h->kept, h->kept));
  PetscCall(RhxFormGradient(ops->form, h->kept, h->slope));
  for (PetscInt i = 0; open->rise && i < open->n; i++) {
    h->kept_rise[i] = h->known > 0.0 ? rest / h->known * h->rise[1 - ops->key][i] : 0.0;
    h->rise[ops->key][i] = open->rise[i];
  }
  RhxStepHostAddOpen(open, open->rise ? h->kept_rise : NULL, dim, h->kept, h->slope);
  PetscCall(RhxBoundaryFreeVelocity(ops->bc, h->slope));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt d = 0; d < dim; d++) {
      const size_t k = (size_t)i * dim + d;
      const PetscScalar less = ops->stage_dt / (ops->form->rho * ops->mass[i]) * h->slope[k];
      v[k] -= less;
      h->ahead[k] -= less;
    }
  PetscCall(RhxSpaceGlobalToLocal(sp, dim, h->ahead, h->ahead));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* S p = R_p - D u */
static PetscErrorCode take_subscales(RhxOps ops, const PetscScalar *x, const PetscScalar *r)
{
  RhxStepHost *h = (RhxStepHost *)ops->data;
  const RhxSpace sp = ops->form->space;
  const PetscInt dim = sp->dim, u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY),
                 p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  PetscScalar *now = h->balance[ops->key];
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sp->nlocal; i++)
    for (PetscInt d = 0; d < dim; d++) h->slope[(size_t)i * dim + d] = x[(size_t)i * sp->bs + u + d];
  PetscCall(RhxFormDivergence(ops->form, h->slope, now));
  for (PetscInt i = 0; i < sp->nowned; i++) now[i] = r[(size_t)i * sp->bs + p] - now[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a step follows of R_p by the rate of subscales, f, and of the part of e that is S dp, (1 - f)(1 - (1 - exp(-k))/k). */
static void follow_by(double dt, double known, double rate, double follow[2])
{
  const double k = known * rate;
  follow[0] = -expm1(-dt * rate);
  follow[1] = known > 0.0 ? (1.0 - follow[0]) * (1.0 + expm1(-k) / k) : 0.0;
}

/* b += y - M_c M^-1 y over nodes of free pressure: what rates of the nodes add to that of the slowest subscales is taken from the
 * nodes around, for R_p of all nodes together is what flows in and out. */
static PetscErrorCode add_own(RhxOps ops, const PetscReal *free_mass, PetscScalar *y, PetscScalar *product,
                              PetscScalar *b)
{
  const RhxSpace sp = ops->form->space;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sp->nowned; i++) {
    b[i] += free_mass[i] * y[i];
    y[i] /= sp->mass[i];
  }
  PetscCall(RhxSpaceGlobalToLocal(sp, 1, y, y));
  PetscCall(RhxFormMassProduct(ops->form, 1, y, product));
  for (PetscInt i = 0; i < sp->nowned; i++) b[i] -= product[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b = D (u^ - u) + F R_p - (1 - F) e, F by the slowest subscales and by those of each node: divergence D (u* - u), in b
 * D (u^ - u), both less what is known of the increment. */
static PetscErrorCode track(RhxOps ops, const PetscScalar *x, const PetscScalar *r, const PetscScalar *divergence,
                            PetscScalar *b)
{
  RhxStepHost *h = (RhxStepHost *)ops->data;
  const RhxSpace sp = ops->form->space;
  const PetscInt bs = sp->bs, p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE),
                 u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  const PetscScalar *now = h->balance[ops->key], *last = h->balance[1 - ops->key], *before = h->right[1 - ops->key];
  PetscScalar *own = h->product, *product = own + sp->nlocal;
  const double slowest = 1.0 / (ops->form->rho * ops->result.stats.tau), part = h->share * graded(ops);
  double all[2];
  PetscFunctionBegin;
  follow_by(ops->dt, h->known, slowest, all);
  for (PetscInt i = 0; i < sp->nowned; i++) {
    const double lacking = r[(size_t)i * bs + p] - divergence[i] - part * before[i],
                 changed = part * (now[i] - last[i]);
    double speed = 0.0, f[2];
    for (PetscInt d = 0; d < sp->dim; d++) speed += PetscSqr(x[(size_t)i * bs + u + d]);
    follow_by(ops->dt, h->known, slowest + (h->free_mass[i] > 0.0 ? RHX_OWN_RATE : 0.0) * h->inverse[i] * sqrt(speed),
              f);
    b[i] += all[0] * lacking + all[1] * changed;
    own[i] = (f[0] - all[0]) * lacking + (f[1] - all[1]) * changed;
  }
  PetscCall(add_own(ops, h->free_mass, own, product, b));
  for (PetscInt i = 0; i < sp->nowned; i++) h->right[ops->key][i] = b[i] + part * before[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepHostSubscales(RhxOps ops, RhxArray state, RhxArray xdot, RhxArray res, RhxArray change,
                                    RhxArray rhs)
{
  RhxStepHost *h = (RhxStepHost *)ops->data;
  const PetscScalar *x = (const PetscScalar *)state->at, *r = (const PetscScalar *)res->at;
  PetscFunctionBegin;
  if (ops->settings.tracked) PetscCall(keep_increment(ops, (const PetscScalar *)xdot->at, (PetscScalar *)change->at));
  PetscCall(ops->table->divergence(ops, change, rhs));
  if (!ops->settings.tracked) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(take_subscales(ops, x, r));
  PetscCall(RhxFormDivergence(ops->form, h->ahead, h->slope));
  PetscCall(track(ops, x, r, h->slope, (PetscScalar *)rhs->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void hand(PetscBool give, PetscScalar *own, PetscScalar *value)
{
  if (give)
    *value = *own;
  else
    *own = *value;
}

PetscErrorCode RhxStepHostHanded(RhxOps ops, int key, PetscBool give, PetscScalar *values)
{
  RhxStepHost *h = (RhxStepHost *)ops->data;
  const RhxOpenNodes *open = &ops->form->open;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < ops->form->space->nowned; i++) {
    hand(give, &h->balance[key][i], &values[i * RHX_HANDED]);
    hand(give, &h->right[key][i], &values[i * RHX_HANDED + 1]);
  }
  for (PetscInt i = 0; open->rise && i < open->n; i++)
    hand(give, &h->rise[key][i], &values[open->node[i] * RHX_HANDED + 2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
