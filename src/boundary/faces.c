/* Face terms of the conditions: quadrature points, and the tractions that a type prescribes there. */
#include "boundary/types/shared.h"
#include "kernels/pass.h"
#include "space/face.h"

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

PetscErrorCode RhxConditionFindNormals(const RhxCondition *c, PetscReal **normal)
{
  const RhxSpace space = c->bc->space;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal * space->dim + 1, normal));
  RhxConditionAddNormals(c->faces, space->dim, *normal);
  PetscCall(RhxSpaceReduce(space, space->dim, *normal));
  PetscFunctionReturn(PETSC_SUCCESS);
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
    if (c->type->tangent) PetscCall(PetscCalloc1(c->faces->ngroups + 1, &c->slope));
    for (PetscInt g = 0; g < c->faces->ngroups; g++) {
      PetscCall(face_points(&c->faces->group[g], dim, &c->points[g]));
      PetscCall(PetscCalloc1(c->points[g].n * dim, &c->traction[g]));
      if (c->slope) PetscCall(PetscCalloc1(c->points[g].n * dim * dim, &c->slope[g]));
    }
  }
  term = (RhxFaceTerm){.faces = c->faces,
                       .form = RhxConditionIsOpen(c)                             ? RHX_FACE_OPEN
                               : c->opt->form == 0 && (c->gives & RHX_TYPE_OPEN) ? RHX_FACE_GRADIENT
                                                                                 : RHX_FACE_SYMMETRIC,
                       .traction = c->traction,
                       .slope = c->slope,
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
    if (bc->cond[i].type->tangent || bc->cond[i].coming) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* *any: is one of them other than 0? */
static PetscErrorCode group_slope(RhxCondition *c, double t, PetscInt g, PetscBool *any)
{
  const RhxFacePoints *points = &c->points[g];
  const PetscInt n = points->n, size = c->bc->space->dim * c->bc->space->dim;
  PetscReal *out;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * size, &out));
  PetscCall(c->type->tangent(c, t, n, points->x, points->normal, out));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < size; k++) {
      c->slope[g][((i / RHX_LANES) * size + k) * RHX_LANES + i % RHX_LANES] = out[i * size + k];
      *any = (PetscBool)(*any || out[i * size + k] != 0);
    }
  PetscCall(PetscFree(out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryMeetSlopes(RhxBoundary bc, double t, PetscBool *any)
{
  int all, mine;

  PetscFunctionBegin;
  *any = PETSC_FALSE;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if (!c->slope) continue;
    if (!c->faces->ngroups) PetscCall(c->type->tangent(c, t, 0, NULL, NULL, NULL)); /* every rank is told */
    for (PetscInt g = 0; g < c->faces->ngroups; g++) PetscCall(group_slope(c, t, g, any));
  }
  PetscCall(RhxFormSlopesChanged(bc->form));
  mine = *any;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, bc->comm));
  *any = (PetscBool)all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxBoundaryHasFriction(RhxBoundary bc)
{
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (bc->cond[i].type->flags & RHX_TYPE_NORMAL) return PETSC_TRUE;
  return PETSC_FALSE;
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
    if (c->slope) PetscCall(PetscFree(c->slope[g]));
  }
  PetscCall(PetscFree(c->points));
  PetscCall(PetscFree(c->traction));
  PetscCall(PetscFree(c->slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}
