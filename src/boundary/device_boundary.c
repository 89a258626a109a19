#include "boundary/device_boundary.h"
#include "boundary/drive_impl.h"
#include "boundary/impl.h"

#define THREADS 256 /* of kernels/step.cuh */

/* Nodes on planes of symmetry with what these take away: of vectors their normals (dual NULL), else RhxOddParts. */
typedef struct {
  int nnodes, components;
  void *start, *node, *part, *dual;
} Planes;

struct _p_RhxBoundaryDevice {
  RhxBoundary bc; /* borrowed, as what follows */
  RhxDevice device;
  RhxDeviceFunction impose, push;
  PetscInt nrows, nslots; /* given rows; nodes that have some */
  RhxGiven given;
  RhxInflow inflow;
  RhxFilm film;
  Planes symmetry, aux, shear, tensor, gradient;
  Planes turned; /* of nodes whose rows turn; not sent while there are none */
  void *zero, *velocity, *mode, *vector, *tensors, *gradients,
      *odd;            /* offset 0; of velocity; of modes; in a block of aux; its rows that vanish */
  PetscScalar *values; /* host: [rows] */
  void *rest; /* [nlocal][dim] sources of momentum without the force that keeps a mean velocity; NULL: not sent yet */
  PetscInt kept; /* of which evaluation */
};

