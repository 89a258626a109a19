/* Face terms of open boundaries: traction t = (tau - p I).n with the developed polymer stress and the given pressure. */
#include "boundary/boundary_impl.h"

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

PetscErrorCode RhxConditionSetUpFaces(RhxBoundary bc, RhxCondition *c)
{
  RhxForm form = bc->form;
  RhxFaceTerm *term;
  PetscInt max = (PetscInt)(sizeof(form->face_term) / sizeof(form->face_term[0])), dim = bc->space->dim;
  PetscBool developed = (PetscBool)(form->nmodes && c->opt->polymer == RHX_POLYMER_DEVELOPED);

  PetscFunctionBegin;
  if (!(c->type->flags & RHX_TYPE_OPEN)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(form->nface_terms < max, bc->comm, PETSC_ERR_SUP,
             "-bc_%s_type %s: got more than %" PetscInt_FMT " open boundaries", c->label, c->type->name, max);
  if (developed || c->pressure) {
    PetscCall(PetscCalloc1(c->faces->ngroups, &c->points));
    PetscCall(PetscCalloc1(c->faces->ngroups + 1, &c->traction)); /* never NULL, also on ranks without faces */
    for (PetscInt g = 0; g < c->faces->ngroups; g++) {
      PetscCall(face_points(&c->faces->group[g], dim, &c->points[g]));
      PetscCall(PetscCalloc1(c->points[g].n * dim, &c->traction[g]));
    }
  }
  term = &form->face_term[form->nface_terms++];
  term->faces = c->faces;
  term->gradient_form = c->opt->form == 0 ? PETSC_TRUE : PETSC_FALSE;
  term->traction = c->traction;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* t[point][dim] += tau.n, tau summed over the modes of stress[point][nmodes][ntens]. */
static void add_stress(RhxBoundary bc, const RhxFacePoints *points, const PetscReal *stress, PetscReal *t)
{
  PetscInt dim = bc->space->dim, ntens = bc->space->ntens, nmodes = bc->form->nmodes;

  for (PetscInt i = 0; i < points->n; i++)
    for (PetscInt k = 0; k < nmodes; k++) {
      const PetscReal *tau = stress + (i * nmodes + k) * ntens, *n = points->normal + i * dim;
      for (PetscInt a = 0; a < dim; a++)
        for (PetscInt b = 0; b < dim; b++) t[i * dim + a] += tau[a == b ? a : dim == 2 ? ntens - 1 : 6 - a - b] * n[b];
    }
}

static PetscErrorCode group_traction(RhxBoundary bc, RhxCondition *c, double t, PetscInt g)
{
  const RhxFacePoints *points = &c->points[g];
  PetscInt n = points->n, dim = bc->space->dim;
  PetscReal *L, *stress, *p, *out;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(n * dim * dim, &L, n * bc->form->nmodes * bc->space->ntens, &stress, n, &p, n * dim, &out));
  if (bc->form->nmodes && c->opt->polymer == RHX_POLYMER_DEVELOPED) {
    PetscCall(RhxConditionProfile(bc, c, t, n, points->x, NULL, L));
    PetscCall(RhxBoundaryDeveloped(bc, n, points->x, L, NULL, stress));
    add_stress(bc, points, stress, out);
  }
  if (c->pressure) PetscCall(RhxBoundaryFormula(bc, c->pressure, t, n, points->x, 1, p));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt d = 0; d < dim; d++)
      c->traction[g][((i / RHX_LANES) * dim + d) * RHX_LANES + i % RHX_LANES] =
          out[i * dim + d] - p[i] * points->normal[i * dim + d];
  PetscCall(PetscFree4(L, stress, p, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionTraction(RhxBoundary bc, RhxCondition *c, double t)
{
  PetscFunctionBegin;
  if (!c->points) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt g = 0; g < c->faces->ngroups; g++) PetscCall(group_traction(bc, c, t, g));
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
