/* The sections $Nodes, $Elements and $Periodic of Gmsh files 2.2 and 4.1. */
#include "mesh/gmsh_impl.h"

static PetscErrorCode sort_tags(RhxGmsh *g)
{
  PetscBool sorted = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt k = 1; k < g->nnodes && sorted; k++) sorted = (PetscBool)(g->tag[k - 1] < g->tag[k]);
  if (sorted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(g->nnodes, &g->position));
  for (PetscInt k = 0; k < g->nnodes; k++) g->position[k] = k;
  PetscCall(PetscSortIntWithArray(g->nnodes, g->tag, g->position));
  for (PetscInt k = 1; k < g->nnodes; k++)
    PetscCheck(g->tag[k - 1] != g->tag[k], PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "mesh file '%s' is damaged: node %" PetscInt_FMT " is there twice", g->file, g->tag[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode allocate_nodes(RhxGmsh *g, PetscInt n)
{
  PetscFunctionBegin;
  PetscCall(RhxGmshCheckCount(g, "nodes", n, g->binary ? 28 : 8));
  PetscCheck(!g->tag, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "mesh file '%s' has two sections $Nodes", g->file);
  g->nnodes = n;
  PetscCall(PetscMalloc1(n, &g->tag));
  PetscCall(PetscMalloc1(3 * n, &g->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode nodes22(RhxGmsh *g)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxGmshTextInt(g, "the number of nodes", &n));
  RhxGmshEndLine(g);
  PetscCall(allocate_nodes(g, n));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(RhxGmshInt(g, "the number of a node", &g->tag[k]));
    for (PetscInt d = 0; d < 3; d++) PetscCall(RhxGmshReal(g, "a coordinate", &g->x[3 * k + d]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode nodes41(RhxGmsh *g)
{
  PetscInt nblocks, n, k = 0, skip;

  PetscFunctionBegin;
  PetscCall(RhxGmshSize(g, "the number of node blocks", &nblocks));
  PetscCall(RhxGmshSize(g, "the number of nodes", &n));
  for (PetscInt i = 0; i < 2; i++) PetscCall(RhxGmshSize(g, "a node number", &skip));
  PetscCall(allocate_nodes(g, n));
  for (PetscInt b = 0; b < nblocks; b++) {
    PetscInt dim, tag, parametric, m;

    PetscCall(RhxGmshInt(g, "the dimension of an entity", &dim));
    PetscCall(RhxGmshInt(g, "the number of an entity", &tag));
    PetscCall(RhxGmshInt(g, "0 or 1 (parametric)", &parametric));
    PetscCall(RhxGmshSize(g, "the number of nodes of a block", &m));
    PetscCheck(m >= 0 && m <= n - k, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "mesh file '%s' is damaged: a node block says %" PetscInt_FMT " nodes, expected at most %" PetscInt_FMT,
               g->file, m, n - k);
    for (PetscInt i = 0; i < m; i++) PetscCall(RhxGmshSize(g, "the number of a node", &g->tag[k + i]));
    for (PetscInt i = 0; i < m; i++) {
      PetscReal unused;
      for (PetscInt d = 0; d < 3; d++) PetscCall(RhxGmshReal(g, "a coordinate", &g->x[3 * (k + i) + d]));
      for (PetscInt d = 0; parametric && d < dim; d++) PetscCall(RhxGmshReal(g, "a parametric coordinate", &unused));
    }
    k += m;
  }
  PetscCheck(k == n, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is damaged: its node blocks hold %" PetscInt_FMT " nodes, expected %" PetscInt_FMT,
             g->file, k, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGmshReadNodes(RhxGmsh *g)
{
  PetscFunctionBegin;
  PetscCall(g->version == 22 ? nodes22(g) : nodes41(g));
  PetscCall(sort_tags(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt dim, nn;
  const char *name; /* why it is refused; NULL: read */
  const char *way;  /* how Gmsh makes what is read instead */
} ElementKind;

#define PRISMS                                                                                                        \
  "for tetrahedra Extrude without Recombine, for hexahedra with it and Recombine Surface of what is extruded, or of " \
  "any mesh Mesh.SubdivisionAlgorithm = 2"
#define PYRAMIDS                                                                                  \
  "for tetrahedra no Recombine Surface, nor Mesh.RecombineAll, of their surfaces; for hexahedra " \
  "Mesh.SubdivisionAlgorithm = 2"
#define FIRST "Mesh.ElementOrder = 1"

static const ElementKind kinds[] = {
    {0, 0, "of an unknown type", NULL},
    {1, 2, NULL, NULL},
    {2, 3, NULL, NULL},
    {2, 4, NULL, NULL},
    {3, 4, NULL, NULL},
    {3, 8, NULL, NULL},
    {3, 6, "a prism (6-node wedge)", PRISMS},
    {3, 5, "a pyramid (5 nodes)", PYRAMIDS},
    {1, 3, "a 3-node line (second order)", FIRST},
    {2, 6, "a 6-node triangle (second order)", FIRST},
    {2, 9, "a 9-node quadrilateral (second order)", FIRST},
    {3, 10, "a 10-node tetrahedron (second order)", FIRST},
    {3, 27, "a 27-node hexahedron (second order)", FIRST},
    {3, 18, "an 18-node prism (second order)", FIRST "; " PRISMS},
    {3, 14, "a 14-node pyramid (second order)", FIRST "; " PYRAMIDS},
    {0, 1, NULL, NULL},
    {2, 8, "an 8-node quadrilateral (second order)", FIRST},
    {3, 20, "a 20-node hexahedron (second order)", FIRST},
    {3, 15, "a 15-node prism (second order)", FIRST "; " PRISMS},
    {3, 13, "a 13-node pyramid (second order)", FIRST "; " PYRAMIDS},
};

static PetscErrorCode element_kind(RhxGmsh *g, PetscInt type, const ElementKind **kind)
{
  PetscFunctionBegin;
  PetscCheck(type > 0 && type < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(kinds), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "mesh file '%s' has an element of Gmsh type %" PetscInt_FMT
             ", which has no kernels: expected first-order triangles, quadrilaterals, tetrahedra or hexahedra",
             g->file, type);
  *kind = &kinds[type];
  PetscCheck(!(*kind)->name, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "mesh file '%s' has %s, which has no kernels: expected first-order triangles, quadrilaterals, tetrahedra "
             "or hexahedra (Gmsh: %s)",
             g->file, (*kind)->name, (*kind)->way);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode allocate_elements(RhxGmsh *g, PetscInt n)
{
  PetscFunctionBegin;
  PetscCheck(g->tag, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' has no nodes before $Elements: expected $Nodes first, and one at least", g->file);
  PetscCheck(!g->dim, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "mesh file '%s' has two sections $Elements", g->file);
  PetscCall(RhxGmshCheckCount(g, "elements", n, 4));
  g->nelements = 0;
  PetscCall(PetscMalloc1(n, &g->dim));
  PetscCall(PetscMalloc1(n, &g->nn));
  PetscCall(PetscMalloc1(n, &g->entity));
  PetscCall(PetscMalloc1(n, &g->physical));
  PetscCall(PetscMalloc1(n + 1, &g->offset));
  g->offset[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_element(RhxGmsh *g, const ElementKind *kind, PetscInt entity, PetscInt physical)
{
  const PetscInt e = g->nelements++;

  PetscFunctionBegin;
  if (g->nconn + 8 > g->room) {
    g->room = PetscMax(1024, 2 * g->room);
    PetscCall(PetscRealloc((size_t)g->room * sizeof(PetscInt), &g->conn));
  }
  g->dim[e] = (char)kind->dim;
  g->nn[e] = (char)kind->nn;
  g->entity[e] = entity;
  g->physical[e] = PetscAbsInt(physical);
  for (PetscInt a = 0; a < kind->nn; a++) {
    PetscInt tag;
    if (g->version == 22)
      PetscCall(RhxGmshInt(g, "a node of an element", &tag));
    else
      PetscCall(RhxGmshSize(g, "a node of an element", &tag));
    PetscCall(RhxGmshNode(g, tag, &g->conn[g->nconn++]));
  }
  g->offset[e + 1] = g->nconn;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Binary files hold blocks of one type and number of tags; in ascii every element is such a block. */
static PetscErrorCode elements22(RhxGmsh *g)
{
  PetscInt n, e = 0;

  PetscFunctionBegin;
  PetscCall(RhxGmshTextInt(g, "the number of elements", &n));
  RhxGmshEndLine(g);
  PetscCall(allocate_elements(g, n));
  while (e < n) {
    const ElementKind *kind = NULL;
    PetscInt type, m = 1, ntags, number, tag[2] = {0, 0}, skip;

    if (!g->binary) PetscCall(RhxGmshInt(g, "the number of an element", &number));
    PetscCall(RhxGmshInt(g, "the type of an element", &type));
    if (g->binary) PetscCall(RhxGmshInt(g, "the number of elements of a block", &m));
    PetscCall(RhxGmshInt(g, "the number of tags", &ntags));
    PetscCall(element_kind(g, type, &kind));
    PetscCheck(m > 0 && m <= n - e, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "mesh file '%s' is damaged: an element block says %" PetscInt_FMT
               " elements, expected at most %" PetscInt_FMT,
               g->file, m, n - e);
    for (PetscInt i = 0; i < m; i++, e++) {
      if (g->binary) PetscCall(RhxGmshInt(g, "the number of an element", &number));
      for (PetscInt t = 0; t < ntags; t++) PetscCall(RhxGmshInt(g, "a tag of an element", t < 2 ? &tag[t] : &skip));
      PetscCall(add_element(g, kind, tag[1], tag[0]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode elements41(RhxGmsh *g)
{
  PetscInt nblocks, n, skip;

  PetscFunctionBegin;
  PetscCall(RhxGmshSize(g, "the number of element blocks", &nblocks));
  PetscCall(RhxGmshSize(g, "the number of elements", &n));
  for (PetscInt i = 0; i < 2; i++) PetscCall(RhxGmshSize(g, "an element number", &skip));
  PetscCall(allocate_elements(g, n));
  for (PetscInt b = 0; b < nblocks; b++) {
    const ElementKind *kind = NULL;
    PetscInt dim, tag, type, m;

    PetscCall(RhxGmshInt(g, "the dimension of an entity", &dim));
    PetscCall(RhxGmshInt(g, "the number of an entity", &tag));
    PetscCall(RhxGmshInt(g, "the type of the elements of a block", &type));
    PetscCall(RhxGmshSize(g, "the number of elements of a block", &m));
    PetscCall(element_kind(g, type, &kind));
    PetscCheck(m >= 0 && m <= n - g->nelements, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "mesh file '%s' is damaged: an element block says %" PetscInt_FMT
               " elements, expected at most %" PetscInt_FMT,
               g->file, m, n - g->nelements);
    for (PetscInt i = 0; i < m; i++) {
      PetscCall(RhxGmshSize(g, "the number of an element", &skip));
      PetscCall(add_element(g, kind, tag, 0));
    }
  }
  PetscCheck(g->nelements == n, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is damaged: its element blocks hold %" PetscInt_FMT " elements, expected %" PetscInt_FMT,
             g->file, g->nelements, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGmshReadElements(RhxGmsh *g)
{
  PetscFunctionBegin;
  PetscCall(g->version == 22 ? elements22(g) : elements41(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One translation for all nodes of a link: vectors keep their components where sides are joined. */
static PetscErrorCode check_translation(const RhxGmsh *g, const PetscInt node[2], PetscReal shift[3], PetscBool first)
{
  const PetscReal *x = g->x + 3 * node[0], *y = g->x + 3 * node[1];
  PetscReal apart = 0, length = 0, size = 0;
  char text[200];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < 3; d++) {
    if (first) shift[d] = x[d] - y[d];
    apart += PetscSqr(x[d] - y[d] - shift[d]);
    length += PetscSqr(shift[d]);
    size += PetscSqr(x[d]);
  }
  if (PetscSqrtReal(apart) <= 1e-4 * PetscSqrtReal(length) + 1e-9 * PetscSqrtReal(size))
    PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text, sizeof(text), "(%g, %g, %g) apart and others (%g, %g, %g) apart", x[0] - y[0], x[1] - y[1],
           x[2] - y[2], shift[0], shift[1], shift[2]);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
          "mesh file '%s' joins nodes in $Periodic that are %s: got a rotation or another map, expected a translation, "
          "or -mesh_file_periodic false",
          g->file, text);
}

static PetscErrorCode add_periodic_pairs(RhxGmsh *g, PetscInt n)
{
  PetscReal shift[3] = {0};

  PetscFunctionBegin;
  PetscCall(RhxGmshCheckCount(g, "periodic nodes", n, 4));
  for (PetscInt k = 0; k < n; k++) {
    PetscInt tag[2], node[2];

    for (PetscInt i = 0; i < 2; i++) {
      if (g->version == 22)
        PetscCall(RhxGmshTextInt(g, "a periodic node", &tag[i]));
      else
        PetscCall(RhxGmshSize(g, "a periodic node", &tag[i]));
      PetscCall(RhxGmshNode(g, tag[i], &node[i]));
    }
    PetscCall(check_translation(g, node, shift, (PetscBool)(k == 0)));
    g->master[node[0]] = node[1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In 2.2 the section is text in binary files, too, and an affine map is a line of words. */
static PetscErrorCode periodic_link(RhxGmsh *g)
{
  PetscInt n, skip;
  PetscReal value;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3; i++) {
    if (g->version == 22)
      PetscCall(RhxGmshTextInt(g, "a periodic entity", &skip));
    else
      PetscCall(RhxGmshInt(g, "a periodic entity", &skip));
  }
  if (g->version == 22) {
    RhxGmshEndLine(g);
    if (!strncmp(g->buffer + g->at, "Affine", 6)) RhxGmshEndLine(g);
    PetscCall(RhxGmshTextInt(g, "the number of periodic nodes", &n));
  } else {
    PetscCall(RhxGmshSize(g, "the size of an affine map", &n));
    PetscCall(RhxGmshCheckCount(g, "numbers of an affine map", n, 2));
    for (PetscInt i = 0; i < n; i++) PetscCall(RhxGmshReal(g, "a number of an affine map", &value));
    PetscCall(RhxGmshSize(g, "the number of periodic nodes", &n));
  }
  PetscCall(add_periodic_pairs(g, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGmshReadPeriodic(RhxGmsh *g)
{
  PetscInt nlinks;

  PetscFunctionBegin;
  PetscCheck(g->tag, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' has $Periodic before $Nodes: expected $Nodes first", g->file);
  if (!g->master) {
    PetscCall(PetscMalloc1(g->nnodes, &g->master));
    for (PetscInt k = 0; k < g->nnodes; k++) g->master[k] = k;
  }
  if (g->version == 22)
    PetscCall(RhxGmshTextInt(g, "the number of periodic entities", &nlinks));
  else
    PetscCall(RhxGmshSize(g, "the number of periodic entities", &nlinks));
  for (PetscInt l = 0; l < nlinks; l++) PetscCall(periodic_link(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}
