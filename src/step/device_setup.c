/* Sets up the operations on a device: memory, lists, programs. */
#include "device/kernels.h"
#include "form/cuda/momentum.h"
#include "form/cuda/plan.h"
#include "petsc_compat.h"
#include "plugin/event.h"
#include "space/face.h"
#include "step/device_impl.h"
#include "step/numbers_impl.h"

#define FEW_POINTS 1024 /* of the boundary, that one block adds up in no time */

static PetscErrorCode upload_inverse(RhxOps ops, const PetscReal *mass, void **ptr)
{
  const PetscInt n = ops->form->space->nlocal;
  double *inverse;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &inverse));
  for (PetscInt i = 0; i < n; i++) inverse[i] = 1.0 / mass[i];
  PetscCall(RhxDeviceUpload(ops->device, inverse, sizeof(*inverse) * n, "the mass", ptr));
  PetscCall(PetscFree(inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define NOPTIONS (7 + RHX_NOFFSETS)
typedef struct {
  char text[NOPTIONS][64];
  const char *list[NOPTIONS + 1];
} StepOptions;

/* Macros of kernels/step.cuh. */
static PetscErrorCode set_options(RhxForm form, PetscBool modes, PetscBool loops, StepOptions *o)
{
  const RhxSpace sp = form->space;
  RhxOffset macro[NOPTIONS] = {{"RHX_DIM", sp->dim},
                               {"RHX_NTENS", sp->ntens},
                               {"RHX_NMODES", sp->nmodes},
                               {"RHX_NSCALARS", form->nscalars},
                               {"RHX_AS", (PetscInt)form->representation},
                               {"RHX_OF_MODES", modes},
                               {"RHX_WHILE", loops}};
  PetscFunctionBegin;
  RhxFieldsOffsets(sp->fields, macro + NOPTIONS - RHX_NOFFSETS);
  for (int i = 0; i < NOPTIONS; i++) {
    PetscCall(PetscSNPrintf(o->text[i], sizeof(o->text[i]), "-D%s=%" PetscInt_FMT, macro[i].name, macro[i].value));
    o->list[i] = o->text[i];
  }
  o->list[NOPTIONS] = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOpsCompile(RhxForm form, RhxNodalProgram which, PetscBool loops, const char *arch,
                             RhxDeviceBinary *binary)
{
  StepOptions options;
  PetscFunctionBegin;
  PetscCall(set_options(form, (PetscBool)(which == RHX_NODES_MODES), loops, &options));
  PetscCall(RhxDeviceKernelsCompile(
      form->comm, arch, which == RHX_NODES_EXPLICIT ? RHX_STEP_EXPLICIT : RHX_STEP_IMPLICIT, options.list, binary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_program(RhxOps ops)
{
  static const char *const names[] = {"begin",   "stage",   "advance",        "rhs",    "sum",   "centre",
                                      "combine", "finish",  "flux",           "report", "norms", "load",
                                      "pick",    "correct", "tell",           "part",   "open",  "add_mass",
                                      "rise",    "inflow",  "inflow_product", "film",   "take"};
  RhxStepDevice d = (RhxStepDevice)ops->data;
  StepOptions options;
  char name[64];
  PetscFunctionBegin;
  PetscCall(set_options(ops->form, PETSC_FALSE, PETSC_FALSE, &options));
  PetscCall(RhxDeviceKernelsCreate(ops->device, RHX_STEP_EXPLICIT, options.list, &d->program));
  for (int k = 0; k < RHX_STEP_NKERNELS; k++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "rhx_%s", names[k]));
    PetscCall(RhxDeviceProgramGetFunction(d->program, name, &d->kernel[k]));
    PetscCall(RhxDeviceFunctionPreferShared(d->kernel[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceAllocate(RhxOps ops, RhxArray a)
{
  const size_t bytes = sizeof(double) * (size_t)ops->form->space->nlocal * a->width;
  PetscFunctionBegin;
  PetscCall(RhxDeviceMalloc(ops->device, bytes, a->what, &a->at));
  PetscCall(RhxDeviceZero(ops->device, a->at, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the coefficients of rates; 0: a component has none. */
static PetscErrorCode send_coefficients(RhxOps ops)
{
  const RhxSpace sp = ops->form->space;
  double *inverse;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(sp->bs, &inverse));
  for (const RhxField *f = sp->field; f < sp->field + sp->nfields; f++)
    for (PetscInt c = 0; f->mass != 0.0 && c < f->components; c++) inverse[f->offset + c] = 1.0 / f->mass;
  PetscCall(RhxDeviceCopy(ops->device, ((RhxStepDevice)ops->data)->per_rate, inverse, sizeof(*inverse) * sp->bs,
                          RHX_COPY_TO_DEVICE));
  PetscCall(PetscFree(inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode send_scales(RhxOps ops)
{
  const RhxForm form = ops->form;
  double inverse[RHX_MAX_MODES + RHX_MAX_SCALARS];
  PetscFunctionBegin;
  for (PetscInt m = 0; m < form->nmodes; m++) inverse[m] = 1.0 / form->scale[m];
  for (PetscInt k = 0; k < form->nscalars; k++) inverse[form->nmodes + k] = 1.0 / form->scalar[k].set.scale;
  PetscCall(RhxDeviceCopy(ops->device, ((RhxStepDevice)ops->data)->inverse_scale, inverse,
                          sizeof(double) * (form->nmodes + form->nscalars), RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceTakeParameters(RhxOps ops)
{
  PetscFunctionBegin;
  ((RhxStepDevice)ops->data)->irho = 1.0 / ops->form->rho;
  PetscCall(send_coefficients(ops));
  PetscCall(send_scales(ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Everything that has the size of the mesh, asked for together before anything is taken. */
static PetscErrorCode make_arrays(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxSpace sp = ops->form->space;
  const size_t n = sizeof(double) * (size_t)sp->nlocal, source = ops->form->source ? n * sp->bs : 0,
               load = ops->form->load ? n * sp->bs : 0;
  size_t all = source + load;
  PetscFunctionBegin;
  for (RhxArray a = ops->arrays; a; a = a->next) all += n * a->width;
  if (ops->form->consistent.graph.start) {
    const RhxNodeGraph *graph = &ops->form->consistent.graph;
    all += graph->start[graph->n] * (sizeof(PetscInt) + sizeof(double)) + 2 * n * ops->form->naux;
  }
  for (PetscInt k = 0; k < sp->ntypes; k++)
    all += (size_t)sp->cells[k].n * sp->cells[k].nn * (sizeof(PetscInt) + sizeof(double) * sp->dim);
  PetscCall(RhxDeviceRequire(ops->device, all, "the state, the mesh and the fields of a step"));
  for (RhxArray a = ops->arrays; a; a = a->next) PetscCall(RhxStepDeviceAllocate(ops, a));
  PetscCall(RhxDeviceMalloc(ops->device, source, "the sources", &d->source));
  PetscCall(RhxDeviceMalloc(ops->device, load, "the fluxes", &d->load));
  if (source) PetscCall(RhxDeviceCopy(ops->device, d->source, ops->form->source, source, RHX_COPY_TO_DEVICE));
  PetscCall(upload_inverse(ops, ops->mass, &d->imass));
  PetscCall(upload_inverse(ops, sp->mass, &d->ivolume));
  PetscCall(RhxDeviceMalloc(ops->device, sizeof(double) * sp->bs, "the mass", &d->per_rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_scalars(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxForm form = ops->form;
  PetscFunctionBegin;
  d->nblocks =
      (int)PetscMax(1, PetscMin(RHX_STEP_MAX_BLOCKS, (form->space->nowned + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS));
  d->chunk = (int)PetscMax(RHX_STEP_LEAST_CHUNK, form->space->nowned / RHX_STEP_FINISH_BLOCKS);
  d->nfinish = (int)PetscMax(1, PetscMin(RHX_STEP_FINISH_BLOCKS, (form->space->nowned + d->chunk - 1) / d->chunk));
  PetscCall(
      RhxDeviceMalloc(ops->device, sizeof(double) * (form->nmodes + form->nscalars), "scalars", &d->inverse_scale));
  PetscCall(RhxDeviceMalloc(ops->device, sizeof(RhxClock), "scalars", &d->clock));
  PetscCall(RhxDeviceMalloc(ops->device, RHX_S_SIZE * sizeof(double), "scalars", &d->s));
  PetscCall(RhxDeviceMalloc(ops->device, RHX_NNORMS * sizeof(double), "scalars", &d->norm));
  PetscCall(RhxDeviceZero(ops->device, d->norm, RHX_NNORMS * sizeof(double)));
  PetscCall(RhxDeviceMalloc(ops->device, sizeof(unsigned), "partial results", &d->ticket));
  PetscCall(RhxDeviceZero(ops->device, d->ticket, sizeof(unsigned)));
  PetscCall(RhxDeviceMalloc(ops->device, (size_t)d->nfinish * sizeof(RhxHealth), "partial results", &d->health));
  PetscCall(RhxDeviceMalloc(ops->device, 3 * RHX_STEP_MAX_BLOCKS * sizeof(double), "partial results", &d->part));
  PetscCall(RhxDeviceMallocHost(ops->device, sizeof(RhxClock), (void **)&d->host_clock));
  PetscCall(RhxDeviceMallocHost(ops->device, RHX_S_SIZE * sizeof(double), (void **)&d->host_s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The points of all boundary faces, for the fluxes. */
static PetscErrorCode make_flux(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxSpace sp = ops->form->space;
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
  PetscCall(RhxDeviceUpload(ops->device, node, sizeof(*node) * n * nn, "the boundary", (void **)&d->boundary.node));
  PetscCall(RhxDeviceUpload(ops->device, N, sizeof(*N) * n * nn, "the boundary", (void **)&d->boundary.N));
  PetscCall(RhxDeviceUpload(ops->device, normal, sizeof(*normal) * n * sp->dim, "the boundary",
                            (void **)&d->boundary.normal));
  PetscCall(PetscFree3(node, N, normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each entry with the place of the fixed node's value. */
static PetscErrorCode upload_lift(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxSpace sp = ops->form->space;
  const RhxPressureLift *lift;
  RhxLiftEntry *entry;
  PetscInt *of, *val, n;
  PetscFunctionBegin;
  PetscCall(RhxPressureGetLift(ops->pressure, &lift));
  n = lift->start[lift->n];
  PetscCall(PetscMalloc3(sp->nowned, &of, sp->nowned, &val, n, &entry));
  PetscCall(RhxBoundaryDeviceGetPressurePlaces(d->bc, val));
  for (PetscInt i = 0; i < sp->nowned; i++) of[i] = -1;
  for (PetscInt k = 0; k < lift->n; k++) of[lift->row[k]] = k;
  for (PetscInt k = 0; k < n; k++)
    entry[k] = (RhxLiftEntry){(int)lift->col[k], (int)val[lift->col[k]], PetscRealPart(lift->val[k])};
  PetscCall(RhxDeviceUpload(ops->device, of, sizeof(*of) * sp->nowned, "the pressure", (void **)&d->lift.of));
  PetscCall(RhxDeviceUpload(ops->device, lift->start, sizeof(PetscInt) * (lift->n + 1), "the pressure",
                            (void **)&d->lift.start));
  PetscCall(RhxDeviceUpload(ops->device, entry, sizeof(*entry) * n, "the pressure", (void **)&d->lift.entry));
  PetscCall(PetscFree3(of, val, entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_mass(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxForm form = ops->form;
  const RhxNodeGraph *graph = &form->consistent.graph;
  const size_t n = graph->start ? graph->start[graph->n] : 0,
               projected = form->corrections ? sizeof(double) * form->space->nlocal * form->naux : 0;
  PetscFunctionBegin;
  if (!graph->start) PetscFunctionReturn(PETSC_SUCCESS);
  d->mass.n = (int)graph->n;
  d->mass.nowned = (int)form->space->nowned;
  PetscCall(RhxDeviceUpload(ops->device, graph->start, sizeof(PetscInt) * (graph->n + 1), "the consistent mass",
                            (void **)&d->mass.start));
  PetscCall(
      RhxDeviceUpload(ops->device, graph->node, sizeof(PetscInt) * n, "the consistent mass", (void **)&d->mass.node));
  PetscCall(RhxDeviceUpload(ops->device, form->consistent.value, sizeof(double) * n, "the consistent mass",
                            (void **)&d->mass.value));
  PetscCall(
      RhxDeviceUpload(ops->device, form->correction, sizeof(PetscInt) * form->naux, "the projections", &d->correction));
  for (int k = 0; k < 2; k++) PetscCall(RhxDeviceMalloc(ops->device, projected, "the projections", &d->projected[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A free pressure's mean over all ranks, of what their blocks add up. */
static PetscErrorCode make_means(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const MPI_Comm comm = ops->form->comm;
  PetscMPIInt size, total = 0;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMalloc2(size, &d->count, size, &d->first));
  PetscCallMPI(MPI_Allgather(&d->nblocks, 1, MPI_INT, d->count, 1, MPI_INT, comm));
  for (PetscMPIInt k = 0; k < size; k++) {
    d->first[k] = total;
    total += d->count[k];
  }
  PetscCall(RhxLinkGet(ops->device, comm, &d->link));
  PetscCall(RhxLinkMalloc(d->link, sizeof(double) * total, "partial results", &d->sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_pressure(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxSpace sp = ops->form->space;
  const RhxOpenNodes *open = &ops->form->open;
  PetscReal *diagonal;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetPressureNodes(ops->bc, NULL, NULL, &d->free));
  PetscCall(RhxDeviceUpload(ops->device, open->node, sizeof(*open->node) * open->n, "the pressure", &d->open_node));
  PetscCall(RhxDeviceUpload(ops->device, open->normal, sizeof(*open->normal) * open->n * sp->dim, "the pressure",
                            &d->open_normal));
  PetscCall(PetscMalloc1(open->n + 1, &diagonal));
  for (PetscInt i = 0; i < open->n; i++) diagonal[i] = RhxStepOpenPart(ops) * open->diagonal[i];
  PetscCall(RhxDeviceUpload(ops->device, diagonal, sizeof(*diagonal) * open->n, "the pressure", &d->open_diagonal));
  PetscCall(PetscFree(diagonal));
  if (open->rise)
    PetscCall(RhxDeviceUpload(ops->device, open->rise, sizeof(*open->rise) * open->n, "the pressure", &d->rise));
  if (!ops->pressure) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxPressureOnDevice(ops->pressure, &d->on_device, &d->recordable));
  if (!ops->settings.recordable) d->recordable = PETSC_FALSE;
  if (!d->on_device)
    PetscCall(PetscCalloc2(sp->nlocal, &d->host_b, sp->nlocal, &d->host_phi));
  else if (d->free && !d->serial)
    PetscCall(make_means(ops));
  else if (!d->free && d->serial)
    PetscCall(upload_lift(ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_momentum(RhxOps ops)
{
  StepOptions options;
  PetscBool loops;
  PetscFunctionBegin;
  PetscCall(RhxDeviceHasLoops(ops->device, &loops));
  PetscCall(set_options(ops->form, PETSC_FALSE, loops, &options));
  PetscCall(RhxStepMomentumCreate(ops, options.list, &((RhxStepDevice)ops->data)->momentum));
  if (!ops->settings.transport) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(set_options(ops->form, PETSC_TRUE, loops, &options));
  PetscCall(RhxStepTransportCreate(ops, RHX_GROUP_MODES, options.list, &((RhxStepDevice)ops->data)->polymer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compile_group(RhxForm form, RhxFieldGroup group, PetscBool loops, const char *arch)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->space->ntypes; k++)
    PetscCall(RhxFormMomentumCompile(form, group, &form->space->cells[k], arch, NULL));
  PetscCall(RhxOpsCompile(form, group == RHX_GROUP_MODES ? RHX_NODES_MODES : RHX_NODES_VELOCITY, loops, arch, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool takes_rate(RhxOps ops) { return (PetscBool)(ops->form->needs_rate && ops->settings.strong_rate); }

/* Those of the elements last: with few cores they are compiled where they are asked for. */
PetscErrorCode RhxStepDeviceBegin(RhxOps ops)
{
  const RhxForm form = ops->form;
  const PetscBool rate = takes_rate(ops), source = (PetscBool)(form->source != NULL);
  char arch[RHX_DEVICE_ARCH];
  PetscBool loops;
  PetscFunctionBegin;
  PetscCall(RhxDeviceGetArch(ops->device, arch));
  PetscCall(RhxDeviceHasLoops(ops->device, &loops));
  for (PetscInt k = 0; k < form->space->ntypes; k++)
    PetscCall(RhxFacesDeviceCompile(form, &form->space->cells[k], arch, rate, source, NULL));
  PetscCall(RhxOpsCompile(form, RHX_NODES_EXPLICIT, PETSC_FALSE, arch, NULL));
  if (ops->settings.implicit) PetscCall(compile_group(form, RHX_GROUP_VELOCITY, loops, arch));
  if (ops->settings.transport) PetscCall(compile_group(form, RHX_GROUP_MODES, loops, arch));
  PetscCall(RhxElementPlansBegin(form, arch, rate, source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceSetUp(RhxOps ops)
{
  RhxStepDevice d;
  static RhxEvent event = RHX_EVENT("RhxDeviceSetUp");
  PetscMPIInt size;
  const PetscBool rate = takes_rate(ops), source = (PetscBool)(ops->form->source != NULL);
  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&event));
  PetscCall(PetscNew(&d));
  ops->data = d;
  d->sources = -1;
  PetscCall(make_arrays(ops));
  PetscCall(make_scalars(ops));
  PetscCall(RhxStepDeviceTakeParameters(ops));
  PetscCall(make_flux(ops));
  PetscCall(RhxExchangeCreate(ops->device, ops->form->space->sf, 0, &d->halo));
  PetscCallMPI(MPI_Comm_size(ops->form->comm, &size));
  d->serial = (PetscBool)(size == 1);
  d->reports = (PetscBool)(d->serial && !d->nflux);
  PetscCall(RhxFormDeviceCreate(ops->form, ops->device, rate, source, &d->form));
  PetscCall(make_program(ops));
  PetscCall(RhxFacesDeviceCreate(ops->form, ops->device, rate, source, &d->faces));
  PetscCall(RhxBoundaryDeviceCreate(ops->bc, ops->device, d->program, &d->bc));
  PetscCall(RhxBoundaryDeviceGetGiven(d->bc, &d->given));
  PetscCall(RhxBoundaryDeviceGetInflow(d->bc, &d->inflow));
  PetscCall(RhxBoundaryDeviceHasPlanes(d->bc, &d->planes));
  PetscCall(RhxStepValuesCreate(ops));
  PetscCall(make_mass(ops));
  PetscCall(make_pressure(ops));
  if (ops->settings.implicit) PetscCall(make_momentum(ops));
  PetscCall(RhxFormSetNodalGradient(ops->form, RhxStepDeviceNodalGradient, ops));
  PetscCall(RhxEventEnd(&event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDevicePicked(RhxOps ops, IS nodes, int width, RhxPicked *picked)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const PetscInt *node;
  PetscObjectId id;
  PetscInt n;
  RhxPicked p = d->picked;
  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)nodes, &id));
  while (p && p->id != id) p = p->next;
  if (!p) {
    PetscCall(ISGetLocalSize(nodes, &n));
    PetscCall(PetscNew(&p));
    *p = (struct RhxPicked_s){.id = id, .n = (int)n, .next = d->picked};
    d->picked = p;
    PetscCall(ISGetIndices(nodes, &node));
    PetscCall(RhxDeviceUpload(ops->device, node, sizeof(*node) * n, "a list of nodes", &p->node));
    PetscCall(ISRestoreIndices(nodes, &node));
  }
  if (p->width < width) {
    PetscCall(RhxDeviceFree(ops->device, p->value));
    PetscCall(RhxDeviceMalloc(ops->device, sizeof(double) * (size_t)p->n * width, "values of nodes", &p->value));
    p->width = width;
  }
  *picked = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode forget_picked(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  for (RhxPicked p = d->picked, next; p; p = next) {
    next = p->next;
    PetscCall(RhxDeviceFree(ops->device, p->node));
    PetscCall(RhxDeviceFree(ops->device, p->value));
    PetscCall(PetscFree(p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceDestroy(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  void *const owned[] = {d->imass,
                         d->per_rate,
                         d->ivolume,
                         d->source,
                         d->clock,
                         d->s,
                         d->health,
                         d->part,
                         d->ticket,
                         (void *)d->lift.of,
                         (void *)d->lift.start,
                         (void *)d->lift.entry,
                         (void *)d->boundary.node,
                         (void *)d->boundary.N,
                         (void *)d->boundary.normal,
                         d->inverse_scale,
                         d->norm,
                         d->packed,
                         d->load,
                         (void *)d->mass.start,
                         (void *)d->mass.node,
                         (void *)d->mass.value,
                         d->correction,
                         d->projected[0],
                         d->projected[1],
                         d->tangent_clock,
                         d->rest,
                         d->open_node,
                         d->open_normal,
                         d->open_diagonal,
                         d->rise,
                         d->nodal_part,
                         d->slope[0],
                         d->slope[1]};
  PetscCall(RhxFormSetNodalGradient(ops->form, NULL, NULL));
  for (int k = 0; k < 2; k++) PetscCall(RhxDeviceGraphDestroy(&d->graph[k]));
  for (RhxArray a = ops->arrays; a; a = a->next) PetscCall(RhxDeviceFree(ops->device, a->at));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(owned); i++) PetscCall(RhxDeviceFree(ops->device, owned[i]));
  PetscCall(forget_picked(ops));
  PetscCall(RhxDeviceFreeHost(ops->device, d->host_clock));
  PetscCall(RhxDeviceFreeHost(ops->device, d->host_s));
  if (d->link) PetscCall(RhxLinkFree(d->link, d->sums));
  if (d->link) PetscCall(RhxLinkRestore(&d->link));
  PetscCall(PetscFree2(d->count, d->first));
  PetscCall(PetscFree2(d->host_b, d->host_phi));
  PetscCall(RhxBoundaryDeviceDestroy(&d->bc));
  PetscCall(RhxFacesDeviceDestroy(&d->faces));
  PetscCall(RhxFormDeviceDestroy(&d->form));
  PetscCall(RhxStepMomentumDestroy(ops, &d->momentum));
  PetscCall(RhxStepTransportDestroy(ops, &d->polymer));
  PetscCall(RhxStepDeviceProjectionDestroy(ops));
  PetscCall(RhxStepValuesDestroy(ops));
  PetscCall(RhxFormMatrixDestroy(&d->tangent));
  PetscCall(RhxFormProductDestroy(&d->product));
  PetscCall(RhxFormTotalsDestroy(&d->totals));
  PetscCall(RhxExchangeDestroy(&d->halo));
  PetscCall(RhxDeviceProgramDestroy(&d->program));
  PetscCall(RhxDeviceProgramDestroy(&d->nodal));
  PetscCall(PetscFree(ops->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
