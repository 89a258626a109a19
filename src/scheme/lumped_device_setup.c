/* Sets up the device side of scheme `lumped`: memory, lists, programs. */
#include "device/kernels.h"
#include "petsc_compat.h"
#include "scheme/lumped_device.h"
#include "space/face.h"

#define FEW_POINTS 1024 /* of the boundary, that one block adds up in no time */
#define HEALTH_BYTES 24 /* RhxHealth of kernels/step.cuh, at most */

static PetscErrorCode upload(RhxLumped lu, const void *host, size_t bytes, const char *what, void **ptr)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceMalloc(lu->device, bytes, what, ptr));
  PetscCall(RhxDeviceCopy(lu->device, *ptr, host, bytes, RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode upload_inverse(RhxLumped lu, const PetscReal *mass, void **ptr)
{
  const PetscInt n = lu->form->space->nlocal;
  double *inverse;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &inverse));
  for (PetscInt i = 0; i < n; i++) inverse[i] = 1.0 / mass[i];
  PetscCall(upload(lu, inverse, sizeof(*inverse) * n, "the mass", ptr));
  PetscCall(PetscFree(inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  char text[5][64];
  const char *list[6];
} StepOptions;

/* Macros of kernels/step.cuh. */
static PetscErrorCode set_options(RhxForm form, StepOptions *o)
{
  const RhxSpace sp = form->space;
  const struct {
    const char *name;
    PetscInt value;
  } macro[] = {{"DIM", sp->dim},
               {"NTENS", sp->ntens},
               {"NMODES", sp->nmodes},
               {"BS", sp->bs},
               {"AS", (PetscInt)form->representation}};
  PetscFunctionBegin;
  for (int i = 0; i < 5; i++) {
    PetscCall(PetscSNPrintf(o->text[i], sizeof(o->text[i]), "-DRHX_%s=%" PetscInt_FMT, macro[i].name, macro[i].value));
    o->list[i] = o->text[i];
  }
  o->list[5] = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeDeviceCompile(RhxForm form, const char *arch, RhxDeviceBinary *binary)
{
  StepOptions options;
  PetscFunctionBegin;
  PetscCall(set_options(form, &options));
  PetscCall(RhxDeviceKernelsCompile(form->comm, arch, "kernels/step.cuh", options.list, binary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_program(RhxLumped lu)
{
  static const char *const names[] = {"begin",   "tick",   "advance", "rhs",    "sum",  "centre",
                                      "average", "finish", "flux",    "report", "norms"};
  RhxStepDevice d = (RhxStepDevice)lu->data;
  StepOptions options;
  char name[64];
  PetscFunctionBegin;
  PetscCall(set_options(lu->form, &options));
  PetscCall(RhxDeviceKernelsCreate(lu->device, "kernels/step.cuh", options.list, &d->program));
  for (int k = 0; k < RHX_STEP_NKERNELS; k++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "rhx_%s", names[k]));
    PetscCall(RhxDeviceProgramGetFunction(d->program, name, &d->kernel[k]));
    PetscCall(RhxDeviceFunctionPreferShared(d->kernel[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Everything that has the size of the mesh, asked for together before anything is taken. */
static PetscErrorCode make_arrays(RhxLumped lu)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  const RhxSpace sp = lu->form->space;
  const size_t n = sizeof(double) * (size_t)sp->nlocal;
  const struct {
    void **at;
    size_t bytes;
    const char *what;
  } array[] = {{&d->x, n * sp->bs, "the state"},
               {&d->y, n * sp->bs, "the new state"},
               {&d->xdot, n * sp->bs, "the rates"},
               {&d->rate, n * sp->bs, "the new rates"},
               {&d->z, lu->opt.stepper == RHX_STEPPER_HEUN ? n * sp->bs : 0, "the second step of Heun"},
               {&d->r, n * sp->bs, "the residual"},
               {&d->aux, n * lu->form->naux, "the projections"},
               {&d->u, n * sp->dim, "a vector field"},
               {&d->b, n, "the pressure"},
               {&d->phi, n, "the pressure"},
               {&d->source, lu->form->source ? n * sp->bs : 0, "the sources"}};
  size_t all = 0;
  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(array); i++) all += array[i].bytes;
  for (PetscInt k = 0; k < sp->ntypes; k++)
    all += (size_t)sp->cells[k].n * sp->cells[k].nn * (sizeof(PetscInt) + sizeof(double) * sp->dim);
  PetscCall(RhxDeviceRequire(lu->device, all, "the state, the mesh and the fields of a step"));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(array); i++) {
    PetscCall(RhxDeviceMalloc(lu->device, array[i].bytes, array[i].what, array[i].at));
    PetscCall(RhxDeviceZero(lu->device, *array[i].at, array[i].bytes));
  }
  d->irho = 1.0 / lu->form->rho;
  PetscCall(upload_inverse(lu, lu->mass, &d->imass));
  PetscCall(upload_inverse(lu, sp->mass, &d->ivolume));
  if (lu->form->source)
    PetscCall(RhxDeviceCopy(lu->device, d->source, lu->form->source, n * sp->bs, RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_scalars(RhxLumped lu)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  const RhxForm form = lu->form;
  double inverse[RHX_MAX_MODES + 1];
  PetscFunctionBegin;
  d->nblocks =
      (int)PetscMax(1, PetscMin(RHX_STEP_MAX_BLOCKS, (form->space->nowned + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS));
  d->chunk = (int)PetscMax(RHX_STEP_LEAST_CHUNK, form->space->nowned / RHX_STEP_FINISH_BLOCKS);
  d->nfinish = (int)PetscMax(1, PetscMin(RHX_STEP_FINISH_BLOCKS, (form->space->nowned + d->chunk - 1) / d->chunk));
  for (PetscInt m = 0; m < form->nmodes; m++) inverse[m] = 1.0 / form->scale[m];
  PetscCall(upload(lu, inverse, sizeof(double) * form->nmodes, "scalars", &d->inverse_scale));
  PetscCall(RhxDeviceMalloc(lu->device, 2 * sizeof(double), "scalars", &d->clock));
  PetscCall(RhxDeviceMalloc(lu->device, RHX_S_SIZE * sizeof(double), "scalars", &d->s));
  PetscCall(RhxDeviceMalloc(lu->device, RHX_NNORMS * sizeof(double), "scalars", &d->norm));
  PetscCall(RhxDeviceZero(lu->device, d->norm, RHX_NNORMS * sizeof(double)));
  PetscCall(RhxDeviceMalloc(lu->device, sizeof(unsigned), "partial results", &d->ticket));
  PetscCall(RhxDeviceZero(lu->device, d->ticket, sizeof(unsigned)));
  PetscCall(RhxDeviceMalloc(lu->device, (size_t)d->nfinish * HEALTH_BYTES, "partial results", &d->health));
  PetscCall(RhxDeviceMalloc(lu->device, 3 * RHX_STEP_MAX_BLOCKS * sizeof(double), "partial results", &d->part));
  PetscCall(RhxDeviceMallocHost(lu->device, 2 * sizeof(double), (void **)&d->host_clock));
  PetscCall(RhxDeviceMallocHost(lu->device, RHX_S_SIZE * sizeof(double), (void **)&d->host_s));
  PetscCall(RhxDeviceMallocHost(lu->device, RHX_STEP_MAX_BLOCKS * sizeof(double), (void **)&d->host_part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The points of all boundary faces, for the fluxes. */
static PetscErrorCode make_flux(RhxLumped lu)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  const RhxSpace sp = lu->form->space;
  const PetscInt nn = (PetscInt)1 << sp->dim;
  PetscInt n = 0, *node;
  double *N, *normal;
  PetscFunctionBegin;
  for (PetscInt k = 0; k < sp->nlabels; k++)
    for (PetscInt g = 0; g < sp->faces[k].ngroups; g++) n += sp->faces[k].group[g].n * sp->faces[k].group[g].nfq;
  PetscCall(PetscMalloc3(n * nn, &node, n * nn, &N, n * sp->dim, &normal));
  for (PetscInt i = 0; i < n * nn; i++) {
    node[i] = -1;
    N[i] = 0.0;
  }
  n = 0;
  for (PetscInt k = 0; k < sp->nlabels; k++)
    for (PetscInt g = 0; g < sp->faces[k].ngroups; g++) {
      const RhxFaceGroup *fg = &sp->faces[k].group[g];
      for (PetscInt f = 0; f < fg->n; f++)
        for (PetscInt q = 0; q < fg->nfq; q++, n++) {
          double v[3];
          RhxFaceNormal(fg, sp->dim, f, q, v);
          for (PetscInt i = 0; i < sp->dim; i++) normal[n * sp->dim + i] = v[i];
          for (PetscInt a = 0; a < fg->nn; a++) {
            node[n * nn + a] = RhxFaceParentNode(fg, f, a);
            N[n * nn + a] = fg->N[q * fg->nn + a];
          }
        }
    }
  d->boundary.n = (int)n;
  d->nflux = n <= FEW_POINTS ? 0 : (int)PetscMin(RHX_STEP_MAX_BLOCKS, (n + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS);
  PetscCall(upload(lu, node, sizeof(*node) * n * nn, "the boundary", &d->boundary.node));
  PetscCall(upload(lu, N, sizeof(*N) * n * nn, "the boundary", &d->boundary.N));
  PetscCall(upload(lu, normal, sizeof(*normal) * n * sp->dim, "the boundary", &d->boundary.normal));
  PetscCall(PetscFree3(node, N, normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each entry with the place of the fixed node's value. */
static PetscErrorCode upload_lift(RhxLumped lu)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  const RhxSpace sp = lu->form->space;
  const RhxPressureLift *lift;
  RhxLiftEntry *entry;
  PetscInt *of, *val, n;
  PetscFunctionBegin;
  PetscCall(RhxPressureGetLift(lu->pressure, &lift));
  n = lift->start[lift->n];
  PetscCall(PetscMalloc3(sp->nowned, &of, sp->nowned, &val, n, &entry));
  PetscCall(RhxBoundaryDeviceGetPressurePlaces(d->bc, val));
  for (PetscInt i = 0; i < sp->nowned; i++) of[i] = -1;
  for (PetscInt k = 0; k < lift->n; k++) of[lift->row[k]] = k;
  for (PetscInt k = 0; k < n; k++)
    entry[k] = (RhxLiftEntry){(int)lift->col[k], (int)val[lift->col[k]], PetscRealPart(lift->val[k])};
  PetscCall(upload(lu, of, sizeof(*of) * sp->nowned, "the pressure", &d->lift.of));
  PetscCall(upload(lu, lift->start, sizeof(PetscInt) * (lift->n + 1), "the pressure", &d->lift.start));
  PetscCall(upload(lu, entry, sizeof(*entry) * n, "the pressure", &d->lift.entry));
  PetscCall(PetscFree3(of, val, entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_pressure(RhxLumped lu)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  const RhxSpace sp = lu->form->space;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetPressureNodes(lu->bc, NULL, NULL, &d->free));
  PetscCall(RhxPressureOnDevice(lu->pressure, &d->on_device, &d->recordable));
  if (!lu->opt.graph) d->recordable = PETSC_FALSE;
  if (!d->on_device)
    PetscCall(PetscCalloc2(sp->nlocal, &d->host_b, sp->nlocal, &d->host_phi));
  else if (!d->free && d->serial)
    PetscCall(upload_lift(lu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceSetUp(RhxLumped lu)
{
  RhxStepDevice d;
  PetscClassId id;
  PetscLogEvent event;
  PetscMPIInt size;
  const PetscBool rate = (PetscBool)(lu->form->needs_rate && lu->opt.rate == RHX_RATE_LAGGED),
                  source = (PetscBool)(lu->form->source != NULL);
  PetscFunctionBegin;
  PetscCall(PetscClassIdRegister("Rheoplex device", &id));
  PetscCall(PetscLogEventRegister("RhxDeviceSetUp", id, &event));
  PetscCall(PetscLogEventBegin(event, 0, 0, 0, 0));
  PetscCall(PetscNew(&d));
  lu->data = d;
  d->values = d->sources = -1;
  PetscCall(make_arrays(lu));
  PetscCall(make_scalars(lu));
  PetscCall(make_flux(lu));
  PetscCall(make_program(lu));
  PetscCall(RhxExchangeCreate(lu->device, lu->form->space->sf, 0, &d->halo));
  PetscCallMPI(MPI_Comm_size(lu->form->comm, &size));
  d->serial = (PetscBool)(size == 1);
  d->reports = (PetscBool)(d->serial && !d->nflux);
  PetscCall(RhxFormDeviceCreate(lu->form, lu->device, rate, source, &d->form));
  PetscCall(RhxFacesDeviceCreate(lu->form, lu->device, rate, source, &d->faces));
  PetscCall(RhxBoundaryDeviceCreate(lu->bc, lu->device, d->program, &d->bc));
  PetscCall(RhxBoundaryDeviceGetGiven(d->bc, &d->given));
  PetscCall(RhxBoundaryDeviceHasPlanes(d->bc, &d->planes));
  PetscCall(make_pressure(lu));
  PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceDestroy(RhxLumped lu)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  void *const owned[] = {d->x,
                         d->rate,
                         d->y,
                         d->z,
                         d->xdot,
                         d->aux,
                         d->r,
                         d->u,
                         d->b,
                         d->phi,
                         d->imass,
                         d->ivolume,
                         d->source,
                         d->clock,
                         d->s,
                         d->health,
                         d->part,
                         d->ticket,
                         d->lift.of,
                         d->lift.start,
                         d->lift.entry,
                         d->boundary.node,
                         d->boundary.N,
                         d->boundary.normal,
                         d->inverse_scale,
                         d->norm};
  for (int k = 0; k < 2; k++) PetscCall(RhxDeviceGraphDestroy(&d->graph[k]));
  for (int k = 0; k < RHX_KEPT_STATES; k++) PetscCall(RhxDeviceFree(lu->device, d->kept[k]));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(owned); i++) PetscCall(RhxDeviceFree(lu->device, owned[i]));
  PetscCall(RhxDeviceFreeHost(lu->device, d->host_clock));
  PetscCall(RhxDeviceFreeHost(lu->device, d->host_s));
  PetscCall(RhxDeviceFreeHost(lu->device, d->host_part));
  PetscCall(PetscFree2(d->host_b, d->host_phi));
  PetscCall(RhxBoundaryDeviceDestroy(&d->bc));
  PetscCall(RhxFacesDeviceDestroy(&d->faces));
  PetscCall(RhxFormDeviceDestroy(&d->form));
  PetscCall(RhxExchangeDestroy(&d->halo));
  PetscCall(RhxDeviceProgramDestroy(&d->program));
  PetscCall(PetscFree(lu->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
