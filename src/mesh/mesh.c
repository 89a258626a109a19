#include "mesh/impl.h"
#include "mesh/regions.h"
#include "plugin/doing.h"
#include "plugin/option.h"
#include <stddef.h>
#include <stdio.h>

#define OFFSET(member) offsetof(RhxMeshOptions, member)

static const RhxRow rows[] = {
    {"file", RHX_STRING, 0, OFFSET(file), "", RHX_ANY, 0, 0, NULL, "1",
     "mesh file: Gmsh .msh 2.2 or 4.1 (ascii or binary), or PETSc HDF5"},
    {"regions", RHX_STRING, 0, OFFSET(regions), "", RHX_ANY, 0, 0, NULL, "1",
     "regions of the mesh file that are the fluid, by name or number (Gmsh: physical surfaces, in space volumes), such "
     "as \"blood\" beside a vessel's wall; empty: all"},
    {"file_periodic", RHX_BOOL, 0, OFFSET(file_periodic), "true", RHX_ANY, 0, 0, NULL, "1",
     "join the periodic nodes that a Gmsh file lists"},
    {"periodic", RHX_STRING, 0, OFFSET(periodic), "", RHX_ANY, 0, 0, NULL, "1",
     "pairs of labels to join, \"left,right\" or \"left,right;bottom,top\": the second of a pair is the first moved by "
     "a "
     "translation; for any mesh"},
    {"box_faces", RHX_STRING, 0, OFFSET(box_faces), "", RHX_ANY, 0, 0, NULL, "1",
     "cells along x,y or x,y,z of a box instead of a file"},
    {"box_lower", RHX_STRING, 0, OFFSET(box_lower), "0", RHX_ANY, 0, 0, NULL, "m",
     "lower corner of the box; one value stands for all"},
    {"box_upper", RHX_STRING, 0, OFFSET(box_upper), "1", RHX_ANY, 0, 0, NULL, "m",
     "upper corner of the box; one value stands for all"},
    {"box_cell", RHX_CHOICE, 0, OFFSET(box_cell), "auto", RHX_ANY, 0, 0,
     "auto|triangle|quadrilateral|tetrahedron|hexahedron|mixed", "1",
     "cells of the box; auto: quadrilateral or hexahedron; mixed: triangles and quadrilaterals"},
    {"box_periodic", RHX_STRING, 0, OFFSET(box_periodic), "none", RHX_ANY, 0, 0, NULL, "1",
     "periodic directions of the box: none or letters such as x or xz"},
    {"box_jitter", RHX_REAL, 0, OFFSET(box_jitter), "0", RHX_IN_RIGHT_OPEN, 0, 0.5, NULL, "1",
     "largest displacement of interior nodes over the cell size"},
    {"scale", RHX_REAL, 0, OFFSET(scale), "1", RHX_GT, 0, 0, NULL, "1",
     "factor on every coordinate (0.001: a file in mm)"},
    {"order", RHX_CHOICE, 0, OFFSET(order), "rcm", RHX_ANY, 0, 0, "rcm|none", "1",
     "node order: reverse Cuthill-McKee where it is better than the file's, or the file's"},
};
static const RhxOptionTable table = {"mesh", "mesh_", PETSC_STATIC_ARRAY_LENGTH(rows), rows};

/* Names of PETSc. */
static const RhxRow refine_rows[] = {
    {"refine_pre", RHX_INT, 0, 0, NULL, RHX_IN, 0, 10, NULL, "1", "uniform refinements before distribution"},
    {"refine", RHX_INT, 0, 0, NULL, RHX_IN, 0, 10, NULL, "1", "uniform refinements after distribution"},
};

