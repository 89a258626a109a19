#include "form/cuda/facepoints.h"
#include "kernels/geometry.h"
#include "kernels/pass.h"
#include "petsc_compat.h"
#include "space/face.h"

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
#define SIZE_IS(NN, DIM) _Static_assert(sizeof(P##NN##DIM) == RHX_FACE_POINT_SIZE(NN, DIM), "kernels/pass.h")
SIZE_IS(3, 2);
SIZE_IS(4, 2);
SIZE_IS(4, 3);
SIZE_IS(8, 3);

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

PetscErrorCode RhxFacePointsVisit(RhxForm form, DMPolytopeType type, PetscBool moving, RhxFacePointFn visit, void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nface_terms; k++) {
    const RhxFaceTerm *term = &form->face_term[k];
    if (moving && !term->form && !(term->backflow > 0.0) && !term->slope) continue;
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
  PetscInt *count = (PetscInt *)ctx;
  PetscFunctionBegin;
  (void)group;
  (void)term;
  (void)g;
  (void)f;
  (void)q;
  (*count)++;
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

PetscErrorCode RhxFacePointsCreate(RhxForm form, RhxDevice device, const RhxCells *cells, PetscBool moving,
                                   RhxFacePoints *points)
{
  const PetscInt dim = form->space->dim;
  const size_t size = record_of(cells->nn, dim)->size;
  char *record;
  PetscFunctionBegin;
  *points = (RhxFacePoints){.nn = cells->nn};
  PetscCall(RhxFacePointsVisit(form, cells->type, moving, count_point, &points->n));
  PetscCall(PetscMalloc1(points->n * points->nn, &points->conn));
  PetscCall(PetscCalloc1(points->n * size, &record));
  PointBuilder builder = {dim, points->conn, record, size};
  PetscCall(RhxFacePointsVisit(form, cells->type, moving, build_point, &builder));
  PetscCall(RhxDeviceUpload(device, record, size * points->n, "the face terms", &points->point));
  PetscCall(PetscFree(record));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RhxFaceGiven what;
  PetscInt size;
  PetscReal *to;
} Gathering;

static PetscErrorCode gather(const RhxFaceGroup *group, const RhxFaceTerm *term, PetscInt g, PetscInt f, PetscInt q,
                             void *ctx)
{
  Gathering *in = (Gathering *)ctx;
  PetscReal *const *given = in->what == RHX_FACE_SLOPE ? term->slope : term->traction;
  const PetscInt first = (f / RHX_LANES * group->nfq + q) * in->size;
  PetscFunctionBegin;
  for (PetscInt k = 0; k < in->size; k++) *in->to++ = given ? given[g][(first + k) * RHX_LANES + f % RHX_LANES] : 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFacePointsGather(RhxForm form, DMPolytopeType type, PetscBool moving, RhxFaceGiven what,
                                   PetscInt size, PetscReal *to)
{
  Gathering in = {what, size, to};
  PetscFunctionBegin;
  PetscCall(RhxFacePointsVisit(form, type, moving, gather, &in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFaceEntriesCreate(RhxForm form, RhxDevice device, const RhxFacePoints *points, RhxFaceEntries *out)
{
  const PetscInt n = points->n * points->nn, nlocal = form->space->nlocal;
  PetscInt *count, *node, *start, *entry;
  PetscFunctionBegin;
  *out = (RhxFaceEntries){0};
  PetscCall(PetscCalloc1(nlocal + 1, &count));
  PetscCall(PetscMalloc3(n, &node, n + 1, &start, n, &entry));
  for (PetscInt i = 0; i < n; i++) count[points->conn[i]]++;
  start[0] = 0;
  for (PetscInt i = 0; i < nlocal; i++) {
    if (!count[i]) continue;
    node[out->n] = i;
    start[out->n + 1] = start[out->n] + count[i];
    count[i] = start[out->n++]; /* from here on: where the node's next entry goes */
  }
  for (PetscInt i = 0; i < n; i++) entry[count[points->conn[i]]++] = i;
  PetscCall(RhxDeviceUpload(device, node, sizeof(*node) * out->n, "the face terms", &out->node));
  PetscCall(RhxDeviceUpload(device, start, sizeof(*start) * (out->n + 1), "the face terms", &out->start));
  PetscCall(RhxDeviceUpload(device, entry, sizeof(*entry) * n, "the face terms", &out->entry));
  PetscCall(PetscFree(count));
  PetscCall(PetscFree3(node, start, entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFaceEntriesDestroy(RhxDevice device, RhxFaceEntries *entries)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceFree(device, entries->node));
  PetscCall(RhxDeviceFree(device, entries->start));
  PetscCall(RhxDeviceFree(device, entries->entry));
  *entries = (RhxFaceEntries){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}
