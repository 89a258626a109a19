#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"
#include "space/face.h"
#include <math.h>
#include <string.h>

/* ---- On every rank: its faces of the label ---- */

PetscErrorCode RhxWallReactions(TS ts, RhxSpace space, RhxBoundary bc, const char *label, IS nodes, PetscScalar *r)
{
  const PetscInt dim = space->dim, u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY), *node;
  PetscScalar *friction;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxSchemeFetchReactions(ts, nodes, r));
  PetscCall(PetscCalloc1(space->nlocal * dim, &friction));
  PetscCall(RhxBoundaryAddFriction(bc, label, friction));
  PetscCall(ISGetLocalSize(nodes, &n));
  PetscCall(ISGetIndices(nodes, &node));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt d = 0; d < dim; d++) r[(size_t)i * space->bs + u + d] += friction[node[i] * dim + d];
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscCall(PetscFree(friction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void integrate_face(RhxSpace space, const RhxFaceGroup *g, PetscInt f, RhxWallFace *face)
{
  for (PetscInt q = 0; q < g->nfq; q++) {
    const PetscReal *N = g->N + q * g->nn;
    double n[3], area = RhxFaceNormal(g, space->dim, f, q, n), p = 0;
    for (PetscInt a = 0; a < g->nfn; a++) p += N[g->fnode[a]] * face->pressure[a];
    for (PetscInt a = 0; a < g->nfn; a++) {
      for (PetscInt b = 0; b < g->nfn; b++) face->mass[a][b] += N[g->fnode[a]] * N[g->fnode[b]] * area;
      for (int d = 0; d < 3; d++) {
        face->normal[a][d] += N[g->fnode[a]] * n[d];
        face->pressure_normal[a][d] += N[g->fnode[a]] * p * n[d];
      }
    }
  }
}

typedef struct {
  PetscScalar *r;              /* [nodes of the label's faces][bs] reactions */
  const PetscScalar *x;        /* [nlocal][bs] state */
  PetscScalar *shared;         /* [nlocal] labels that hold the node */
  PetscInt velocity, pressure; /* offsets in a block, */
  PetscInt swirl;              /* of u_theta, -1: none */
} Nodal;

/* at: places of the face's nodes among those of the label. */
static PetscErrorCode fill_face(RhxSpace space, const RhxFaceGroup *g, PetscInt f, const PetscInt *at,
                                const Nodal *nodal, RhxWallFace *face)
{
  PetscInt group = f / RHX_LANES, lane = f % RHX_LANES, dim = space->dim;

  PetscFunctionBegin;
  face->n = g->nfn;
  for (PetscInt a = 0; a < g->nfn; a++) {
    PetscInt local = RhxFaceParentNode(g, f, g->fnode[a]), global;
    PetscCall(ISLocalToGlobalMappingApply(space->l2g, 1, &local, &global));
    face->node[a] = global;
    face->shared[a] = nodal->shared[local] - 1;
    face->pressure[a] = nodal->x[(size_t)local * space->bs + nodal->pressure];
    if (nodal->swirl >= 0) {
      const PetscReal r = space->x[2 * local + 1];
      face->reaction[a][2] = nodal->r[(size_t)at[a] * space->bs + nodal->swirl];
      face->turn[a] = r > 0 ? nodal->x[(size_t)local * space->bs + nodal->swirl] / r : 0;
    }
    for (PetscInt d = 0; d < dim; d++) {
      face->x[a][d] = g->x[((group * g->nn + g->fnode[a]) * dim + d) * RHX_LANES + lane];
      face->reaction[a][d] = nodal->r[(size_t)at[a] * space->bs + nodal->velocity + d];
    }
  }
  integrate_face(space, g, f, face);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode local_faces(TS ts, RhxForm form, RhxBoundary bc, const RhxFaces *faces, const PetscScalar *x,
                                  PetscInt *n, RhxWallFace **face)
{
  const RhxSpace space = form->space;
  Nodal nodal = {.x = x,
                 .velocity = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY),
                 .pressure = RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE),
                 .swirl = form->swirl < 0 ? -1 : form->first_scalar + form->swirl};
  PetscInt k = 0, listed, *at = faces->at;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(faces->nodes, &listed));
  PetscCall(PetscMalloc2(listed * space->bs, &nodal.r, space->nlocal, &nodal.shared));
  PetscCall(RhxWallReactions(ts, space, bc, faces->label, faces->nodes, nodal.r));
  PetscCall(RhxLabelCount(space, nodal.shared));
  *n = 0;
  for (PetscInt i = 0; i < faces->ngroups; i++) *n += faces->group[i].n;
  PetscCall(PetscCalloc1(*n, face));
  for (PetscInt i = 0; i < faces->ngroups; i++)
    for (PetscInt f = 0; f < faces->group[i].n; f++, at += faces->group[i].nfn)
      PetscCall(fill_face(space, faces->group + i, f, at, &nodal, *face + k++));
  PetscCall(PetscFree2(nodal.r, nodal.shared));
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
  PetscInt n = 0, *global;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * w->nfaces, &global));
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < w->face[f].n; a++) global[n++] = (PetscInt)w->face[f].node[a];
  PetscCall(PetscSortRemoveDupsInt(&n, global));
  w->nnodes = n;
  PetscCall(PetscMalloc1(w->nfaces, &w->node));
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < 4; a++) {
      w->node[f][a] = -1;
      if (a < w->face[f].n) PetscCall(PetscFindInt((PetscInt)w->face[f].node[a], n, global, &w->node[f][a]));
    }
  w->global = global;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodal values; of a node's periodic images the one of smallest x gives its place. Adding the integral of N p n leaves the
 * viscous part of the reaction, so that errors of the normal do not turn pressure into shear. */