PetscErrorCode RhxMeshRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshCreate(MPI_Comm comm, RhxMesh *mesh)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(mesh));
  (*mesh)->comm = comm;
  (*mesh)->options.scale = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshSetFromOptions(RhxMesh mesh)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRead(mesh->comm, &table, NULL, &mesh->options));
  PetscCall(RhxRowsCheck(mesh->comm, "dm_", PETSC_STATIC_ARRAY_LENGTH(refine_rows), refine_rows));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(refine_rows); i++) {
    char name[64];

    PetscCall(PetscSNPrintf(name, sizeof(name), "-dm_%s", refine_rows[i].name));
    mesh->refine[i] = 0;
    PetscCall(PetscOptionsGetInt(NULL, NULL, name, &mesh->refine[i], NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RhxMesh mesh;
  RhxCellList list;
} ReadContext;

static PetscErrorCode make_list(ReadContext *ctx)
{
  const RhxMeshOptions *o = &ctx->mesh->options;
  FILE *f;
  char head[8] = "";

  PetscFunctionBegin;
  if (!o->file[0]) {
    RhxBox box;

    PetscCall(RhxMeshParseBox(ctx->mesh, &box));
    PetscCall(RhxCellListBox(&box, &ctx->list));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  f = fopen(o->file, "rb");
  if (f) {
    if (fread(head, 1, sizeof(head), f) < 4) head[0] = 0;
    (void)fclose(f);
  }
  if (!memcmp(head, "\211HDF", 4))
    PetscCall(RhxCellListHDF5(o->file, &ctx->list));
  else
    PetscCall(RhxCellListGmsh(o->file, (PetscBool)o->file_periodic, &ctx->list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_refined(const RhxCellList *list, PetscInt levels)
{
  const PetscInt children = list->dim == 3 ? 8 : 4;
  const double cells = list->ncells * PetscPowReal(children, (PetscReal)levels);

  PetscFunctionBegin;
  PetscCheck(cells * children < PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-dm_refine %" PetscInt_FMT " of %" PetscInt_FMT " cells would be %.3g cells, expected at most %.3g",
             levels, list->ncells, cells, (double)PETSC_MAX_INT / children);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_list(void *arg)
{
  ReadContext *ctx = (ReadContext *)arg;

  PetscFunctionBegin;
  RhxDoing("%s the %s", ctx->mesh->options.file[0] ? "reading" : "making", ctx->mesh->source);
  PetscCall(make_list(ctx));
  RhxDoing("joining and checking the %s", ctx->mesh->source);
  PetscCall(
      RhxCellListDescribeRegions(&ctx->list, sizeof(ctx->mesh->regions), ctx->mesh->regions, &ctx->mesh->nregions));
  PetscCall(RhxCellListChoose(&ctx->list, ctx->mesh->source, ctx->mesh->options.regions));
  PetscCall(RhxCellListForgetRegions(&ctx->list));
  PetscCall(RhxCellListScale(&ctx->list, ctx->mesh->options.scale));
  PetscCall(RhxCellListSortNames(&ctx->list));
  PetscCall(RhxCellListJoin(&ctx->list, ctx->mesh->options.periodic));
  PetscCall(RhxCellListCheck(&ctx->list, ctx->mesh->source, &ctx->mesh->quality));
  PetscCall(check_refined(&ctx->list, ctx->mesh->refine[0] + ctx->mesh->refine[1]));
  if (!ctx->mesh->refine[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCellListRefine(&ctx->list, ctx->mesh->refine[0]));
  PetscCall(RhxCellListCheck(&ctx->list, ctx->mesh->source, &ctx->mesh->quality));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshSetUp(RhxMesh mesh)
{
  const RhxMeshOptions *o = &mesh->options;
  ReadContext ctx = {mesh, {0}};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCheck(!mesh->dm, mesh->comm, PETSC_ERR_ORDER, "the mesh is set up twice");
  PetscCheck(o->file[0] || o->box_faces[0], mesh->comm, PETSC_ERR_USER,
             "no mesh is given: expected -mesh_file or -mesh_box_faces");
  PetscCheck(!o->file[0] || !o->box_faces[0], mesh->comm, PETSC_ERR_USER,
             "both -mesh_file %s and -mesh_box_faces %s are given: expected one of them", o->file, o->box_faces);
  if (o->file[0])
    PetscCall(PetscSNPrintf(mesh->source, sizeof(mesh->source), "mesh file '%s'", o->file));
  else
    PetscCall(PetscSNPrintf(mesh->source, sizeof(mesh->source), "box mesh (-mesh_box_faces %s%s)", o->box_faces,
                            o->box_jitter > 0 ? ", -mesh_box_jitter" : ""));
  ierr = RhxMeshOnRank0(mesh->comm, read_list, &ctx);
  PetscCallMPI(MPI_Bcast(&mesh->quality, sizeof(mesh->quality), MPI_BYTE, 0, mesh->comm));
  PetscCallMPI(MPI_Bcast(&mesh->nregions, 1, MPIU_INT, 0, mesh->comm));
  PetscCallMPI(MPI_Bcast(mesh->regions, sizeof(mesh->regions), MPI_CHAR, 0, mesh->comm));
  RhxDoing("distributing the mesh");
  if (!ierr) ierr = RhxMeshBuildPlex(mesh, &ctx.list);
  PetscCall(RhxCellListDestroy(&ctx.list));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshView(RhxMesh mesh, PetscViewer viewer)
{
  const RhxMeshQuality *q = &mesh->quality;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %" PetscInt_FMT "D, %" PetscInt_FMT " nodes, %" PetscInt_FMT " cells",
                                   mesh->source, mesh->dim, mesh->nvertices, mesh->ncells));
  for (PetscInt t = 0; t < DM_NUM_POLYTOPES; t++)
    if (q->count[t])
      PetscCall(PetscViewerASCIIPrintf(viewer, " (%" PetscInt_FMT " %s)", q->count[t], DMPolytopeTypes[t]));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "\n  edges %.4g to %.4g m, largest aspect ratio %.3g, smallest scaled corner Jacobian %.3g\n", q->hmin,
      q->hmax, q->aspect, q->jacobian));
  if (mesh->options.regions[0])
    PetscCall(PetscViewerASCIIPrintf(viewer, "  regions %s of %s\n", mesh->options.regions, mesh->regions));
  for (PetscInt k = 0; k < mesh->nlabels; k++)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  label %-20s %" PetscInt_FMT " faces\n", mesh->label[k],
                                     mesh->label_faces[k]));
  if (mesh->unlabelled)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  without a label %9s %" PetscInt_FMT " faces\n", "", mesh->unlabelled));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshDestroy(RhxMesh *mesh)
{
  RhxMesh m = *mesh;

  PetscFunctionBegin;
  if (!m) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDestroy(&m->dm));
  for (PetscInt k = 0; k < PetscMax(m->nlabels, m->nnames); k++) PetscCall(PetscFree(m->label[k]));
  PetscCall(PetscFree(m->label));
  PetscCall(PetscFree(m->label_faces));
  PetscCall(PetscFree(m->inner_faces));
  PetscCall(PetscFree(m->face_start));
  PetscCall(PetscFree(m->face));
  PetscCall(PetscFree(m->natural));
  PetscCall(PetscFree(m->x));
  PetscCall(PetscFree(m->xc));
  PetscCall(PetscFree(*mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetDM(RhxMesh mesh, DM *dm)
{
  PetscFunctionBegin;
  PetscCheck(mesh->dm, mesh->comm, PETSC_ERR_ORDER, "the mesh is not set up");
  *dm = mesh->dm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetDimension(RhxMesh mesh, PetscInt *dim)
{
  PetscFunctionBegin;
  *dim = mesh->dim;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetShortestEdge(RhxMesh mesh, PetscReal *h)
{
  PetscFunctionBegin;
  *h = mesh->quality.hmin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetLabels(RhxMesh mesh, PetscInt *n, const char *const **names)
{
  PetscFunctionBegin;
  *n = mesh->nlabels;
  if (names) *names = (const char *const *)mesh->label;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetLabelFaceCount(RhxMesh mesh, const char *label, PetscInt *n)
{
  PetscFunctionBegin;
  *n = 0;
  for (PetscInt k = 0; k < mesh->nlabels; k++)
    if (!strcmp(mesh->label[k], label)) *n = mesh->label_faces[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetLabelInnerFaceCount(RhxMesh mesh, const char *label, PetscInt *n)
{
  PetscFunctionBegin;
  *n = 0;
  for (PetscInt k = 0; k < mesh->nnames; k++)
    if (!strcmp(mesh->label[k], label)) *n = mesh->inner_faces[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetLabelFaces(RhxMesh mesh, const char *label, IS *faces)
{
  const PetscInt *face = NULL;
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < mesh->nlabels; k++)
    if (!strcmp(mesh->label[k], label)) {
      face = mesh->face + mesh->face_start[k];
      n = mesh->face_start[k + 1] - mesh->face_start[k];
    }
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, face, PETSC_COPY_VALUES, faces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetUnlabelledFaceCount(RhxMesh mesh, PetscInt *n)
{
  PetscFunctionBegin;
  *n = mesh->unlabelled;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetRegions(RhxMesh mesh, PetscInt *n, const char **text, PetscBool *all)
{
  PetscFunctionBegin;
  *n = mesh->nregions;
  *text = mesh->regions;
  *all = (PetscBool)!mesh->options.regions[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetGlobalSize(RhxMesh mesh, PetscInt *ncells, PetscInt *nvertices)
{
  PetscFunctionBegin;
  if (ncells) *ncells = mesh->ncells;
  if (nvertices) *nvertices = mesh->nvertices;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetVertices(RhxMesh mesh, const PetscInt **natural, const PetscReal **x)
{
  PetscFunctionBegin;
  if (natural) *natural = mesh->natural;
  if (x) *x = mesh->x;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetReorder(RhxMesh mesh, PetscBool *reorder)
{
  PetscFunctionBegin;
  *reorder = (PetscBool)(mesh->options.order == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetCell(RhxMesh mesh, PetscInt cell, DMPolytopeType *type, PetscInt *nn, PetscInt vertex[])
{
  const PetscInt *cone;
  PetscInt vStart;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepthStratum(mesh->dm, 0, &vStart, NULL));
  PetscCall(DMPlexGetConeSize(mesh->dm, cell, nn));
  PetscCall(DMPlexGetCone(mesh->dm, cell, &cone));
  *type = rhx_cell_type(mesh->dim, *nn);
  for (PetscInt a = 0; a < *nn; a++) vertex[a] = cone[a] - vStart;
  rhx_plex_vtk_order(*type, vertex);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshGetCellPositions(RhxMesh mesh, const PetscReal **x)
{
  PetscFunctionBegin;
  *x = mesh->xc;
  PetscFunctionReturn(PETSC_SUCCESS);
}
