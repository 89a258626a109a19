/* Diffusive fluxes of scalar fields into the fluid through labels: q where it is prescribed, h (c_a - c) through a film, that with the c of
 * each node: its diagonal integral of N h keeps a field between its neighbours and c_a (share/doc/theory.md, section 3a). */
#include "boundary/film.h"
#include "boundary/coming_impl.h"
#include "boundary/impl.h"
#include "boundary/warmth_impl.h"
#include "space/face.h"

/* Noted as this rank's failure if it is below 0, as what is not finite. */
static PetscErrorCode evaluate_film(RhxBoundary bc, RhxFormula film, double t, PetscInt n, const PetscReal *x,
                                    PetscReal *value)
{
  const char *option, *text;
  char place[128];

  PetscFunctionBegin;
  PetscCall(RhxBoundaryFormula(bc, film, t, n, x, 1, value));
  for (PetscInt i = 0; i < n; i++) {
    if (bc->failure[0] || value[i] >= 0) continue;
    RhxBoundaryPlace(bc, x + i * bc->space->dim, place, sizeof(place));
    PetscCall(RhxFormulaGetText(film, &option, &text));
    snprintf(bc->failure, sizeof(bc->failure),
             "-%s: the coefficient \"%s\" of a film gives %g m/s at %s, t = %g; expected 0 or more", option, text,
             value[i], place, t);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxBoundary bc, const RhxScalarCondition *s, RhxFluxPart part, double t, PetscInt n,
                               const PetscReal *x, PetscReal *value)
{
  PetscReal *given;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) value[i] = 1;
  if (s->film) PetscCall(evaluate_film(bc, s->film, t, n, x, value));
  if (part == RHX_FLUX_BY_FIELD) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &given));
  PetscCall(RhxBoundaryFormula(bc, s->formula, t, n, x, 1, given));
  for (PetscInt i = 0; i < n; i++) value[i] *= given[i];
  PetscCall(PetscFree(given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode integrate(RhxBoundary bc, const RhxScalarCondition *s, RhxFluxPart part, double t,
                                const RhxFaceGroup *g, PetscInt stride, PetscScalar *sum)
{
  const PetscInt dim = bc->space->dim, n = g->n * g->nfq;
  PetscReal *x, *area, *value;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n * dim, &x, n, &area, n, &value));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt f = i / g->nfq, point = i % g->nfq;
    PetscReal at[3], normal[3], square = 0;
    RhxFacePoint(g, dim, f / RHX_LANES, point, f % RHX_LANES, at, normal);
    for (PetscInt d = 0; d < dim; d++) {
      x[i * dim + d] = at[d];
      square += normal[d] * normal[d];
    }
    area[i] = PetscSqrtReal(square) * g->w[point] * RhxFaceSwept(g, f, point);
  }
  PetscCall(evaluate(bc, s, part, t, n, x, value));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt f = i / g->nfq, point = i % g->nfq;
    for (PetscInt a = 0; a < g->nn; a++)
      sum[RhxFaceParentNode(g, f, a) * stride] += g->N[point * g->nn + a] * area[i] * value[i];
  }
  PetscCall(PetscFree3(x, area, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionAddFlux(const RhxCondition *c, PetscInt k, RhxFluxPart part, double t, PetscInt stride,
                                   PetscScalar *sum)
{
  PetscFunctionBegin;
  for (PetscInt g = 0; g < c->faces->ngroups; g++)
    PetscCall(integrate(c->bc, &c->scalar[k], part, t, &c->faces->group[g], stride, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks owned nodes, and which formulas hold t. */
static PetscErrorCode mark(RhxBoundary bc, PetscBool *with)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    for (PetscInt j = 0; j < bc->cond[i].faces->nnodes && (bc->cond[i].warmth || bc->cond[i].coming); j++)
      with[bc->cond[i].faces->node[j]] = PETSC_TRUE;
    if (bc->cond[i].warmth) bc->film.any = bc->film.rubs = PETSC_TRUE;
    if (bc->cond[i].coming) bc->film.any = bc->film.comes = PETSC_TRUE;
    for (PetscInt k = 0; k < bc->form->nscalars; k++) {
      const RhxCondition *c = &bc->cond[i];
      PetscBool time;
      if (!c->scalar[k].film) continue;
      for (PetscInt j = 0; j < c->faces->nnodes; j++) with[c->faces->node[j]] = PETSC_TRUE;
      PetscCall(RhxFormulaDependsOnTime(c->scalar[k].film, &time));
      bc->film.time = (PetscBool)(bc->film.time || time);
      bc->film.any = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySetUpFilm(RhxBoundary bc)
{
  RhxFilmNodes *film = &bc->film;
  PetscBool *with;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->space->nowned, &with));
  PetscCall(mark(bc, with));
  for (PetscInt i = 0; i < bc->space->nowned; i++) film->n += with[i];
  PetscCall(PetscMalloc1(film->n, &film->node));
  PetscCall(PetscCalloc1(film->n * bc->form->nscalars, &film->value));
  if (film->rubs || film->comes) PetscCall(PetscCalloc1(film->n * bc->form->nscalars * bc->space->dim, &film->slope));
  film->n = 0;
  for (PetscInt i = 0; i < bc->space->nowned; i++)
    if (with[i]) film->node[film->n++] = i;
  PetscCall(PetscFree(with));
  if (film->any) PetscCall(ISCreateGeneral(PETSC_COMM_SELF, film->n, film->node, PETSC_USE_POINTER, &film->list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryFilm(RhxBoundary bc, double t)
{
  const PetscInt width = bc->form->nscalars;
  RhxFilmNodes *film = &bc->film;
  PetscScalar *sum;

  PetscFunctionBegin;
  if (!film->any || (bc->evaluated && !film->time && !film->comes)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(bc->space->nlocal * width, &sum));
  for (PetscInt i = 0; i < bc->ncond; i++)
    for (PetscInt k = 0; k < width; k++)
      if (bc->cond[i].scalar[k].film)
        PetscCall(RhxConditionAddFlux(&bc->cond[i], k, RHX_FLUX_BY_FIELD, t, width, sum + k));
  PetscCall(RhxSpaceReduce(bc->space, width, sum));
  for (PetscInt i = 0; i < film->n * width; i++) film->value[i] = sum[film->node[i / width] * width + i % width];
  PetscCall(PetscFree(sum));
  for (PetscInt i = 0; i < bc->ncond && film->comes; i++)
    for (PetscInt k = 0; k < width; k++) PetscCall(RhxConditionAddComing(&bc->cond[i], k, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryRub(RhxBoundary bc, double t)
{
  const PetscInt width = bc->form->nscalars * bc->space->dim;
  RhxFilmNodes *film = &bc->film;
  PetscScalar *sum;

  PetscFunctionBegin;
  if (film->comes) PetscCall(PetscArrayzero(film->slope, film->n * width));
  if (!film->rubs) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)bc->space->nlocal * width, &sum));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler,
                                  NULL)); /* friction that one rank cannot evaluate is raised by all */
  for (PetscInt i = 0; i < bc->ncond; i++)
    PetscCall(RhxConditionNote(&bc->cond[i], "friction", RhxConditionAddWarmth(&bc->cond[i], t, bc->fluxes, sum)));
  PetscCall(PetscPopErrorHandler());
  PetscCall(RhxSpaceReduce(bc->space, width, sum));
  for (PetscInt i = 0; i < film->n * width; i++)
    film->slope[i] = sum[(size_t)film->node[i / width] * width + i % width];
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryAddFilm(RhxBoundary bc, const PetscScalar *v, PetscScalar *r)
{
  const RhxFilmNodes *film = &bc->film;
  const PetscInt width = bc->form->nscalars;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < film->n * width; i++) {
    const size_t at = (size_t)film->node[i / width] * bc->space->bs + bc->form->first_scalar + i % width;
    r[at] += film->value[i] * v[at];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryAddFilmProduct(RhxBoundary bc, const PetscScalar *v, PetscScalar *r)
{
  const RhxFilmNodes *film = &bc->film;
  const PetscInt width = bc->form->nscalars, dim = bc->space->dim;
  const PetscInt u = RhxFieldsStart(bc->space->fields, RHX_GROUP_VELOCITY);

  PetscFunctionBegin;
  PetscCall(RhxBoundaryAddFilm(bc, v, r));
  for (PetscInt i = 0; film->slope && i < film->n * width; i++) {
    const size_t row = (size_t)film->node[i / width] * bc->space->bs;
    for (PetscInt d = 0; d < dim; d++)
      r[row + bc->form->first_scalar + i % width] -= film->slope[i * dim + d] * v[row + u + d];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetFilm(RhxBoundary bc, IS *nodes, const PetscScalar **value, const PetscScalar **slope)
{
  PetscFunctionBegin;
  *nodes = bc->film.list;
  *value = bc->film.value;
  *slope = bc->film.slope;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetFilmRate(RhxBoundary bc, const PetscReal *mass, double *rate)
{
  const RhxFilmNodes *film = &bc->film;
  const PetscInt width = bc->form->nscalars;

  PetscFunctionBegin;
  *rate = 0;
  if (!film->any) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < film->n * width; i++) *rate = PetscMax(*rate, film->value[i] / mass[film->node[i / width]]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, rate, 1, MPI_DOUBLE, MPI_MAX, bc->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDestroyFilm(RhxBoundary bc)
{
  PetscFunctionBegin;
  PetscCall(ISDestroy(&bc->film.list));
  PetscCall(PetscFree(bc->film.node));
  PetscCall(PetscFree(bc->film.value));
  PetscCall(PetscFree(bc->film.slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}
