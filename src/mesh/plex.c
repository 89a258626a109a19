/* From the cell list on rank 0 to the distributed DMPlex with its labels and vertex data. */
#include "mesh/meshimpl.h"
#include <petscsf.h>
#include <stdio.h>

#define BOUNDARY_LABEL "rheoplex_boundary"

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
  DM flat;

  PetscFunctionBegin;
  PetscCall(DMCreate(comm, &flat));
  PetscCall(DMSetType(flat, DMPLEX));
  PetscCall(DMSetDimension(flat, dim));
  PetscCall(DMPlexSetChart(flat, 0, list->ncells + list->nvertices));
  for (PetscInt c = 0; c < list->ncells; c++) PetscCall(DMPlexSetConeSize(flat, c, rhx_cell_nodes(list->type[c])));
  PetscCall(DMSetUp(flat));
  for (PetscInt c = 0; c < list->ncells; c++) {
    PetscInt cone[RHX_MAX_CELL_NODES];

    for (PetscInt a = 0; a < rhx_cell_nodes(list->type[c]); a++)
      cone[a] = list->ncells + list->conn[list->offset[c] + a];
    rhx_plex_vtk_order(list->type[c], cone);
    PetscCall(DMPlexSetCone(flat, c, cone));
  }
  PetscCall(DMPlexSymmetrize(flat));
  PetscCall(DMPlexStratify(flat));
  PetscCall(DMPlexInterpolate(flat, dm));
  PetscCall(DMDestroy(&flat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RhxMesh mesh;
  DM dm; /* whole on rank 0 */
  RhxCellList *list;
  DMLabel *label; /* [nnames] */
} MarkContext;

static PetscErrorCode mark_boundary(MarkContext *ctx, DMLabel boundary)
{
  PetscInt fStart, fEnd;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(ctx->dm, 1, &fStart, &fEnd));
  for (PetscInt f = fStart; f < fEnd; f++) {
    PetscInt n;

    PetscCall(DMPlexGetSupportSize(ctx->dm, f, &n));
    PetscCheck(n <= 2, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "%s: a face belongs to %" PetscInt_FMT
               " cells, expected one or two: cells are there twice, or a periodic direction has fewer than 3 cells",
               ctx->mesh->source, n);
    if (n == 1) PetscCall(DMLabelSetValue(boundary, f, 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mark_named_face(MarkContext *ctx, PetscInt k, const DMLabel *labels)
{
  const PetscInt *face = ctx->list->face + 4 * k, *join;
  PetscInt points[4], n = 0, njoin, fStart, fEnd, size = 0, f = -1;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(ctx->dm, 1, &fStart, &fEnd));
  for (; n < 4 && face[n] >= 0; n++) points[n] = ctx->list->ncells + face[n];
  PetscCall(DMPlexGetFullJoin(ctx->dm, n, points, &njoin, &join));
  if (njoin == 1 && join[0] >= fStart && join[0] < fEnd) f = join[0];
  PetscCall(DMPlexRestoreJoin(ctx->dm, n, points, &njoin, &join));
  PetscCheck(f >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "%s: an element of the boundary '%s' at vertex %" PetscInt_FMT
             " is no face of a cell: expected a matching mesh",
             ctx->mesh->source, ctx->list->name[ctx->list->face_name[k]], face[0]);
  PetscCall(DMPlexGetSupportSize(ctx->dm, f, &size));
  if (size == 1) PetscCall(DMLabelSetValue(labels[ctx->list->face_name[k]], f, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count_faces(MarkContext *ctx, const DMLabel *labels, DMLabel boundary)
{
  PetscInt fStart, fEnd, n, unlabelled = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < ctx->list->nnames; k++)
    PetscCall(DMLabelGetStratumSize(labels[k], 1, &ctx->mesh->label_faces[k]));
  PetscCall(DMLabelGetStratumSize(boundary, 1, &n));
  PetscCall(DMPlexGetHeightStratum(ctx->dm, 1, &fStart, &fEnd));
  PetscCall(DMLabelCreateIndex(boundary, fStart, fEnd));
  for (PetscInt k = 0; k < ctx->list->nnames; k++) PetscCall(DMLabelCreateIndex(labels[k], fStart, fEnd));
  for (PetscInt f = fStart; f < fEnd && n; f++) {
    PetscBool on, named = PETSC_FALSE;

    PetscCall(DMLabelHasPoint(boundary, f, &on));
    for (PetscInt k = 0; k < ctx->list->nnames && on && !named; k++) PetscCall(DMLabelHasPoint(labels[k], f, &named));
    unlabelled += on && !named;
  }
  ctx->mesh->unlabelled = unlabelled;
  PetscCheck(!n || unlabelled < n, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "%s has %" PetscInt_FMT " boundary faces and no boundary label: expected physical groups of its %s (Gmsh: "
             "Physical %s(\"name\") = {...};)",
             ctx->mesh->source, n, ctx->mesh->dim == 2 ? "curves" : "surfaces",
             ctx->mesh->dim == 2 ? "Curve" : "Surface");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Labels of the whole mesh, on rank 0. */
static PetscErrorCode mark(void *arg)
{
  MarkContext *ctx = (MarkContext *)arg;
  DMLabel boundary;

  PetscFunctionBegin;
  PetscCall(DMGetLabel(ctx->dm, BOUNDARY_LABEL, &boundary));
  for (PetscInt k = 0; k < ctx->list->nnames; k++) PetscCall(DMGetLabel(ctx->dm, ctx->list->name[k], &ctx->label[k]));
  PetscCall(mark_boundary(ctx, boundary));
  for (PetscInt k = 0; k < ctx->list->nfaces; k++) PetscCall(mark_named_face(ctx, k, ctx->label));
  PetscCall(count_faces(ctx, ctx->label, boundary));
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
    char name[128] = "";

    if (!rank) PetscCall(PetscStrncpy(name, list->name[k], sizeof(name)));
    PetscCallMPI(MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, mesh->comm));
    PetscCall(PetscStrallocpy(name, &mesh->label[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Face counts to all; a name without boundary faces (interior, or periodic) is no boundary label. */
static PetscErrorCode share_counts(RhxMesh mesh)
{
  PetscInt kept = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(mesh->label_faces, mesh->nlabels, MPIU_INT, 0, mesh->comm));
  PetscCallMPI(MPI_Bcast(&mesh->unlabelled, 1, MPIU_INT, 0, mesh->comm));
  for (PetscInt k = 0; k < mesh->nlabels; k++) {
    if (!mesh->label_faces[k]) {
      PetscCall(PetscFree(mesh->label[k]));
      continue;
    }
    mesh->label[kept] = mesh->label[k];
    mesh->label_faces[kept++] = mesh->label_faces[k];
  }
  mesh->nlabels = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaves [lo, hi) of the migration as an SF of their own; roots are the points [rlo, rhi) of the whole mesh. NULL
 * migration: the identity. */
static PetscErrorCode restrict_sf(MPI_Comm comm, PetscSF migration, PetscInt lo, PetscInt hi, PetscInt rlo,
                                  PetscInt rhi, PetscSF *sf)
{
  PetscSFNode *remote;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(hi - lo, &remote));
  if (migration) {
    const PetscSFNode *from;
    const PetscInt *leaf;
    PetscInt n;

    PetscCall(PetscSFGetGraph(migration, NULL, &n, &leaf, &from));
    for (PetscInt k = 0; k < n; k++) {
      const PetscInt p = leaf ? leaf[k] : k;
      if (p < lo || p >= hi) continue;
      remote[p - lo].rank = from[k].rank;
      remote[p - lo].index = from[k].index;
    }
  } else {
    for (PetscInt p = lo; p < hi; p++) {
      remote[p - lo].rank = 0;
      remote[p - lo].index = p;
    }
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
  PetscCall(restrict_sf(mesh->comm, migration, vStart, vEnd, list->ncells, list->ncells + list->nvertices, &sf));
  PetscCall(PetscMalloc1(list->nvertices, &number));
  for (PetscInt k = 0; k < list->nvertices; k++) number[k] = k;
  PetscCall(PetscMalloc1(vEnd - vStart, &mesh->natural));
  PetscCall(PetscMalloc1((vEnd - vStart) * mesh->dim, &mesh->x));
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
  PetscCall(DMPlexGetHeightStratum(mesh->dm, 0, &cStart, &cEnd));
  PetscCall(restrict_sf(mesh->comm, migration, cStart, cEnd, 0, list->ncells, &sf));
  PetscCall(PetscCalloc1(list->ncells * width, &root));
  for (PetscInt c = 0; c < list->ncells; c++)
    PetscCall(PetscArraycpy(root + c * width, list->xc + list->offset[c] * mesh->dim,
                            rhx_cell_nodes(list->type[c]) * mesh->dim));
  PetscCall(PetscMalloc1((cEnd - cStart) * width, &mesh->xc));
  PetscCall(migrate_reals(sf, width, root, mesh->xc));
  PetscCall(PetscFree(root));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertex positions as the DM's coordinates, for PETSc's own viewers; element positions come from RhxMeshGetCell. */
static PetscErrorCode set_coordinates(RhxMesh mesh)
{
  PetscSection section;
  Vec coordinates;
  PetscInt vStart, vEnd;
  PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepthStratum(mesh->dm, 0, &vStart, &vEnd));
  PetscCall(DMSetCoordinateDim(mesh->dm, mesh->dim));
  PetscCall(DMGetCoordinateSection(mesh->dm, &section));
  PetscCall(PetscSectionSetNumFields(section, 1));
  PetscCall(PetscSectionSetFieldComponents(section, 0, mesh->dim));
  PetscCall(PetscSectionSetChart(section, vStart, vEnd));
  for (PetscInt v = vStart; v < vEnd; v++) {
    PetscCall(PetscSectionSetDof(section, v, mesh->dim));
    PetscCall(PetscSectionSetFieldDof(section, v, 0, mesh->dim));
  }
  PetscCall(PetscSectionSetUp(section));
  PetscCall(VecCreate(PETSC_COMM_SELF, &coordinates));
  PetscCall(PetscObjectSetName((PetscObject)coordinates, "coordinates"));
  PetscCall(VecSetSizes(coordinates, (vEnd - vStart) * mesh->dim, PETSC_DETERMINE));
  PetscCall(VecSetBlockSize(coordinates, mesh->dim));
  PetscCall(VecSetType(coordinates, VECSTANDARD));
  PetscCall(VecGetArrayWrite(coordinates, &a));
  PetscCall(PetscArraycpy(a, mesh->x, (vEnd - vStart) * mesh->dim));
  PetscCall(VecRestoreArrayWrite(coordinates, &a));
  PetscCall(DMSetCoordinatesLocal(mesh->dm, coordinates));
  PetscCall(VecDestroy(&coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode distribute(RhxMesh mesh, DM *dm, PetscSF *migration)
{
  PetscPartitioner part;
  PetscMPIInt size;
  DM parallel;

  PetscFunctionBegin;
  *migration = NULL;
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMPlexGetPartitioner(*dm, &part));
  if (mesh->ncells < 8 * size) PetscCall(PetscPartitionerSetType(part, PETSCPARTITIONERSIMPLE));
  PetscCall(PetscPartitionerSetFromOptions(part));
  PetscCall(DMPlexDistribute(*dm, 0, migration, &parallel));
  PetscCheck(parallel, mesh->comm, PETSC_ERR_PLIB, "%s was not distributed over %d ranks", mesh->source, size);
  PetscCall(DMDestroy(dm));
  *dm = parallel;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Labels and face counts; a face without its cell, or a boundary without any label, is an error. */
static PetscErrorCode label_boundary(RhxMesh mesh, RhxCellList *list)
{
  MarkContext ctx = {mesh, mesh->dm, list, NULL};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(mesh->dm, BOUNDARY_LABEL));
  for (PetscInt k = 0; k < mesh->nlabels; k++) PetscCall(DMCreateLabel(mesh->dm, mesh->label[k]));
  PetscCall(PetscCalloc1(mesh->nlabels, &mesh->label_faces));
  PetscCall(PetscMalloc1(mesh->nlabels, &ctx.label));
  ierr = RhxMeshOnRank0(mesh->comm, mark, &ctx);
  PetscCall(PetscFree(ctx.label));
  PetscCall(ierr);
  PetscCall(share_counts(mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshBuildPlex(RhxMesh mesh, RhxCellList *list)
{
  PetscSF migration;

  PetscFunctionBegin;
  PetscCall(share_names(mesh, list));
  PetscCall(create_topology(mesh->comm, mesh->dim, list, &mesh->dm));
  PetscCall(label_boundary(mesh, list));
  PetscCall(distribute(mesh, &mesh->dm, &migration));
  PetscCall(PetscObjectSetName((PetscObject)mesh->dm, "mesh"));
  PetscCall(migrate_vertices(mesh, migration, list));
  PetscCall(migrate_cells(mesh, migration, list));
  PetscCall(PetscSFDestroy(&migration));
  PetscCall(set_coordinates(mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
