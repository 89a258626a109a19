#include "form/cuda/rows.h"
#include "device/kernels.h"
#include "kernels/pass.h"
#include "petsc_compat.h"
#include "space/graph.h"

#define WARPS 4 /* of a block */

struct _p_RhxMatrixRows {
  RhxDevice device;        /* borrowed */
  const RhxMatrixMap *map; /* borrowed, as `start` */
  const void *start;
  PetscInt nr, nc;
  RhxDeviceProgram program;
  RhxDeviceFunction part, hold, scale, add, blocks;
  void *node, *own;            /* of the blocks; each row's own block */
  PetscBool has_node, has_own; /* they were needed */
};

PetscErrorCode RhxMatrixRowsCreate(RhxDevice device, const RhxMatrixMap *map, const void *start, PetscInt nr,
                                   PetscInt nc, RhxMatrixRows *rows)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(rows));
  (*rows)->device = device;
  (*rows)->map = map;
  (*rows)->start = start;
  (*rows)->nr = nr;
  (*rows)->nc = nc;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixRowsDestroy(RhxMatrixRows *rows)
{
  PetscFunctionBegin;
  if (!*rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceFree((*rows)->device, (*rows)->node));
  PetscCall(RhxDeviceFree((*rows)->device, (*rows)->own));
  PetscCall(RhxDeviceProgramDestroy(&(*rows)->program));
  PetscCall(PetscFree(*rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixRowsGet(RhxMatrixRows m, const RhxMatrixMap **map, PetscInt *nr, PetscInt *nc)
{
  PetscFunctionBegin;
  *map = m->map;
  *nr = m->nr;
  *nc = m->nc;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode need(RhxMatrixRows m)
{
  PetscFunctionBegin;
  if (m->program) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceKernelsCreate(m->device, "kernels/rows.cuh", NULL, &m->program));
  PetscCall(RhxDeviceProgramGetFunction(m->program, "rhx_part", &m->part));
  PetscCall(RhxDeviceProgramGetFunction(m->program, "rhx_hold", &m->hold));
  PetscCall(RhxDeviceProgramGetFunction(m->program, "rhx_scale", &m->scale));
  PetscCall(RhxDeviceProgramGetFunction(m->program, "rhx_add_blocks", &m->add));
  PetscCall(RhxDeviceProgramGetFunction(m->program, "rhx_blocks", &m->blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode launch(RhxMatrixRows m, RhxDeviceFunction function, PetscInt warps, void **pass)
{
  const RhxLaunch shape = {{(unsigned)((warps + WARPS - 1) / WARPS)}, {32 * WARPS}, 0};
  PetscFunctionBegin;
  if (warps) PetscCall(RhxDeviceLaunch(m->device, function, shape, pass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixRowsPart(RhxMatrixRows m, PetscInt nrows, const PetscInt *row, PetscInt ncols,
                                 const PetscInt *col, const void *values, void *out)
{
  RhxPartPass pass = {.n = (int)m->map->n,
                      .nr = (int)m->nr,
                      .nc = (int)m->nc,
                      .rows = (int)nrows,
                      .cols = (int)ncols,
                      .values = values,
                      .out = out};
  void *component;
  int *all;
  PetscFunctionBegin;
  PetscCall(need(m));
  PetscCall(PetscMalloc1(nrows + ncols, &all));
  for (PetscInt k = 0; k < nrows; k++) all[k] = (int)row[k];
  for (PetscInt k = 0; k < ncols; k++) all[nrows + k] = (int)col[k];
  PetscCall(RhxDeviceUpload(m->device, all, sizeof(int) * (nrows + ncols), "components of a matrix", &component));
  pass.start = m->start;
  pass.component = component;
  PetscCall(launch(m, m->part, m->map->n, RHX_ARGUMENTS(&pass)));
  PetscCall(RhxDeviceSynchronize(m->device));
  PetscCall(RhxDeviceFree(m->device, component));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the device: n places node * components + component, and where each node's own block stands in its row; -1 where none is asked for. */
static PetscErrorCode upload_places(RhxMatrixRows m, PetscInt n, const PetscInt *place, PetscInt components,
                                    PetscBool own, void **list)
{
  const RhxNodeGraph graph = {m->map->n, m->map->start, m->map->node};
  int *all;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * n, &all));
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt node = place[k] / components;
    all[k] = (int)place[k];
    all[n + k] = own ? (int)(RhxNodeGraphFind(&graph, node, node) - m->map->start[node]) : -1;
  }
  PetscCall(RhxDeviceUpload(m->device, all, sizeof(int) * 2 * n, "rows of the matrix", list));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixRowsHold(RhxMatrixRows m, PetscInt n, const PetscInt *row, double diagonal, void *values)
{
  RhxHoldPass pass = {.n = (int)n, .nr = (int)m->nr, .nc = (int)m->nc, .diagonal = diagonal, .values = values};
  void *list;
  PetscFunctionBegin;
  PetscCall(need(m));
  PetscCall(upload_places(m, n, row, m->nr, (PetscBool)(diagonal != 0.0), &list));
  pass.start = m->start;
  pass.row = list;
  pass.block = (const int *)list + n;
  PetscCall(launch(m, m->hold, n, RHX_ARGUMENTS(&pass)));
  PetscCall(RhxDeviceSynchronize(m->device));
  PetscCall(RhxDeviceFree(m->device, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixRowsAdd(RhxMatrixRows m, PetscInt n, const PetscInt *node, const double *block, void *values)
{
  RhxAddPass pass = {.n = (int)n, .nr = (int)m->nr, .nc = (int)m->nc, .values = values};
  void *list, *more;
  PetscFunctionBegin;
  PetscCall(need(m));
  PetscCall(upload_places(m, n, node, 1, PETSC_TRUE, &list));
  PetscCall(RhxDeviceUpload(m->device, block, sizeof(double) * n * m->nr * m->nc, "blocks of the matrix", &more));
  pass.start = m->start;
  pass.node = list;
  pass.block = (const int *)list + n;
  pass.more = more;
  PetscCall(launch(m, m->add, n, RHX_ARGUMENTS(&pass)));
  PetscCall(RhxDeviceSynchronize(m->device));
  PetscCall(RhxDeviceFree(m->device, list));
  PetscCall(RhxDeviceFree(m->device, more));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixRowsScale(RhxMatrixRows m, const void *left, const void *right, void *values)
{
  const RhxMatrixMap *map = m->map;
  RhxScalePass pass = {.n = (int)map->n, .nr = (int)m->nr, .nc = (int)m->nc};
  PetscFunctionBegin;
  PetscCall(need(m));
  if (!m->has_node)
    PetscCall(RhxDeviceUpload(m->device, map->node, sizeof(PetscInt) * map->start[map->n], "the columns of the matrix",
                              &m->node));
  m->has_node = PETSC_TRUE;
  pass.start = m->start;
  pass.node = m->node;
  pass.left = left;
  pass.right = right;
  pass.values = values;
  PetscCall(launch(m, m->scale, map->n, RHX_ARGUMENTS(&pass)));
  PetscCall(RhxDeviceSynchronize(m->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode need_own(RhxMatrixRows m)
{
  const RhxNodeGraph graph = {m->map->n, m->map->start, m->map->node};
  int *own;
  PetscFunctionBegin;
  if (m->has_own) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(graph.n, &own));
  for (PetscInt i = 0; i < graph.n; i++) own[i] = (int)(RhxNodeGraphFind(&graph, i, i) - graph.start[i]);
  PetscCall(RhxDeviceUpload(m->device, own, sizeof(int) * graph.n, "diagonal blocks of the matrix", &m->own));
  m->has_own = PETSC_TRUE;
  PetscCall(PetscFree(own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixRowsBlocks(RhxMatrixRows m, PetscInt nr, PetscInt nc, const void *values, double *size,
                                   double *diagonal)
{
  const PetscInt n = m->map->n;
  const size_t sizes = size ? sizeof(double) * m->map->start[n] : 0,
               blocks = diagonal ? sizeof(double) * n * nr * nc : 0;
  RhxBlockPass pass = {.n = (int)n, .nr = (int)nr, .nc = (int)nc, .values = values};
  void *to_size, *to_diagonal;
  PetscFunctionBegin;
  PetscCall(need(m));
  if (diagonal) PetscCall(need_own(m));
  PetscCall(RhxDeviceMalloc(m->device, sizes, "sizes of blocks", &to_size));
  PetscCall(RhxDeviceMalloc(m->device, blocks, "diagonal blocks", &to_diagonal));
  pass.start = m->start;
  pass.own = m->own;
  pass.size = to_size;
  pass.diagonal = to_diagonal;
  PetscCall(launch(m, m->blocks, n, RHX_ARGUMENTS(&pass)));
  if (size) PetscCall(RhxDeviceCopy(m->device, size, to_size, sizes, RHX_COPY_TO_HOST));
  if (diagonal) PetscCall(RhxDeviceCopy(m->device, diagonal, to_diagonal, blocks, RHX_COPY_TO_HOST));
  PetscCall(RhxDeviceFree(m->device, to_size));
  PetscCall(RhxDeviceFree(m->device, to_diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}
