/* Gmsh files: own reader, so that a damaged file is one sentence and periodic nodes, names and orientation are known. */
#include "mesh/gmsh_impl.h"
#include <stdio.h>

static PetscErrorCode read_format(RhxGmsh *g)
{
  PetscReal version;
  PetscInt binary, size;
  int one = 0;

  PetscFunctionBegin;
  PetscCall(RhxGmshTextReal(g, "the version of the format", &version));
  g->version = version > 0 && version < 100 ? (PetscInt)(10 * version + .5) : 0;
  PetscCheck(g->version == 22 || g->version == 41, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "mesh file '%s' has Gmsh format %g: expected 2.2 or 4.1 (gmsh -format msh41)", g->file, (double)version);
  PetscCall(RhxGmshTextInt(g, "0 (ascii) or 1 (binary)", &binary));
  PetscCall(RhxGmshTextInt(g, "the size of a number", &size));
  PetscCheck(binary == 0 || binary == 1, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' has file type %" PetscInt_FMT ": expected 0 (ascii) or 1 (binary)", g->file, binary);
  PetscCheck(size == 8, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "mesh file '%s' has numbers of %" PetscInt_FMT " bytes: expected 8", g->file, size);
  if (binary) {
    RhxGmshEndLine(g);
    if (g->size - g->at < sizeof(one))
      g->at = g->size;
    else
      memcpy(&one, g->buffer + g->at, sizeof(one));
    if (g->at == g->size) PetscCall(RhxGmshError(g, "the number 1 in binary"));
    PetscCheck(one == 1, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "mesh file '%s' was written by a machine of another byte order: save it again as ascii", g->file);
    g->at += sizeof(one);
  }
  g->binary = (PetscBool)binary;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_names(RhxGmsh *g)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxGmshTextInt(g, "the number of physical names", &n));
  PetscCall(RhxGmshCheckCount(g, "physical names", n, 6));
  PetscCall(PetscFree(g->names));
  PetscCall(PetscCalloc1(n, &g->names));
  g->nnames = n;
  for (PetscInt k = 0; k < n; k++) {
    const char *begin, *end;
    size_t length;

    PetscCall(RhxGmshTextInt(g, "the dimension of a physical group", &g->names[k].dim));
    PetscCall(RhxGmshTextInt(g, "the number of a physical group", &g->names[k].tag));
    begin = g->buffer + g->at;
    end = begin + strcspn(begin, "\n");
    begin = memchr(begin, '"', (size_t)(end - begin));
    length = begin ? strcspn(++begin, "\"\n") : 0;
    if (!begin || begin[length] != '"' || length >= sizeof(g->names[k].name)) {
      if (!begin || !begin[length]) g->at = *end ? g->at : g->size;
      PetscCall(RhxGmshError(g, "a physical name of at most 255 characters in quotes"));
    }
    PetscCall(PetscStrncpy(g->names[k].name, begin, length + 1));
    g->at = (size_t)(begin + length + 1 - g->buffer);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_entity(RhxGmsh *g, RhxGmshEntity *e, PetscInt dim)
{
  PetscReal value;
  PetscInt n, skip;

  PetscFunctionBegin;
  e->dim = dim;
  PetscCall(RhxGmshInt(g, "the number of an entity", &e->tag));
  for (PetscInt i = 0; i < (dim ? 6 : 3); i++) PetscCall(RhxGmshReal(g, "a bound of an entity", &value));
  PetscCall(RhxGmshSize(g, "the number of physical groups", &n));
  PetscCall(RhxGmshCheckCount(g, "physical groups", n, 2));
  PetscCall(PetscMalloc1(n, &e->physical));
  for (e->nphysical = 0; e->nphysical < n; e->nphysical++)
    PetscCall(RhxGmshInt(g, "a physical group", &e->physical[e->nphysical]));
  if (!dim) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxGmshSize(g, "the number of bounding entities", &n));
  PetscCall(RhxGmshCheckCount(g, "bounding entities", n, 2));
  for (PetscInt i = 0; i < n; i++) PetscCall(RhxGmshInt(g, "a bounding entity", &skip));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_entities(RhxGmsh *g)
{
  PetscInt count[4], n = 0;

  PetscFunctionBegin;
  PetscCheck(!g->entities, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "mesh file '%s' has two sections $Entities",
             g->file);
  for (PetscInt d = 0; d < 4; d++) {
    PetscCall(RhxGmshSize(g, "the number of entities", &count[d]));
    PetscCall(RhxGmshCheckCount(g, "entities", count[d], 8));
    n += count[d];
  }
  PetscCall(PetscCalloc1(n, &g->entities));
  for (PetscInt d = 0; d < 4; d++)
    for (PetscInt k = 0; k < count[d]; k++) PetscCall(read_entity(g, &g->entities[g->nentities++], d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_section(RhxGmsh *g, PetscBool periodic)
{
  PetscFunctionBegin;
  PetscCheck(strcmp(g->section, "PartitionedEntities"), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "mesh file '%s' is partitioned: expected a whole mesh (Rheoplex distributes it)", g->file);
  if (!strcmp(g->section, "PhysicalNames"))
    PetscCall(read_names(g));
  else if (!strcmp(g->section, "Entities") && g->version == 41)
    PetscCall(read_entities(g));
  else if (!strcmp(g->section, "Nodes"))
    PetscCall(RhxGmshReadNodes(g));
  else if (!strcmp(g->section, "Elements"))
    PetscCall(RhxGmshReadElements(g));
  else if (!strcmp(g->section, "Periodic") && periodic)
    PetscCall(RhxGmshReadPeriodic(g));
  else {
    PetscCall(RhxGmshSkipSection(g));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxGmshEndSection(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_sections(RhxGmsh *g, PetscBool periodic)
{
  PetscBool found;

  PetscFunctionBegin;
  PetscCheck(g->size, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is empty: expected a Gmsh or HDF5 file", g->file);
  PetscCheck(g->size >= 11 && !strncmp(g->buffer, "$MeshFormat", 11), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is neither a Gmsh nor an HDF5 file: expected $MeshFormat at its start", g->file);
  PetscCall(RhxGmshNextSection(g, &found));
  PetscCall(read_format(g));
  PetscCall(RhxGmshEndSection(g));
  for (;;) {
    PetscCall(RhxGmshNextSection(g, &found));
    if (!found) break;
    PetscCall(read_section(g, periodic));
  }
  PetscCheck(g->tag, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is truncated: it ends at byte %zu, expected a section $Nodes", g->file, g->size);
  PetscCheck(g->dim, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is truncated: it ends at byte %zu, expected a section $Elements", g->file, g->size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vertex of every node: its last periodic master, numbered in the order of the file among those that cells use. */
static PetscErrorCode number_vertices(RhxGmsh *g, PetscInt dim, PetscInt *vertex, PetscInt *nvertices)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < g->nnodes; k++) vertex[k] = -1;
  for (PetscInt e = 0; e < g->nelements; e++)
    for (PetscInt a = g->offset[e]; g->dim[e] == dim && a < g->offset[e + 1]; a++) {
      PetscInt k = g->conn[a], steps = 0;
      while (g->master && g->master[k] != k) {
        k = g->master[k];
        PetscCheck(steps++ < 100, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
                   "mesh file '%s': its periodic nodes form a circle", g->file);
      }
      vertex[k] = 0;
    }
  *nvertices = 0;
  for (PetscInt k = 0; k < g->nnodes; k++)
    if (!vertex[k]) vertex[k] = (*nvertices)++;
  for (PetscInt k = 0; g->master && k < g->nnodes; k++) {
    PetscInt m = k;
    for (PetscInt steps = 0; g->master[m] != m && steps < 100; steps++) m = g->master[m];
    vertex[k] = vertex[m];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_plane(const RhxGmsh *g)
{
  PetscReal lo = 0, hi = 0, size = 0;

  PetscFunctionBegin;
  for (PetscInt e = 0, first = 1; e < g->nelements; e++)
    for (PetscInt a = g->offset[e]; g->dim[e] == 2 && a < g->offset[e + 1]; a++, first = 0) {
      const PetscReal *x = g->x + 3 * g->conn[a];
      lo = first ? x[2] : PetscMin(lo, x[2]);
      hi = first ? x[2] : PetscMax(hi, x[2]);
      size = PetscMax(size, PetscMax(PetscAbsReal(x[0]), PetscAbsReal(x[1])));
    }
  PetscCheck(hi - lo <= 1e-8 * size, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "mesh file '%s' holds a surface from z = %g to %g: expected a plane of constant z or a volume "
             "(Gmsh: Physical Volume and -3)",
             g->file, (double)lo, (double)hi);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Format 2.2 lists a cell of several groups once for each of them, one after another. */
static PetscBool is_repeated(const RhxGmsh *g, PetscInt e)
{
  if (e == 0 || g->version != 22 || g->dim[e] != g->dim[e - 1] || g->nn[e] != g->nn[e - 1]) return PETSC_FALSE;
  if (g->entity[e] != g->entity[e - 1] || g->physical[e] == g->physical[e - 1]) return PETSC_FALSE;
  return (PetscBool)!memcmp(g->conn + g->offset[e], g->conn + g->offset[e - 1], (size_t)g->nn[e] * sizeof(*g->conn));
}

static PetscErrorCode make_cells(RhxGmsh *g, PetscInt dim, const PetscInt *vertex, PetscInt nvertices,
                                 RhxCellList *list)
{
  PetscInt ncells = 0, nconn = 0, c = 0;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < g->nelements; e++)
    if (g->dim[e] == dim && !is_repeated(g, e)) {
      ncells++;
      nconn += g->nn[e];
    }
  PetscCall(RhxCellListAllocate(list, dim, ncells, nconn, nvertices));
  PetscCall(PetscMalloc1(ncells, &list->entity));
  if (g->master) PetscCall(PetscMalloc1(nconn * dim, &list->xc));
  for (PetscInt k = 0; k < g->nnodes; k++)
    if (vertex[k] >= 0 && (!g->master || g->master[k] == k))
      PetscCall(PetscArraycpy(list->x + dim * vertex[k], g->x + 3 * k, dim));
  for (PetscInt e = 0; e < g->nelements; e++) {
    if (g->dim[e] != dim || is_repeated(g, e)) continue;
    list->type[c] = rhx_cell_type(dim, g->nn[e]);
    list->entity[c] = g->entity[e];
    list->offset[c + 1] = list->offset[c] + g->nn[e];
    for (PetscInt a = 0; a < g->nn[e]; a++) {
      const PetscInt k = g->conn[g->offset[e] + a], to = list->offset[c] + a;
      list->conn[to] = vertex[k];
      if (list->xc) PetscCall(PetscArraycpy(list->xc + dim * to, g->x + 3 * k, dim));
    }
    c++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Name of a physical group: its number, written there, if it has none. */
static const char *group_name(const RhxGmsh *g, PetscInt dim, PetscInt tag, char number[16])
{
  for (PetscInt k = 0; k < g->nnames; k++)
    if (g->names[k].dim == dim && g->names[k].tag == tag) return g->names[k].name;
  snprintf(number, 16, "%" PetscInt_FMT, tag);
  return number;
}

static const RhxGmshEntity *find_entity(const RhxGmsh *g, PetscInt dim, PetscInt tag)
{
  for (PetscInt k = 0; k < g->nentities; k++)
    if (g->entities[k].dim == dim && g->entities[k].tag == tag) return &g->entities[k];
  return NULL;
}

/* Physical groups of element e, which begin at `group`; *entity: that of the element before, format 4.1. */
static PetscInt groups_of(const RhxGmsh *g, PetscInt e, const RhxGmshEntity **entity, const PetscInt **group)
{
  *group = &g->physical[e];
  if (g->version == 22) return g->physical[e] != 0;
  if (!*entity || (*entity)->dim != g->dim[e] || (*entity)->tag != g->entity[e])
    *entity = find_entity(g, g->dim[e], g->entity[e]);
  *group = *entity ? (*entity)->physical : NULL;
  return *entity ? (*entity)->nphysical : 0;
}

static PetscErrorCode make_regions(RhxGmsh *g, PetscInt dim, RhxCellList *list)
{
  const RhxGmshEntity *entity = NULL;
  PetscInt cell = -1;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < g->nelements; e++) {
    const PetscInt *group;
    PetscInt n, index;
    char number[16];

    if (g->dim[e] != dim) continue;
    cell += !is_repeated(g, e);
    n = groups_of(g, e, &entity, &group);
    for (PetscInt i = 0; i < n; i++) {
      const PetscInt tag = PetscAbsInt(group[i]);
      PetscCall(RhxCellListAddRegion(list, group_name(g, dim, tag, number), tag, &index));
      PetscCall(RhxCellListAddMember(list, cell, index));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_faces(RhxGmsh *g, PetscInt dim, const PetscInt *vertex, RhxCellList *list)
{
  const RhxGmshEntity *entity = NULL;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < g->nelements; e++) {
    PetscInt v[4], index;
    PetscBool used = PETSC_TRUE;
    const PetscInt *group;
    PetscInt n;
    char number[16];

    if (g->dim[e] != dim - 1) continue;
    n = groups_of(g, e, &entity, &group);
    for (PetscInt a = 0; a < g->nn[e]; a++) {
      v[a] = vertex[g->conn[g->offset[e] + a]];
      used = (PetscBool)(used && v[a] >= 0);
    }
    for (PetscInt i = 0; i < n && used; i++) {
      PetscCall(RhxCellListAddName(list, group_name(g, dim - 1, PetscAbsInt(group[i]), number), &index));
      PetscCall(RhxCellListAddFace(list, g->nn[e], v, index));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_list(RhxGmsh *g, RhxCellList *list)
{
  PetscInt dim = 0, nvertices;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < g->nelements; e++) dim = PetscMax(dim, g->dim[e]);
  PetscCheck(
      dim >= 2, PETSC_COMM_SELF, PETSC_ERR_SUP,
      "mesh file '%s' has no triangles, quadrilaterals, tetrahedra or hexahedra: expected a mesh of a surface "
      "or volume (Gmsh writes those that a physical group holds: Physical Surface, in space Physical Volume and -3)",
      g->file);
  if (dim == 2) PetscCall(check_plane(g));
  PetscCall(PetscMalloc1(g->nnodes, &g->vertex));
  PetscCall(number_vertices(g, dim, g->vertex, &nvertices));
  PetscCall(make_cells(g, dim, g->vertex, nvertices, list));
  PetscCall(make_regions(g, dim, list));
  PetscCall(make_faces(g, dim, g->vertex, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gmsh_destroy(RhxGmsh *g)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < g->nentities; k++) PetscCall(PetscFree(g->entities[k].physical));
  PetscCall(PetscFree(g->entities));
  PetscCall(PetscFree(g->names));
  PetscCall(PetscFree(g->buffer));
  PetscCall(PetscFree(g->tag));
  PetscCall(PetscFree(g->position));
  PetscCall(PetscFree(g->x));
  PetscCall(PetscFree(g->dim));
  PetscCall(PetscFree(g->nn));
  PetscCall(PetscFree(g->entity));
  PetscCall(PetscFree(g->physical));
  PetscCall(PetscFree(g->offset));
  PetscCall(PetscFree(g->conn));
  PetscCall(PetscFree(g->master));
  PetscCall(PetscFree(g->vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListGmsh(const char *file, PetscBool periodic, RhxCellList *list)
{
  RhxGmsh g;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&g, sizeof(g)));
  ierr = RhxGmshLoad(&g, file);
  if (!ierr) ierr = read_sections(&g, periodic);
  if (!ierr) ierr = make_list(&g, list);
  PetscCall(gmsh_destroy(&g));
  PetscFunctionReturn(ierr);
}
