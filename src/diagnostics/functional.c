#include "diagnostics/functional_impl.h"
#include "petsc_compat.h"
#include "space/face.h"

struct RhxFunctional_s {
  RhxSpace space;        /* borrowed */
  const RhxFaces *faces; /* likewise; of its nodes this rank's count, ghosts come behind them */
  PetscInt first, n;     /* components of node blocks */
  PetscScalar *weight;   /* [faces->nnodes][n] owned */
};

/* Integrals over the label of N n, [nlocal][dim], or of N, [nlocal]; sums over ranks in owned nodes. */
static PetscErrorCode integrate(RhxSpace space, const RhxFaces *faces, PetscBool along_normal, PetscScalar *sum)
{
  const PetscInt width = along_normal ? space->dim : 1;

  PetscFunctionBegin;
  for (const RhxFaceGroup *g = faces->group; g < faces->group + faces->ngroups; g++)
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt q = 0; q < g->nfq; q++) {
        double n[3], area = RhxFaceNormal(g, space->dim, f, q, n);
        for (PetscInt b = 0; b < g->nfn; b++) {
          const PetscInt a = g->fnode[b];
          PetscScalar *at = sum + (size_t)RhxFaceParentNode(g, f, a) * width;
          for (PetscInt d = 0; d < width; d++) at[d] += g->N[q * g->nn + a] * (along_normal ? n[d] : area);
        }
      }
  PetscCall(RhxSpaceReduce(space, width, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(RhxSpace space, const char *label, RhxFieldGroup of, PetscInt n, RhxFunctional *out)
{
  PetscScalar *sum;
  RhxFunctional f;

  PetscFunctionBegin;
  PetscCall(PetscNew(&f));
  f->space = space;
  f->first = RhxFieldsStart(space->fields, of);
  f->n = n;
  PetscCall(RhxSpaceGetFaces(space, label, &f->faces));
  PetscCall(PetscCalloc1((size_t)space->nlocal * n, &sum));
  PetscCall(integrate(space, f->faces, (PetscBool)(of == RHX_GROUP_VELOCITY), sum));
  PetscCall(PetscMalloc1((size_t)f->faces->nnodes * n, &f->weight));
  for (PetscInt i = 0; i < f->faces->nnodes; i++)
    PetscCall(PetscArraycpy(f->weight + i * n, sum + (size_t)f->faces->node[i] * n, n));
  PetscCall(PetscFree(sum));
  *out = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFunctionalCreateFlux(RhxSpace space, const char *label, RhxFunctional *f)
{
  PetscFunctionBegin;
  PetscCall(create(space, label, RHX_GROUP_VELOCITY, space->dim, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFunctionalCreateMeanPressure(RhxSpace space, const char *label, RhxFunctional *f)
{
  double area = 0.0;

  PetscFunctionBegin;
  PetscCall(create(space, label, RHX_GROUP_PRESSURE, 1, f));
  for (PetscInt i = 0; i < (*f)->faces->nnodes; i++) area += (*f)->weight[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &area, 1, MPI_DOUBLE, MPI_SUM, space->comm));
  PetscCheck(area > 0.0, space->comm, PETSC_ERR_USER_INPUT,
             "The mean pressure of the label '%s': got a label without area, the axis, expected another", label);
  for (PetscInt i = 0; i < (*f)->faces->nnodes; i++) (*f)->weight[i] /= area;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFunctionalEvaluate(RhxFunctional f, TS ts, double *value)
{
  const PetscInt bs = f->space->bs;
  PetscScalar *x;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(f->faces->nodes, &n));
  PetscCall(PetscMalloc1((size_t)n * bs + 1, &x));
  PetscCall(RhxSchemeFetchState(ts, f->faces->nodes, x));
  *value = 0.0;
  for (PetscInt i = 0; i < f->faces->nnodes; i++)
    for (PetscInt c = 0; c < f->n; c++) *value += f->weight[i * f->n + c] * x[(size_t)i * bs + f->first + c];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_SUM, f->space->comm));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFunctionalAddGradient(RhxFunctional f, double factor, Vec x)
{
  PetscScalar *to;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &to));
  for (PetscInt i = 0; i < f->faces->nnodes; i++)
    for (PetscInt c = 0; c < f->n; c++)
      to[(size_t)f->faces->node[i] * f->space->bs + f->first + c] += factor * f->weight[i * f->n + c];
  PetscCall(VecRestoreArray(x, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFunctionalDestroy(RhxFunctional *f)
{
  PetscFunctionBegin;
  if (!*f) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*f)->weight));
  PetscCall(PetscFree(*f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- One a label ---- */

PetscErrorCode RhxLabelFunctionalsSetUp(RhxDiagnostic *d, const char *end, const char *unit,
                                        PetscErrorCode (*create)(RhxSpace, const char *, RhxFunctional *))
{
  RhxLabelFunctionals *o = d->own;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticSetLabels(d, 1, &end, unit));
  PetscCall(PetscCalloc1(d->nlabels, &o->of));
  for (PetscInt i = 0; i < d->nlabels; i++)
    PetscCall(create(RhxDiagnosticGetRun(d)->form->space, d->label[i], &o->of[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLabelFunctionalsEvaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const RhxLabelFunctionals *o = d->own;

  PetscFunctionBegin;
  (void)step;
  for (PetscInt i = 0; i < d->nlabels; i++)
    PetscCall(RhxFunctionalEvaluate(o->of[i], RhxDiagnosticGetRun(d)->ts, values + i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLabelFunctionalsGradient(RhxDiagnostic *d, PetscInt column, Vec x, Vec reactions, PetscBool *there)
{
  const RhxLabelFunctionals *o = d->own;

  PetscFunctionBegin;
  (void)reactions;
  *there = PETSC_TRUE;
  if (x) PetscCall(RhxFunctionalAddGradient(o->of[column], 1.0, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLabelFunctionalsDestroy(RhxDiagnostic *d)
{
  RhxLabelFunctionals *o = d->own;

  PetscFunctionBegin;
  for (PetscInt i = 0; o->of && i < d->nlabels; i++) PetscCall(RhxFunctionalDestroy(&o->of[i]));
  PetscCall(PetscFree(o->of));
  PetscFunctionReturn(PETSC_SUCCESS);
}
