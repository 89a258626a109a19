/* Projections with the consistent mass on a device: C M C a = C b, C the conditions of planes of symmetry, by Chebyshev's iteration
 * (Saad, Iterative methods for sparse linear systems, 2003, algorithm 12.1) preconditioned by the row sums M_l. It needs no sums over
 * nodes, and is linear in b. The eigenvalues of M_l^-1 M are at most 1 and at least those of an element (form/host/mass.c); where
 * elements are so distorted that they are less, more iterations follow. */
#include "device/kernels.h"
#include "form/host/projection.h"
#include "petsc_compat.h"
#include "step/device_impl.h"

#define TOLERANCE 1e-13 /* of the largest residual over M_l: as on the host */
#define MORE 10         /* iterations between later looks */
#define MOST 1000

enum { PRODUCT, BEGIN, STEP, NKERNELS };
static const char *const kernel_name[] = {"rhx_mass_product", "rhx_mass_begin", "rhx_mass_step"};

struct _p_RhxStepProjection {
  RhxDeviceProgram program;
  RhxDeviceFunction kernel[NKERNELS];
  void *r, *d, *y; /* [nlocal][naux] */
  void *size;      /* [2] */
  double low;      /* of the eigenvalues */
  PetscInt first;  /* iterations before the first look */
};

static PetscErrorCode run(RhxOps ops, int kernel, PetscInt threads, void **arguments)
{
  const RhxStepProjection p = ((RhxStepDevice)ops->data)->projection;
  const unsigned blocks = (unsigned)((threads + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS);
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunchOverlapped(ops->device, p->kernel[kernel], (RhxLaunch){{blocks}, {RHX_STEP_THREADS}, 0},
                                      arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const size_t bytes = sizeof(double) * (size_t)ops->form->space->nlocal * ops->form->naux;
  RhxStepProjection p;
  PetscFunctionBegin;
  if (d->projection) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&d->projection));
  p = d->projection;
  PetscCall(RhxDeviceKernelsCreate(ops->device, "kernels/mass.cuh", NULL, &p->program));
  for (int k = 0; k < NKERNELS; k++) PetscCall(RhxDeviceProgramGetFunction(p->program, kernel_name[k], &p->kernel[k]));
  void **const array[] = {&p->r, &p->d, &p->y};
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(array); k++)
    PetscCall(RhxDeviceMalloc(ops->device, bytes, "projections by the consistent mass", array[k]));
  PetscCall(RhxDeviceMalloc(ops->device, 2 * sizeof(double), "projections by the consistent mass", &p->size));
  PetscCall(RhxFormMassLeast(ops->form, &p->low));
  const double root = sqrt(p->low), rate = (1.0 - root) / (1.0 + root); /* of the error, an iteration */
  p->first = (PetscInt)ceil(log(0.5 * TOLERANCE) / log(rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceProjectionDestroy(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxStepProjection p = d->projection;
  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceProgramDestroy(&p->program));
  PetscCall(RhxDeviceFree(ops->device, p->r));
  PetscCall(RhxDeviceFree(ops->device, p->d));
  PetscCall(RhxDeviceFree(ops->device, p->y));
  PetscCall(RhxDeviceFree(ops->device, p->size));
  PetscCall(PetscFree(d->projection));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x += d of the next step; look: its residual is measured. */
static PetscErrorCode step(RhxOps ops, double keep, double length, void *x, PetscBool look)
{
  const RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxStepProjection p = d->projection;
  int width = (int)ops->form->naux, n = (int)ops->form->space->nowned * width;
  void *size = look ? p->size : NULL;
  PetscFunctionBegin;
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, width, p->d));
  PetscCall(run(ops, PRODUCT, (PetscInt)d->mass.n * width, RHX_ARGUMENTS(&d->mass, &width, &p->d, &p->y)));
  PetscCall(RhxExchangeAdd(d->halo, width, p->y));
  PetscCall(RhxBoundaryDeviceImposeAuxiliary(d->bc, p->y));
  PetscCall(run(ops, STEP, n, RHX_ARGUMENTS(&n, &width, &keep, &length, &d->ivolume, &p->y, &p->r, &p->d, &x, &size)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Over all ranks: is the last residual that was measured small, or not a number, as those of a state that is not finite? */
static PetscErrorCode is_small(RhxOps ops, PetscBool *small)
{
  const RhxStepProjection p = ((RhxStepDevice)ops->data)->projection;
  double size[2], largest[2];
  int mine, all;
  PetscFunctionBegin;
  PetscCall(RhxDeviceCopy(ops->device, size, p->size, sizeof(size), RHX_COPY_TO_HOST));
  mine = !(size[0] <= PETSC_MAX_REAL && size[1] <= PETSC_MAX_REAL);
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, ops->form->comm));
  PetscCallMPI(MPI_Allreduce(size, largest, 2, MPI_DOUBLE, MPI_MAX, ops->form->comm));
  *small = (PetscBool)(all || largest[1] <= TOLERANCE * largest[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceSolveProjections(RhxOps ops, RhxArray a)
{
  const RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscBool small = PETSC_FALSE;
  int width, n;
  PetscFunctionBegin;
  PetscCall(create(ops));
  const RhxStepProjection p = d->projection;
  const double middle = 0.5 * (1.0 + p->low), half = 0.5 * (1.0 - p->low), ratio = middle / half;
  double *inside = (double *)p->size + 1, first = 1.0 / middle, rho = 1.0 / ratio;
  width = (int)ops->form->naux;
  n = (int)ops->form->space->nowned * width;
  PetscCall(RhxDeviceZero(ops->device, p->size, 2 * sizeof(double)));
  PetscCall(RhxBoundaryDeviceImposeAuxiliary(d->bc, a->at));
  PetscCall(run(ops, BEGIN, n, RHX_ARGUMENTS(&n, &width, &first, &d->ivolume, &a->at, &p->r, &p->d, &a->at, &p->size)));
  for (PetscInt k = 1; !small; k++) {
    const PetscBool look = (PetscBool)(k >= p->first && (k - p->first) % MORE == 0);
    const double next = 1.0 / (2.0 * ratio - rho);
    PetscCheck(k < MOST, ops->form->comm, PETSC_ERR_NOT_CONVERGED,
               "the projections of the stabilisers were not solved for in %d iterations: are elements of the mesh "
               "distorted?",
               MOST);
    if (look) PetscCall(RhxDeviceZero(ops->device, inside, sizeof(double)));
    PetscCall(step(ops, next * rho, 2.0 * next / half, a->at, look));
    rho = next;
    if (look) PetscCall(is_small(ops, &small));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
