/* Host side of scheme `lumped`: the formulas at the head of lumped.c. */
#include "kernels/step.h"
#include "petsc_compat.h"
#include "scheme/lumped_impl.h"
#include <petsctime.h>

typedef struct {
  PetscScalar *x, *y, *xdot;  /* [nlocal][bs] state with ghosts, result of an Euler step, last rate */
  PetscScalar *z;             /* [nowned][bs] second Euler step of Heun */
  PetscScalar *aux, *r;       /* [nlocal][naux], [nlocal][bs] */
  PetscScalar *du, *div, *dp; /* [nlocal][dim], [nlocal], [nlocal] */
  PetscScalar *value;         /* [nowned] pressure at fixed nodes */
} Host;

static PetscErrorCode host_setup(RhxLumped lu)
{
  const RhxSpace sp = lu->form->space;
  const size_t n = (size_t)sp->nowned, nl = (size_t)sp->nlocal;
  Host *h;
  PetscFunctionBegin;
  PetscCall(PetscNew(&h));
  lu->data = h;
  PetscCall(PetscCalloc4(nl * sp->bs, &h->x, nl * sp->bs, &h->y, nl * sp->bs, &h->xdot, n * sp->bs, &h->z));
  PetscCall(PetscCalloc2(nl * PetscMax(lu->form->naux, 1), &h->aux, nl * sp->bs, &h->r));
  PetscCall(PetscCalloc4(nl * sp->dim, &h->du, nl, &h->div, nl, &h->dp, n, &h->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_destroy(RhxLumped lu)
{
  Host *h = (Host *)lu->data;
  PetscFunctionBegin;
  if (!h) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree4(h->x, h->y, h->xdot, h->z));
  PetscCall(PetscFree2(h->aux, h->r));
  PetscCall(PetscFree4(h->du, h->div, h->dp, h->value));
  PetscCall(PetscFree(lu->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_load(RhxLumped lu, const PetscScalar *x)
{
  const RhxSpace sp = lu->form->space;
  Host *h = (Host *)lu->data;
  PetscFunctionBegin;
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, x, h->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_store(RhxLumped lu, PetscScalar *x)
{
  const RhxSpace sp = lu->form->space;
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(x, ((Host *)lu->data)->x, (size_t)sp->nowned * sp->bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_load_rate(RhxLumped lu, const PetscScalar *rate)
{
  const RhxSpace sp = lu->form->space;
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(((Host *)lu->data)->xdot, rate, (size_t)sp->nowned * sp->bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_store_rate(RhxLumped lu, PetscScalar *rate)
{
  const RhxSpace sp = lu->form->space;
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(rate, ((Host *)lu->data)->xdot, (size_t)sp->nowned * sp->bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_rates(RhxLumped lu, double t)
{
  Host *h = (Host *)lu->data;
  PetscFunctionBegin;
  PetscCall(RhxBoundarySetTime(lu->bc, t));
  PetscCall(RhxFormProject(lu->form, t, lu->opt.dt, h->x, h->aux));
  PetscCall(RhxFormResidual(lu->form, RHX_ROWS_FLOW, t, lu->opt.dt, h->x, NULL, h->aux, h->r, &lu->info.stats));
  PetscCall(RhxFormStatsReduce(lu->form, &lu->info.stats));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest |R_p| / m over rows of free pressure, this rank. */
static PetscErrorCode continuity_residual(RhxLumped lu, double *largest)
{
  Host *h = (Host *)lu->data;
  const RhxSpace sp = lu->form->space;
  const PetscInt *fixed;
  PetscInt nfixed;
  PetscBool free;
  PetscFunctionBegin;
  *largest = 0.0;
  PetscCall(RhxBoundaryGetPressureNodes(lu->bc, &nfixed, &fixed, &free));
  PetscCall(PetscArrayzero(h->value, sp->nowned));
  for (PetscInt i = 0; i < nfixed; i++) h->value[fixed[i]] = 1.0;
  for (PetscInt i = 0; i < sp->nowned; i++)
    if (h->value[i] == 0.0) {
      const double v = PetscAbsScalar(h->r[(size_t)i * sp->bs + sp->dim]) / sp->mass[i];
      if (!(v <= *largest)) *largest = v;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u^ and s+ into y (owned), with the boundary values of t + dt. */
static PetscErrorCode advance_momentum(RhxLumped lu, double t, double dt, const PetscScalar *x, PetscScalar *y,
                                       PetscBool first)
{
  Host *h = (Host *)lu->data;
  const RhxSpace sp = lu->form->space;
  const PetscInt bs = sp->bs;
  PetscFunctionBegin;
  PetscCall(RhxBoundarySetTime(lu->bc, t));
  PetscCall(RhxFormProject(lu->form, t, dt, x, h->aux));
  PetscCall(RhxBoundaryImposeAuxiliary(lu->bc, h->aux));
  PetscCall(RhxFormResidual(lu->form, RHX_ROWS_FLOW | RHX_ROWS_MODES, t, dt, x,
                            lu->opt.rate == RHX_RATE_LAGGED ? h->xdot : NULL, h->aux, h->r,
                            first ? &lu->info.stats : NULL));
  if (first) {
    PetscCall(RhxFormStatsReduce(lu->form, &lu->info.stats));
    PetscCall(continuity_residual(lu, &lu->info.continuity));
  }
  for (PetscInt i = 0; i < sp->nowned; i++) {
    const double a = dt / lu->mass[i];
    const PetscScalar *xi = x + (size_t)i * bs, *ri = h->r + (size_t)i * bs;
    PetscScalar *yi = y + (size_t)i * bs;
    for (const RhxField *f = sp->field; f < sp->field + sp->nfields; f++) {
      const PetscInt end = f->offset + f->components;
      const double b = a / f->mass;
      if (f->mass == 0.0)
        for (PetscInt c = f->offset; c < end; c++) yi[c] = xi[c];
      else
        for (PetscInt c = f->offset; c < end; c++) yi[c] = xi[c] - b * ri[c];
    }
  }
  PetscCall(RhxBoundarySetTime(lu->bc, t + dt));
  PetscCall(RhxBoundaryImpose(lu->bc, RHX_BC_ALL & ~RHX_BC_PRESSURE, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* div[nlocal] = D v, v[nowned][dim] = velocity of y minus (minus ? that of x : 0) */
static PetscErrorCode divergence_of(RhxLumped lu, const PetscScalar *y, const PetscScalar *x, PetscBool minus)
{
  Host *h = (Host *)lu->data;
  const RhxSpace sp = lu->form->space;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < sp->dim; c++)
      h->du[(size_t)i * sp->dim + c] = y[(size_t)i * sp->bs + c] - (minus ? x[(size_t)i * sp->bs + c] : 0.0);
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->dim, h->du, h->du));
  PetscCall(RhxFormDivergence(lu->form, h->du, h->div));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values that the pressure of y takes at fixed nodes, less `from` there. */
static PetscErrorCode fixed_pressures(RhxLumped lu, PetscScalar *y, const PetscScalar *from)
{
  Host *h = (Host *)lu->data;
  const RhxSpace sp = lu->form->space;
  const PetscInt *fixed;
  PetscInt nfixed;
  PetscBool free;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetPressureNodes(lu->bc, &nfixed, &fixed, &free));
  PetscCall(RhxBoundaryImpose(lu->bc, RHX_BC_PRESSURE, y));
  for (PetscInt i = 0; i < nfixed; i++) {
    const size_t at = (size_t)fixed[i] * sp->bs + sp->dim;
    h->value[fixed[i]] = y[at] - (from ? from[at] : 0.0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K dp = div with the values at fixed nodes. */
static PetscErrorCode solve(RhxLumped lu, PetscBool *solved)
{
  Host *h = (Host *)lu->data;
  PetscLogDouble t0, t1;
  PetscFunctionBegin;
  PetscCall(PetscTime(&t0));
  PetscCall(RhxPressureSolve(lu->pressure, h->div, h->value, h->dp, &lu->info.iterations, solved));
  PetscCall(PetscTime(&t1));
  lu->info.pressure_seconds += t1 - t0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode project(RhxLumped lu, double dt, const PetscScalar *x, PetscScalar *y)
{
  Host *h = (Host *)lu->data;
  const RhxSpace sp = lu->form->space;
  const PetscInt bs = sp->bs, dim = sp->dim;
  const double b = dt / lu->form->rho, tau0 = 0.5 * lu->info.stats.tau; /* half of the bound of tau */
  PetscBool solved;
  PetscFunctionBegin;
  PetscCall(divergence_of(lu, y, x, PETSC_TRUE));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    h->div[i] = -(h->div[i] + h->r[(size_t)i * bs + dim]) / (b + tau0);
    h->dp[i] = dt * h->xdot[(size_t)i * bs + dim]; /* guess: the last increment */
  }
  PetscCall(fixed_pressures(lu, y, x));
  PetscCall(solve(lu, &solved));
  if (!solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormGradient(lu->form, h->dp, h->du));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    const double a = b / lu->mass[i];
    y[(size_t)i * bs + dim] = x[(size_t)i * bs + dim] + h->dp[i];
    for (PetscInt c = 0; c < dim; c++) y[(size_t)i * bs + c] -= a * h->du[(size_t)i * dim + c];
  }
  PetscCall(RhxBoundaryImpose(lu->bc, RHX_BC_VELOCITY | RHX_BC_PRESSURE, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode dissipate(RhxLumped lu, PetscScalar *y)
{
  Host *h = (Host *)lu->data;
  const RhxSpace sp = lu->form->space;
  const PetscInt bs = sp->bs, dim = sp->dim;
  PetscBool solved;
  PetscFunctionBegin;
  PetscCall(divergence_of(lu, y, NULL, PETSC_FALSE));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    h->div[i] *= -lu->form->rho / lu->opt.eps;
    h->dp[i] = y[(size_t)i * bs + dim];
  }
  PetscCall(fixed_pressures(lu, y, NULL));
  PetscCall(solve(lu, &solved));
  if (solved)
    for (PetscInt i = 0; i < sp->nowned; i++) y[(size_t)i * bs + dim] = h->dp[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One Euler step from x (local, ghosts valid) into y (owned). */
static PetscErrorCode euler(RhxLumped lu, double t, double dt, const PetscScalar *x, PetscScalar *y, PetscBool first)
{
  PetscFunctionBegin;
  PetscCall(advance_momentum(lu, t, dt, x, y, first));
  if (lu->opt.pressure == RHX_PRESSURE_PROJECTION)
    PetscCall(project(lu, dt, x, y));
  else
    PetscCall(dissipate(lu, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = (x + z)/2 with z two Euler steps on; the pressure is that of the second. */
static PetscErrorCode heun(RhxLumped lu, double t, double dt)
{
  Host *h = (Host *)lu->data;
  const RhxSpace sp = lu->form->space;
  PetscFunctionBegin;
  PetscCall(euler(lu, t, dt, h->x, h->y, PETSC_TRUE));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, h->y, h->y));
  PetscCall(euler(lu, t + dt, dt, h->y, h->z, PETSC_FALSE));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < sp->bs; c++) {
      const size_t k = (size_t)i * sp->bs + c;
      h->y[k] = c == sp->dim ? h->z[k] : 0.5 * (h->x[k] + h->z[k]);
    }
  PetscCall(RhxBoundarySetTime(lu->bc, t + dt));
  PetscCall(RhxBoundaryImpose(lu->bc, RHX_BC_ALL, h->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest |v|^2 of a field of x, times scale; this rank. */
static double largest_square(RhxLumped lu, const PetscScalar *x, RhxFieldGroup group, PetscInt k, double scale)
{
  const RhxField *f = RhxFieldsGet(lu->form->space->fields, group, k);
  const PetscInt bs = lu->form->space->bs, first = f->offset, n = f->components;
  double largest = 0.0;
  for (PetscInt i = 0; i < lu->form->space->nowned; i++) {
    const PetscScalar *v = x + (size_t)i * bs + first;
    double s = 0.0;
    for (PetscInt c = 0; c < n; c++) s += v[c] * v[c];
    if (s > largest) largest = s;
  }
  return scale * largest;
}

/* Largest |s|^2 of all modes over their moduli. */
static double largest_mode(RhxLumped lu, const PetscScalar *x)
{
  const RhxSpace sp = lu->form->space;
  double largest = 0.0;
  for (PetscInt k = 0; k < sp->nmodes; k++)
    largest = PetscMax(largest, largest_square(lu, x, RHX_GROUP_MODES, k, 1.0 / PetscSqr(lu->form->scale[k])));
  return largest;
}

static PetscErrorCode host_norms(RhxLumped lu, double norm[RHX_NNORMS])
{
  const PetscScalar *x = ((Host *)lu->data)->x;
  PetscFunctionBegin;
  norm[RHX_NORM_VELOCITY] = PetscSqrtReal(largest_square(lu, x, RHX_GROUP_VELOCITY, 0, 1.0));
  norm[RHX_NORM_PRESSURE] = PetscSqrtReal(largest_square(lu, x, RHX_GROUP_PRESSURE, 0, 1.0));
  norm[RHX_NORM_MODES] = PetscSqrtReal(largest_mode(lu, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* xdot = (y - x)/dt, x = y; largest nodal rates of u and of c, and whether all is finite. */
static PetscErrorCode accept(RhxLumped lu, double dt)
{
  Host *h = (Host *)lu->data;
  const RhxSpace sp = lu->form->space;
  const size_t n = (size_t)sp->nowned * sp->bs;
  double m[3] = {0.0, 0.0, 0.0}, sum = 0.0; /* |du/dt|^2, |dc/dt|^2, not finite */
  PetscFunctionBegin;
  for (size_t k = 0; k < n; k++) {
    h->xdot[k] = (h->y[k] - h->x[k]) / dt;
    h->x[k] = h->y[k];
  }
  for (size_t k = 0; k < n; k++) sum += RHX_LOST(h->y[k]); /* not zero: some value is lost */
  if (!(sum == 0.0)) m[2] = 1.0;
  m[0] = largest_square(lu, h->xdot, RHX_GROUP_VELOCITY, 0, 1.0);
  m[1] = largest_mode(lu, h->xdot);
  double all[4] = {m[0], m[1], m[2], lu->info.continuity};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_DOUBLE, MPI_MAX, sp->comm));
  lu->info.du_dt = PetscSqrtReal(all[0]);
  lu->info.ds_dt = PetscSqrtReal(all[1]);
  lu->info.finite = (PetscBool)(all[2] == 0.0);
  lu->info.continuity = all[3];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_step(RhxLumped lu, double t, double dt)
{
  const RhxSpace sp = lu->form->space;
  Host *h = (Host *)lu->data;
  PetscFunctionBegin;
  lu->info.pressure_seconds = 0.0;
  if (lu->form->needs_rate) PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, h->xdot, h->xdot));
  if (lu->opt.stepper == RHX_STEPPER_HEUN)
    PetscCall(heun(lu, t, dt));
  else
    PetscCall(euler(lu, t, dt, h->x, h->y, PETSC_TRUE));
  PetscCall(accept(lu, dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxLumpedSide RhxLumpedHost = {.setup = host_setup,
                                     .destroy = host_destroy,
                                     .load = host_load,
                                     .store = host_store,
                                     .load_rate = host_load_rate,
                                     .store_rate = host_store_rate,
                                     .norms = host_norms,
                                     .rates = host_rates,
                                     .step = host_step};
