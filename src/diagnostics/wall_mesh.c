/* The wall of a label as rank 0 holds it, made once: faces, nodes, entries, what solves for the traction. */
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"

/* ---- On every rank: its faces of the label ---- */

static void integrate_face(RhxSpace space, const RhxFaceGroup *g, PetscInt f, RhxWallFace *face)
{
  for (PetscInt q = 0; q < g->nfq; q++) {
    const PetscReal *N = g->N + q * g->nn;
    double n[3], area = RhxFaceNormal(g, space->dim, f, q, n);
    for (PetscInt a = 0; a < g->nfn; a++) {
      for (int d = 0; d < 3; d++) face->normal[a][d] += N[g->fnode[a]] * n[d];
      for (PetscInt b = 0; b < g->nfn; b++) {
        face->mass[a][b] += N[g->fnode[a]] * N[g->fnode[b]] * area;
        for (int d = 0; d < 3; d++) face->thrust[a][b][d] += N[g->fnode[a]] * N[g->fnode[b]] * n[d];
      }
    }
  }
}

/* shared[nlocal]: labels that hold the node. */
static void fill_face(RhxSpace space, const RhxFaceGroup *g, PetscInt f, const PetscScalar *shared, RhxWallFace *face)
{
  const PetscInt group = f / RHX_LANES, lane = f % RHX_LANES, dim = space->dim;

  face->n = g->nfn;
  for (PetscInt a = 0; a < g->nfn; a++) {
    const PetscInt local = RhxFaceParentNode(g, f, g->fnode[a]);
    face->node[a] = space->natural[local];
    face->shared[a] = shared[local] - 1;
    for (PetscInt d = 0; d < dim; d++)
      face->x[a][d] = g->x[((group * g->nn + g->fnode[a]) * dim + d) * RHX_LANES + lane];
  }
  integrate_face(space, g, f, face);
}

static PetscErrorCode local_faces(RhxSpace space, const RhxFaces *faces, PetscInt *n, RhxWallFace **face)
{
  PetscScalar *shared;
  PetscInt k = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(space->nlocal, &shared));
  PetscCall(RhxLabelCount(space, shared));
  *n = 0;
  for (PetscInt i = 0; i < faces->ngroups; i++) *n += faces->group[i].n;
  PetscCall(PetscCalloc1(*n, face));
  for (PetscInt i = 0; i < faces->ngroups; i++)
    for (PetscInt f = 0; f < faces->group[i].n; f++) fill_face(space, faces->group + i, f, shared, *face + k++);
  PetscCall(PetscFree(shared));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- On rank 0: all of them ---- */

PetscErrorCode RhxWallGather(MPI_Comm comm, PetscInt n, size_t size, const void *mine, PetscInt *nall, void *all)
{
  const int length = (int)(size / sizeof(double));
  PetscMPIInt rank, nranks, *count = NULL, *start = NULL, total = 0, send = (PetscMPIInt)(n * length);
  char *to = NULL;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &nranks));
  PetscCall(PetscMalloc2(rank ? 0 : nranks, &count, rank ? 0 : nranks, &start));
  PetscCallMPI(MPI_Gather(&send, 1, MPI_INT, count, 1, MPI_INT, 0, comm));
  for (PetscMPIInt r = 0; !rank && r < nranks; r++) {
    start[r] = total;
    total += count[r];
  }
  *nall = total / length;
  PetscCall(PetscMalloc1(*nall * size, &to));
  PetscCallMPI(MPI_Gatherv(mine, send, MPI_DOUBLE, to, count, start, MPI_DOUBLE, 0, comm));
  PetscCall(PetscFree2(count, start));
  *(void **)all = to;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode number_nodes(RhxWallMesh *w)
{
  PetscInt n = 0, *number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * w->nfaces, &number));
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < w->face[f].n; a++) number[n++] = (PetscInt)w->face[f].node[a];
  PetscCall(PetscSortRemoveDupsInt(&n, number));
  w->nnodes = n;
  PetscCall(PetscMalloc1(w->nfaces, &w->node));
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < 4; a++) {
      w->node[f][a] = -1;
      if (a < w->face[f].n) PetscCall(PetscFindInt((PetscInt)w->face[f].node[a], n, number, &w->node[f][a]));
    }
  w->number = number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_before(const double *a, const double *b)
{
  for (int d = 0; d < 3; d++)
    if (a[d] != b[d]) return (PetscBool)(a[d] < b[d]);
  return PETSC_FALSE;
}