/* Parts of a node follow each other. Collective over the device's ranks: what one uploads, all do, those without a node too. */
static PetscErrorCode upload_planes(RhxDevice device, const RhxOddParts *p, PetscBool with_dual, Planes *planes)
{
  PetscInt *start;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->n + 1, &start));
  for (PetscInt i = 0; i < p->n; i++)
    if (!i || p->node[i] != p->node[i - 1]) start[planes->nnodes++] = i;
  start[planes->nnodes] = p->n;
  PetscCall(
      RhxDeviceUpload(device, start, sizeof(*start) * (planes->nnodes + 1), "the boundary conditions", &planes->start));
  PetscCall(RhxDeviceUpload(device, p->node, sizeof(*p->node) * p->n, "the boundary conditions", &planes->node));
  PetscCall(RhxDeviceUpload(device, p->part, sizeof(*p->part) * p->n * p->components, "the boundary conditions",
                            &planes->part));
  if (with_dual)
    PetscCall(RhxDeviceUpload(device, p->dual, sizeof(*p->dual) * p->n * p->components, "the boundary conditions",
                              &planes->dual));
  planes->components = (int)p->components;
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_planes(RhxDevice device, Planes *planes)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceFree(device, planes->start));
  PetscCall(RhxDeviceFree(device, planes->node));
  PetscCall(RhxDeviceFree(device, planes->part));
  PetscCall(RhxDeviceFree(device, planes->dual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RhxOddParts normals(const RhxPlaneNormals *p, PetscInt dim)
{
  return (RhxOddParts){.n = p->n, .node = p->node, .components = dim, .part = p->normal};
}

static PetscErrorCode upload_offsets(RhxDevice device, PetscInt n, const PetscInt *offset, void **to)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceUpload(device, offset, sizeof(*offset) * n, "the boundary conditions", to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode upload_symmetry(RhxBoundaryDevice bd)
{
  const RhxBoundary bc = bd->bc;
  const RhxSpace sp = bc->space;
  const RhxOddParts symmetry = normals(&bc->symmetry, sp->dim), aux = normals(&bc->aux, sp->dim);
  const PetscInt zero = 0, velocity = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  PetscInt *mode;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sp->nmodes, &mode));
  for (PetscInt m = 0; m < sp->nmodes; m++) mode[m] = RhxFieldsStart(sp->fields, RHX_GROUP_MODES) + m * sp->ntens;
  PetscCall(upload_planes(bd->device, &symmetry, PETSC_FALSE, &bd->symmetry));
  PetscCall(upload_planes(bd->device, &aux, PETSC_FALSE, &bd->aux));
  PetscCall(upload_planes(bd->device, &bc->turned.shear, PETSC_TRUE, &bd->shear));
  PetscCall(upload_planes(bd->device, &bc->turned.tensor, PETSC_TRUE, &bd->tensor));
  PetscCall(upload_planes(bd->device, &bc->turned.gradient, PETSC_TRUE, &bd->gradient));
  PetscCall(upload_offsets(bd->device, 1, &zero, &bd->zero));
  PetscCall(upload_offsets(bd->device, 1, &velocity, &bd->velocity));
  PetscCall(upload_offsets(bd->device, sp->nmodes, mode, &bd->mode));
  PetscCall(upload_offsets(bd->device, bc->nvectors, bc->vector, &bd->vector));
  PetscCall(upload_offsets(bd->device, bc->turned.ntensors, bc->turned.tensors, &bd->tensors));
  PetscCall(upload_offsets(bd->device, bc->turned.ngradients, bc->turned.gradients, &bd->gradients));
  PetscCall(upload_offsets(bd->device, bc->nodd, bc->odd, &bd->odd));
  PetscCall(PetscFree(mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values follow each other group by group of fields. */
static PetscErrorCode upload_rows(RhxBoundaryDevice bd)
{
  const RhxSpace sp = bd->bc->space;
  PetscInt *slot, *row;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sp->nowned, &slot));
  for (PetscInt i = 0; i < sp->nowned; i++) slot[i] = -1;
  for (int q = 0; q < RHX_NGROUPS; q++) {
    const RhxFixed *f = &bd->bc->fixed[q];
    for (PetscInt i = 0; i < f->n; i++)
      if (slot[f->idx[i] / sp->bs] < 0) slot[f->idx[i] / sp->bs] = bd->nslots++;
    bd->nrows += f->n;
  }
  PetscCall(PetscMalloc1(bd->nslots * sp->bs, &row));
  for (PetscInt i = 0; i < bd->nslots * sp->bs; i++) row[i] = -1;
  for (PetscInt q = 0, at = 0; q < RHX_NGROUPS; at += bd->bc->fixed[q++].n)
    for (PetscInt i = 0; i < bd->bc->fixed[q].n; i++) {
      const PetscInt idx = bd->bc->fixed[q].idx[i];
      row[slot[idx / sp->bs] * sp->bs + idx % sp->bs] = at + i;
    }
  PetscCall(RhxDeviceUpload(bd->device, slot, sizeof(*slot) * sp->nowned, "the boundary conditions",
                            (void **)&bd->given.slot));
  PetscCall(RhxDeviceUpload(bd->device, row, sizeof(*row) * bd->nslots * sp->bs, "the boundary conditions",
                            (void **)&bd->given.row));
  PetscCall(RhxDeviceMalloc(bd->device, sizeof(double) * bd->nrows, "the boundary values", (void **)&bd->given.val));
  PetscCall(PetscMalloc1(bd->nrows, &bd->values));
  PetscCall(PetscFree(slot));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode upload_inflow(RhxBoundaryDevice bd)
{
  const RhxInflowNodes *in = &bd->bc->inflow;
  const PetscInt dim = bd->bc->space->dim, width = bd->bc->form->nmodes * bd->bc->space->ntens;
  PetscFunctionBegin;
  bd->inflow.n = (int)in->n;
  bd->inflow.width = (int)width;
  PetscCall(RhxDeviceUpload(bd->device, in->node, sizeof(*in->node) * in->n, "the boundary conditions",
                            (void **)&bd->inflow.node));
  PetscCall(RhxDeviceUpload(bd->device, in->normal, sizeof(*in->normal) * in->n * dim, "the boundary conditions",
                            (void **)&bd->inflow.normal));
  PetscCall(
      RhxDeviceMalloc(bd->device, sizeof(double) * in->n * width, "the boundary values", (void **)&bd->inflow.val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode upload_film(RhxBoundaryDevice bd)
{
  const RhxFilmNodes *film = &bd->bc->film;
  const PetscInt width = bd->bc->form->nscalars;
  PetscFunctionBegin;
  bd->film.n = (int)film->n;
  bd->film.width = (int)width;
  PetscCall(RhxDeviceUpload(bd->device, film->node, sizeof(*film->node) * film->n, "the boundary conditions",
                            (void **)&bd->film.node));
  PetscCall(
      RhxDeviceMalloc(bd->device, sizeof(double) * film->n * width, "the boundary values", (void **)&bd->film.value));
  if (film->rubs || film->comes)
    PetscCall(RhxDeviceMalloc(bd->device, sizeof(double) * film->n * width * bd->bc->space->dim, "the boundary values",
                              (void **)&bd->film.slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceCreate(RhxBoundary bc, RhxDevice device, RhxDeviceProgram step, RhxBoundaryDevice *out)
{
  RhxBoundaryDevice bd;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  bd = *out;
  bd->bc = bc;
  bd->device = device;
  PetscCall(RhxDeviceProgramGetFunction(step, "rhx_impose", &bd->impose));
  PetscCall(RhxDeviceFunctionPreferShared(bd->impose));
  PetscCall(RhxDeviceProgramGetFunction(step, "rhx_push", &bd->push));
  bd->kept = -1;
  PetscCall(upload_rows(bd));
  PetscCall(upload_inflow(bd));
  PetscCall(upload_film(bd));
  PetscCall(upload_symmetry(bd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceDestroy(RhxBoundaryDevice *bd)
{
  RhxBoundaryDevice b = *bd;
  PetscFunctionBegin;
  if (!b) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceFree(b->device, (void *)b->given.slot));
  PetscCall(RhxDeviceFree(b->device, (void *)b->given.row));
  PetscCall(RhxDeviceFree(b->device, (void *)b->given.val));
  PetscCall(RhxDeviceFree(b->device, (void *)b->inflow.node));
  PetscCall(RhxDeviceFree(b->device, (void *)b->inflow.normal));
  PetscCall(RhxDeviceFree(b->device, (void *)b->inflow.val));
  PetscCall(RhxDeviceFree(b->device, (void *)b->film.node));
  PetscCall(RhxDeviceFree(b->device, (void *)b->film.value));
  PetscCall(RhxDeviceFree(b->device, (void *)b->film.slope));
  PetscCall(free_planes(b->device, &b->symmetry));
  PetscCall(free_planes(b->device, &b->aux));
  PetscCall(free_planes(b->device, &b->shear));
  PetscCall(free_planes(b->device, &b->tensor));
  PetscCall(free_planes(b->device, &b->gradient));
  PetscCall(free_planes(b->device, &b->turned));
  PetscCall(RhxDeviceFree(b->device, b->rest));
  PetscCall(RhxDeviceFree(b->device, b->zero));
  PetscCall(RhxDeviceFree(b->device, b->velocity));
  PetscCall(RhxDeviceFree(b->device, b->mode));
  PetscCall(RhxDeviceFree(b->device, b->vector));
  PetscCall(RhxDeviceFree(b->device, b->tensors));
  PetscCall(RhxDeviceFree(b->device, b->gradients));
  PetscCall(RhxDeviceFree(b->device, b->odd));
  PetscCall(PetscFree(b->values));
  PetscCall(PetscFree(*bd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxBoundaryDeviceGetMirrors(RhxBoundaryDevice bd, RhxDeviceMirror mirror[RHX_BOUNDARY_MIRRORS])
{
  mirror[0] = (RhxDeviceMirror){(void *)bd->given.val, bd->values, sizeof(double) * bd->nrows};
  mirror[1] = (RhxDeviceMirror){(void *)bd->inflow.val, bd->bc->inflow.val,
                                sizeof(double) * (size_t)bd->inflow.n * bd->inflow.width};
}

PetscErrorCode RhxBoundaryDeviceUpdate(RhxBoundaryDevice bd)
{
  const RhxFixed *f = bd->bc->fixed;
  PetscFunctionBegin;
  for (PetscInt q = 0, at = 0; q < RHX_NGROUPS; at += f[q++].n)
    PetscCall(PetscArraycpy(bd->values + at, f[q].val, f[q].n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceGetGiven(RhxBoundaryDevice bd, RhxGiven *given)
{
  PetscFunctionBegin;
  *given = bd->given;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceGetInflow(RhxBoundaryDevice bd, RhxInflow *inflow)
{
  PetscFunctionBegin;
  *inflow = bd->inflow;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxBoundaryDeviceGetFilm(RhxBoundaryDevice bd, RhxFilm *film, RhxDeviceMirror mirror[2])
{
  const size_t bytes = sizeof(double) * (size_t)bd->film.n * bd->film.width;

  *film = bd->film;
  mirror[0] = (RhxDeviceMirror){(void *)bd->film.value, bd->bc->film.value, bytes};
  mirror[1] =
      (RhxDeviceMirror){(void *)bd->film.slope, bd->bc->film.slope, bd->film.slope ? bytes * bd->bc->space->dim : 0};
}

static PetscErrorCode send_rest(RhxBoundaryDevice bd, const PetscScalar *rest, PetscInt kept)
{
  const size_t bytes = sizeof(*rest) * (size_t)bd->bc->space->nlocal * bd->bc->space->dim;
  PetscFunctionBegin;
  if (!bd->rest) PetscCall(RhxDeviceMalloc(bd->device, PetscMax(bytes, 1), "the sources", &bd->rest));
  PetscCall(RhxDeviceCopy(bd->device, bd->rest, rest, bytes, RHX_COPY_TO_DEVICE));
  bd->kept = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceSources(RhxBoundaryDevice bd, void *source)
{
  const RhxSpace sp = bd->bc->space;
  const PetscScalar *rest = NULL;
  PetscInt kept = -1;
  RhxForce force = {{0.0, 0.0, 0.0}};
  int n = (int)sp->nlocal;
  const unsigned blocks = (unsigned)((n * sp->dim + THREADS - 1) / THREADS);
  PetscFunctionBegin;
  if (bd->bc->drive_force) RhxDriveGetRest(bd->bc, &rest, &kept, force.component);
  if (!rest || kept != bd->kept) {
    PetscCall(RhxDeviceCopy(bd->device, source, bd->bc->form->source, sizeof(PetscScalar) * (size_t)n * sp->bs,
                            RHX_COPY_TO_DEVICE));
    if (rest) PetscCall(send_rest(bd, rest, kept));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxDeviceLaunchOverlapped(bd->device, bd->push, (RhxLaunch){{blocks}, {THREADS}, 0},
                                      RHX_ARGUMENTS(&n, &bd->rest, &force, &source)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceGetPressurePlaces(RhxBoundaryDevice bd, PetscInt *val)
{
  const RhxFixed *f = bd->bc->fixed;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < bd->bc->space->nowned; i++) val[i] = -1;
  for (PetscInt i = 0; i < f[RHX_GROUP_PRESSURE].n; i++)
    val[f[RHX_GROUP_PRESSURE].idx[i] / bd->bc->space->bs] = f[RHX_GROUP_VELOCITY].n + i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceHasPlanes(RhxBoundaryDevice bd, PetscBool *has)
{
  PetscFunctionBegin;
  *has = (PetscBool)(bd->symmetry.nnodes > 0 || bd->shear.nnodes > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* towards: what their parts become, NULL: 0 */
static PetscErrorCode impose(RhxBoundaryDevice bd, int nzero, void *idx, Planes *planes, int nvectors, void *vector,
                             int width, double weight, void *towards, void *x)
{
  const unsigned blocks = (unsigned)((nzero + planes->nnodes + THREADS - 1) / THREADS);
  void **dual = planes->dual ? &planes->dual : &planes->part;
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunchOverlapped(bd->device, bd->impose, (RhxLaunch){{blocks}, {THREADS}, 0},
                                      RHX_ARGUMENTS(&nzero, &idx, &planes->nnodes, &planes->start, &planes->node,
                                                    &planes->components, &planes->part, dual, &nvectors, &vector,
                                                    &width, &weight, &towards, &x)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceRemoveNormal(RhxBoundaryDevice bd, PetscInt width, void *v)
{
  PetscFunctionBegin;
  PetscCall(impose(bd, 0, NULL, &bd->symmetry, 1, bd->zero, (int)width, 1.0, NULL, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceRemoveShear(RhxBoundaryDevice bd, void *v)
{
  PetscFunctionBegin;
  if (bd->shear.nnodes) PetscCall(impose(bd, 0, NULL, &bd->shear, 1, bd->zero, bd->shear.components, 1.0, NULL, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceRemoveOdd(RhxBoundaryDevice bd, void *x)
{
  const RhxSpace sp = bd->bc->space;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryDeviceRemoveNormal(bd, sp->bs, x));
  if (bd->shear.nnodes)
    PetscCall(impose(bd, 0, NULL, &bd->shear, (int)sp->nmodes, bd->mode, (int)sp->bs, 1.0, NULL, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode send_turned(RhxBoundaryDevice bd, RhxOblique oblique)
{
  RhxOddParts p = {.components = bd->bc->space->dim};
  PetscFunctionBegin;
  if (bd->turned.start) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxObliqueGetNormals(oblique, &p.n, &p.node, &p.part));
  PetscCall(upload_planes(bd->device, &p, PETSC_FALSE, &bd->turned));
  PetscCall(PetscFree(p.node));
  PetscCall(PetscFree(p.part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceTurn(RhxBoundaryDevice bd, RhxOblique oblique, void *x, void *f)
{
  const RhxSpace sp = bd->bc->space;
  const PetscInt u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY), s = RhxFieldsStart(sp->fields, RHX_GROUP_MODES);
  const int bs = (int)sp->bs;
  PetscFunctionBegin;
  PetscCall(send_turned(bd, oblique));
  if (bd->turned.nnodes)
    PetscCall(impose(bd, 0, NULL, &bd->turned, 1, bd->velocity, bs, RhxObliqueGetWeight(oblique, u), x, f));
  for (PetscInt m = 0; m < sp->nmodes && bd->shear.nnodes; m++)
    PetscCall(impose(bd, 0, NULL, &bd->shear, 1, (int *)bd->mode + m, bs,
                     RhxObliqueGetWeight(oblique, s + m * sp->ntens), x, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceImposeAuxiliary(RhxBoundaryDevice bd, void *aux)
{
  const RhxBoundary bc = bd->bc;
  const int width = (int)bc->form->naux;
  PetscFunctionBegin;
  PetscCall(impose(bd, (int)bc->nodd, bd->odd, &bd->aux, (int)bc->nvectors, bd->vector, width, 1.0, NULL, aux));
  if (bc->turned.ntensors && bd->tensor.nnodes)
    PetscCall(impose(bd, 0, NULL, &bd->tensor, (int)bc->turned.ntensors, bd->tensors, width, 1.0, NULL, aux));
  if (bc->turned.ngradients && bd->gradient.nnodes)
    PetscCall(impose(bd, 0, NULL, &bd->gradient, (int)bc->turned.ngradients, bd->gradients, width, 1.0, NULL, aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}
