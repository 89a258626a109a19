#include "form/cuda/faces.h"
#include "form/cuda/facepoints.h"
#include "form/cuda/log.h"
#include "form/cuda/source.h"
#include "kernels/pass.h"
#include "petsc_compat.h"

#define FACES "kernels/face.cuh"
#define THREADS 64
#define FEW (4 * THREADS) /* points that one block does in no time */

/* Points of the faces of all terms whose parents are of one cell type. */
typedef struct {
  PetscInt n; /* points */
  RhxFaceEntries entries;
  void *point, *traction, *part;
  PetscReal *host_traction; /* [n][dim], NULL: none is prescribed */
  RhxDeviceProgram program;
  RhxDeviceFunction faces, add;
} Type;

struct _p_RhxFacesDevice {
  RhxForm form; /* borrowed, as the device */
  RhxDevice device;
  PetscInt ntypes;
  Type *type;
  PetscBool rate;
};

static PetscErrorCode count_point(const RhxFaceGroup *group, const RhxFaceTerm *term, PetscInt g, PetscInt f,
                                  PetscInt q, void *ctx)
{
  PetscInt *count = (PetscInt *)ctx; /* points, points with a traction */
  PetscFunctionBegin;
  (void)group;
  (void)g;
  (void)f;
  (void)q;
  count[0]++;
  count[1] += term->traction != NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On all ranks: points, those with a traction. */
static PetscErrorCode count_points(RhxForm form, const RhxCells *cells, PetscInt all[2])
{
  PetscInt count[2] = {0, 0};
  PetscFunctionBegin;
  PetscCall(RhxFacePointsVisit(form, cells->type, PETSC_FALSE, count_point, count));
  PetscCallMPI(MPI_Allreduce(count, all, 2, MPIU_INT, MPI_SUM, form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_type(RhxFacesDevice fd, const RhxCells *cells, PetscBool rate, PetscBool source,
                                  Type *type)
{
  const PetscInt dim = fd->form->space->dim;
  PetscInt all[2];
  RhxFacePoints points;
  RhxDeviceSource text;
  PetscFunctionBegin;
  PetscCall(count_points(fd->form, cells, all));
  if (!all[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFacePointsCreate(fd->form, fd->device, cells, PETSC_FALSE, &points));
  PetscCall(RhxFaceEntriesCreate(fd->form, fd->device, &points, &type->entries));
  type->n = points.n;
  type->point = points.point;
  PetscCall(PetscFree(points.conn));
  PetscCall(RhxDeviceMalloc(fd->device, sizeof(double) * type->n * cells->nn * dim, "the face terms", &type->part));
  if (all[1]) {
    PetscCall(PetscCalloc1(type->n * dim, &type->host_traction));
    PetscCall(RhxDeviceMalloc(fd->device, sizeof(double) * type->n * dim, "the tractions", &type->traction));
  }
  PetscCall(RhxFormDeviceSource(fd->form, cells, rate, source, FACES, &text));
  PetscCall(RhxDeviceProgramCreate(fd->device, text, &type->program));
  PetscCall(RhxDeviceSourceDestroy(&text));
  PetscCall(RhxFormDeviceSetParameters(fd->form, fd->device, type->program));
  PetscCall(RhxDeviceProgramGetFunction(type->program, "rhx_faces", &type->faces));
  PetscCall(RhxDeviceProgramGetFunction(type->program, "rhx_add_faces", &type->add));
  PetscCall(RhxDeviceFunctionPreferShared(type->faces));
  PetscCall(RhxDeviceFunctionPreferShared(type->add));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFacesDeviceCreate(RhxForm form, RhxDevice device, PetscBool rate, PetscBool source,
                                    RhxFacesDevice *faces)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(faces));
  (*faces)->form = form;
  (*faces)->device = device;
  (*faces)->rate = rate;
  (*faces)->ntypes = form->space->ntypes;
  PetscCall(PetscCalloc1(form->space->ntypes, &(*faces)->type));
  for (PetscInt k = 0; k < form->space->ntypes; k++)
    PetscCall(create_type(*faces, &form->space->cells[k], rate, source, &(*faces)->type[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFacesDeviceCompile(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate,
                                     PetscBool source, RhxDeviceBinary *binary)
{
  RhxDeviceSource text;
  PetscInt all[2];
  PetscFunctionBegin;
  PetscCall(count_points(form, cells, all));
  if (!binary && !all[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormDeviceSource(form, cells, rate, source, FACES, &text));
  PetscCall(RhxDeviceCompile(form->comm, arch, text, binary));
  PetscCall(RhxDeviceSourceDestroy(&text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFacesDeviceDestroy(RhxFacesDevice *faces)
{
  PetscFunctionBegin;
  if (!*faces) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < (*faces)->ntypes; k++) {
    Type *type = &(*faces)->type[k];
    void *const owned[] = {type->point, type->traction, type->part};
    PetscCall(RhxFaceEntriesDestroy((*faces)->device, &type->entries));
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(owned); i++) PetscCall(RhxDeviceFree((*faces)->device, owned[i]));
    PetscCall(PetscFree(type->host_traction));
    PetscCall(RhxFormDeviceDestroyProgram((*faces)->form, &type->program));
  }
  PetscCall(PetscFree((*faces)->type));
  PetscCall(PetscFree(*faces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxFacesDeviceGetMirrors(RhxFacesDevice faces, RhxDeviceMirror *mirror)
{
  for (PetscInt k = 0; k < faces->ntypes; k++) {
    const Type *type = &faces->type[k];
    const size_t n = type->traction ? (size_t)type->n * faces->form->space->dim : 0;
    mirror[k] = (RhxDeviceMirror){type->traction, type->host_traction, sizeof(double) * n};
  }
}

PetscErrorCode RhxFacesDeviceUpdate(RhxFacesDevice faces)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < faces->ntypes; k++) {
    Type *type = &faces->type[k];
    const RhxSpace sp = faces->form->space;
    if (!type->traction) continue;
    PetscCall(RhxFacePointsGather(faces->form, sp->cells[k].type, PETSC_FALSE, RHX_FACE_TRACTION, sp->dim,
                                  type->host_traction));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFacesDeviceAdd(RhxFacesDevice faces, const void *clock, const void *x, const void *xdot,
                                 const void *aux, const void *source, void *r)
{
  const RhxPass counted = {.form = faces->form,
                           .rows = RHX_ROWS_ALL,
                           .xdot = faces->rate ? (const PetscScalar *)xdot : NULL,
                           .aux = faces->form->naux ? (const PetscScalar *)aux : NULL};
  PetscFunctionBegin;
  for (PetscInt k = 0; k < faces->ntypes; k++) {
    Type *type = &faces->type[k];
    const RhxFaceEntries *list = &type->entries;
    RhxFaceNodes nodes = {(int)list->n, 0, list->node, list->start, list->entry};
    const unsigned entries = (unsigned)(list->n * faces->form->space->dim);
    const unsigned blocks = type->n <= FEW ? 1 : (unsigned)((type->n + THREADS - 1) / THREADS);
    RhxFacePass pass = {.n = (int)type->n,
                        .x = x,
                        .xdot = xdot,
                        .aux = aux,
                        .source = source,
                        .clock = clock,
                        .rho = faces->form->rho,
                        .convection = faces->form->convection};
    if (!type->n) continue;
    PetscCall(RhxDeviceLaunchOverlapped(faces->device, type->faces, (RhxLaunch){{blocks}, {THREADS}, 0},
                                        RHX_ARGUMENTS(&pass, &type->point, &type->traction, &type->part, &nodes, &r)));
    if (blocks > 1)
      PetscCall(RhxDeviceLaunchOverlapped(faces->device, type->add,
                                          (RhxLaunch){{(entries + THREADS - 1) / THREADS}, {THREADS}, 0},
                                          RHX_ARGUMENTS(&nodes, &type->part, &r)));
  }
  PetscCall(RhxFormDeviceLogPass(&counted, RHX_PASS_FACES, faces->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}
