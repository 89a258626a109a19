#include "kernels/implicit.h"
#include "petsc_compat.h"
#include "step/device_impl.h"
#include "step/device_momentum_impl.h"
#include "step/numbers_impl.h"

typedef enum {
  PREDICT,
  HOLD,
  BEND,
  RHS,
  END,
  KEEP,
  KEEP_RISE,
  LESS_GRADIENT,
  VELOCITY,
  SUBSCALES,
  OWN_PRODUCT,
  LESS_AROUND,
  LESS_KNOWN,
  ADD_KNOWN,
  NKERNELS
} Kernel;
static const char *const kernel_name[] = {"predict",     "hold",        "bend",          "momentum_rhs", "momentum_end",
                                          "keep",        "keep_rise",   "less_gradient", "velocity",     "subscales",
                                          "own_product", "less_around", "less_known",    "add_known"};

/* Pointers are to device memory. */
struct _p_RhxStepMomentum {
  RhxStepTransport transport;
  RhxDeviceFunction kernel[NKERNELS];
  void *inverse; /* [nlocal] as on the host */
  void *slope, *kept, *ahead, *divergence, *balance[2], *right[2],
      *free_mass; /* of tracked subscales, as on the host; else NULL, and where no pressure rises: */
  void *rise[2], *kept_rise;
  double graded; /* of RhxStepGraded */
};

