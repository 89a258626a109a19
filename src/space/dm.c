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
static PetscErrorCode order_points(RhxSpace space, PetscSection section)
{
  PetscInt *vertex;
  IS order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(space->nlocal, &vertex));
  for (PetscInt v = 0; v < space->nlocal; v++) vertex[space->vertex_node[v]] = v;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, space->nlocal, vertex, PETSC_OWN_POINTER, &order));
  PetscCall(ISSetPermutation(order));
  PetscCall(PetscSectionSetPermutation(section, order));
  PetscCall(ISDestroy(&order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of every field, ascending: PCFIELDSPLIT refuses those that PETSc makes in the order of the points. */
static PetscErrorCode decompose(DM dm, PetscInt *n, char ***names, IS **rows, DM **parts)
{
  PetscSection section;
  PetscInt first, last, bs, offset = 0, nfields, components;
  const char *name;
  Vec v;

  PetscFunctionBegin;
  PetscCall(DMGetGlobalVector(dm, &v));
  PetscCall(VecGetOwnershipRange(v, &first, &last));
  PetscCall(DMRestoreGlobalVector(dm, &v));
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscSectionGetNumFields(section, &nfields));
  for (PetscInt f = bs = 0; f < nfields; f++, bs += components)
    PetscCall(PetscSectionGetFieldComponents(section, f, &components));
  if (n) *n = nfields;
  if (names) PetscCall(PetscMalloc1(nfields, names));
  if (rows) PetscCall(PetscMalloc1(nfields, rows));
  if (parts) *parts = NULL;
  for (PetscInt f = 0; f < nfields; f++, offset += components) {
    const PetscInt nodes = (last - first) / bs;
    PetscInt *row;

    PetscCall(PetscSectionGetFieldComponents(section, f, &components));
    PetscCall(PetscSectionGetFieldName(section, f, &name));
    if (names) PetscCall(PetscStrallocpy(name, &(*names)[f]));
    if (!rows) continue;
    PetscCall(PetscMalloc1(nodes * components, &row));
    for (PetscInt k = 0; k < nodes * components; k++) row[k] = first + k / components * bs + offset + k % components;
    PetscCall(
        ISCreateGeneral(PetscObjectComm((PetscObject)dm), nodes * components, row, PETSC_OWN_POINTER, &(*rows)[f]));
    PetscCall(ISSetBlockSize((*rows)[f], components));
  }
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
  PetscInt vStart, vEnd, bs = 0;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetDM(space->mesh, &plex));
  if (faces)
    PetscCall(interpolate(space, plex, dm));
  else
    PetscCall(DMClone(plex, dm));
  PetscCall(DMPlexGetDepthStratum(plex, 0, &vStart, &vEnd));
  PetscCall(PetscSectionCreate(space->comm, &section));
  PetscCall(name_fields(section, n, field));
  PetscCall(PetscSectionSetChart(section, vStart, vEnd));
  for (PetscInt f = 0; f < n; f++) bs += field[f].components;
  for (PetscInt v = vStart; v < vEnd; v++) {
    PetscCall(PetscSectionSetDof(section, v, bs));
    for (PetscInt f = 0; f < n; f++) PetscCall(PetscSectionSetFieldDof(section, v, f, field[f].components));
  }
  PetscCall(order_points(space, section));
  PetscCall(PetscSectionSetUp(section));
  PetscCall(DMSetLocalSection(*dm, section));
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(set_no_system(*dm));
  (*dm)->ops->createfielddecomposition = decompose;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceCreateDM(RhxSpace space, DM *dm)
{
  char type[256];
  PetscBool set, faces = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-dm_plex_interpolate", &faces, NULL));
  PetscCall(create(space, space->nfields, space->field, faces, dm));
  if (faces) PetscCall(DMViewFromOptions(*dm, NULL, "-dm_view"));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-vec_type", type, sizeof(type), &set));
  if (set) PetscCall(DMSetVecType(*dm, type));
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
