/* The boundary of the whole mesh: its faces, those of every label, and their way to the ranks of their cells. */
#include "mesh/impl.h"
#include "mesh/sides_impl.h"
#include <stdlib.h>

typedef struct {
  RhxMesh mesh;
  RhxCellList *list;
  RhxMeshFaces *faces;
  PetscBool graph; /* of the cells is wanted */
} FindContext;

/* Number of boundary faces; more than two cells at a face are an error. */
static PetscErrorCode count_boundary(const RhxMesh mesh, const RhxListSides *sides, PetscInt *nboundary)
{
  PetscFunctionBegin;
  *nboundary = 0;
  for (PetscInt v = 0; v < sides->nvertices; v++)
    for (PetscInt k = sides->first[v], n; k < sides->first[v + 1]; k += n) {
      n = RhxListSidesEqual(sides, v, k);
      PetscCheck(n <= 2, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "%s: a face belongs to %" PetscInt_FMT
                 " cells, expected one or two: cells are there twice, or a periodic direction has fewer than 3 cells",
                 mesh->source, n);
      *nboundary += n == 1;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int compare_faces(const void *pa, const void *pb)
{
  const RhxNamedFace *a = (const RhxNamedFace *)pa, *b = (const RhxNamedFace *)pb;

  if (a->face != b->face) return a->face < b->face ? -1 : 1;
  return (a->label > b->label) - (a->label < b->label);
}

/* Mean position of a cell's side, as the cell sees it (a periodic mesh is cut). */
static void side_position(const RhxCellList *list, PetscInt face, PetscReal *x)
{
  const PetscInt cell = face / RHX_MAX_SIDES, at = list->offset[cell];
  const RhxCellSides *sides = RhxCellTypeSides(list->type[cell]);

  for (PetscInt d = 0; d < list->dim; d++) {
    x[d] = 0;
    for (PetscInt a = 0; a < sides->nn; a++) {
      const PetscInt k = at + sides->node[face % RHX_MAX_SIDES][a];
      x[d] += (list->xc ? list->xc[k * list->dim + d] : list->x[list->conn[k] * list->dim + d]) / (PetscReal)sides->nn;
    }
  }
}

/* Do the two cells see their common side at two places, that is, is it a joined side of a periodic mesh? */
static PetscBool is_joined(const RhxCellList *list, const RhxListSide *side)
{
  PetscReal a[3], b[3], apart = 0, size = 0;

  if (!list->xc) return PETSC_FALSE;
  side_position(list, side[0].face, a);
  side_position(list, side[1].face, b);
  for (PetscInt d = 0; d < list->dim; d++) {
    apart = PetscMax(apart, PetscAbsReal(a[d] - b[d]));
    size = PetscMax(size, PetscMax(PetscAbsReal(a[d]), PetscAbsReal(b[d])));
  }
  return (PetscBool)(apart > 1e-9 * size);
}

/* The list's faces that lie on the boundary, once each under a label; those inside the domain are counted. */
static PetscErrorCode name_faces(FindContext *ctx, const RhxListSides *sides)
{
  const RhxCellList *list = ctx->list;
  RhxMeshFaces *faces = ctx->faces;
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(list->nfaces, &faces->face));
  for (PetscInt k = 0; k < list->nfaces; k++) {
    PetscInt at, ncells;

    PetscCall(RhxListSidesOfFace(sides, list, k, ctx->mesh->source, &at, &ncells));
    if (ncells > 1) {
      ctx->mesh->inner_faces[list->face_name[k]] += !is_joined(list, &sides->side[at]);
      continue;
    }
    faces->face[n].face = sides->side[at].face;
    faces->face[n++].label = list->face_name[k];
  }
  if (n) qsort(faces->face, (size_t)n, sizeof(*faces->face), compare_faces);
  for (PetscInt k = 0; k < n; k++)
    if (!k || compare_faces(&faces->face[k], &faces->face[k - 1])) faces->face[faces->n++] = faces->face[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count_faces(RhxMesh mesh, const RhxMeshFaces *faces, PetscInt nboundary)
{
  PetscFunctionBegin;
  mesh->unlabelled = nboundary;
  for (PetscInt k = 0; k < faces->n; k++) {
    mesh->label_faces[faces->face[k].label]++;
    mesh->unlabelled -= !k || faces->face[k].face != faces->face[k - 1].face;
  }
  PetscCheck(!nboundary || mesh->unlabelled < nboundary, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "%s has %" PetscInt_FMT " boundary faces and no boundary label: expected physical groups of its %s (Gmsh: "
             "Physical %s(\"name\") = {...};)",
             mesh->source, nboundary, mesh->dim == 2 ? "curves" : "surfaces", mesh->dim == 2 ? "Curve" : "Surface");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_with(FindContext *ctx, const RhxListSides *sides)
{
  PetscInt nboundary;

  PetscFunctionBegin;
  PetscCall(count_boundary(ctx->mesh, sides, &nboundary));
  PetscCall(name_faces(ctx, sides));
  PetscCall(count_faces(ctx->mesh, ctx->faces, nboundary));
  if (ctx->graph) PetscCall(RhxListSidesGraph(sides, ctx->list->ncells, &ctx->faces->start, &ctx->faces->neighbour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find(void *arg)
{
  FindContext *ctx = (FindContext *)arg;
  RhxListSides sides = {0};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  ierr = RhxListSidesCreate(ctx->list, &sides);
  if (!ierr) ierr = find_with(ctx, &sides);
  PetscCall(RhxListSidesDestroy(&sides));
  PetscFunctionReturn(ierr);
}

/* Names with boundary faces first; one without (interior, or periodic) is no boundary label and goes behind nlabels. */
static PetscErrorCode sort_names(RhxMesh mesh, PetscInt *to)
{
  const PetscInt n = mesh->nlabels;
  PetscInt *count, *inner, behind = n;
  char **label;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &count, n, &inner, n, &label));
  PetscCall(PetscArraycpy(count, mesh->label_faces, n));
  PetscCall(PetscArraycpy(inner, mesh->inner_faces, n));
  PetscCall(PetscArraycpy(label, mesh->label, n));
  mesh->nlabels = 0;
  for (PetscInt k = 0; k < n; k++) {
    to[k] = count[k] ? mesh->nlabels++ : --behind;
    mesh->label_faces[to[k]] = count[k];
    mesh->inner_faces[to[k]] = inner[k];
    mesh->label[to[k]] = label[k];
  }
  PetscCall(PetscFree3(count, inner, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Face counts to all. */
static PetscErrorCode share_counts(RhxMesh mesh, RhxMeshFaces *faces)
{
  PetscInt *to;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(mesh->label_faces, mesh->nlabels, MPIU_INT, 0, mesh->comm));
  PetscCallMPI(MPI_Bcast(mesh->inner_faces, mesh->nlabels, MPIU_INT, 0, mesh->comm));
  PetscCallMPI(MPI_Bcast(&mesh->unlabelled, 1, MPIU_INT, 0, mesh->comm));
  mesh->nnames = mesh->nlabels;
  PetscCall(PetscMalloc1(mesh->nnames, &to));
  PetscCall(sort_names(mesh, to));
  for (PetscInt k = 0; k < faces->n; k++) faces->face[k].label = to[faces->face[k].label];
  PetscCall(PetscFree(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshFindFaces(RhxMesh mesh, RhxCellList *list, RhxMeshFaces *faces)
{
  FindContext ctx = {mesh, list, faces, PETSC_FALSE};
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  ctx.graph = (PetscBool)(size > 1);
  PetscCall(PetscCalloc1(mesh->nlabels, &mesh->label_faces));
  PetscCall(PetscCalloc1(mesh->nlabels, &mesh->inner_faces));
  PetscCall(RhxMeshOnRank0(mesh->comm, find, &ctx));
  PetscCall(share_counts(mesh, faces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshFacesDestroy(RhxMeshFaces *faces)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(faces->face));
  PetscCall(PetscFree(faces->start));
  PetscCall(PetscFree(faces->neighbour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local faces in the order of cells become those of every label. */
static PetscErrorCode sort_by_label(RhxMesh mesh, PetscInt n, const RhxNamedFace *face)
{
  PetscInt *at;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(mesh->nlabels + 2, &mesh->face_start));
  PetscCall(PetscMalloc1(n, &mesh->face));
  /* at[l + 1] counts, at[l] then begins label l, and after its faces are placed ends it */
  at = mesh->face_start + 1;
  for (PetscInt k = 0; k < n; k++) at[face[k].label + 1]++;
  for (PetscInt l = 0; l < mesh->nlabels; l++) at[l + 1] += at[l];
  for (PetscInt k = 0; k < n; k++) mesh->face[at[face[k].label]++] = face[k].face;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For every cell of the whole mesh, on rank 0: number of its first named face and how many it has. */
static PetscErrorCode faces_of_cells(const RhxMeshFaces *faces, PetscInt ncells, PetscInt (**of)[2])
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(ncells, of));
  for (PetscInt k = faces->n - 1; k >= 0; k--) {
    const PetscInt c = faces->face[k].face / RHX_MAX_SIDES;
    (*of)[c][0] = k;
    (*of)[c][1]++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode migrate_pairs(PetscSF sf, const void *root, void *leaf)
{
  PetscFunctionBegin;
  PetscCall(PetscSFBcastBegin(sf, MPIU_2INT, root, leaf, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_2INT, root, leaf, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The faces of the n local cells, of which `of` says number and count on rank 0. */
static PetscErrorCode fetch_faces(RhxMesh mesh, const RhxMeshFaces *faces, PetscInt n, PetscInt (*of)[2])
{
  PetscSF sf;
  PetscSFNode *remote;
  RhxNamedFace *face;
  PetscInt nfaces = 0, k = 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < n; c++) nfaces += of[c][1];
  PetscCall(PetscMalloc1(nfaces, &remote));
  PetscCall(PetscMalloc1(nfaces, &face));
  for (PetscInt c = 0; c < n; c++)
    for (PetscInt i = 0; i < of[c][1]; i++, k++) {
      remote[k].rank = 0;
      remote[k].index = of[c][0] + i;
    }
  PetscCall(PetscSFCreate(mesh->comm, &sf));
  PetscCall(PetscSFSetGraph(sf, faces->n, nfaces, NULL, PETSC_OWN_POINTER, remote, PETSC_OWN_POINTER));
  PetscCall(migrate_pairs(sf, faces->face, face));
  PetscCall(PetscSFDestroy(&sf));
  k = 0;
  for (PetscInt c = 0; c < n; c++)
    for (PetscInt i = 0; i < of[c][1]; i++, k++) face[k].face = RHX_MAX_SIDES * c + face[k].face % RHX_MAX_SIDES;
  PetscCall(sort_by_label(mesh, nfaces, face));
  PetscCall(PetscFree(face));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshMigrateFaces(RhxMesh mesh, PetscSF migration, const RhxMeshFaces *faces, PetscInt ncells)
{
  PetscInt(*root)[2], (*of)[2], cStart, cEnd;
  PetscSF sf;

  PetscFunctionBegin;
  if (!migration) {
    PetscCall(sort_by_label(mesh, faces->n, faces->face));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DMPlexGetHeightStratum(mesh->dm, 0, &cStart, &cEnd));
  PetscCall(faces_of_cells(faces, ncells, &root));
  PetscCall(PetscMalloc1(cEnd - cStart, &of));
  PetscCall(RhxMeshRestrictSF(mesh->comm, migration, cStart, cEnd, 0, ncells, &sf));
  PetscCall(migrate_pairs(sf, root, of));
  PetscCall(PetscSFDestroy(&sf));
  PetscCall(fetch_faces(mesh, faces, cEnd - cStart, of));
  PetscCall(PetscFree(root));
  PetscCall(PetscFree(of));
  PetscFunctionReturn(PETSC_SUCCESS);
}