static PetscErrorCode run(RhxOps ops, Kernel kernel, PetscInt threads, void **arguments)
{
  const RhxStepMomentum mo = ((RhxStepDevice)ops->data)->momentum;
  const unsigned blocks = (unsigned)((threads + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS);
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunchOverlapped(ops->device, mo->kernel[kernel], (RhxLaunch){{blocks}, {RHX_STEP_THREADS}, 0},
                                      arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set-up ---- */

static PetscErrorCode find_kernels(RhxStepMomentum mo)
{
  RhxDeviceProgram program;
  char name[64];
  PetscFunctionBegin;
  PetscCall(RhxStepTransportGetProgram(mo->transport, &program));
  for (int k = 0; k < NKERNELS; k++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "rhx_%s", kernel_name[k]));
    PetscCall(RhxDeviceProgramGetFunction(program, name, &mo->kernel[k]));
    PetscCall(RhxDeviceFunctionPreferShared(mo->kernel[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_subscales(RhxOps ops, RhxStepMomentum mo)
{
  const size_t n = sizeof(double) * (size_t)ops->form->space->nlocal, wide = n * ops->form->space->dim;
  void **const scalar[] = {&mo->kept, &mo->divergence, &mo->balance[0], &mo->balance[1], &mo->right[0], &mo->right[1]};
  void **const open[] = {&mo->rise[0], &mo->rise[1], &mo->kept_rise};
  PetscReal *part;
  PetscFunctionBegin;
  PetscCall(RhxDeviceRequire(ops->device, 2 * wide + 7 * n, "the subscales of implicit momentum"));
  PetscCall(RhxDeviceMalloc(ops->device, wide, "the subscales", &mo->slope));
  PetscCall(RhxDeviceMalloc(ops->device, wide, "the subscales", &mo->ahead));
  PetscCall(RhxDeviceZero(ops->device, mo->ahead, wide));
  PetscCall(PetscMalloc1(ops->form->space->nlocal, &part));
  PetscCall(RhxStepFreeMass(ops, part));
  PetscCall(RhxStepGraded(ops, &mo->graded));
  PetscCall(RhxDeviceUpload(ops->device, part, n, "the subscales", &mo->free_mass));
  PetscCall(PetscFree(part));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(scalar); k++) {
    PetscCall(RhxDeviceMalloc(ops->device, n, "the subscales", scalar[k]));
    PetscCall(RhxDeviceZero(ops->device, *scalar[k], n));
  }
  if (ops->form->open.rise)
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(open); k++)
      PetscCall(RhxDeviceUpload(ops->device, ops->form->open.rise, sizeof(double) * ops->form->open.n, "the subscales",
                                open[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode upload_diameters(RhxOps ops, RhxStepMomentum mo)
{
  const PetscInt n = ops->form->space->nlocal;
  PetscReal *inverse;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &inverse));
  PetscCall(RhxStepInverseDiameter(ops, inverse));
  PetscCall(RhxDeviceUpload(ops->device, inverse, sizeof(*inverse) * n, "implicit momentum", &mo->inverse));
  PetscCall(PetscFree(inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumCreate(RhxOps ops, const char *const *options, RhxStepMomentum *momentum)
{
  RhxStepMomentum mo;
  PetscFunctionBegin;
  PetscCall(PetscNew(momentum));
  mo = *momentum;
  PetscCall(RhxStepTransportCreate(ops, RHX_GROUP_VELOCITY, options, &mo->transport));
  PetscCall(find_kernels(mo));
  PetscCall(upload_diameters(ops, mo));
  if (ops->settings.tracked) PetscCall(make_subscales(ops, mo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumDestroy(RhxOps ops, RhxStepMomentum *momentum)
{
  RhxStepMomentum mo = *momentum;
  PetscFunctionBegin;
  if (!mo) PetscFunctionReturn(PETSC_SUCCESS);
  void *const owned[] = {mo->slope,      mo->kept,     mo->ahead,    mo->divergence, mo->balance[0],
                         mo->balance[1], mo->right[0], mo->right[1], mo->inverse,    mo->free_mass,
                         mo->rise[0],    mo->rise[1],  mo->kept_rise};
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(owned); i++) PetscCall(RhxDeviceFree(ops->device, owned[i]));
  PetscCall(RhxStepTransportDestroy(ops, &mo->transport));
  PetscCall(PetscFree(*momentum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A step ---- */

PetscErrorCode RhxStepMomentumPredict(RhxOps ops, RhxArray x, RhxArray xdot, RhxArray y, RhxArray v)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxSpace sp = ops->form->space;
  int n = (int)sp->nowned, modes = ops->settings.transport ? (int)(sp->nmodes * sp->ntens) : 0;
  PetscFunctionBegin;
  y->zero = v->zero = PETSC_FALSE;
  PetscCall(run(ops, PREDICT, (PetscInt)n * y->width,
                RHX_ARGUMENTS(&n, &modes, &d->clock, &d->given, &x->at, &xdot->at, &y->at, &v->at)));
  if (d->planes) {
    PetscCall(RhxBoundaryDeviceRemoveOdd(d->bc, y->at));
    PetscCall(RhxBoundaryDeviceRemoveNormal(d->bc, v->width, v->at));
  }
  PetscCall(ops->table->ghosts(ops, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumHold(RhxOps ops, RhxArray xdot, RhxArray y, RhxArray z)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nowned;
  PetscFunctionBegin;
  z->zero = PETSC_FALSE;
  PetscCall(run(ops, HOLD, (PetscInt)n * y->width,
                RHX_ARGUMENTS(&n, &d->clock, &d->given, &d->momentum->inverse, &xdot->at, &y->at, &z->at)));
  if (d->planes) PetscCall(RhxBoundaryDeviceRemoveOdd(d->bc, z->at));
  PetscCall(ops->table->ghosts(ops, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumBend(RhxOps ops, double weight, RhxArray xdot, RhxArray before, RhxArray y)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxSpace sp = ops->form->space;
  int n = (int)sp->nowned;
  PetscFunctionBegin;
  PetscCall(run(ops, BEND, (PetscInt)n * sp->dim,
                RHX_ARGUMENTS(&n, &weight, &d->clock, &d->given, &xdot->at, &before->at, &y->at)));
  if (d->planes) PetscCall(RhxBoundaryDeviceRemoveOdd(d->bc, y->at));
  PetscCall(ops->table->ghosts(ops, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumFinish(RhxOps ops)
{
  PetscFunctionBegin;
  ops->result.momentum = RhxStepTransportResult(((RhxStepDevice)ops->data)->momentum->transport);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumSolve(RhxOps ops, RhxArray x, RhxArray start, RhxArray aux, RhxArray r, RhxArray v,
                                    RhxArray y)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMomentum mo = d->momentum;
  RhxTransportVectors vectors = RhxStepTransportGetVectors(mo->transport);
  int n = (int)ops->form->space->nowned;
  const PetscInt dim = ops->form->space->dim;
  double rho = ops->form->rho;
  PetscFunctionBegin;
  PetscCall(ops->table->ghosts(ops, v));
  PetscCall(run(ops, RHS, (PetscInt)d->mass.n * dim,
                RHX_ARGUMENTS(&d->mass, &rho, &d->given, &d->ivolume, &r->at, &v->at, &vectors.b, &d->s)));
  PetscCall(RhxExchangeAdd(d->halo, dim, vectors.b));
  PetscCall(RhxStepTransportKeepFree(ops, mo->transport, NULL, vectors.b));
  PetscCall(RhxStepTransportAssemble(ops, mo->transport, x, aux));
  PetscCall(RhxStepTransportRun(ops, mo->transport));
  y->zero = v->zero = PETSC_FALSE;
  PetscCall(run(ops, END, (PetscInt)n * y->width,
                RHX_ARGUMENTS(&n, &vectors.state, &vectors.solution, &vectors.b, &x->at, &start->at, &y->at, &v->at,
                              &mo->ahead)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Tracked subscales ---- */

static PetscErrorCode keep_rise(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMomentum mo = d->momentum;
  const RhxOpenNodes *open = &ops->form->open;
  int n = (int)open->n;
  PetscFunctionBegin;
  if (!open->rise) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run(ops, KEEP_RISE, n,
                RHX_ARGUMENTS(&n, &d->clock, &d->irho, &mo->graded, &d->s, &mo->rise[1 - ops->key], &mo->kept_rise)));
  PetscCall(RhxDeviceCopy(ops->device, mo->rise[ops->key], open->rise, sizeof(double) * open->n, RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As keep_increment on the host. */
static PetscErrorCode keep_increment(RhxOps ops, RhxArray xdot, RhxArray v)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMomentum mo = d->momentum;
  const RhxOpenNodes *open = &ops->form->open;
  const PetscInt dim = ops->form->space->dim;
  int n = (int)ops->form->space->nowned, nopen = (int)open->n;
  const RhxLaunch over_open = {{(unsigned)((nopen + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS)}, {RHX_STEP_THREADS}, 0};
  PetscFunctionBegin;
  PetscCall(run(ops, KEEP, n, RHX_ARGUMENTS(&n, &d->clock, &d->irho, &mo->graded, &d->s, &xdot->at, &mo->kept)));
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, 1, mo->kept));
  PetscCall(RhxDeviceZero(ops->device, mo->slope, sizeof(double) * (size_t)ops->form->space->nlocal * dim));
  PetscCall(RhxFormDeviceGradient(d->form, mo->kept, mo->slope));
  PetscCall(RhxExchangeAdd(d->halo, dim, mo->slope));
  if (nopen) PetscCall(keep_rise(ops));
  if (nopen)
    PetscCall(RhxDeviceLaunchOverlapped(
        ops->device, d->kernel[RHX_STEP_OPEN], over_open,
        RHX_ARGUMENTS(&nopen, &d->open_node, &d->open_normal, &mo->kept_rise, &mo->kept, &mo->slope)));
  PetscCall(RhxStepTransportKeepFree(ops, mo->transport, NULL, mo->slope));
  PetscCall(run(ops, LESS_GRADIENT, n * dim,
                RHX_ARGUMENTS(&n, &d->clock, &d->irho, &d->imass, &mo->slope, &v->at, &mo->ahead)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D u of the state */
static PetscErrorCode take_divergence(RhxOps ops, RhxArray x)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMomentum mo = d->momentum;
  int n = (int)ops->form->space->nlocal;
  PetscFunctionBegin;
  PetscCall(run(ops, VELOCITY, n * ops->form->space->dim, RHX_ARGUMENTS(&n, &x->at, &mo->slope)));
  PetscCall(RhxDeviceZero(ops->device, mo->balance[ops->key], sizeof(double) * n));
  PetscCall(RhxFormDeviceDivergence(d->form, mo->slope, mo->balance[ops->key]));
  PetscCall(RhxExchangeAdd(d->halo, 1, mo->balance[ops->key]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D (u* - u), less what is known of the increment */
static PetscErrorCode take_ahead(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMomentum mo = d->momentum;
  PetscFunctionBegin;
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, ops->form->space->dim, mo->ahead));
  PetscCall(RhxDeviceZero(ops->device, mo->divergence, sizeof(double) * (size_t)ops->form->space->nlocal));
  PetscCall(RhxFormDeviceDivergence(d->form, mo->ahead, mo->divergence));
  PetscCall(RhxExchangeAdd(d->halo, 1, mo->divergence));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumSubscales(RhxOps ops, RhxArray x, RhxArray xdot, RhxArray r, RhxArray v, RhxArray b)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMomentum mo = d->momentum;
  int n = (int)ops->form->space->nowned;
  void *now = mo->balance[ops->key], *last = mo->balance[1 - ops->key], *right = mo->right[ops->key],
       *before = mo->right[1 - ops->key];
  PetscFunctionBegin;
  if (ops->settings.tracked) PetscCall(keep_increment(ops, xdot, v));
  PetscCall(ops->table->divergence(ops, v, b));
  if (!ops->settings.tracked) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(take_divergence(ops, x));
  PetscCall(take_ahead(ops));
  PetscCall(run(ops, SUBSCALES, n,
                RHX_ARGUMENTS(&n, &d->clock, &d->irho, &mo->graded, &d->s, &x->at, &r->at, &mo->inverse, &mo->free_mass,
                              &d->ivolume, &mo->divergence, &last, &before, &now, &mo->slope, &b->at)));
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, 1, mo->slope));
  PetscCall(run(ops, OWN_PRODUCT, d->mass.n, RHX_ARGUMENTS(&d->mass, &mo->slope, &mo->divergence)));
  PetscCall(RhxExchangeAdd(d->halo, 1, mo->divergence));
  PetscCall(run(ops, LESS_AROUND, n,
                RHX_ARGUMENTS(&n, &d->clock, &d->irho, &mo->graded, &d->s, &before, &mo->divergence, &right, &b->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n numbers of a device to or from every RHX_HANDED-th of the host; node: which, NULL: the first n. */
static PetscErrorCode hand(RhxOps ops, PetscBool give, void *own, PetscInt n, const PetscInt *node, PetscScalar *values)
{
  const size_t size = sizeof(double) * (size_t)n;
  double *copy;
  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &copy));
  for (PetscInt i = 0; i < n && !give; i++) copy[i] = values[(node ? node[i] : i) * RHX_HANDED];
  if (give)
    PetscCall(RhxDeviceCopy(ops->device, copy, own, size, RHX_COPY_TO_HOST));
  else
    PetscCall(RhxDeviceCopy(ops->device, own, copy, size, RHX_COPY_TO_DEVICE));
  PetscCall(RhxDeviceSynchronize(ops->device));
  for (PetscInt i = 0; i < n && give; i++) values[(node ? node[i] : i) * RHX_HANDED] = copy[i];
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumHanded(RhxOps ops, int key, PetscBool give, PetscScalar *values)
{
  const RhxStepMomentum mo = ((RhxStepDevice)ops->data)->momentum;
  const RhxOpenNodes *open = &ops->form->open;
  const PetscInt n = ops->form->space->nowned;
  PetscFunctionBegin;
  PetscCall(hand(ops, give, mo->balance[key], n, NULL, values));
  PetscCall(hand(ops, give, mo->right[key], n, NULL, values + 1));
  if (open->rise) PetscCall(hand(ops, give, mo->rise[key], open->n, open->node, values + 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumLessKnown(RhxOps ops, RhxArray b, RhxArray phi)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nowned;
  PetscFunctionBegin;
  if (!d->momentum || !d->momentum->kept) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run(ops, LESS_KNOWN, n, RHX_ARGUMENTS(&n, &d->given, &d->lift, &d->momentum->kept, &b->at, &phi->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void *RhxStepMomentumKnownRise(RhxOps ops)
{
  const RhxStepMomentum mo = ((RhxStepDevice)ops->data)->momentum;
  return mo ? mo->kept_rise : NULL;
}

PetscErrorCode RhxStepMomentumAddKnown(RhxOps ops, RhxArray phi)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nlocal;
  PetscFunctionBegin;
  if (!d->momentum || !d->momentum->kept) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run(ops, ADD_KNOWN, n, RHX_ARGUMENTS(&n, &d->momentum->kept, &phi->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
