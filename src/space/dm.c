#include "space/dm.h"
#include "petsc_compat.h"
#include <petsc/private/dmimpl.h>
#include <petscds.h>

/* x of a vector, xx of a tensor; its components tell the plane (3), axisymmetric flow (4), space and swirl (6) apart. */
static const char *component_name(const RhxField *f, PetscInt k)
{
  static const char *const vector[] = {"x", "y", "z"};
  static const char *const three[] = {"xx", "yy", "xy"}, *const four[] = {"xx", "yy", "zz", "xy"},
                           *const six[] = {"xx", "yy", "zz", "yz", "xz", "xy"};

  if (f->kind == RHX_VECTOR) return vector[k];
  return f->components == 6 ? six[k] : f->components == 4 ? four[k] : three[k];
}

static PetscErrorCode name_fields(PetscSection section, PetscInt n, const RhxField *field)
{
  PetscFunctionBegin;
  PetscCall(PetscSectionSetNumFields(section, n));
  for (PetscInt f = 0; f < n; f++) {
    PetscCall(PetscSectionSetFieldName(section, f, field[f].name));
    PetscCall(PetscSectionSetFieldComponents(section, f, field[f].components));
    for (PetscInt k = 0; k < field[f].components && field[f].kind != RHX_SCALAR; k++)
      PetscCall(PetscSectionSetComponentName(section, f, k, component_name(&field[f], k)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices in the order of their nodes: the section's offsets are then those of node blocks. */
static PetscErrorCode order_vertices(RhxSpace space, IS *order)
{
  PetscInt *vertex;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(space->nlocal, &vertex));
  for (PetscInt v = 0; v < space->nlocal; v++) vertex[space->vertex_node[v]] = v;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, space->nlocal, vertex, PETSC_OWN_POINTER, order));
  PetscCall(ISSetPermutation(*order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block of all components at every vertex. order: of vertices. */
static PetscErrorCode lay_out(PetscSection section, PetscInt vStart, PetscInt vEnd, IS order)
{
  PetscInt n, components;

  PetscFunctionBegin;
  PetscCall(PetscSectionGetNumFields(section, &n));
  PetscCall(PetscSectionSetChart(section, vStart, vEnd));
  for (PetscInt f = 0; f < n; f++) {
    PetscCall(PetscSectionGetFieldComponents(section, f, &components));
    for (PetscInt v = vStart; v < vEnd; v++) {
      PetscCall(PetscSectionSetFieldDof(section, v, f, components));
      PetscCall(PetscSectionAddDof(section, v, components));
    }
  }
  PetscCall(PetscSectionSetPermutation(section, order));
  PetscCall(PetscSectionSetUp(section));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The section of some of the fields. */
static PetscErrorCode take_fields(PetscSection from, PetscInt n, const PetscInt *field, PetscSection *section)
{
  PetscInt vStart, vEnd, components;
  const char *name;
  IS order;

  PetscFunctionBegin;
  PetscCall(PetscSectionCreate(PetscObjectComm((PetscObject)from), section));
  PetscCall(PetscSectionSetNumFields(*section, n));
  for (PetscInt f = 0; f < n; f++) {
    PetscCall(PetscSectionGetFieldName(from, field[f], &name));
    PetscCall(PetscSectionSetFieldName(*section, f, name));
    PetscCall(PetscSectionGetFieldComponents(from, field[f], &components));
    PetscCall(PetscSectionSetFieldComponents(*section, f, components));
    for (PetscInt k = 0; k < components; k++) {
      PetscCall(PetscSectionGetComponentName(from, field[f], k, &name));
      PetscCall(PetscSectionSetComponentName(*section, f, k, name));
    }
  }
  PetscCall(PetscSectionGetChart(from, &vStart, &vEnd));
  PetscCall(PetscSectionGetPermutation(from, &order));
  PetscCall(lay_out(*section, vStart, vEnd, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which values of a block the fields have. *bs: of the block; *width: theirs. */
static PetscErrorCode mark_values(PetscSection section, PetscInt n, const PetscInt *field, PetscInt *bs,
                                  PetscInt *width, PetscBool **has)
{
  PetscInt nfields, components;

  PetscFunctionBegin;
  PetscCall(PetscSectionGetNumFields(section, &nfields));
  *bs = *width = 0;
  for (PetscInt f = 0; f < nfields; f++) {
    PetscCall(PetscSectionGetFieldComponents(section, f, &components));
    *bs += components;
  }
  PetscCall(PetscCalloc1(*bs, has));
  for (PetscInt f = 0, at = 0; f < nfields; f++, at += components) {
    PetscCall(PetscSectionGetFieldComponents(section, f, &components));
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt k = at; field[i] == f && k < at + components; k++) (*has)[k] = PETSC_TRUE;
  }
  for (PetscInt k = 0; k < *bs; k++) *width += (*has)[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ascending: PCFIELDSPLIT refuses rows that PETSc makes in the order of the points. */
static PetscErrorCode list_rows(DM dm, PetscSection section, PetscInt n, const PetscInt *field, IS *rows)
{
  PetscInt first, last, bs = 1, width = 0, *row, m = 0;
  PetscBool *has;
  Vec v;

  PetscFunctionBegin;
  PetscCall(DMGetGlobalVector(dm, &v));
  PetscCall(VecGetOwnershipRange(v, &first, &last));
  PetscCall(DMRestoreGlobalVector(dm, &v));
  PetscCall(mark_values(section, n, field, &bs, &width, &has));
  PetscCall(PetscMalloc1((last - first) / bs * width, &row));
  for (PetscInt k = first; k < last; k++)
    if (has[k % bs]) row[m++] = k;
  PetscCall(PetscFree(has));
  PetscCall(ISCreateGeneral(PetscObjectComm((PetscObject)dm), m, row, PETSC_OWN_POINTER, rows));
  PetscCall(ISSetBlockSize(*rows, width));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode finish(DM dm, PetscSection section);

/* Rows of some fields, and a DM of theirs; field decompositions of PETSc are made of these. */
static PetscErrorCode create_part(DM dm, PetscInt n, const PetscInt *field, IS *rows, DM *part)
{
  PetscInt *sorted;
  PetscSection section, own;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscMalloc1(n, &sorted));
  PetscCall(PetscArraycpy(sorted, field, n));
  PetscCall(PetscSortInt(n, sorted));
  if (rows) PetscCall(list_rows(dm, section, n, sorted, rows));
  if (part) {
    PetscCall(DMClone(dm, part));
    PetscCall(take_fields(section, n, sorted, &own));
    PetscCall(finish(*part, own));
  }
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Viewers of PETSc 3.24 ask a DM for its discrete system, of which ours has none: an empty one. With it they write a Vec as one
 * array, not field by field. */
static PetscErrorCode set_no_system(DM dm)
{
  PetscFunctionBegin;
#if PETSC_VERSION_GE(3, 24, 0)
  PetscDS system;
  PetscCall(PetscDSCreate(PetscObjectComm((PetscObject)dm), &system));
  PetscCall(DMSetRegionDS(dm, NULL, NULL, system, NULL));
  PetscCall(PetscDSDestroy(&system));
#else
  (void)dm;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The section is taken. */
static PetscErrorCode finish(DM dm, PetscSection section)
{
  PetscFunctionBegin;
  PetscCall(DMSetLocalSection(dm, section));
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(set_no_system(dm));
  dm->ops->createsubdm = create_part;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A face of a boundary label among the points of an interpolated DM. */
static PetscErrorCode find_face(RhxMesh mesh, DM dm, PetscInt vStart, PetscInt number, PetscInt *face)
{
  const RhxCellSides *sides;
  DMPolytopeType type;
  PetscInt nn, n = 0, njoin, vertex[8], corner[4];
  const PetscInt *join;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetCell(mesh, number / RHX_MAX_SIDES, &type, &nn, vertex));
  sides = RhxCellTypeSides(type);
  for (; n < sides->nn; n++) corner[n] = vStart + vertex[sides->node[number % RHX_MAX_SIDES][n]];
  PetscCall(DMPlexGetFullJoin(dm, n, corner, &njoin, &join));
  *face = njoin == 1 ? join[0] : -1;
  PetscCall(DMPlexRestoreJoin(dm, n, corner, &njoin, &join));
  PetscCheck(*face >= 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "-dm_plex_interpolate: got %" PetscInt_FMT
             " faces between the corners of one, expected 1 (a periodic mesh of few cells?)",
             njoin);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Positions of cells' corners of a periodic mesh, which PETSc leaves out when it interpolates. */
static PetscErrorCode copy_cells(DM from, DM to)
{
  PetscSection section;
  PetscInt dim;
  DM cells;
  Vec x;

  PetscFunctionBegin;
  PetscCall(DMGetCellCoordinatesLocal(from, &x));
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetCoordinateDim(from, &dim));
  PetscCall(DMGetCellCoordinateSection(from, &section));
  PetscCall(DMGetCoordinateDM(to, &cells));
  PetscCall(DMClone(cells, &cells));
  PetscCall(DMSetCellCoordinateDM(to, cells));
  PetscCall(DMDestroy(&cells));
  PetscCall(DMSetCellCoordinateSection(to, dim, section));
  PetscCall(DMSetCellCoordinatesLocal(to, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Edges and faces; a boundary label is 1 at its faces too. */
static PetscErrorCode interpolate(RhxSpace space, DM plex, DM *dm)
{
  PetscInt nlabels, n, vStart, face = -1;
  const char *const *label;
  const PetscInt *number;
  IS faces;

  PetscFunctionBegin;
  PetscCall(DMPlexInterpolate(plex, dm));
  PetscCall(copy_cells(plex, *dm));
  PetscCall(DMPlexGetDepthStratum(*dm, 0, &vStart, NULL));
  PetscCall(RhxMeshGetLabels(space->mesh, &nlabels, &label));
  for (PetscInt k = 0; k < nlabels; k++) {
    PetscCall(RhxMeshGetLabelFaces(space->mesh, label[k], &faces));
    PetscCall(ISGetLocalSize(faces, &n));
    PetscCall(ISGetIndices(faces, &number));
    for (PetscInt i = 0; i < n; i++) {
      PetscCall(find_face(space->mesh, *dm, vStart, number[i], &face));
      PetscCall(DMSetLabelValue(*dm, label[k], face, 1));
    }
    PetscCall(ISRestoreIndices(faces, &number));
    PetscCall(ISDestroy(&faces));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(RhxSpace space, PetscInt n, const RhxField *field, PetscBool faces, DM *dm)
{
  DM plex;
  PetscSection section;
  PetscInt vStart, vEnd;
  IS order;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetDM(space->mesh, &plex));
  if (faces)
    PetscCall(interpolate(space, plex, dm));
  else
    PetscCall(DMClone(plex, dm));
  PetscCall(DMPlexGetDepthStratum(plex, 0, &vStart, &vEnd));
  PetscCall(PetscSectionCreate(space->comm, &section));
  PetscCall(name_fields(section, n, field));
  PetscCall(order_vertices(space, &order));
  PetscCall(lay_out(section, vStart, vEnd, order));
  PetscCall(ISDestroy(&order));
  PetscCall(finish(*dm, section));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_first(RhxSpace space)
{
  char type[256];
  PetscBool set, faces = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-dm_plex_interpolate", &faces, NULL));
  PetscCall(create(space, space->nfields, space->field, faces, &space->dm));
  PetscCall(PetscObjectSetName((PetscObject)space->dm, "mesh"));
  PetscCall(DMViewFromOptions(space->dm, NULL, "-dm_view"));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-vec_type", type, sizeof(type), &set));
  if (set) PetscCall(DMSetVecType(space->dm, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceCreateDM(RhxSpace space, DM *dm)
{
  PetscSection section;

  PetscFunctionBegin;
  if (!space->dm) PetscCall(create_first(space));
  PetscCall(DMClone(space->dm, dm));
  PetscCall(DMGetLocalSection(space->dm, &section));
  PetscCall(PetscObjectReference((PetscObject)section));
  PetscCall(finish(*dm, section));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceCreateScalarDM(RhxSpace space, const char *name, DM *dm)
{
  RhxField field = {.kind = RHX_SCALAR, .components = 1};

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(field.name, name, sizeof(field.name)));
  PetscCall(create(space, 1, &field, PETSC_FALSE, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
