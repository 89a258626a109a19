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

PetscErrorCode RhxMeshOnRank0(MPI_Comm comm, PetscErrorCode (*f)(void *), void *ctx)
{
  Message message = {{0}};
  int code = 0;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    PetscCall(PetscPushErrorHandler(keep_message, &message));
    code = (int)f(ctx);
    PetscCall(PetscPopErrorHandler());
  }
  PetscCallMPI(MPI_Bcast(&code, 1, MPI_INT, 0, comm));
  if (!code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(message.text, sizeof(message.text), MPI_CHAR, 0, comm));
  SETERRQ(comm, (PetscErrorCode)code, "%s", message.text);
}

/* Cells and vertices as points; empty on the ranks whose list is empty. */
static PetscErrorCode create_topology(MPI_Comm comm, PetscInt dim, const RhxCellList *list, DM *dm)
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

/* Numbers and positions of the vertices. */
static PetscErrorCode migrate_vertices(RhxMesh mesh, PetscSF migration, const RhxCellList *list)
{
  PetscSF sf;
  PetscInt vStart, vEnd;
  PetscInt *number;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepthStratum(mesh->dm, 0, &vStart, &vEnd));
  PetscCall(PetscMalloc1(vEnd - vStart, &mesh->natural));
  PetscCall(PetscMalloc1((vEnd - vStart) * mesh->dim, &mesh->x));
  if (!migration) {
    for (PetscInt k = 0; k < list->nvertices; k++) mesh->natural[k] = k;
    PetscCall(PetscArraycpy(mesh->x, list->x, list->nvertices * mesh->dim));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxMeshRestrictSF(mesh->comm, migration, vStart, vEnd, list->ncells, list->ncells + list->nvertices, &sf));
  PetscCall(PetscMalloc1(list->nvertices, &number));
  for (PetscInt k = 0; k < list->nvertices; k++) number[k] = k;
  PetscCall(PetscSFBcastBegin(sf, MPIU_INT, number, mesh->natural, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_INT, number, mesh->natural, MPI_REPLACE));
  PetscCall(migrate_reals(sf, mesh->dim, list->x, mesh->x));
  PetscCall(PetscFree(number));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Positions of the nodes of every cell, where the mesh is periodic. */
static PetscErrorCode migrate_cells(RhxMesh mesh, PetscSF migration, const RhxCellList *list)
{
  const PetscInt width = RHX_MAX_CELL_NODES * mesh->dim;
  PetscSF sf;
  PetscInt cStart, cEnd;
  PetscReal *root;
  int periodic = list->xc != NULL;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(&periodic, 1, MPI_INT, 0, mesh->comm));
  if (!periodic) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(list->ncells * width, &root));
  for (PetscInt c = 0; c < list->ncells; c++)
    PetscCall(PetscArraycpy(root + c * width, list->xc + list->offset[c] * mesh->dim,
                            rhx_cell_nodes(list->type[c]) * mesh->dim));
  if (!migration) {
    mesh->xc = root;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DMPlexGetHeightStratum(mesh->dm, 0, &cStart, &cEnd));
  PetscCall(RhxMeshRestrictSF(mesh->comm, migration, cStart, cEnd, 0, list->ncells, &sf));
  PetscCall(PetscMalloc1((cEnd - cStart) * width, &mesh->xc));
  PetscCall(migrate_reals(sf, width, root, mesh->xc));
  PetscCall(PetscFree(root));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build(RhxMesh mesh, const RhxCellList *list, const RhxMeshFaces *faces)
{
  PetscSF migration;

  PetscFunctionBegin;
  PetscCall(create_topology(mesh->comm, mesh->dim, list, &mesh->dm));
  PetscCall(RhxMeshDistribute(mesh, list->ncells, faces, &migration));
  PetscCall(PetscObjectSetName((PetscObject)mesh->dm, "mesh"));
  PetscCall(migrate_vertices(mesh, migration, list));
  PetscCall(migrate_cells(mesh, migration, list));
  PetscCall(RhxMeshMigrateFaces(mesh, migration, faces, list->ncells));
  PetscCall(PetscSFDestroy(&migration));
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
