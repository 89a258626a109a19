/* A step as one graph, recorded once and replayed for any t and dt, and the given values that it takes. */
#include "petsc_compat.h"
#include "plugin/event.h"
#include "step/device_impl.h"
#include "step/launches.h"
#include "step/numbers_impl.h"

/* A body asks for the values of t + at dt + more dt. */
typedef struct {
  double at, more;
} Call;

struct _p_RhxStepValues {
  PetscInt version;          /* of the boundary's values that the device has */
  PetscInt nmirrors, ntaken; /* those that a recorded step takes come first: all but fluxes and films of scalars */
  RhxDeviceMirror *mirror;
  size_t bytes;        /* of what is taken */
  PetscInt n, room;    /* calls of the body so far, or of the last one */
  Call *call;          /* [room] */
  PetscInt nsent;      /* calls for which there is memory: */
  char *sent;          /* [nsent][bytes] host memory that the device reaches, what a recorded step takes; or NULL */
  PetscBool timed[2];  /* the graph of the key takes them */
  PetscBool recording; /* one that does */
};

PetscErrorCode RhxStepValuesCreate(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxSpace sp = ops->form->space;
  RhxStepValues v;
  PetscFunctionBegin;
  PetscCall(PetscNew(&d->values));
  v = d->values;
  v->version = -1;
  v->ntaken = RHX_BOUNDARY_MIRRORS + sp->ntypes;
  v->nmirrors = v->ntaken + (d->load ? 3 : 0); /* without load there is no film */
  PetscCall(PetscCalloc1(v->nmirrors, &v->mirror));
  RhxBoundaryDeviceGetMirrors(d->bc, v->mirror);
  RhxFacesDeviceGetMirrors(d->faces, v->mirror + RHX_BOUNDARY_MIRRORS);
  if (d->load) {
    v->mirror[v->ntaken] = (RhxDeviceMirror){d->load, ops->form->load, sizeof(double) * (size_t)sp->nlocal * sp->bs};
    RhxBoundaryDeviceGetFilm(d->bc, &d->film, &v->mirror[v->ntaken + 1]);
  }
  for (PetscInt k = 0; k < v->ntaken; k++) v->bytes += v->mirror[k].bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepValuesDestroy(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  if (!d->values) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceFreeHost(ops->device, d->values->sent));
  PetscCall(PetscFree(d->values->call));
  PetscCall(PetscFree(d->values->mirror));
  PetscCall(PetscFree(d->values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Given values ---- */

/* Those of t in the host memory of the mirrors. */
static PetscErrorCode update(RhxOps ops, double t, PetscInt *version)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  PetscCall(RhxBoundarySetTime(ops->bc, t));
  PetscCall(RhxBoundaryGetVersions(ops->bc, version, NULL));
  if (*version == d->values->version) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFacesDeviceUpdate(d->faces));
  PetscCall(RhxBoundaryDeviceUpdate(d->bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What has not changed stays. */
PetscErrorCode RhxStepDeviceSetTime(RhxOps ops, double t)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepValues v = d->values;
  PetscInt version, sources;
  PetscFunctionBegin;
  PetscCall(update(ops, t, &version));
  PetscCall(RhxBoundaryGetVersions(ops->bc, NULL, &sources));
  for (PetscInt k = 0; k < v->nmirrors && version != v->version; k++)
    PetscCall(RhxDeviceCopy(ops->device, v->mirror[k].to, v->mirror[k].from, v->mirror[k].bytes, RHX_COPY_TO_DEVICE));
  if (d->source && sources != d->sources) PetscCall(RhxBoundaryDeviceSources(d->bc, d->source));
  v->version = version;
  d->sources = sources;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As that of a stage. */
static double time_of(RhxOps ops, const Call *call)
{
  const double t = ops->t + call->at * ops->dt;
  return t + call->more * ops->dt;
}

static PetscErrorCode note_call(RhxStepValues v, double at, double more)
{
  PetscFunctionBegin;
  if (v->n == v->room) {
    v->room = 2 * v->room + 8;
    PetscCall(PetscRealloc(sizeof(*v->call) * v->room, &v->call));
  }
  v->call[v->n++] = (Call){at, more};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the graph being recorded: what the host will have written for the call. */
static PetscErrorCode take(RhxOps ops, PetscInt call)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepValues v = d->values;
  const char *from = v->sent + (size_t)call * v->bytes;
  PetscFunctionBegin;
  PetscCheck(call < v->nsent, ops->form->comm, PETSC_ERR_PLIB, "a step asks for given values more than %d times",
             (int)v->nsent);
  for (PetscInt k = 0; k < v->ntaken; from += v->mirror[k++].bytes) {
    int n = (int)(v->mirror[k].bytes / sizeof(double));
    const unsigned blocks = (unsigned)((n + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS);
    PetscCall(RhxDeviceLaunchOverlapped(ops->device, d->kernel[RHX_STEP_TAKE],
                                        (RhxLaunch){{blocks}, {RHX_STEP_THREADS}, 0},
                                        RHX_ARGUMENTS(&n, &from, &v->mirror[k].to)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceValues(RhxOps ops, double at, double more)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  PetscCall(note_call(d->values, at, more));
  if (!d->recording)
    PetscCall(RhxStepDeviceSetTime(ops, time_of(ops, &d->values->call[d->values->n - 1])));
  else if (d->values->recording)
    PetscCall(take(ops, d->values->n - 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For a graph that takes them: those of all calls. The device has those of the last one in the end. */
static PetscErrorCode send(RhxOps ops)
{
  RhxStepValues v = ((RhxStepDevice)ops->data)->values;
  char *to = v->sent;
  PetscInt version;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < v->nsent; i++) {
    PetscCall(update(ops, time_of(ops, &v->call[i]), &version));
    v->version = version;
    for (PetscInt k = 0; k < v->ntaken; to += v->mirror[k++].bytes)
      PetscCall(PetscMemcpy(to, v->mirror[k].from, v->mirror[k].bytes));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The graph ---- */

static PetscErrorCode begin(RhxOps ops, PetscBool timed)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepValues v = d->values;
  PetscFunctionBegin;
  if (timed && !v->sent) {
    v->nsent = v->n;
    PetscCall(RhxDeviceMallocHost(ops->device, v->bytes * v->nsent, (void **)&v->sent));
  }
  v->n = 0;
  v->recording = timed;
  if (!timed) PetscCall(RhxStepDeviceSetTime(ops, ops->t));
  PetscCall(RhxDeviceGraphBegin(ops->device));
  d->recording = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Records a step if a graph can be one, or once more where its given values do not change any more. The first step of all is not
 * recorded: it tells what values a body asks for. */
static PetscErrorCode record(RhxOps ops, int key, RhxOpsBody body, void *context)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscBool timed;
  PetscErrorCode code;
  char why[256];
  PetscFunctionBegin;
  if ((d->graph[key] && !d->values->timed[key]) || !d->recordable || !d->warm) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryDepends(ops->bc, ops->t, &timed, sizeof(why), why));
  if (why[0] || (d->graph[key] && timed)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceGraphDestroy(&d->graph[key]));
  PetscCall(begin(ops, timed));
  code = body(context);
  d->recording = PETSC_FALSE;
  PetscCall(RhxDeviceGraphEnd(ops->device, &d->graph[key]));
  PetscCall(code);
  d->values->timed[key] = timed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceReplay(RhxOps ops, int key, RhxOpsBody body, void *context)
{
  static RhxEvent event = RHX_EVENT("RhxReplay");
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  RhxStepHistory(ops, key, &d->host_clock->kept, &d->host_clock->known, &d->host_clock->share);
  PetscCall(record(ops, key, body, context));
  if (d->graph[key]) {
    PetscCall(RhxEventBegin(&event));
    if (d->values->timed[key]) PetscCall(send(ops));
    PetscCall(RhxDeviceGraphLaunch(ops->device, d->graph[key]));
    PetscCall(RhxEventEnd(&event));
  } else {
    d->values->n = 0;
    PetscCall(body(context));
    d->warm = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOpsWhyLaunches(RhxOps ops, double t, size_t size, char *why)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscBool timed, loops;
  PetscFunctionBegin;
  PetscCall(RhxDeviceHasLoops(ops->device, &loops));
  if (d->recordable)
    PetscCall(RhxBoundaryDepends(ops->bc, t, &timed, size, why));
  else if (!d->serial)
    snprintf(why, size, "several ranks");
  else if (!loops)
    snprintf(why, size, "loops in graphs need a driver and NVRTC of CUDA 12.4");
  else
    snprintf(why, size, "the pressure's solver is not graph_cg (-pressure_ksp_type)");
  PetscFunctionReturn(PETSC_SUCCESS);
}
