/* Face terms of the conditions: quadrature points, and the tractions that a type prescribes there. */
#include "boundary/impl.h"
#include "kernels/pass.h"
#include "space/face.h"
#include "space/route.h"

static PetscErrorCode face_points(const RhxFaceGroup *g, PetscInt dim, RhxFacePoints *points)
{
  PetscInt i = 0;

  PetscFunctionBegin;
  points->n = g->ngroups * g->nfq * RHX_LANES;
  PetscCall(PetscMalloc2(points->n * dim, &points->x, points->n * dim, &points->normal));
  for (PetscInt group = 0; group < g->ngroups; group++)
    for (PetscInt q = 0; q < g->nfq; q++)
      for (PetscInt lane = 0; lane < RHX_LANES; lane++, i++) {
        PetscReal x[3], n[3], area = 0;
        RhxFacePoint(g, dim, group, q, lane, x, n);
        for (PetscInt d = 0; d < dim; d++) area += n[d] * n[d];
        area = PetscSqrtReal(area);
        for (PetscInt d = 0; d < dim; d++) {
          points->x[i * dim + d] = x[d];
          points->normal[i * dim + d] = n[d] / area;
        }
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Integral N n over this rank's faces of the label. */
void RhxConditionAddNormals(const RhxFaces *faces, PetscInt dim, PetscReal *sum)
{
  for (PetscInt k = 0; k < faces->ngroups; k++) {
    const RhxFaceGroup *g = &faces->group[k];
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt q = 0; q < g->nfq; q++) {
        double n[3];
        (void)RhxFaceNormal(g, dim, f, q, n);
        for (PetscInt a = 0; a < g->nfn; a++)
          for (PetscInt d = 0; d < dim; d++)
            sum[RhxFaceParentNode(g, f, g->fnode[a]) * dim + d] += g->N[q * g->nn + g->fnode[a]] * n[d];
      }
  }
}

PetscErrorCode RhxBoundarySetUpOpen(RhxBoundary bc)
{
  RhxSpace space = bc->space;
  RhxOpenNodes *open = RhxFormGetOpenNodes(bc->form);
  const PetscInt dim = space->dim;
  PetscReal *sum;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal * dim, &sum));
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (bc->cond[i].gives & RHX_TYPE_WEAK_PRESSURE) RhxConditionAddNormals(bc->cond[i].faces, dim, sum);
  PetscCall(RhxSpaceReduce(space, dim, sum));
  PetscCall(
      PetscMalloc3(space->nowned, &open->node, space->nowned * dim, &open->normal, space->nowned, &open->diagonal));
  for (PetscInt i = 0; i < space->nowned; i++) {
    PetscReal square = 0;
    for (PetscInt d = 0; d < dim; d++) square += PetscSqr(sum[i * dim + d]);
    if (!(square > 0)) continue;
    PetscCall(PetscArraycpy(open->normal + open->n * dim, sum + i * dim, dim));
    open->diagonal[open->n] = 2 * square / space->mass[i];
    open->node[open->n++] = i;
  }
  PetscCallMPI(MPI_Allreduce(&open->n, &open->nall, 1, MPIU_INT, MPI_SUM, bc->comm));
  if (open->nall) bc->pressure_free = PETSC_FALSE;
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionSetUpFaces(RhxBoundary bc, RhxCondition *c)
{
  RhxFaceTerm term;
  const PetscInt dim = bc->space->dim;

  PetscFunctionBegin;
  if (!(c->gives & (RHX_TYPE_OPEN | RHX_TYPE_TRACTION))) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->gives & RHX_TYPE_TRACTION) {
    PetscCall(PetscCalloc1(c->faces->ngroups, &c->points));
    PetscCall(PetscCalloc1(c->faces->ngroups + 1, &c->traction)); /* never NULL, also on ranks without faces */
    for (PetscInt g = 0; g < c->faces->ngroups; g++) {
      PetscCall(face_points(&c->faces->group[g], dim, &c->points[g]));
      PetscCall(PetscCalloc1(c->points[g].n * dim, &c->traction[g]));
    }
  }
  term = (RhxFaceTerm){.faces = c->faces,
                       .form = RhxConditionIsOpen(c)                             ? RHX_FACE_OPEN
                               : c->opt->form == 0 && (c->gives & RHX_TYPE_OPEN) ? RHX_FACE_GRADIENT
                                                                                 : RHX_FACE_SYMMETRIC,
                       .traction = c->traction,
                       .backflow = c->opt->backflow};
  PetscCall(RhxFormAddFaceTerm(bc->form, &term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode group_traction(RhxCondition *c, double t, PetscInt g)
{
  const RhxFacePoints *points = &c->points[g];
  const PetscInt n = points->n, dim = c->bc->space->dim;
  PetscReal *out;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * dim, &out));
  PetscCall(c->type->traction(c, t, n, points->x, points->normal, out));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt d = 0; d < dim; d++)
      c->traction[g][((i / RHX_LANES) * dim + d) * RHX_LANES + i % RHX_LANES] = out[i * dim + d];
  PetscCall(PetscFree(out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionTraction(RhxCondition *c, double t)
{
  PetscFunctionBegin;
  for (PetscInt g = 0; c->points && g < c->faces->ngroups; g++) PetscCall(group_traction(c, t, g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxBoundaryHasTangents(RhxBoundary bc)
{
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (bc->cond[i].type->tangent) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Where tangents go: rows of this rank into A, those of ghosts into blocks for their owners. */
typedef struct {
  RhxSpace space;
  Mat A;
  const PetscInt *global; /* of local nodes */
  PetscInt n, room, *ghost, *node;
  PetscScalar *value; /* [room][dim][dim] */
} Rows;

/* i, j: nodes of all ranks */
static PetscErrorCode add_rows(void *context, PetscInt i, PetscInt j, const PetscScalar *value)
{
  const Rows *to = context;
  const RhxSpace space = to->space;
  const PetscInt dim = space->dim, first = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  PetscInt row[3], column[3];
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; d++) {
    row[d] = i * space->bs + first + d;
    column[d] = j * space->bs + first + d;
  }
  PetscCall(MatSetValues(to->A, dim, row, dim, column, value, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_rows(Rows *to, PetscInt ghost, PetscInt node, const PetscScalar *value)
{
  const size_t size = (size_t)to->space->dim * to->space->dim;
  PetscFunctionBegin;
  if (to->n == to->room) {
    to->room = 2 * to->room + 64;
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)to->room, &to->ghost));
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)to->room, &to->node));
    PetscCall(PetscRealloc(sizeof(PetscScalar) * (size_t)to->room * size, &to->value));
  }
  to->ghost[to->n] = ghost;
  to->node[to->n] = node;
  PetscCall(PetscArraycpy(to->value + size * (size_t)to->n++, value, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* slope[dim][dim] of point q of face f */
static PetscErrorCode add_point(const RhxFaceGroup *g, PetscInt f, PetscInt q, const PetscReal *slope, Rows *to)
{
  const RhxSpace space = to->space;
  const PetscInt dim = space->dim;
  double n[3];
  const double area = RhxFaceNormal(g, dim, f, q, n);

  PetscFunctionBegin;
  for (PetscInt a = 0; a < g->nfn; a++)
    for (PetscInt b = 0; b < g->nfn; b++) {
      const double weight = -area * g->N[q * g->nn + g->fnode[a]] * g->N[q * g->nn + g->fnode[b]];
      const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]), j = RhxFaceParentNode(g, f, g->fnode[b]);
      PetscScalar value[9];
      for (PetscInt d = 0; d < dim * dim; d++) value[d] = weight * slope[d];
      if (i < space->nowned)
        PetscCall(add_rows(to, to->global[i], to->global[j], value));
      else
        PetscCall(keep_rows(to, i - space->nowned, j, value));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_tangent(RhxCondition *c, double t, Rows *to)
{
  const PetscInt dim = c->bc->space->dim;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < c->faces->ngroups; k++) {
    const RhxFaceGroup *g = &c->faces->group[k];
    const RhxFacePoints *p = &c->points[k];
    PetscReal *slope;
    PetscCall(PetscMalloc1(p->n * dim * dim, &slope));
    PetscCall(c->type->tangent(c, t, p->n, p->x, p->normal, slope));
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt q = 0; q < g->nfq; q++) {
        const PetscInt i = ((f / RHX_LANES) * g->nfq + q) * RHX_LANES + f % RHX_LANES;
        PetscCall(add_point(g, f, q, slope + i * dim * dim, to));
      }
    PetscCall(PetscFree(slope));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryAddTangents(RhxBoundary bc, double t, Mat A)
{
  const PetscInt dim = bc->space->dim;
  Rows to = {.space = bc->space, .A = A};

  PetscFunctionBegin;
  PetscCall(ISLocalToGlobalMappingGetIndices(bc->space->l2g, &to.global));
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (bc->cond[i].type->tangent) PetscCall(add_tangent(&bc->cond[i], t, &to));
  PetscCall(RhxSpaceSendBlocks(bc->space, to.n, to.ghost, to.node, dim * dim, to.value, add_rows, &to));
  PetscCall(PetscFree(to.ghost));
  PetscCall(PetscFree(to.node));
  PetscCall(PetscFree(to.value));
  PetscCall(ISLocalToGlobalMappingRestoreIndices(bc->space->l2g, &to.global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryAddFriction(RhxBoundary bc, const char *label, PetscScalar *sum)
{
  const PetscInt dim = bc->space->dim;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if ((label && strcmp(c->label, label)) || !(c->type->flags & RHX_TYPE_NORMAL) || !c->points) continue;
    for (PetscInt k = 0; k < c->faces->ngroups; k++) {
      const RhxFaceGroup *g = &c->faces->group[k];
      for (PetscInt f = 0; f < g->n; f++)
        for (PetscInt q = 0; q < g->nfq; q++) {
          double n[3];
          const PetscReal *t = c->traction[k] + ((f / RHX_LANES) * g->nfq + q) * dim * RHX_LANES + f % RHX_LANES;
          const double area = RhxFaceNormal(g, dim, f, q, n);
          for (PetscInt a = 0; a < g->nfn; a++)
            for (PetscInt d = 0; d < dim; d++)
              sum[RhxFaceParentNode(g, f, g->fnode[a]) * dim + d] +=
                  g->N[q * g->nn + g->fnode[a]] * area * t[d * RHX_LANES];
        }
    }
  }
  PetscCall(RhxSpaceReduce(bc->space, dim, sum));
  PetscCall(RhxSpaceGlobalToLocal(bc->space, dim, sum, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionDestroyFaces(RhxCondition *c)
{
  PetscFunctionBegin;
  for (PetscInt g = 0; c->points && g < c->faces->ngroups; g++) {
    PetscCall(PetscFree2(c->points[g].x, c->points[g].normal));
    PetscCall(PetscFree(c->traction[g]));
  }
  PetscCall(PetscFree(c->points));
  PetscCall(PetscFree(c->traction));
  PetscFunctionReturn(PETSC_SUCCESS);
}
