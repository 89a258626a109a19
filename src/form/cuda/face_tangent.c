#include "form/cuda/face_tangent.h"
#include "form/cuda/facepoints.h"
#include "form/cuda/source.h"
#include "space/graph.h"

#define THREADS 64

/* Points of the faces on cells of one type; memory of the device. */
typedef struct {
  PetscInt n, npairs; /* points, pairs of nodes of the matrix */
  RhxFaceEntries entries;
  void *point, *part;             /* part: of products, or derivatives of the tractions */
  void *node, *at, *start, *pair; /* RhxFaceBlocks */
  void *slope;                    /* [n][dim][dim] of the prescribed tractions; NULL: none has one */
  RhxDeviceProgram program;
  RhxDeviceFunction points, sums;
} Type;

struct _p_RhxFaceTangent {
  RhxForm form; /* borrowed, as the device */
  RhxDevice device;
  PetscInt nc; /* components of a column; 0: products */
  PetscInt ntypes;
  Type *type;
  PetscInt slopes; /* which the device has, by form->slopes */
};

/* Where a pair of nodes that share a face's parent stands in the matrix. */
typedef struct {
  PetscInt node, at, entry;
} Pair;

static int by_place(const void *a, const void *b)
{
  const Pair *p = (const Pair *)a, *q = (const Pair *)b;
  if (p->node != q->node) return p->node < q->node ? -1 : 1;
  if (p->at != q->at) return p->at < q->at ? -1 : 1;
  return (p->entry > q->entry) - (p->entry < q->entry);
}

