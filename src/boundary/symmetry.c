/* Symmetry planes: the normal component of vectors and the tensor components with one normal index vanish. Open labels that are
 * crossed along their normal: the velocity in their plane does. */
#include "boundary/impl.h"
#include "space/colour.h"

void RhxRemoveNormal(const RhxPlaneNormals *p, PetscInt dim, PetscInt bs, PetscInt offset, PetscScalar *x)
{
  for (PetscInt i = 0; i < p->n; i++) {
    PetscScalar *v = x + p->node[i] * bs + offset, normal = 0;
    for (PetscInt d = 0; d < dim; d++) normal += p->normal[i * dim + d] * v[d];
    for (PetscInt d = 0; d < dim; d++) v[d] -= normal * p->normal[i * dim + d];
  }
}

/* Rows of all stabilisers: calls with the offset in the node's auxiliary components, for every mode or scalar where there is one each. */
typedef PetscErrorCode (*row_fn)(RhxBoundary bc, RhxAuxShape shape, PetscInt offset);

static PetscErrorCode for_each_row(RhxBoundary bc, row_fn visit)
{
  RhxForm form = bc->form;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < form->nstabilisers; s++) {
    const RhxFormStabiliser *st = &form->stabiliser[s];
    for (PetscInt r = 0; r < st->plugin->naux; r++) {
      const RhxAuxRow *row = &st->plugin->aux[r];
      PetscInt off = st->stage.off[r];
      if (off < 0) continue;
      for (PetscInt k = 0; k < RhxFormAuxCount(form, row->of); k++)
        PetscCall(visit(bc, row->shape, RhxFormAuxStart(form, row->of, k) + off));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode collect_offset(RhxBoundary bc, RhxAuxShape shape, PetscInt offset)
{
  PetscFunctionBegin;
  if (shape == RHX_AUX_VECTOR) bc->vector[bc->nvectors++] = offset;
  if (shape == RHX_AUX_TENSOR) bc->turned.tensors[bc->turned.ntensors++] = offset;
  if (shape == RHX_AUX_GRADIENT) bc->turned.gradients[bc->turned.ngradients++] = offset;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode collect_odd(RhxBoundary bc, RhxAuxShape shape, PetscInt offset)
{
  PetscInt dim = bc->space->dim, ntens = bc->space->ntens;

  PetscFunctionBegin;
  if (shape != RHX_AUX_GRADIENT && shape != RHX_AUX_TENSOR) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < bc->aux.n; i++) {
    const PetscReal *normal = bc->aux.normal + i * dim;
    PetscInt at = bc->aux.node[i] * bc->form->naux + offset;
    if (RhxNodeIsTurned(bc, bc->aux.node[i])) continue;
    for (PetscInt a = 0; a < dim; a++)
      for (PetscInt b = 0; b < (shape == RHX_AUX_TENSOR && ntens == 6 ? 3 : dim); b++) {
        if ((normal[a] != 0) == (b < dim && normal[b] != 0)) continue;
        if (shape == RHX_AUX_GRADIENT)
          bc->odd[bc->nodd++] = at + a * dim + b;
        else if (a < b)
          bc->odd[bc->nodd++] = at + rhx_tensor_index(dim, ntens, a, b);
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A normal along an axis is made exact. */
static PetscBool snap_to_axis(PetscInt dim, PetscReal *n)
{
  for (PetscInt d = 0; d < dim; d++) {
    if (!(PetscAbsReal(n[d]) > 1 - 1e-9)) continue;
    for (PetscInt e = 0; e < dim; e++) n[e] = e == d;
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Checks the plane of a label and makes a normal along an axis exact. */
static PetscErrorCode check_plane(RhxBoundary bc, RhxCondition *c)
{
  PetscReal *n = c->geo.plane;
  PetscInt dim = bc->space->dim;

  PetscFunctionBegin;
  PetscCheck(c->geo.plane_bend <= RHX_FLAT, bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_type symmetry: got a label whose normals differ by %g, expected a plane, or -bc_%s_type free_slip",
             c->label, (double)c->geo.plane_bend, c->label);
  snap_to_axis(dim, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends a node and the part of the normal that is orthogonal to the node's earlier normals. */
static void append_normal(RhxPlaneNormals *p, PetscInt dim, PetscInt node, const PetscReal *plane)
{
  PetscReal n[3] = {0}, length = 0;
  for (PetscInt d = 0; d < dim; d++) n[d] = plane[d];
  for (PetscInt i = p->n - 1; i >= 0 && p->node[i] == node; i--) {
    PetscReal along = 0;
    for (PetscInt d = 0; d < dim; d++) along += n[d] * p->normal[i * dim + d];
    for (PetscInt d = 0; d < dim; d++) n[d] -= along * p->normal[i * dim + d];
  }
  for (PetscInt d = 0; d < dim; d++) length += n[d] * n[d];
  length = PetscSqrtReal(length);
  if (length < 1e-6) return;
  for (PetscInt d = 0; d < dim; d++) p->normal[p->n * dim + d] = n[d] / length;
  p->node[p->n++] = node;
}

/* Cosine beyond which labels that meet at a node are parts of one smooth wall, as two faces of a circle in 12 are, and the node
 * has one normal; sides that turn by more meet in an edge or a corner. */
#define SMOOTH 0.85

static PetscReal dot(PetscInt dim, const PetscReal *a, const PetscReal *b)
{
  PetscReal sum = 0;
  for (PetscInt d = 0; d < dim; d++) sum += a[d] * b[d];
  return sum;
}

/* Do two vectors, the first of length 1 or 0, point the same way? */
static PetscBool is_smooth(PetscInt dim, const PetscReal *unit, const PetscReal *b)
{
  return (PetscBool)(dot(dim, unit, b) > SMOOTH * PetscSqrtReal(dot(dim, b, b)));
}

static void make_unit(PetscInt dim, PetscReal *n)
{
  const PetscReal length = PetscSqrtReal(dot(dim, n, n));
  for (PetscInt d = 0; d < dim && length > 0; d++) n[d] /= length;
  snap_to_axis(dim, n);
}

/* One vector for the labels that meet smoothly at a node: of those the first takes the sum, the others nothing. A plane of symmetry
 * that they meet so keeps its normal alone. */
static void join_normals(RhxBoundary bc, PetscInt node, PetscInt nplanes, const PetscScalar *mask, PetscReal *sum)
{
  const PetscInt dim = bc->space->dim, stride = bc->space->nowned * dim;
  PetscReal unit[3];
  PetscInt plane = 0;

  for (PetscInt i = 0; i < bc->ncond; i++) {
    PetscReal *n = sum + (size_t)i * stride + node * dim;
    for (PetscInt d = 0; d < dim; d++) unit[d] = n[d];
    make_unit(dim, unit);
    for (PetscInt j = 0; j < i; j++) {
      PetscReal *other = sum + (size_t)j * stride + node * dim;
      if (!is_smooth(dim, unit, other)) continue;
      for (PetscInt d = 0; d < dim; d++) {
        other[d] += n[d];
        n[d] = 0;
      }
      break;
    }
  }
  for (PetscInt i = 0; i < bc->ncond; i++) {
    if (!(bc->cond[i].type->flags & RHX_TYPE_SYMMETRY)) continue;
    if (mask[node * nplanes + plane++] == 0) continue;
    for (PetscInt j = 0; j < bc->ncond; j++) {
      PetscReal *n = sum + (size_t)j * stride + node * dim;
      const PetscBool smooth = is_smooth(dim, bc->cond[i].geo.plane, n);
      for (PetscInt d = 0; d < dim && smooth; d++) n[d] = 0;
    }
  }
  for (PetscInt i = 0; i < bc->ncond; i++) make_unit(dim, sum + (size_t)i * stride + node * dim);
}

/* normal[condition][nowned][dim]: integral N n over the label's faces as a unit vector, with which a flow along it has no flux, over
 * those of all labels that meet smoothly at the node for the first of them; zero elsewhere. NULL where no condition asks for it. */
static PetscErrorCode node_normals(RhxBoundary bc, PetscInt nplanes, const PetscScalar *mask, PetscReal **normal)
{
  const RhxSpace space = bc->space;
  const PetscInt dim = space->dim;
  PetscReal *sum;
  PetscBool any = PETSC_FALSE;

  PetscFunctionBegin;
  *normal = NULL;
  for (PetscInt i = 0; i < bc->ncond; i++) any = (PetscBool)(any || (bc->cond[i].type->flags & RHX_TYPE_NORMAL));
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)bc->ncond * space->nowned * dim + 1, normal));
  PetscCall(PetscMalloc1(space->nlocal * dim, &sum));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    if (!(bc->cond[i].type->flags & RHX_TYPE_NORMAL)) continue;
    PetscCall(PetscArrayzero(sum, space->nlocal * dim));
    RhxConditionAddNormals(bc->cond[i].faces, dim, sum);
    PetscCall(RhxSpaceReduce(space, dim, sum));
    PetscCall(PetscArraycpy(*normal + (size_t)i * space->nowned * dim, sum, space->nowned * dim));
  }
  for (PetscInt node = 0; node < space->nowned; node++) join_normals(bc, node, nplanes, mask, *normal);
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where an inlet meets a wall that slips nothing flows through that: what it gives there runs along it. By places among the given velocities. A
 * plane of symmetry takes what the case gives. */
static PetscErrorCode find_along(RhxBoundary bc, const PetscReal *normal)
{
  const PetscInt dim = bc->space->dim;
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) n += bc->cond[i].type->flags & RHX_TYPE_INWARD ? bc->cond[i].v.n : 0;
  PetscCall(PetscMalloc2(n * dim, &bc->along.node, n * dim * dim, &bc->along.normal));
  for (PetscInt i = 0; i < bc->ncond; i++)
    for (PetscInt j = 0; (bc->cond[i].type->flags & RHX_TYPE_INWARD) && j < bc->cond[i].v.n; j++) {
      const PetscInt node = bc->cond[i].v.node[j], place = bc->cond[i].v.start + j * dim;
      for (PetscInt k = 0; k < bc->ncond; k++) {
        const unsigned type = bc->cond[k].type->flags;
        if ((type & RHX_TYPE_NORMAL) && !(type & RHX_TYPE_SYMMETRY))
          append_normal(&bc->along, dim, place, normal + ((size_t)k * bc->space->nowned + node) * dim);
      }
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxConditionKeepAlong(const RhxCondition *c, PetscScalar *velocity)
{
  const RhxPlaneNormals *p = &c->bc->along;
  const PetscInt dim = c->bc->space->dim;

  for (PetscInt i = 0; i < p->n; i++) {
    PetscScalar *u = velocity + p->node[i];
    PetscReal through = 0;
    if (p->node[i] < c->v.start || p->node[i] >= c->v.start + c->v.n * dim) continue;
    for (PetscInt d = 0; d < dim; d++) through += PetscRealPart(u[d]) * p->normal[i * dim + d];
    for (PetscInt d = 0; d < dim; d++) u[d] -= through * p->normal[i * dim + d];
  }
}

/* Appends the planes of a node where one of them is oblique to the axes, as bits of the conditions say. */
static PetscErrorCode append_turned(RhxBoundary bc, PetscInt node, PetscInt nplanes, const PetscScalar *mask)
{
  const PetscInt dim = bc->space->dim, before = bc->turned.planes.n;
  PetscInt plane = 0;
  PetscBool oblique = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond && plane < nplanes; i++) {
    const RhxCondition *c = &bc->cond[i];
    PetscReal most = 0;
    if (!(c->type->flags & RHX_TYPE_SYMMETRY)) continue;
    if (mask[node * nplanes + plane++] == 0) continue;
    for (PetscInt d = 0; d < dim; d++) most = PetscMax(most, PetscAbsReal(c->geo.plane[d]));
    oblique = (PetscBool)(oblique || most != 1);
    PetscCall(PetscArraycpy(bc->turned.planes.normal + bc->turned.planes.n * dim, c->geo.plane, dim));
    bc->turned.planes.node[bc->turned.planes.n++] = node;
  }
  if (!oblique) bc->turned.planes.n = before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* at[ncond]: of an open label that is crossed along its normal whether owned nodes are its own, else NULL. *n: the nodes of all such labels. */
static PetscErrorCode find_crossed(RhxBoundary bc, PetscBool ***at, PetscInt *n)
{
  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscCalloc1(bc->ncond, at));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if (!c->opt->tangential) continue;
    PetscCheck(c->geo.plane_bend <= RHX_FLAT, bc->comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_tangential zero: got a label whose normals differ by %g, expected a plane, or free", c->label,
               (double)c->geo.plane_bend);
    snap_to_axis(bc->space->dim, c->geo.plane);
    PetscCall(PetscCalloc1(bc->space->nowned + 1, &(*at)[i]));
    for (PetscInt j = 0; j < c->faces->nnodes; j++) (*at)[i][c->faces->node[j]] = PETSC_TRUE;
    *n += c->faces->nnodes;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends the directions in a plane. */
static void append_tangents(RhxPlaneNormals *p, PetscInt dim, PetscInt node, const PetscReal *normal)
{
  for (PetscInt e = 0; e < dim; e++) {
    PetscReal t[3] = {0};
    if (PetscAbsReal(normal[e]) == 1) continue;
    for (PetscInt d = 0; d < dim; d++) t[d] = (d == e) - normal[e] * normal[d];
    append_normal(p, dim, node, t);
  }
}

static PetscErrorCode collect_planes(RhxBoundary bc)
{
  RhxSpace space = bc->space;
  PetscInt nplanes = 0, plane = 0, entries, walls = 0, crossed;
  PetscBool **at;
  PetscReal *normal;
  PetscScalar *mask;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    if (bc->cond[i].type->flags & RHX_TYPE_NORMAL) walls += bc->cond[i].faces->nnodes;
    if (!(bc->cond[i].type->flags & RHX_TYPE_SYMMETRY)) continue;
    PetscCall(check_plane(bc, &bc->cond[i]));
    nplanes++;
  }
  PetscCall(find_crossed(bc, &at, &crossed));
  walls += (space->dim - 1) * crossed;
  PetscCall(PetscCalloc1(space->nlocal * nplanes, &mask));
  entries = 0;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if (!(c->type->flags & RHX_TYPE_SYMMETRY)) continue;
    for (PetscInt j = 0; j < c->faces->nnodes; j++) mask[c->faces->node[j] * nplanes + plane] = 1;
    plane++;
  }
  if (nplanes) PetscCall(RhxSpaceGlobalToLocal(space, nplanes, mask, mask));
  for (PetscInt i = 0; i < space->nlocal * nplanes; i++) entries += mask[i] != 0;
  PetscCall(PetscMalloc2(entries, &bc->aux.node, entries * space->dim, &bc->aux.normal));
  PetscCall(PetscMalloc2(entries + walls, &bc->symmetry.node, (entries + walls) * space->dim, &bc->symmetry.normal));
  PetscCall(PetscMalloc2(entries, &bc->turned.planes.node, entries * space->dim, &bc->turned.planes.normal));
  PetscCall(node_normals(bc, nplanes, mask, &normal));
  for (PetscInt node = 0; node < space->nlocal; node++) {
    plane = 0;
    for (PetscInt i = 0; i < bc->ncond; i++) {
      const RhxCondition *c = &bc->cond[i];
      if ((c->type->flags & RHX_TYPE_NORMAL) && node < space->nowned && !(bc->role[node] & RHX_TYPE_VELOCITY))
        append_normal(&bc->symmetry, space->dim, node, normal + ((size_t)i * space->nowned + node) * space->dim);
      if (!(c->type->flags & RHX_TYPE_SYMMETRY)) continue;
      if (mask[node * nplanes + plane++] == 0) continue;
      append_normal(&bc->aux, space->dim, node, c->geo.plane);
      if (node < space->nowned && !(bc->role[node] & RHX_TYPE_VELOCITY))
        append_normal(&bc->symmetry, space->dim, node, c->geo.plane);
    }
    for (PetscInt i = 0; i < bc->ncond; i++)
      if (at[i] && node < space->nowned && at[i][node] && !(bc->role[node] & RHX_TYPE_VELOCITY))
        append_tangents(&bc->symmetry, space->dim, node, bc->cond[i].geo.plane);
    PetscCall(append_turned(bc, node, nplanes, mask));
  }
  PetscCall(find_along(bc, normal));
  for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(PetscFree(at[i]));
  PetscCall(PetscFree(at));
  PetscCall(PetscFree(mask));
  PetscCall(PetscFree(normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySetUpSymmetry(RhxBoundary bc)
{
  PetscInt naux = bc->form->naux;

  PetscFunctionBegin;
  PetscCall(collect_planes(bc));
  PetscCall(PetscMalloc3(naux, &bc->vector, naux, &bc->turned.tensors, naux, &bc->turned.gradients));
  PetscCall(PetscMalloc1(bc->aux.n * naux, &bc->odd));
  PetscCall(for_each_row(bc, collect_offset));
  PetscCall(for_each_row(bc, collect_odd));
  PetscCall(RhxOddPartsCreate(bc, RHX_AUX_TENSOR, NULL, &bc->turned.tensor));
  PetscCall(RhxOddPartsCreate(bc, RHX_AUX_GRADIENT, NULL, &bc->turned.gradient));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetNormals(RhxBoundary bc, PetscInt *n, const PetscInt **node, const PetscReal **normal)
{
  PetscFunctionBegin;
  *n = bc->symmetry.n;
  *node = bc->symmetry.node;
  *normal = bc->symmetry.normal;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryImposeAuxiliary(RhxBoundary bc, PetscScalar *aux)
{
  PetscFunctionBegin;
  for (PetscInt v = 0; v < bc->nvectors; v++)
    RhxRemoveNormal(&bc->aux, bc->space->dim, bc->form->naux, bc->vector[v], aux);
  for (PetscInt i = 0; i < bc->nodd; i++) aux[bc->odd[i]] = 0;
  for (PetscInt k = 0; k < bc->turned.ntensors; k++)
    RhxOddPartsRemove(&bc->turned.tensor, bc->form->naux, bc->turned.tensors[k], aux);
  for (PetscInt k = 0; k < bc->turned.ngradients; k++)
    RhxOddPartsRemove(&bc->turned.gradient, bc->form->naux, bc->turned.gradients[k], aux);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryProject(RhxBoundary bc, double t, double dt, const PetscScalar *x, PetscScalar *aux)
{
  PetscFunctionBegin;
  if (!bc->form->naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormProject(bc->form, t, dt, x, aux));
  PetscCall(RhxBoundaryCorrectProjections(bc, aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryCorrectProjections(RhxBoundary bc, PetscScalar *aux)
{
  PetscFunctionBegin;
  PetscCall(RhxBoundaryImposeAuxiliary(bc, aux));
  for (PetscInt k = 0; k < bc->form->corrections; k++) {
    PetscCall(RhxFormCorrectProjections(bc->form, k, aux));
    PetscCall(RhxBoundaryImposeAuxiliary(bc, aux));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDestroySymmetry(RhxBoundary bc)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(bc->aux.node, bc->aux.normal));
  PetscCall(PetscFree2(bc->symmetry.node, bc->symmetry.normal));
  PetscCall(PetscFree2(bc->along.node, bc->along.normal));
  PetscCall(PetscFree2(bc->turned.planes.node, bc->turned.planes.normal));
  PetscCall(RhxOddPartsDestroy(&bc->turned.shear));
  PetscCall(RhxOddPartsDestroy(&bc->turned.tensor));
  PetscCall(RhxOddPartsDestroy(&bc->turned.gradient));
  PetscCall(PetscFree3(bc->vector, bc->turned.tensors, bc->turned.gradients));
  PetscCall(PetscFree(bc->odd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is a cell's vertex at another distance from the axis than the node that it is joined to? */
static PetscBool joins_radii(RhxSpace space, PetscReal far)
{
  PetscBool joins = PETSC_FALSE;

  for (PetscInt k = 0; k < space->ntypes; k++) {
    const RhxCells *ce = &space->cells[k];
    for (PetscInt e = 0; e < ce->n; e++)
      for (PetscInt a = 0; a < ce->nn; a++) {
        const PetscInt at = (e / RHX_LANES) * ce->nn + a, lane = e % RHX_LANES;
        const PetscReal r = ce->x[(at * 2 + 1) * RHX_LANES + lane];
        joins = (PetscBool)(joins || PetscAbsReal(r - space->x[2 * RhxCellsNode(ce, e, a) + 1]) > 1e-6 * far);
      }
  }
  return joins;
}

PetscErrorCode RhxBoundaryCheckAxis(RhxBoundary bc)
{
  const RhxSpace space = bc->space;
  PetscReal lowest[3] = {0, 0, 0}, far = 0; /* of all nodes; -1: one on the axis may leave it; radii are joined */

  PetscFunctionBegin;
  if (!space->axisymmetric) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < space->nowned; i++) far = PetscMax(far, PetscAbsReal(space->x[2 * i + 1]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &far, 1, MPIU_REAL, MPIU_MAX, bc->comm));
  for (PetscInt i = 0; i < space->nowned; i++) {
    const PetscReal r = space->x[2 * i + 1];
    lowest[0] = PetscMin(lowest[0], r);
    if (r <= 1e-10 * far && !(bc->role[i] & RHX_TYPE_SYMMETRY)) lowest[1] = -1;
  }
  if (joins_radii(space, far)) lowest[2] = -1;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, lowest, 3, MPIU_REAL, MPIU_MIN, bc->comm));
  PetscCheck(lowest[2] >= 0, bc->comm, PETSC_ERR_ARG_WRONG,
             "-form_axisymmetric true: got a mesh that is periodic across the radius, expected one periodic along x at "
             "most (-mesh_box_periodic)");
  PetscCheck(
      lowest[0] >= -1e-10 * far, bc->comm, PETSC_ERR_ARG_WRONG,
      "-form_axisymmetric true: got a node at y = %g, expected a mesh of the half plane y >= 0, whose axis is y = "
      "0 (-mesh_file, -mesh_box_lower)",
      (double)lowest[0]);
  PetscCheck(
      lowest[1] >= 0, bc->comm, PETSC_ERR_ARG_WRONG,
      "-form_axisymmetric true: got nodes at y = 0 on no label of type symmetry, expected -bc_<label>_type symmetry "
      "on all of the axis");
  PetscFunctionReturn(PETSC_SUCCESS);
}
