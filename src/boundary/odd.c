/* What a plane of symmetry that is oblique to the axes takes from tensors and gradients, and planes beside it at a node: n t and t n. */
#include "boundary/impl.h"

#define DEPENDENT 1e-6 /* length of what earlier parts leave of a unit part */

typedef struct {
  PetscInt size, at[9]; /* components; of the element ab of a matrix at 3 a + b, -1: none */
  PetscReal weight[9];  /* times that a component stands in a : b */
} Layout;

static Layout layout(RhxBoundary bc, RhxAuxShape shape)
{
  const PetscInt dim = bc->space->dim, ntens = bc->space->ntens;
  const PetscBool gradient = (PetscBool)(shape == RHX_AUX_GRADIENT);
  const PetscInt width = !gradient && ntens == 6 ? 3 : dim;
  Layout l = {.size = gradient ? dim * dim : ntens};
  for (PetscInt a = 0; a < 3; a++)
    for (PetscInt b = 0; b < 3; b++) {
      const PetscBool there = (PetscBool)(a < width && b < width);
      l.at[3 * a + b] = !there ? -1 : gradient ? a * dim + b : rhx_tensor_index(dim, ntens, a, b);
      if (there) l.weight[l.at[3 * a + b]] = gradient || a == b ? 1.0 : 2.0;
    }
  return l;
}

/* Appends the part of `value` that is orthogonal to the node's earlier parts, of length 1. */
static void append(RhxOddParts *p, const Layout *l, PetscInt node, PetscReal *value)
{
  PetscReal square = 0.0;
  for (PetscInt twice = 0; twice < 2; twice++)
    for (PetscInt i = p->n - 1; i >= 0 && p->node[i] == node; i--) {
      PetscReal along = 0.0;
      for (PetscInt c = 0; c < l->size; c++) along += p->dual[i * l->size + c] * value[c];
      for (PetscInt c = 0; c < l->size; c++) value[c] -= along * p->part[i * l->size + c];
    }
  for (PetscInt c = 0; c < l->size; c++) square += l->weight[c] * PetscSqr(value[c]);
  if (!(square > DEPENDENT * DEPENDENT)) return;
  for (PetscInt c = 0; c < l->size; c++) {
    p->part[p->n * l->size + c] = value[c] / PetscSqrtReal(square);
    p->dual[p->n * l->size + c] = l->weight[c] * value[c] / PetscSqrtReal(square);
  }
  p->node[p->n++] = node;
}

/* Of the normal n: n t and t n, or their sum where they are one component, t the part of the axis d that is tangential. */
static void append_plane(RhxOddParts *p, const Layout *l, PetscInt node, const PetscReal n[3], PetscInt d)
{
  for (PetscInt order = 0; order < 2; order++) {
    PetscReal value[9] = {0.0};
    for (PetscInt a = 0; a < 3; a++)
      for (PetscInt b = 0; b < 3; b++) {
        const PetscInt at = l->at[3 * a + b], first = order ? b : a, second = order ? a : b;
        if (at >= 0) value[at] += n[first] * ((second == d ? 1.0 : 0.0) - n[d] * n[second]) / l->weight[at];
      }
    append(p, l, node, value);
  }
}

PetscErrorCode RhxOddPartsCreate(RhxBoundary bc, RhxAuxShape shape, const PetscInt *winner, RhxOddParts *p)
{
  const RhxPlaneNormals *turned = &bc->turned.planes;
  const PetscInt dim = bc->space->dim;
  const Layout l = layout(bc, shape);
  PetscFunctionBegin;
  p->components = l.size;
  PetscCall(PetscMalloc3(6 * turned->n, &p->node, 6 * turned->n * l.size, &p->part, 6 * turned->n * l.size, &p->dual));
  for (PetscInt i = 0; i < turned->n; i++) {
    PetscReal n[3] = {0.0, 0.0, 0.0};
    if (winner && (turned->node[i] >= bc->space->nowned || winner[turned->node[i]] >= 0)) continue;
    for (PetscInt d = 0; d < dim; d++) n[d] = turned->normal[i * dim + d];
    for (PetscInt d = 0; d < 3; d++)
      if (l.at[4 * d] >= 0) append_plane(p, &l, turned->node[i], n, d);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetOddParts(RhxBoundary bc, PetscInt *n, const PetscInt **node, const PetscReal **part,
                                      const PetscReal **dual)
{
  const RhxOddParts *p = &bc->turned.shear;
  PetscFunctionBegin;
  *n = p->n;
  *node = p->node;
  *part = p->part;
  *dual = p->dual;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOddPartsDestroy(RhxOddParts *p)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(p->node, p->part, p->dual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxOddPartsRemove(const RhxOddParts *p, PetscInt bs, PetscInt offset, PetscScalar *x)
{
  const PetscInt m = p->components;
  for (PetscInt i = 0; i < p->n; i++) {
    PetscScalar *v = x + (size_t)p->node[i] * bs + offset, along = 0;
    for (PetscInt c = 0; c < m; c++) along += p->dual[i * m + c] * v[c];
    for (PetscInt c = 0; c < m; c++) v[c] -= along * p->part[i * m + c];
  }
}

PetscBool RhxNodeIsTurned(RhxBoundary bc, PetscInt node)
{
  PetscInt low = 0, high = bc->turned.planes.n;
  while (low < high) {
    const PetscInt middle = low + (high - low) / 2;
    if (bc->turned.planes.node[middle] < node)
      low = middle + 1;
    else
      high = middle;
  }
  return (PetscBool)(low < bc->turned.planes.n && bc->turned.planes.node[low] == node);
}
