#include "form/cuda/faces.h"
#include "form/cuda/log.h"
#include "form/cuda/source.h"
#include "kernels/geometry.h"
#include "kernels/pass.h"
#include "petsc_compat.h"
#include "space/face.h"

#define FACES "kernels/face.cuh"
#define THREADS 64
#define FEW (4 * THREADS) /* points that one block does in no time */

/* Points of the faces of all terms whose parents are of one cell type. */
typedef struct {
  PetscInt n, nn; /* points, nodes of the parent */
  PetscInt nnodes;
  void *point, *traction, *part, *node, *start, *entry;
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

/* Where the parts of a record lie, a point of faces on cells of nn nodes. */
typedef struct {
  PetscInt nn, dim;
  size_t size, N, dN, x, n, g, ih2, w, backflow, node, form;
} Record;

#define RECORD(NN, DIM)                                                                                       \
  {                                                                                                           \
    NN, DIM, sizeof(P##NN##DIM), offsetof(P##NN##DIM, N), offsetof(P##NN##DIM, dN), offsetof(P##NN##DIM, x),  \
        offsetof(P##NN##DIM, n), offsetof(P##NN##DIM, g), offsetof(P##NN##DIM, ih2), offsetof(P##NN##DIM, w), \
        offsetof(P##NN##DIM, backflow), offsetof(P##NN##DIM, node), offsetof(P##NN##DIM, form)                \
  }
typedef RHX_FACE_POINT(3, 2) P32;
typedef RHX_FACE_POINT(4, 2) P42;
typedef RHX_FACE_POINT(4, 3) P43;
typedef RHX_FACE_POINT(8, 3) P83;

static const Record *record_of(PetscInt nn, PetscInt dim)
{
  static const Record all[] = {RECORD(3, 2), RECORD(4, 2), RECORD(4, 3), RECORD(8, 3)};
  const Record *r = all;
  while (r->nn != nn || r->dim != dim) r++;
  return r;
}

static void put(char *to, const double *v, PetscInt n) { memcpy(to, v, sizeof(double) * n); }

/* One point: position, gradients in space, metric, unit normal; returns area times weight. */
static double point_geometry(const RhxFaceGroup *g, PetscInt dim, PetscInt f, PetscInt q, double *x, double *dN,
                             double *normal, double *metric, double *ih2)
{
  const PetscReal *N = g->N + q * g->nn, *dNr = g->dN + (size_t)q * g->nn * dim;
  const PetscReal *at = g->x + (size_t)(f / RHX_LANES) * g->nn * dim * RHX_LANES + f % RHX_LANES;
  double J[3][3] = {{0}}, Ji[3][3], G[3][3], area, n[3];
  for (PetscInt i = 0; i < dim; i++) {
    x[i] = 0.0;
    for (PetscInt a = 0; a < g->nn; a++) {
      const double v = at[(a * dim + i) * RHX_LANES];
      x[i] += N[a] * v;
      for (PetscInt j = 0; j < dim; j++) J[i][j] += v * dNr[a * dim + j];
    }
  }
  rhx_invert(dim, J, Ji);
  for (PetscInt a = 0; a < g->nn; a++) rhx_to_space(dim, Ji, dNr + a * dim, dN + a * dim);
  *ih2 = rhx_metric(dim, g->nn == dim + 1, Ji, g->metric, 1.0, G) / (4.0 * dim);
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) metric[i * dim + j] = G[i][j];
  area = RhxFaceNormal(g, dim, f, q, n);
  for (PetscInt i = 0; i < dim; i++) normal[i] = n[i] / area;
  return area;
}

static void put_point(const RhxFaceGroup *g, PetscInt dim, const RhxFaceTerm *term, PetscInt f, PetscInt q, char *to,
                      PetscInt *conn)
{
  const Record *r = record_of(g->nn, dim);
  const int kind = (int)term->form;
  double x[3], dN[24], normal[3], metric[9], ih2, w;
  w = point_geometry(g, dim, f, q, x, dN, normal, metric, &ih2);
  put(to + r->N, g->N + q * g->nn, g->nn);
  put(to + r->dN, dN, g->nn * dim);
  put(to + r->x, x, dim);
  put(to + r->n, normal, dim);
  put(to + r->g, metric, dim * dim);
  put(to + r->ih2, &ih2, 1);
  put(to + r->w, &w, 1);
  put(to + r->backflow, &term->backflow, 1);
  for (PetscInt a = 0; a < g->nn; a++) {
    conn[a] = RhxFaceParentNode(g, f, a);
    memcpy(to + r->node + sizeof(int) * a, &conn[a], sizeof(int));
  }
  memcpy(to + r->form, &kind, sizeof(kind));
}

typedef PetscErrorCode (*VisitFn)(const RhxFaceGroup *, const RhxFaceTerm *, PetscInt group, PetscInt f, PetscInt q,
                                  void *);

/* Every quadrature point of the faces on cells of this type, always in the same order. */
static PetscErrorCode for_each_point(RhxForm form, DMPolytopeType type, VisitFn visit, void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nface_terms; k++) {
    const RhxFaceTerm *term = &form->face_term[k];
    for (PetscInt g = 0; g < term->faces->ngroups; g++) {
      const RhxFaceGroup *group = &term->faces->group[g];
      if (group->type != type) continue;
      for (PetscInt f = 0; f < group->n; f++)
        for (PetscInt q = 0; q < group->nfq; q++) PetscCall(visit(group, term, g, f, q, ctx));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

typedef struct {
  PetscInt dim, *conn; /* [n][nn] */
  char *record;
  size_t size;
} PointBuilder;

static PetscErrorCode build_point(const RhxFaceGroup *group, const RhxFaceTerm *term, PetscInt g, PetscInt f,
                                  PetscInt q, void *ctx)
{
  PointBuilder *b = (PointBuilder *)ctx;
  PetscFunctionBegin;
  (void)g;
  put_point(group, b->dim, term, f, q, b->record, b->conn);
  b->record += b->size;
  b->conn += group->nn;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt dim;
  PetscReal *to;
} TractionBuilder;

static PetscErrorCode build_traction(const RhxFaceGroup *group, const RhxFaceTerm *term, PetscInt g, PetscInt f,
                                     PetscInt q, void *ctx)
{
  TractionBuilder *b = (TractionBuilder *)ctx;
  const PetscReal *from = term->traction ? term->traction[g] : NULL;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < b->dim; i++)
    *b->to++ =
        from ? from[(((f / RHX_LANES) * group->nfq + q) * b->dim + i) * RHX_LANES + f % RHX_LANES] : (PetscReal)0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For every node of the points, its entries (point * nn + a) in ascending order. */
static PetscErrorCode upload_entries(RhxFacesDevice fd, Type *type, const PetscInt *conn)
{
  const PetscInt n = type->n * type->nn, nlocal = fd->form->space->nlocal;
  PetscInt *count, *node, *start, *entry;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(nlocal + 1, &count));
  PetscCall(PetscMalloc3(n, &node, n + 1, &start, n, &entry));
  for (PetscInt i = 0; i < n; i++) count[conn[i]]++;
  start[0] = 0;
  for (PetscInt i = 0; i < nlocal; i++) {
    if (!count[i]) continue;
    node[type->nnodes] = i;
    start[type->nnodes + 1] = start[type->nnodes] + count[i];
    count[i] = start[type->nnodes++]; /* from here on: where the node's next entry goes */
  }
  for (PetscInt i = 0; i < n; i++) entry[count[conn[i]]++] = i;
  PetscCall(RhxDeviceUpload(fd->device, node, sizeof(*node) * type->nnodes, "the face terms", &type->node));
  PetscCall(RhxDeviceUpload(fd->device, start, sizeof(*start) * (type->nnodes + 1), "the face terms", &type->start));
  PetscCall(RhxDeviceUpload(fd->device, entry, sizeof(*entry) * n, "the face terms", &type->entry));
  PetscCall(PetscFree(count));
  PetscCall(PetscFree3(node, start, entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode upload_points(RhxFacesDevice fd, DMPolytopeType cell, Type *type)
{
  const PetscInt dim = fd->form->space->dim;
  const size_t size = record_of(type->nn, dim)->size;
  PetscInt *conn;
  char *points;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(type->n * type->nn, &conn));
  PetscCall(PetscCalloc1(type->n * size, &points));
  PointBuilder builder = {dim, conn, points, size};
  PetscCall(for_each_point(fd->form, cell, build_point, &builder));
  PetscCall(RhxDeviceUpload(fd->device, points, size * type->n, "the face terms", &type->point));
  PetscCall(upload_entries(fd, type, conn));
  PetscCall(RhxDeviceMalloc(fd->device, sizeof(double) * type->n * type->nn * dim, "the face terms", &type->part));
  PetscCall(PetscFree(points));
  PetscCall(PetscFree(conn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_type(RhxFacesDevice fd, const RhxCells *cells, PetscBool rate, PetscBool source,
                                  Type *type)
{
  const PetscInt dim = fd->form->space->dim;
  PetscInt count[2] = {0, 0}, all[2];
  RhxDeviceSource text;
  PetscFunctionBegin;
  PetscCall(for_each_point(fd->form, cells->type, count_point, count));
  PetscCallMPI(MPI_Allreduce(count, all, 2, MPIU_INT, MPI_SUM, fd->form->comm));
  if (!all[0]) PetscFunctionReturn(PETSC_SUCCESS);
  type->n = count[0];
  type->nn = cells->nn;
  PetscCall(upload_points(fd, cells->type, type));
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
  PetscFunctionBegin;
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
    void *const owned[] = {type->point, type->traction, type->part, type->node, type->start, type->entry};
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(owned); i++) PetscCall(RhxDeviceFree((*faces)->device, owned[i]));
    PetscCall(PetscFree(type->host_traction));
    PetscCall(RhxDeviceProgramDestroy(&type->program));
  }
  PetscCall(PetscFree((*faces)->type));
  PetscCall(PetscFree(*faces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFacesDeviceUpdate(RhxFacesDevice faces)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < faces->ntypes; k++) {
    Type *type = &faces->type[k];
    TractionBuilder builder = {faces->form->space->dim, type->host_traction};
    if (!type->traction) continue;
    PetscCall(for_each_point(faces->form, faces->form->space->cells[k].type, build_traction, &builder));
    PetscCall(RhxDeviceCopy(faces->device, type->traction, type->host_traction,
                            sizeof(double) * type->n * faces->form->space->dim, RHX_COPY_TO_DEVICE));
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
    RhxFaceNodes nodes = {(int)type->nnodes, 0, type->node, type->start, type->entry};
    const unsigned entries = (unsigned)(type->nnodes * faces->form->space->dim);
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