static PetscErrorCode merge_nodes(RhxWallMesh *w)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc5(w->nnodes, &w->x, w->nnodes, &w->reaction, w->nnodes, &w->pressure, w->nnodes, &w->turn,
                         w->nnodes, &w->shared));
  for (PetscInt i = 0; i < w->nnodes; i++) w->x[i][0] = PETSC_MAX_REAL;
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < w->face[f].n; a++) {
      const RhxWallFace *face = w->face + f;
      PetscInt i = w->node[f][a];
      if (face->x[a][0] < w->x[i][0])
        for (int d = 0; d < 3; d++) w->x[i][d] = face->x[a][d];
      for (int d = 0; d < 3; d++) w->reaction[i][d] = face->reaction[a][d];
      w->pressure[i] = face->pressure[a];
      w->turn[i] = face->turn[a];
      w->shared[i] = face->shared[a] > 0.5 ? PETSC_TRUE : PETSC_FALSE;
    }
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < w->face[f].n; a++)
      for (int d = 0; d < 3; d++) w->reaction[w->node[f][a]][d] += w->face[f].pressure_normal[a][d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_mesh(RhxWallMesh *w)
{
  PetscFunctionBegin;
  PetscCall(PetscFree5(w->x, w->reaction, w->pressure, w->turn, w->shared));
  PetscCall(PetscFree4(w->e, w->entry, w->link, w->step));
  PetscCall(PetscFree(w->node));
  PetscCall(PetscFree(w->global));
  PetscCall(PetscFree(w->face));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The result ---- */

/* Unit tangent of an entry along increasing arc length. */
static void tangent_of(const RhxWallMesh *w, PetscInt i, const double *step, double t[3])
{
  const double *n = w->e[i].normal;
  double sign = -n[1] * step[0] + n[0] * step[1] < 0 ? -1 : 1;

  t[0] = -sign * n[1];
  t[1] = sign * n[0];
  t[2] = 0;
}

/* The fluid's traction on the wall is minus sigma n; its tangential part is the wall shear stress. */
static void set_stress(const RhxWallMesh *w, double (*traction)[3], RhxWall *wall)
{
  for (PetscInt i = 0; i < w->nentries; i++) {
    const double *n = w->e[i].normal;
    double normal = 0;
    for (PetscInt d = 0; d < w->dim; d++) normal += traction[i][d] * n[d];
    for (PetscInt d = 0; d < w->dim; d++) {
      wall->wss[i * w->dim + d] = -(traction[i][d] - normal * n[d]);
      wall->x[i * w->dim + d] = w->x[w->e[i].node][d];
    }
    if (w->swirl) wall->wss_theta[i] = -traction[i][2];
    wall->s[i] = w->e[i].s;
    wall->part[i] = w->e[i].part;
    wall->pressure[i] = w->pressure[w->e[i].node];
  }
}

/* The shear rate is the tangential part of the velocity's slope. */
static void set_rate(const RhxWallMesh *w, double (*slope)[3], RhxWall *wall)
{
  for (PetscInt i = 0; i < w->nentries; i++) {
    const double *n = w->e[i].normal;
    double across = 0, square = 0;
    for (PetscInt d = 0; d < w->dim; d++) across += slope[i][d] * n[d];
    for (PetscInt d = 0; d < w->dim; d++) square += PetscSqr(slope[i][d] - across * n[d]);
    wall->shear[i] = sqrt(square);
  }
  for (PetscInt l = 0; l < w->nlinks; l++)
    for (int k = 0; k < 2; k++) {
      PetscInt i = w->link[l][k];
      double t[3];
      tangent_of(w, i, w->step[l], t);
      wall->shear[i] = slope[i][0] * t[0] + slope[i][1] * t[1];
    }
  for (PetscInt i = 0; w->swirl && i < w->nentries; i++) /* n.grad u_theta - n_r u_theta/r, n inwards */
    wall->shear[i] = hypot(wall->shear[i], slope[i][2] + w->e[i].normal[1] * w->turn[w->e[i].node]);
}

static PetscErrorCode find_rate(const RhxWallMesh *w, PetscInt ncells, const RhxWallCell *cell, RhxWall *wall)
{
  double(*slope)[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(w->nentries, &slope));
  PetscCall(PetscMalloc1(w->nentries, &wall->shear));
  PetscCall(RhxWallSlopes(w, ncells, cell, slope));
  set_rate(w, slope, wall);
  PetscCall(PetscFree(slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Wall shear stress along increasing arc length. */
static double along(const RhxWallMesh *w, const RhxWall *wall, PetscInt i, const double *step)
{
  double t[3];
  tangent_of(w, i, step, t);
  return wall->wss[2 * i] * t[0] + wall->wss[2 * i + 1] * t[1];
}

/* At an extrapolated end, such as a corner where the stress vanishes, the sign is that of an error. */
static PetscErrorCode find_crossings(const RhxWallMesh *w, RhxWall *wall)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(w->nlinks, &wall->sep, w->nlinks, &wall->reat));
  for (PetscInt l = 0; l < w->nlinks; l++) {
    const PetscInt i = w->link[l][0], j = w->link[l][1];
    const double a = along(w, wall, i, w->step[l]), b = along(w, wall, j, w->step[l]), f = a / (a - b);
    RhxWallPoint *at;
    if (w->e[i].end || w->e[j].end || !((a >= 0) != (b >= 0))) continue;
    at = a >= 0 ? wall->sep + wall->nsep++ : wall->reat + wall->nreat++;
    for (int d = 0; d < 2; d++) at->x[d] = wall->x[2 * i + d] + f * w->step[l][d];
    at->s = wall->s[i] + f * w->e[i].h;
    at->part = wall->part[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void find_abscissa(const RhxWallMesh *w, RhxWall *wall)
{
  wall->over_x = PETSC_TRUE;
  for (PetscInt l = 0; l < w->nlinks; l++)
    if (!(w->step[l][0] > 1e-6 * PetscAbsReal(w->step[l][1]))) wall->over_x = PETSC_FALSE;
}

static PetscErrorCode mark_simplices(RhxWallMesh *w, PetscInt ncells, const RhxWallCell *cell)
{
  PetscBool *simplex;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(w->nnodes, &simplex));
  for (PetscInt c = 0; c < ncells; c++)
    for (int a = 0; a < cell[c].n && cell[c].n == w->dim + 1; a++) {
      PetscInt i;
      PetscCall(PetscFindInt((PetscInt)cell[c].node[a], w->nnodes, w->global, &i));
      if (i >= 0) simplex[i] = PETSC_TRUE;
    }
  for (PetscInt i = 0; i < w->nentries; i++) w->e[i].simplex = simplex[w->e[i].node];
  PetscCall(PetscFree(simplex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_wall(RhxWallMesh *w, PetscInt ncells, const RhxWallCell *cell, PetscBool rate, RhxWall *wall)
{
  double(*traction)[3];
  PetscInt dim = w->dim;

  PetscFunctionBegin;
  PetscCall(number_nodes(w));
  PetscCall(merge_nodes(w));
  PetscCall(RhxWallMakeEntries(w));
  PetscCall(mark_simplices(w, ncells, cell));
  PetscCall(PetscMalloc1(w->nentries, &traction));
  PetscCall(RhxWallSolve(w, traction));
  wall->n = w->nentries;
  PetscCall(PetscMalloc5(wall->n, &wall->s, wall->n * dim, &wall->x, wall->n * dim, &wall->wss, wall->n,
                         &wall->pressure, wall->n, &wall->part));
  if (w->swirl) PetscCall(PetscMalloc1(wall->n, &wall->wss_theta));
  set_stress(w, traction, wall);
  if (rate) PetscCall(find_rate(w, ncells, cell, wall));
  if (dim == 2) PetscCall(find_crossings(w, wall));
  if (dim == 2) find_abscissa(w, wall);
  if (dim == 3) PetscCall(RhxWallMakeSurface(w, wall));
  PetscCall(PetscFree(traction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallCreate(TS ts, RhxForm form, RhxBoundary bc, const char *label, const PetscScalar *x,
                             PetscBool rate, RhxWall **wall)
{
  RhxWallMesh w = {.dim = form->space->dim, .swirl = (PetscBool)(form->swirl >= 0)};
  const RhxFaces *faces;
  RhxWallFace *mine;
  RhxWallCell *cell;
  PetscInt n = 0, ncells;

  PetscFunctionBegin;
  PetscCall(PetscNew(wall));
  (*wall)->comm = form->comm;
  PetscCall(RhxSpaceGetFaces(form->space, label, &faces));
  PetscCall(local_faces(ts, form, bc, faces, x, &n, &mine));
  PetscCall(RhxWallGather(form->comm, n, sizeof(*mine), mine, &w.nfaces, &w.face));
  PetscCall(PetscFree(mine));
  PetscCall(RhxWallCells(form, label, x, &ncells, &cell));
  if (w.nfaces) PetscCall(make_wall(&w, ncells, cell, rate, *wall));
  PetscCall(PetscFree(cell));
  PetscCall(destroy_mesh(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallDestroy(RhxWall **wall)
{
  RhxWall *w = *wall;

  PetscFunctionBegin;
  if (!w) PetscFunctionReturn(PETSC_SUCCESS);
  if (w->s) PetscCall(PetscFree5(w->s, w->x, w->wss, w->pressure, w->part));
  PetscCall(PetscFree(w->shear));
  PetscCall(PetscFree(w->wss_theta));
  if (w->sep) PetscCall(PetscFree2(w->sep, w->reat));
  PetscCall(PetscFree(w->face));
  PetscCall(PetscFree2(w->point, w->place));
  PetscCall(PetscFree(*wall));
  PetscFunctionReturn(PETSC_SUCCESS);
}