/* Pairs of nodes, each with its entries ascending, so that one thread sums a value. */
static PetscErrorCode upload_pairs(RhxFaceTangent ft, const RhxFacePoints *points, const RhxMatrixMap *map, Type *type)
{
  const RhxNodeGraph graph = {map->n, map->start, map->node};
  const PetscInt nn = points->nn, n = points->n * nn * nn;
  PetscInt *node, *at, *start, *entry, k = 0;
  Pair *pair;
  PetscFunctionBegin;
  PetscCall(PetscMalloc5(n, &pair, n, &node, n, &at, n + 1, &start, n, &entry));
  for (PetscInt e = 0; e < n; e++) {
    const PetscInt row = points->conn[e / nn], col = points->conn[e / (nn * nn) * nn + e % nn];
    pair[e] = (Pair){row, RhxNodeGraphFind(&graph, row, col) - map->start[row], e};
  }
  if (n) qsort(pair, n, sizeof(*pair), by_place);
  for (PetscInt e = 0; e < n; e++) {
    entry[e] = pair[e].entry;
    if (e && pair[e].node == pair[e - 1].node && pair[e].at == pair[e - 1].at) continue;
    node[k] = pair[e].node;
    at[k] = pair[e].at;
    start[k++] = e;
  }
  start[k] = n;
  type->npairs = k;
  PetscCall(RhxDeviceUpload(ft->device, node, sizeof(*node) * k, "the faces' matrix", &type->node));
  PetscCall(RhxDeviceUpload(ft->device, at, sizeof(*at) * k, "the faces' matrix", &type->at));
  PetscCall(RhxDeviceUpload(ft->device, start, sizeof(*start) * (k + 1), "the faces' matrix", &type->start));
  PetscCall(RhxDeviceUpload(ft->device, entry, sizeof(*entry) * n, "the faces' matrix", &type->pair));
  PetscCall(PetscFree5(pair, node, at, start, entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_program(RhxFaceTangent ft, const RhxCells *cells, PetscBool rate, PetscBool source,
                                     const RhxMatrixBlock *block, Type *type)
{
  RhxDeviceSource text;
  PetscFunctionBegin;
  PetscCall(RhxFaceTangentSource(ft->form, cells, rate, source, block, &text));
  PetscCall(RhxDeviceProgramCreate(ft->device, text, &type->program));
  PetscCall(RhxDeviceSourceDestroy(&text));
  PetscCall(RhxFormDeviceSetParameters(ft->form, ft->device, type->program));
  PetscCall(RhxDeviceProgramGetFunction(type->program, block ? "rhx_face_slopes" : "rhx_face_product", &type->points));
  PetscCall(RhxDeviceProgramGetFunction(type->program, block ? "rhx_face_matrix" : "rhx_face_add", &type->sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool has_slopes(RhxForm form)
{
  for (PetscInt k = 0; k < form->nface_terms; k++)
    if (form->face_term[k].slope) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode create_type(RhxFaceTangent ft, const RhxCells *cells, PetscBool rate, PetscBool source,
                                  const RhxMatrixBlock *block, const RhxMatrixMap *map, Type *type)
{
  const PetscInt dim = ft->form->space->dim;
  const size_t width = block ? (size_t)block->nc * dim * (dim + 1) : (size_t)cells->nn * dim;
  RhxFacePoints points;
  PetscInt all;
  PetscFunctionBegin;
  PetscCall(RhxFacePointsCreate(ft->form, ft->device, cells, PETSC_TRUE, &points));
  type->n = points.n;
  type->point = points.point;
  PetscCall(RhxDeviceMalloc(ft->device, sizeof(double) * points.n * width, "the faces' derivatives", &type->part));
  if (has_slopes(ft->form))
    PetscCall(RhxDeviceMalloc(ft->device, sizeof(double) * points.n * dim * dim, "the tractions", &type->slope));
  if (block)
    PetscCall(upload_pairs(ft, &points, map, type));
  else
    PetscCall(RhxFaceEntriesCreate(ft->form, ft->device, &points, &type->entries));
  PetscCall(PetscFree(points.conn));
  PetscCallMPI(MPI_Allreduce(&points.n, &all, 1, MPIU_INT, MPI_SUM, ft->form->comm));
  if (all) PetscCall(create_program(ft, cells, rate, source, block, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFaceTangentCreate(RhxForm form, RhxDevice device, PetscBool rate, PetscBool source,
                                    const RhxMatrixBlock *block, const RhxMatrixMap *map, RhxFaceTangent *out)
{
  RhxFaceTangent ft;
  PetscFunctionBegin;
  PetscCall(PetscNew(&ft));
  *out = ft;
  ft->form = form;
  ft->device = device;
  ft->nc = block ? block->nc : 0;
  ft->ntypes = form->space->ntypes;
  ft->slopes = -1;
  PetscCall(PetscCalloc1(ft->ntypes, &ft->type));
  for (PetscInt t = 0; t < ft->ntypes; t++)
    PetscCall(create_type(ft, &form->space->cells[t], rate, source, block, map, &ft->type[t]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFaceTangentDestroy(RhxFaceTangent *out)
{
  RhxFaceTangent ft = *out;
  PetscFunctionBegin;
  if (!ft) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt t = 0; t < ft->ntypes; t++) {
    Type *type = &ft->type[t];
    void *const owned[] = {type->point, type->part, type->node, type->at, type->start, type->pair, type->slope};
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(owned); k++) PetscCall(RhxDeviceFree(ft->device, owned[k]));
    PetscCall(RhxFaceEntriesDestroy(ft->device, &type->entries));
    PetscCall(RhxFormDeviceDestroyProgram(ft->form, &type->program));
  }
  PetscCall(PetscFree(ft->type));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RhxLaunch launch_of(PetscInt threads)
{
  return (RhxLaunch){{(unsigned)((threads + THREADS - 1) / THREADS)}, {THREADS}, 0};
}

/* Those of the form, where they have changed. */
static PetscErrorCode send_slopes(RhxFaceTangent ft)
{
  const RhxSpace sp = ft->form->space;
  PetscFunctionBegin;
  for (PetscInt t = 0; t < ft->ntypes && ft->slopes != ft->form->slopes; t++) {
    Type *type = &ft->type[t];
    const PetscInt size = sp->dim * sp->dim;
    PetscReal *all;
    if (!type->slope) continue;
    PetscCall(PetscMalloc1(type->n * size, &all));
    PetscCall(RhxFacePointsGather(ft->form, sp->cells[t].type, PETSC_TRUE, RHX_FACE_SLOPE, size, all));
    PetscCall(RhxDeviceCopy(ft->device, type->slope, all, sizeof(*all) * type->n * size, RHX_COPY_TO_DEVICE));
    PetscCall(PetscFree(all));
  }
  ft->slopes = ft->form->slopes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFaceTangentProduct(RhxFaceTangent ft, const RhxMatrixPoint *at, const void *v, const void *a, void *r)
{
  PetscFunctionBegin;
  PetscCall(send_slopes(ft));
  for (PetscInt t = 0; t < ft->ntypes; t++) {
    Type *type = &ft->type[t];
    RhxProductPass pass = {.at = RhxMatrixPassAt(ft->form, at, NULL), .v = v, .a = a};
    RhxFaceNodes nodes = {(int)type->entries.n, 0, type->entries.node, type->entries.start, type->entries.entry};
    pass.at.n = (int)type->n;
    if (!type->n) continue;
    PetscCall(RhxDeviceLaunch(ft->device, type->points, launch_of(type->n),
                              RHX_ARGUMENTS(&pass, &type->point, &type->slope, &type->part)));
    PetscCall(RhxDeviceLaunch(ft->device, type->sums, launch_of(nodes.n * ft->form->space->dim),
                              RHX_ARGUMENTS(&nodes, &type->part, &r)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFaceTangentMatrix(RhxFaceTangent ft, const RhxMatrixPoint *at, const void *start, void *values)
{
  PetscFunctionBegin;
  PetscCall(send_slopes(ft));
  for (PetscInt t = 0; t < ft->ntypes; t++) {
    Type *type = &ft->type[t];
    RhxMatrixPass pass = RhxMatrixPassAt(ft->form, at, NULL);
    RhxFaceBlocks blocks = {.n = (int)type->npairs,
                            .row = start,
                            .node = type->node,
                            .at = type->at,
                            .start = type->start,
                            .entry = type->pair};
    pass.n = (int)type->n;
    if (!type->n) continue;
    PetscCall(RhxDeviceLaunch(ft->device, type->points, launch_of(type->n * ft->nc),
                              RHX_ARGUMENTS(&pass, &type->point, &type->slope, &type->part)));
    PetscCall(RhxDeviceLaunch(ft->device, type->sums, launch_of(type->npairs * ft->form->space->dim * ft->nc),
                              RHX_ARGUMENTS(&blocks, &type->point, &type->part, &values)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
