#include "kernels/geometry.h"
#include "space/face.h"
#include "space/impl.h"

static PetscErrorCode table_create(RhxMesh mesh, RhxCellTable *t)
{
  DM dm;
  PetscInt cStart, cEnd, vStart, vEnd;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetDM(mesh, &dm));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  t->n = cEnd - cStart;
  t->nvertices = vEnd - vStart;
  PetscCall(PetscMalloc1(t->n, &t->type));
  PetscCall(PetscMalloc1(t->n * RHX_MAX_NODES, &t->vertex));
  PetscCall(RhxMeshGetVertices(mesh, NULL, &t->x));
  PetscCall(RhxMeshGetCellPositions(mesh, &t->xc));
  PetscCall(PetscMalloc2(t->n, &t->kind, t->n, &t->element));
  for (PetscInt c = 0; c < t->n; c++) {
    PetscInt *vertex = t->vertex + c * RHX_MAX_NODES, nn = 0;

    PetscCall(RhxMeshGetCell(mesh, cStart + c, &t->type[c], &nn, vertex));
    for (; nn < RHX_MAX_NODES; nn++) vertex[nn] = -1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode table_destroy(RhxCellTable *t)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(t->type));
  PetscCall(PetscFree(t->vertex));
  PetscCall(PetscFree2(t->kind, t->element));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take_fields(RhxSpace space, RhxFields *fields)
{
  PetscFunctionBegin;
  PetscCall(RhxMeshGetDimension(space->mesh, &space->dim));
  PetscCheck((*fields)->dim == space->dim, space->comm, PETSC_ERR_ARG_INCOMP,
             "RhxSpaceCreate: got fields in %" PetscInt_FMT "D, expected %" PetscInt_FMT "D as the mesh",
             (*fields)->dim, space->dim);
  space->fields = *fields;
  *fields = NULL;
  space->ntens = space->fields->ntens;
  space->axisymmetric = space->fields->axisymmetric;
  space->nmodes = space->fields->count[RHX_GROUP_MODES];
  space->nfields = space->fields->n;
  space->field = space->fields->field;
  space->bs = space->fields->bs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Determinant of d x / d xi of one lane at a quadrature point. */
static PetscReal lane_jacobian(PetscInt dim, PetscInt nn, const PetscReal *dN, const PetscReal *x, PetscInt lane)
{
  PetscReal J[3][3] = {{0}};

  for (PetscInt a = 0; a < nn; a++)
    for (PetscInt i = 0; i < dim; i++)
      for (PetscInt j = 0; j < dim; j++) J[i][j] += x[(a * dim + i) * RHX_LANES + lane] * dN[a * dim + j];
  return rhx_determinant((int)dim, (const PetscReal(*)[3])J);
}

/* M_a = integral of N_a; the Jacobian of a simplex is the same at all points. */
static PetscErrorCode lump_mass(RhxSpace space)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal, &space->mass));
  for (PetscInt k = 0; k < space->ntypes; k++) {
    const RhxCells *cells = &space->cells[k];
    const PetscInt width = cells->nn * RHX_LANES;

    for (PetscInt e = 0; e < cells->n; e++) {
      const PetscInt g = e / RHX_LANES, lane = e % RHX_LANES;
      PetscReal jacobian = 0;

      for (PetscInt q = 0; q < cells->nq; q++) {
        PetscReal wJ;

        if (!q || cells->nn > space->dim + 1)
          jacobian = lane_jacobian(space->dim, cells->nn, cells->dN + q * cells->nn * space->dim,
                                   cells->x + g * width * space->dim, lane);
        wJ = cells->w[q] * jacobian * RhxCellsSwept(cells, e, q);
        for (PetscInt a = 0; a < cells->nn; a++)
          space->mass[cells->conn[g * width + a * RHX_LANES + lane]] += wJ * cells->N[q * cells->nn + a];
      }
    }
  }
  PetscCall(RhxSpaceReduce(space, 1, space->mass));
  PetscCall(RhxSpaceGlobalToLocal(space, 1, space->mass, space->mass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceCreate(RhxMesh mesh, RhxFields *fields, RhxSpace *out)
{
  RhxCellTable table;
  RhxSpace space;
  DM dm;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetDM(mesh, &dm));
  PetscCall(PetscNew(&space));
  *out = space;
  space->mesh = mesh;
  space->comm = PetscObjectComm((PetscObject)dm);
  PetscCall(take_fields(space, fields));
  PetscCall(table_create(mesh, &table));
  PetscCall(RhxSpaceNumberNodes(space, &table));
  PetscCall(RhxSpaceSetUpCells(space, &table));
  PetscCall(RhxSpaceSetUpFaces(space, &table));
  PetscCall(table_destroy(&table));
  PetscCall(lump_mass(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode faces_destroy(RhxFaces *faces)
{
  PetscFunctionBegin;
  for (PetscInt g = 0; g < faces->ngroups; g++) {
    PetscCall(PetscFree(faces->group[g].conn));
    PetscCall(PetscFree(faces->group[g].face));
    PetscCall(PetscFree(faces->group[g].x));
  }
  PetscCall(PetscFree(faces->group));
  PetscCall(ISDestroy(&faces->nodes));
  PetscCall(PetscFree(faces->at));
  PetscCall(PetscFree(faces->node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceDestroy(RhxSpace *out)
{
  RhxSpace space = *out;

  PetscFunctionBegin;
  if (!space) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDestroy(&space->dm));
  for (PetscInt k = 0; k < space->nlabels; k++) PetscCall(faces_destroy(&space->faces[k]));
  for (PetscInt k = 0; k < space->ntypes; k++) {
    PetscCall(PetscFree(space->cells[k].conn));
    PetscCall(PetscFree(space->cells[k].cell));
    PetscCall(PetscFree(space->cells[k].x));
    PetscCall(PetscFree(space->cells[k].affine));
  }
  PetscCall(PetscFree(space->faces));
  PetscCall(PetscFree(space->cells));
  PetscCall(PetscFree(space->element));
  PetscCall(RhxFieldsDestroy(&space->fields));
  PetscCall(PetscFree(space->vertex_node));
  PetscCall(PetscFree(space->natural));
  PetscCall(PetscFree(space->x));
  PetscCall(PetscFree(space->mass));
  PetscCall(ISLocalToGlobalMappingDestroy(&space->l2g));
  PetscCall(RhxHaloDestroy(&space->halo));
  PetscCall(PetscSFDestroy(&space->sf));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceCreateVec(RhxSpace space, PetscInt bs, Vec *v)
{
  PetscFunctionBegin;
  PetscCall(VecCreate(space->comm, v));
  PetscCall(VecSetSizes(*v, space->nowned * bs, space->nglobal * bs));
  PetscCall(VecSetBlockSize(*v, bs));
  PetscCall(VecSetFromOptions(*v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceGlobalToLocal(RhxSpace space, PetscInt bs, const PetscScalar *g, PetscScalar *local)
{
  PetscFunctionBegin;
  if (g != local) PetscCall(PetscArraycpy(local, g, space->nowned * bs));
  PetscCall(RhxHaloGhosts(space->halo, MPIU_SCALAR, bs, local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceReduce(RhxSpace space, PetscInt bs, PetscScalar *local)
{
  PetscFunctionBegin;
  PetscCall(RhxHaloReduce(space->halo, MPIU_SCALAR, bs, MPIU_SUM, local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGatherReals(MPI_Comm comm, PetscInt n, const PetscReal *mine, PetscInt *nall, PetscReal **all)
{
  PetscMPIInt size, *count, *start, here = (PetscMPIInt)n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMalloc2(size, &count, size + 1, &start));
  PetscCallMPI(MPI_Allgather(&here, 1, MPI_INT, count, 1, MPI_INT, comm));
  start[0] = 0;
  for (PetscMPIInt i = 0; i < size; i++) start[i + 1] = start[i] + count[i];
  *nall = start[size];
  PetscCall(PetscMalloc1(start[size] + 1, all));
  PetscCallMPI(MPI_Allgatherv(mine, here, MPIU_REAL, *all, count, start, MPIU_REAL, comm));
  PetscCall(PetscFree2(count, start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceGetExtent(RhxSpace space, double size[3])
{
  double end[2][3]; /* -least, largest coordinates */
  PetscFunctionBegin;
  for (int k = 0; k < 6; k++) end[k / 3][k % 3] = -PETSC_MAX_REAL;
  for (PetscInt i = 0; i < space->nowned; i++)
    for (PetscInt d = 0; d < space->dim; d++) {
      end[0][d] = PetscMax(end[0][d], -space->x[i * space->dim + d]);
      end[1][d] = PetscMax(end[1][d], space->x[i * space->dim + d]);
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, end, 6, MPI_DOUBLE, MPI_MAX, space->comm));
  for (PetscInt d = 0; d < 3; d++) size[d] = d < space->dim ? end[0][d] + end[1][d] : 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceGetFaces(RhxSpace space, const char *label, const RhxFaces **faces)
{
  PetscFunctionBegin;
  *faces = NULL;
  for (PetscInt k = 0; k < space->nlabels; k++)
    if (!strcmp(space->faces[k].label, label)) *faces = &space->faces[k];
  PetscCheck(*faces, space->comm, PETSC_ERR_ARG_WRONG, "there is no boundary label '%s'", label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceBlockMapping(RhxSpace space, PetscInt bs, ISLocalToGlobalMapping *l2g)
{
  const PetscInt *node;
  PetscFunctionBegin;
  PetscCall(ISLocalToGlobalMappingGetIndices(space->l2g, &node));
  PetscCall(ISLocalToGlobalMappingCreate(space->comm, bs, space->nlocal, node, PETSC_COPY_VALUES, l2g));
  PetscCall(ISLocalToGlobalMappingRestoreIndices(space->l2g, &node));
  PetscFunctionReturn(PETSC_SUCCESS);
}
