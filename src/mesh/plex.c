/* From the cell list on rank 0 to the distributed DMPlex with its labels and vertex data. */
#include "mesh/impl.h"
#include "plugin/length.h"
#include <stdio.h>

typedef struct {
  char text[2048];
} Message;

static PetscErrorCode keep_message(MPI_Comm comm, int line, const char *fun, const char *file, PetscErrorCode n,
                                   PetscErrorType p, const char *mess, void *ctx)
{
  Message *m = (Message *)ctx;

  (void)comm, (void)line, (void)fun, (void)file;
  if (p == PETSC_ERROR_INITIAL && mess) snprintf(m->text, sizeof(m->text), "%s", mess);
  return n;
}

/* f on the ranks that are here. */
static PetscErrorCode run(MPI_Comm comm, PetscBool here, PetscErrorCode (*f)(void *), void *ctx)
{
  Message message = {{0}};
  int code = 0, first;
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (here) {
    PetscCall(PetscPushErrorHandler(keep_message, &message));
    code = (int)f(ctx);
    PetscCall(PetscPopErrorHandler());
  }
  first = code ? rank : size;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(&code, 1, MPI_INT, first, comm));
  PetscCallMPI(MPI_Bcast(message.text, sizeof(message.text), MPI_CHAR, first, comm));
  SETERRQ(comm, (PetscErrorCode)code, "%s", message.text);
}