/* Of a node's periodic images the first by x, then y, then z gives its place. */
static PetscErrorCode place_nodes(RhxWallMesh *w)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc5(w->nnodes, &w->x, w->nnodes, &w->reaction, w->nnodes, &w->pressure, w->nnodes, &w->turn,
                         w->nnodes, &w->shared));
  for (PetscInt i = 0; i < w->nnodes; i++) w->x[i][0] = PETSC_MAX_REAL;
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < w->face[f].n; a++) {
      const RhxWallFace *face = w->face + f;
      PetscInt i = w->node[f][a];
      if (is_before(face->x[a], w->x[i]))
        for (int d = 0; d < 3; d++) w->x[i][d] = face->x[a][d];
      w->shared[i] = face->shared[a] > 0.5 ? PETSC_TRUE : PETSC_FALSE;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mark_simplices(RhxWallMesh *w, PetscInt ncells, const RhxWallCell *cell)
{
  PetscBool *simplex;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(w->nnodes, &simplex));
  for (PetscInt c = 0; c < ncells; c++)
    for (int a = 0; a < cell[c].n && cell[c].n == w->dim + 1; a++) {
      PetscInt i;
      PetscCall(PetscFindInt((PetscInt)cell[c].node[a], w->nnodes, w->number, &i));
      if (i >= 0) simplex[i] = PETSC_TRUE;
    }
  for (PetscInt i = 0; i < w->nentries; i++) w->e[i].simplex = simplex[w->e[i].node];
  PetscCall(PetscFree(simplex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_thrust(RhxWallMesh *w)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 3 * w->nnodes, w->nnodes, w->dim == 2 ? 4 : 16, NULL, &w->thrust));
  PetscCall(MatSetOption(w->thrust, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < w->face[f].n; a++)
      for (int b = 0; b < w->face[f].n; b++)
        for (PetscInt d = 0; d < w->dim; d++)
          PetscCall(
              MatSetValue(w->thrust, 3 * w->node[f][a] + d, w->node[f][b], w->face[f].thrust[a][b][d], ADD_VALUES));
  PetscCall(MatAssemblyBegin(w->thrust, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(w->thrust, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallMeshCreate(RhxForm form, const char *label, RhxWallMesh **mesh)
{
  RhxWallFace *mine;
  RhxWallCell *cell;
  RhxWallMesh *w;
  PetscInt n = 0, ncells;

  PetscFunctionBegin;
  PetscCall(PetscNew(mesh));
  w = *mesh;
  w->dim = form->space->dim;
  w->swirl = (PetscBool)(form->swirl >= 0);
  PetscCall(RhxSpaceGetFaces(form->space, label, &w->faces));
  PetscCall(local_faces(form->space, w->faces, &n, &mine));
  PetscCall(RhxWallGather(form->comm, n, sizeof(*mine), mine, &w->nfaces, &w->face));
  PetscCall(PetscFree(mine));
  PetscCall(RhxWallCells(form, label, &ncells, &cell));
  if (w->nfaces) {
    PetscCall(number_nodes(w));
    PetscCall(place_nodes(w));
    PetscCall(RhxWallMakeEntries(w));
    PetscCall(mark_simplices(w, ncells, cell));
    PetscCall(RhxWallStencilCreate(w, &w->stencil));
    PetscCall(RhxWallSystemCreate(w, &w->system));
    PetscCall(make_thrust(w));
    if (w->dim == 3) PetscCall(RhxWallMakeSurface(w, &w->surface));
  }
  PetscCall(PetscFree(cell));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallMeshDestroy(RhxWallMesh **mesh)
{
  RhxWallMesh *w = *mesh;

  PetscFunctionBegin;
  if (!w) PetscFunctionReturn(PETSC_SUCCESS);
  if (w->nfaces) {
    PetscCall(RhxWallSystemDestroy(&w->system));
    PetscCall(RhxWallStencilDestroy(&w->stencil));
    PetscCall(PetscFree5(w->x, w->reaction, w->pressure, w->turn, w->shared));
    PetscCall(PetscFree4(w->e, w->entry, w->link, w->step));
  }
  PetscCall(RhxWallFitDestroy(&w->fit));
  PetscCall(MatDestroy(&w->thrust));
  PetscCall(PetscFree(w->surface.face));
  PetscCall(PetscFree2(w->surface.point, w->surface.place));
  PetscCall(PetscFree(w->sent));
  PetscCall(PetscFree(w->node));
  PetscCall(PetscFree(w->number));
  PetscCall(PetscFree(w->face));
  PetscCall(PetscFree(*mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
