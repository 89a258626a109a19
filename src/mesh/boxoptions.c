/* The options -mesh_box_...: lists of numbers and directions. */
#include "mesh/impl.h"
#include <stdlib.h>

/* Up to 3 comma-separated numbers. */
static PetscErrorCode parse_reals(const char *option, const char *text, PetscInt *n, PetscReal v[3])
{
  const char *p = text;

  PetscFunctionBegin;
  for (*n = 0;; p++) {
    char *end;

    PetscCheck(*n < 3, PETSC_COMM_SELF, PETSC_ERR_USER, "option -mesh_box_%s got '%s': expected at most 3 numbers",
               option, text);
    v[*n] = strtod(p, &end);
    while (*end == ' ') end++;
    PetscCheck(end != p && (*end == ',' || !*end) && !PetscIsInfOrNanReal(v[*n]), PETSC_COMM_SELF, PETSC_ERR_USER,
               "option -mesh_box_%s got '%s': expected numbers separated by commas", option, text);
    (*n)++;
    p = end;
    if (!*p) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode parse_corner(const char *option, const char *text, PetscInt dim, PetscReal v[3])
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(parse_reals(option, text, &n, v));
  PetscCheck(n == 1 || n == dim, PETSC_COMM_SELF, PETSC_ERR_USER,
             "option -mesh_box_%s got '%s': expected 1 or %" PetscInt_FMT " numbers as -mesh_box_faces has", option,
             text, dim);
  for (PetscInt d = n; d < 3; d++) v[d] = v[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode parse_periodic(const char *text, RhxBox *box)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < 3; d++) box->periodic[d] = PETSC_FALSE;
  if (!strcmp(text, "none") || !text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (const char *c = text; *c; c++) {
    if (*c == ',' || *c == ' ') continue;
    PetscCheck(*c >= 'x' && *c <= 'z' && *c - 'x' < box->n, PETSC_COMM_SELF, PETSC_ERR_USER,
               "option -mesh_box_periodic got '%s': expected none or letters of the directions of the box, such as %s",
               text, box->n == 2 ? "x or xy" : "x or xyz");
    box->periodic[*c - 'x'] = PETSC_TRUE;
  }
  for (PetscInt d = 0; d < box->n; d++)
    PetscCheck(!box->periodic[d] || box->faces[d] >= 3, PETSC_COMM_SELF, PETSC_ERR_USER,
               "option -mesh_box_faces got %" PetscInt_FMT " cells in the periodic direction %c: expected at least 3",
               box->faces[d], (char)('x' + d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshParseBox(RhxMesh mesh, RhxBox *box)
{
  static const DMPolytopeType types[] = {DM_POLYTOPE_UNKNOWN,     DM_POLYTOPE_TRIANGLE,   DM_POLYTOPE_QUADRILATERAL,
                                         DM_POLYTOPE_TETRAHEDRON, DM_POLYTOPE_HEXAHEDRON, DM_POLYTOPE_UNKNOWN};
  const RhxMeshOptions *o = &mesh->options;
  PetscReal faces[3];
  PetscBool fits;

  PetscFunctionBegin;
  PetscCall(parse_reals("faces", o->box_faces, &box->n, faces));
  PetscCheck(box->n >= 2, PETSC_COMM_SELF, PETSC_ERR_USER,
             "option -mesh_box_faces got '%s': expected 2 or 3 numbers such as 32,32", o->box_faces);
  for (PetscInt d = 0; d < 3; d++) {
    const PetscReal f = d < box->n ? faces[d] : 1;
    PetscCheck(f >= 1 && f < 1e8 && f == PetscFloorReal(f), PETSC_COMM_SELF, PETSC_ERR_USER,
               "option -mesh_box_faces got '%s': expected whole numbers of at least 1", o->box_faces);
    box->faces[d] = (PetscInt)f;
  }
  PetscCall(parse_corner("lower", o->box_lower, box->n, box->lower));
  PetscCall(parse_corner("upper", o->box_upper, box->n, box->upper));
  for (PetscInt d = 0; d < box->n; d++)
    PetscCheck(box->lower[d] < box->upper[d], PETSC_COMM_SELF, PETSC_ERR_USER,
               "option -mesh_box_upper got %g in direction %c: expected more than -mesh_box_lower %g",
               (double)box->upper[d], (char)('x' + d), (double)box->lower[d]);
  PetscCall(parse_periodic(o->box_periodic, box));
  box->mixed = (PetscBool)(o->box_cell == 5);
  box->cell = types[o->box_cell];
  box->jitter = o->box_jitter;
  if (o->box_cell == 0 || (box->mixed && box->n == 2))
    box->cell = box->n == 2 ? DM_POLYTOPE_QUADRILATERAL : DM_POLYTOPE_HEXAHEDRON;
  fits = (PetscBool)(box->cell != DM_POLYTOPE_UNKNOWN && DMPolytopeTypeGetDim(box->cell) == box->n);
  PetscCheck(fits, PETSC_COMM_SELF, PETSC_ERR_USER,
             "option -mesh_box_cell got %s, but -mesh_box_faces %s is a %" PetscInt_FMT "D box: expected %s",
             box->mixed ? "mixed" : DMPolytopeTypes[box->cell], o->box_faces, box->n,
             box->n == 2 ? "triangle, quadrilateral or mixed" : "tetrahedron or hexahedron");
  PetscFunctionReturn(PETSC_SUCCESS);
}
