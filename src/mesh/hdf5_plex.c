#include "mesh/hdf5_plex_impl.h"
#include <stdio.h>

static PetscErrorCode is_damaged(const RhxH5Plex *plex, const char *what)
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "mesh file '%s' is damaged: %s", plex->file.name, what);
}

/* A dataset in the group of the mesh whose number of integers is known. */
static PetscErrorCode read_sized(const RhxH5Plex *plex, const char *what, PetscInt n, PetscInt **values)
{
  char path[2 * RHX_H5_PATH];
  PetscInt got;

  PetscFunctionBegin;
  snprintf(path, sizeof(path), "%s%s", plex->root, what);
  PetscCall(RhxH5Ints(&plex->file, path, &got, values));
  PetscCheck(got == n, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is damaged: '%s' has %" PetscInt_FMT " entries, expected %" PetscInt_FMT, plex->file.name,
             path, got, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Storage 1.0 to 2.1: cones of all points one after another ---- */

/* start of every point from the order in which the file lists the points, sizes[] likewise. */
static PetscErrorCode place_cones(RhxH5Plex *plex, const PetscInt *order, const PetscInt *sizes)
{
  PetscInt at = 0;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < plex->npoints; p++) plex->size[p] = -1;
  for (PetscInt k = 0; k < plex->npoints; k++) {
    const PetscInt p = order[k];

    if (p < 0 || p >= plex->npoints || plex->size[p] >= 0)
      PetscCall(is_damaged(plex, "its 'order' does not list every point once"));
    if (sizes[k] < 0 || sizes[k] > plex->ncone - at) PetscCall(is_damaged(plex, "its cones are larger than its list"));
    plex->size[p] = sizes[k];
    plex->start[p] = at;
    at += sizes[k];
  }
  PetscCheck(at == plex->ncone, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is damaged: its cones have %" PetscInt_FMT " points, expected %" PetscInt_FMT,
             plex->file.name, plex->ncone, at);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_flat(RhxH5Plex *plex)
{
  char path[RHX_H5_PATH + 32];
  PetscInt *order = NULL, *sizes = NULL;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  snprintf(path, sizeof(path), "%stopology/cells", plex->root);
  PetscCall(RhxH5Ints(&plex->file, path, &plex->ncone, &plex->cone));
  PetscCall(RhxH5AttributeInt(&plex->file, path, "cell_dim", &plex->dim));
  PetscCall(read_sized(plex, "topology/orientation", plex->ncone, &plex->orientation));
  snprintf(path, sizeof(path), "%stopology/order", plex->root);
  PetscCall(RhxH5Ints(&plex->file, path, &plex->npoints, &order));
  ierr = read_sized(plex, "topology/cones", plex->npoints, &sizes);
  if (!ierr) ierr = PetscMalloc2(plex->npoints, &plex->size, plex->npoints, &plex->start);
  if (!ierr) ierr = place_cones(plex, order, sizes);
  PetscCall(PetscFree(order));
  PetscCall(PetscFree(sizes));
  PetscFunctionReturn(ierr);
}

/* ---- Storage 3.0: one group of every depth, cones by the number within the depth below ---- */

typedef struct {
  PetscInt n[4], ncone[4], *size[4], *cone[4], *orientation[4];
} Strata;

static PetscErrorCode read_stratum(RhxH5Plex *plex, PetscInt d, Strata *s)
{
  char path[RHX_H5_PATH + 64], name[64];

  PetscFunctionBegin;
  snprintf(path, sizeof(path), "%stopology/strata/%d/cone_sizes", plex->root, (int)d);
  PetscCall(RhxH5Ints(&plex->file, path, &s->n[d], &s->size[d]));
  snprintf(path, sizeof(path), "%stopology/strata/%d/cones", plex->root, (int)d);
  PetscCall(RhxH5Ints(&plex->file, path, &s->ncone[d], &s->cone[d]));
  snprintf(name, sizeof(name), "topology/strata/%d/orientations", (int)d);
  PetscCall(read_sized(plex, name, s->ncone[d], &s->orientation[d]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points of the depths one after another in the order of the permutation. */
static PetscErrorCode join_strata(RhxH5Plex *plex, const PetscInt *permutation, const Strata *s)
{
  PetscInt64 npoints = 0, ncone = 0;
  PetscInt offset[4] = {-1, -1, -1, -1}, at = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= plex->dim; k++) {
    const PetscInt d = permutation[k];

    if (d < 0 || d > plex->dim || offset[d] >= 0)
      PetscCall(is_damaged(plex, "its 'permutation' does not list every stratum once"));
    offset[d] = (PetscInt)npoints;
    npoints += s->n[d];
    ncone += s->ncone[d];
    if (npoints > PETSC_MAX_INT || ncone > PETSC_MAX_INT) PetscCall(is_damaged(plex, "it has too many points"));
  }
  plex->npoints = (PetscInt)npoints;
  plex->ncone = (PetscInt)ncone;
  PetscCall(PetscMalloc2(npoints, &plex->size, npoints, &plex->start));
  PetscCall(PetscMalloc1(ncone + 1, &plex->cone));
  PetscCall(PetscMalloc1(ncone + 1, &plex->orientation));
  for (PetscInt d = 0; d <= plex->dim; d++) {
    PetscInt used = 0;

    for (PetscInt k = 0; k < s->n[d]; used += s->size[d][k++]) {
      if (s->size[d][k] < 0 || s->size[d][k] > s->ncone[d] - used)
        PetscCall(is_damaged(plex, "its cones are larger than its list"));
      plex->size[offset[d] + k] = s->size[d][k];
      plex->start[offset[d] + k] = at + used;
    }
    for (PetscInt k = 0; k < s->ncone[d]; k++) {
      if (d && (s->cone[d][k] < 0 || s->cone[d][k] >= s->n[d - 1]))
        PetscCall(is_damaged(plex, "a cone names a point that is not there"));
      plex->cone[at + k] = d ? offset[d - 1] + s->cone[d][k] : -1;
      plex->orientation[at + k] = s->orientation[d][k];
    }
    at += s->ncone[d];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_strata(RhxH5Plex *plex)
{
  char path[RHX_H5_PATH + 16];
  Strata s;
  PetscInt *permutation = NULL, depth;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  snprintf(path, sizeof(path), "%stopology", plex->root);
  PetscCall(RhxH5AttributeInt(&plex->file, path, "cell_dim", &plex->dim));
  PetscCall(RhxH5AttributeInt(&plex->file, path, "depth", &depth));
  if (plex->dim < 0 || plex->dim > 3 || depth != plex->dim)
    PetscCall(is_damaged(plex, "its depth is not its dimension, expected a mesh with edges and faces"));
  PetscCall(PetscMemzero(&s, sizeof(s)));
  ierr = read_sized(plex, "topology/permutation", plex->dim + 1, &permutation);
  for (PetscInt d = 0; d <= plex->dim && !ierr; d++) ierr = read_stratum(plex, d, &s);
  if (!ierr) ierr = join_strata(plex, permutation, &s);
  PetscCall(PetscFree(permutation));
  for (PetscInt d = 0; d < 4; d++) {
    PetscCall(PetscFree(s.size[d]));
    PetscCall(PetscFree(s.cone[d]));
    PetscCall(PetscFree(s.orientation[d]));
  }
  PetscFunctionReturn(ierr);
}

PetscErrorCode RhxH5PlexRead(RhxH5Plex *plex)
{
  const RhxH5 *file = &plex->file;
  char version[32], name[256] = "", path[RHX_H5_PATH + 32];
  int major = 1;

  PetscFunctionBegin;
  if (RhxH5IsGroup(file, "topologies")) PetscCall(RhxH5Member(file, "topologies", 0, sizeof(name), name));
  if (name[0]) snprintf(plex->root, sizeof(plex->root), "topologies/%s/", name);
  snprintf(path, sizeof(path), "%stopology", plex->root);
  PetscCheck(RhxH5IsGroup(file, path), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "HDF5 file '%s' holds no mesh: expected a group 'topology' or 'topologies' (DMView of a DMPlex)",
             file->name);
  PetscCall(RhxH5AttributeText(file, ".", "dmplex_storage_version", sizeof(version), version));
  if (version[0])
    PetscCheck(sscanf(version, "%d.", &major) == 1 && major >= 1 && (major < 3 || !strcmp(version, "3.0.0")),
               PETSC_COMM_SELF, PETSC_ERR_SUP,
               "mesh file '%s' has version '%s' of PETSc's mesh files: expected 1.0.0 to 3.0.0 "
               "(-dm_plex_view_hdf5_storage_version when it is written)",
               file->name, version);
  PetscCall(major < 3 ? read_flat(plex) : read_strata(plex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Checks ---- */

static const PetscInt *cone_of(const RhxH5Plex *plex, PetscInt p) { return plex->cone + plex->start[p]; }

/* Depths from the vertices up: all points of a cone have the depth below. */
static PetscErrorCode find_depths(RhxH5Plex *plex)
{
  PetscInt known = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(plex->npoints, &plex->depth));
  for (PetscInt p = 0; p < plex->npoints; p++) {
    plex->depth[p] = plex->size[p] ? -1 : 0;
    known += !plex->size[p];
  }
  for (PetscInt d = 1; d <= plex->dim; d++)
    for (PetscInt p = 0; p < plex->npoints; p++) {
      PetscBool next = (PetscBool)(plex->depth[p] < 0);

      for (PetscInt k = 0; k < plex->size[p] && next; k++)
        next = (PetscBool)(plex->depth[cone_of(plex, p)[k]] == d - 1);
      if (!next) continue;
      plex->depth[p] = d;
      known++;
    }
  if (known < plex->npoints)
    PetscCall(is_damaged(plex, "its points are not cells of faces of edges of vertices, expected a mesh with edges and "
                               "faces"));
  for (PetscInt d = 0; d < 4; d++) plex->first[d] = plex->npoints, plex->end[d] = 0;
  for (PetscInt p = 0; p < plex->npoints; p++) {
    const PetscInt d = plex->depth[p];

    plex->first[d] = PetscMin(plex->first[d], p);
    plex->end[d] = p + 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points of a depth have one range of numbers, and each but the cells bounds another. */
static PetscErrorCode check_ranges(const RhxH5Plex *plex)
{
  PetscBool *used;
  PetscInt count[4] = {0}, alone = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(plex->npoints, &used));
  for (PetscInt k = 0; k < plex->ncone; k++) used[plex->cone[k]] = PETSC_TRUE;
  for (PetscInt p = 0; p < plex->npoints; p++) {
    count[plex->depth[p]]++;
    alone += !used[p] && plex->depth[p] < plex->dim;
  }
  PetscCall(PetscFree(used));
  for (PetscInt d = 0; d <= plex->dim; d++)
    if (!count[d] || count[d] != plex->end[d] - plex->first[d])
      PetscCall(is_damaged(plex, "its vertices, edges, faces and cells are not numbered one kind after another"));
  PetscCheck(!alone, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s': %" PetscInt_FMT " vertices, edges or faces belong to no cell", plex->file.name, alone);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Edges k of a face, from vertex to vertex in their orientation, form one loop; v: their first vertices. */
static PetscBool face_loop(const RhxH5Plex *plex, PetscInt p, PetscInt v[4])
{
  const PetscInt n = plex->size[p], *edge = cone_of(plex, p), *turned = plex->orientation + plex->start[p];
  PetscInt last[4];

  for (PetscInt k = 0; k < n; k++) {
    const PetscInt *ends = cone_of(plex, edge[k]);

    v[k] = ends[turned[k] < 0];
    last[k] = ends[turned[k] >= 0];
    for (PetscInt i = 0; i < k; i++)
      if (v[i] == v[k]) return PETSC_FALSE;
  }
  for (PetscInt k = 0; k < n; k++)
    if (last[k] != v[(k + 1) % n]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Four triangles or six quadrilaterals of 4 or 8 vertices, each edge in two of them. */
static PetscBool cell_closed(const RhxH5Plex *plex, PetscInt p)
{
  const PetscInt n = plex->size[p], nn = n == 4 ? 3 : 4, *face = cone_of(plex, p);
  PetscInt edge[24], vertex[24], v[4], nedges = 0, nvertices = 0;

  for (PetscInt k = 0; k < n; k++) {
    if (plex->size[face[k]] != nn || !face_loop(plex, face[k], v)) return PETSC_FALSE;
    for (PetscInt i = 0; i < k; i++)
      if (face[i] == face[k]) return PETSC_FALSE;
    for (PetscInt a = 0; a < nn; a++) {
      edge[nedges++] = cone_of(plex, face[k])[a];
      vertex[nvertices++] = v[a];
    }
  }
  PetscSortInt(nedges, edge);
  for (PetscInt k = 0; k < nedges; k += 2)
    if (edge[k] != edge[k + 1] || (k + 2 < nedges && edge[k] == edge[k + 2])) return PETSC_FALSE;
  PetscSortRemoveDupsInt(&nvertices, vertex);
  return (PetscBool)(nvertices == (n == 4 ? 4 : 8));
}

/* A point's orientation in a cone is one of the symmetries of its kind: vertex 1, edge 2, triangle 6, quadrilateral 8. */
static PetscBool orientations_fit(const RhxH5Plex *plex, PetscInt p)
{
  for (PetscInt k = 0; k < plex->size[p]; k++) {
    const PetscInt q = cone_of(plex, p)[k], o = plex->orientation[plex->start[p] + k], n = plex->size[q];
    const PetscInt below = plex->depth[q] == 0 ? 0 : plex->depth[q] == 1 ? 1 : n;
    const PetscInt above = plex->depth[q] < 2 ? 1 : n;

    if (o < -below || o >= above) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscErrorCode check_point(const RhxH5Plex *plex, PetscInt p)
{
  const PetscInt n = plex->size[p], d = plex->depth[p];
  PetscInt v[4];
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  if (d == plex->dim)
    PetscCheck(d == 2 ? n == 3 || n == 4 : n == 4 || n == 6, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "mesh file '%s' has a cell of %" PetscInt_FMT " sides, which has no kernels: expected triangles, "
               "quadrilaterals, tetrahedra or hexahedra",
               plex->file.name, n);
  good = orientations_fit(plex, p);
  if (d == 1) good = (PetscBool)(good && n == 2 && cone_of(plex, p)[0] != cone_of(plex, p)[1]);
  if (d == 2) good = (PetscBool)(good && (n == 3 || n == 4) && face_loop(plex, p, v));
  if (d == 3) good = (PetscBool)(good && cell_closed(plex, p));
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is damaged: the sides of %s %" PetscInt_FMT " do not close", plex->file.name,
             d == plex->dim ? "cell"
             : d == 1       ? "edge"
                            : "face",
             p - plex->first[d]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxH5PlexCheck(RhxH5Plex *plex)
{
  PetscFunctionBegin;
  PetscCheck(plex->dim == 2 || plex->dim == 3, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "mesh file '%s' has cells of %" PetscInt_FMT " dimensions: expected 2 or 3", plex->file.name, plex->dim);
  for (PetscInt k = 0; k < plex->ncone; k++)
    if (plex->cone[k] < 0 || plex->cone[k] >= plex->npoints)
      PetscCall(is_damaged(plex, "a cone names a point that is not there"));
  PetscCall(find_depths(plex));
  PetscCall(check_ranges(plex));
  for (PetscInt d = 1; d <= plex->dim; d++) /* faces first: cells are checked by theirs */
    for (PetscInt p = plex->first[d]; p < plex->end[d]; p++) PetscCall(check_point(plex, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxH5PlexCreateDM(const RhxH5Plex *plex, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(DMCreate(PETSC_COMM_SELF, dm));
  PetscCall(DMSetType(*dm, DMPLEX));
  PetscCall(DMSetDimension(*dm, plex->dim));
  PetscCall(DMPlexSetChart(*dm, 0, plex->npoints));
  for (PetscInt p = 0; p < plex->npoints; p++) PetscCall(DMPlexSetConeSize(*dm, p, plex->size[p]));
  PetscCall(DMSetUp(*dm));
  for (PetscInt p = 0; p < plex->npoints; p++) {
    PetscCall(DMPlexSetCone(*dm, p, cone_of(plex, p)));
    PetscCall(DMPlexSetConeOrientation(*dm, p, plex->orientation + plex->start[p]));
  }
  PetscCall(DMPlexSymmetrize(*dm));
  PetscCall(DMPlexStratify(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Positions ---- */

static PetscErrorCode flat_positions(const RhxH5Plex *plex, PetscReal *x)
{
  const PetscInt nvertices = plex->end[0] - plex->first[0];
  PetscReal *values;
  PetscInt n, width;

  PetscFunctionBegin;
  PetscCall(RhxH5Reals(&plex->file, "geometry/vertices", &n, &width, &values));
  if (n == nvertices * (PetscInt64)plex->dim && width == plex->dim) PetscCall(PetscArraycpy(x, values, n));
  PetscCall(PetscFree(values));
  PetscCheck(n == nvertices * (PetscInt64)plex->dim && width == plex->dim, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' has %" PetscInt_FMT " coordinates in rows of %" PetscInt_FMT ": expected %" PetscInt_FMT
             " vertices in %" PetscInt_FMT "D, periodic meshes from a Gmsh file or -mesh_box_periodic",
             plex->file.name, n, width, nvertices, plex->dim);
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt n, nvalues, *order, *dof, *offset; /* [n] point, number and place of its values */
  PetscReal *value;
} Placed;

static PetscErrorCode place_positions(const RhxH5Plex *plex, const Placed *c, PetscReal *x)
{
  const PetscInt dim = plex->dim;
  PetscInt left = plex->end[0] - plex->first[0];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < left * dim; k++) x[k] = PETSC_MAX_REAL;
  for (PetscInt k = 0; k < c->n; k++) {
    const PetscInt p = c->order[k];
    PetscReal *to = x + (PetscInt64)dim * (p - plex->first[0]);

    if (!c->dof[k]) continue;
    PetscCheck(p >= plex->first[0] && p < plex->end[0] && c->dof[k] == dim, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "mesh file '%s' has %" PetscInt_FMT " coordinates at point %" PetscInt_FMT ": expected %" PetscInt_FMT
               " at every vertex only (periodic meshes: a Gmsh file or -mesh_box_periodic)",
               plex->file.name, c->dof[k], p, dim);
    if (c->offset[k] < 0 || c->offset[k] > c->nvalues - dim || to[0] != PETSC_MAX_REAL)
      PetscCall(is_damaged(plex, "its coordinates are not those of every vertex"));
    PetscCall(PetscArraycpy(to, c->value + c->offset[k], dim));
    left--;
  }
  if (left) PetscCall(is_damaged(plex, "its coordinates are not those of every vertex"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Since storage 2.0: a section says where the values of a point lie. */
static PetscErrorCode section_positions(const RhxH5Plex *plex, PetscReal *x)
{
  char group[RHX_H5_PATH], dms[128], vec[128], path[2 * RHX_H5_PATH];
  Placed c = {0};
  PetscInt width;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  snprintf(group, sizeof(group), "%.*s", (int)strlen(plex->root) - 1, plex->root);
  PetscCall(RhxH5AttributeText(&plex->file, group, "coordinateDMName", sizeof(dms), dms));
  PetscCall(RhxH5AttributeText(&plex->file, group, "coordinatesName", sizeof(vec), vec));
  snprintf(group, sizeof(group), "dms/%s/", dms);
  snprintf(path, sizeof(path), "%s%svecs/%s/%s", plex->root, group, vec, vec);
  PetscCall(RhxH5Reals(&plex->file, path, &c.nvalues, &width, &c.value));
  snprintf(path, sizeof(path), "%s%sorder", plex->root, group);
  ierr = RhxH5Ints(&plex->file, path, &c.n, &c.order);
  snprintf(path, sizeof(path), "%ssection/atlasDof", group);
  if (!ierr) ierr = read_sized(plex, path, c.n, &c.dof);
  snprintf(path, sizeof(path), "%ssection/atlasOff", group);
  if (!ierr) ierr = read_sized(plex, path, c.n, &c.offset);
  if (!ierr) ierr = place_positions(plex, &c, x);
  PetscCall(PetscFree(c.value));
  PetscCall(PetscFree(c.order));
  PetscCall(PetscFree(c.dof));
  PetscCall(PetscFree(c.offset));
  PetscFunctionReturn(ierr);
}

PetscErrorCode RhxH5PlexPositions(const RhxH5Plex *plex, PetscReal *x)
{
  PetscFunctionBegin;
  PetscCall(plex->root[0] ? section_positions(plex, x) : flat_positions(plex, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxH5PlexDestroy(RhxH5Plex *plex)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(plex->size, plex->start));
  PetscCall(PetscFree(plex->cone));
  PetscCall(PetscFree(plex->orientation));
  PetscCall(PetscFree(plex->depth));
  PetscFunctionReturn(PETSC_SUCCESS);
}