PetscErrorCode RhxMeshOnRank0(MPI_Comm comm, PetscErrorCode (*f)(void *), void *ctx)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(run(comm, (PetscBool)!rank, f, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshOnAll(MPI_Comm comm, PetscErrorCode (*f)(void *), void *ctx)
{
  PetscFunctionBegin;
  PetscCall(run(comm, PETSC_TRUE, f, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshCreateTopology(MPI_Comm comm, PetscInt dim, const RhxCellList *list, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(DMCreate(comm, dm));
  PetscCall(DMSetType(*dm, DMPLEX));
  PetscCall(DMSetDimension(*dm, dim));
  PetscCall(DMPlexSetChart(*dm, 0, list->ncells + list->nvertices));
  for (PetscInt c = 0; c < list->ncells; c++) PetscCall(DMPlexSetConeSize(*dm, c, rhx_cell_nodes(list->type[c])));
  PetscCall(DMSetUp(*dm));
  for (PetscInt c = 0; c < list->ncells; c++) {
    PetscInt cone[RHX_MAX_CELL_NODES];

    for (PetscInt a = 0; a < rhx_cell_nodes(list->type[c]); a++)
      cone[a] = list->ncells + list->conn[list->offset[c] + a];
    rhx_plex_vtk_order(list->type[c], cone);
    PetscCall(DMPlexSetCone(*dm, c, cone));
  }
  PetscCall(DMPlexSymmetrize(*dm));
  PetscCall(DMPlexStratify(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Names and sizes of rank 0's list, to all. */
static PetscErrorCode share_names(RhxMesh mesh, RhxCellList *list)
{
  PetscInt sizes[4] = {list->dim, list->ncells, list->nvertices, list->nnames};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &rank));
  PetscCallMPI(MPI_Bcast(sizes, 4, MPIU_INT, 0, mesh->comm));
  mesh->dim = sizes[0];
  mesh->ncells = sizes[1];
  mesh->nvertices = sizes[2];
  mesh->nlabels = sizes[3];
  PetscCall(PetscCalloc1(mesh->nlabels, &mesh->label));
  for (PetscInt k = 0; k < mesh->nlabels; k++) {
    char name[RHX_NAME_LENGTH] = "";

    if (!rank) PetscCall(PetscStrncpy(name, list->name[k], sizeof(name)));
    PetscCallMPI(MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, mesh->comm));
    PetscCall(PetscStrallocpy(name, &mesh->label[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshRestrictSF(MPI_Comm comm, PetscSF migration, PetscInt lo, PetscInt hi, PetscInt rlo, PetscInt rhi,
                                 PetscSF *sf)
{
  const PetscSFNode *from;
  const PetscInt *leaf;
  PetscSFNode *remote;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(hi - lo, &remote));
  PetscCall(PetscSFGetGraph(migration, NULL, &n, &leaf, &from));
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt p = leaf ? leaf[k] : k;
    if (p < lo || p >= hi) continue;
    remote[p - lo].rank = from[k].rank;
    remote[p - lo].index = from[k].index;
  }
  /* every rank's roots lie on rank 0, whose range of points is known there only */
  PetscCallMPI(MPI_Bcast(&rlo, 1, MPIU_INT, 0, comm));
  for (PetscInt k = 0; k < hi - lo; k++) remote[k].index -= rlo;
  PetscCall(PetscSFCreate(comm, sf));
  PetscCall(
      PetscSFSetGraph(*sf, rhi - rlo > 0 ? rhi - rlo : 0, hi - lo, NULL, PETSC_OWN_POINTER, remote, PETSC_OWN_POINTER));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode migrate_reals(PetscSF sf, PetscInt bs, const PetscReal *root, PetscReal *leaf)
{
  MPI_Datatype unit;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)bs, MPIU_REAL, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCall(PetscSFBcastBegin(sf, unit, root, leaf, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, unit, root, leaf, MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers of the nroots points on rank 0 for the n of this rank; sf NULL: the same. */
static PetscErrorCode migrate_numbers(PetscSF sf, PetscInt nroots, PetscInt n, PetscInt **number)
{
  PetscInt *root;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nroots, &root));
  for (PetscInt k = 0; k < nroots; k++) root[k] = k;
  *number = root;
  if (!sf) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, number));
  PetscCall(PetscSFBcastBegin(sf, MPIU_INT, root, *number, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_INT, root, *number, MPI_REPLACE));
  PetscCall(PetscFree(root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers and positions of the vertices. */
static PetscErrorCode migrate_vertices(RhxMesh mesh, PetscSF migration, const RhxCellList *list)
{
  PetscSF sf = NULL;
  PetscInt vStart, vEnd;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepthStratum(mesh->dm, 0, &vStart, &vEnd));
  if (migration)
    PetscCall(
        RhxMeshRestrictSF(mesh->comm, migration, vStart, vEnd, list->ncells, list->ncells + list->nvertices, &sf));
  PetscCall(migrate_numbers(sf, list->nvertices, vEnd - vStart, &mesh->natural));
  PetscCall(PetscMalloc1((vEnd - vStart) * mesh->dim, &mesh->x));
  if (sf)
    PetscCall(migrate_reals(sf, mesh->dim, list->x, mesh->x));
  else
    PetscCall(PetscArraycpy(mesh->x, list->x, list->nvertices * mesh->dim));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshPadPositions(const RhxCellList *list, PetscReal **x)
{
  const PetscInt width = RHX_MAX_CELL_NODES * list->dim;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)list->ncells * width + 1, x));
  for (PetscInt c = 0; c < list->ncells; c++)
    PetscCall(PetscArraycpy(*x + (size_t)c * width, list->xc + (size_t)list->offset[c] * list->dim,
                            rhx_cell_nodes(list->type[c]) * list->dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Positions of the nodes of every cell, where the mesh is periodic. sf NULL: one rank. */
static PetscErrorCode migrate_cells(RhxMesh mesh, PetscSF sf, PetscInt n, const RhxCellList *list)
{
  const PetscInt width = RHX_MAX_CELL_NODES * mesh->dim;
  PetscReal *root;
  int periodic = list->xc != NULL;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(&periodic, 1, MPI_INT, 0, mesh->comm));
  if (!periodic) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxMeshPadPositions(list, &root));
  if (!sf) {
    mesh->xc = root;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(
      PetscMalloc1((size_t)n * width + 1, &mesh->xc)); /* without cells too: NULL is a mesh that is not periodic */
  PetscCall(migrate_reals(sf, width, root, mesh->xc));
  PetscCall(PetscFree(root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build(RhxMesh mesh, const RhxCellList *list, const RhxMeshFaces *faces)
{
  PetscSF migration, cells = NULL;
  PetscInt cStart, cEnd, *number;

  PetscFunctionBegin;
  PetscCall(RhxMeshCreateTopology(mesh->comm, mesh->dim, list, &mesh->dm));
  PetscCall(RhxMeshDistribute(mesh, list->ncells, faces, &migration));
  PetscCall(migrate_vertices(mesh, migration, list));
  PetscCall(DMPlexGetHeightStratum(mesh->dm, 0, &cStart, &cEnd));
  if (migration) PetscCall(RhxMeshRestrictSF(mesh->comm, migration, cStart, cEnd, 0, list->ncells, &cells));
  PetscCall(migrate_cells(mesh, cells, cEnd - cStart, list));
  PetscCall(RhxMeshMigrateFaces(mesh, migration, faces, list->ncells));
  PetscCall(migrate_numbers(cells, list->ncells, cEnd - cStart, &number));
  PetscCall(PetscSFDestroy(&cells));
  PetscCall(PetscSFDestroy(&migration));
  if (mesh->refine[1]) PetscCall(RhxMeshRefine(mesh, number));
  PetscCall(PetscFree(number));
  PetscCall(PetscObjectSetName((PetscObject)mesh->dm, "mesh"));
  PetscCall(RhxMeshDescribe(mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshBuildPlex(RhxMesh mesh, RhxCellList *list)
{
  RhxMeshFaces faces = {0};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(share_names(mesh, list));
  ierr = RhxMeshFindFaces(mesh, list, &faces);
  if (!ierr) ierr = build(mesh, list, &faces);
  PetscCall(RhxMeshFacesDestroy(&faces));
  PetscFunctionReturn(ierr);
}
