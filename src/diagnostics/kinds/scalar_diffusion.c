/* What scalar fields bring out of the domain by diffusion through labels: by consistent reactions where the label gives the value. */
#include "boundary/scalar.h"
#include "diagnostics/diagnostics.h"
#include "diagnostics/named.h"
#include "scheme/scheme.h"
#include "space/face.h"
#include <stdio.h>
#include <string.h>

/* Of one field at one label, whose nodes may belong to other labels that give the field too: their reaction is of all. */
typedef struct {
  RhxSpace space;
  const RhxFaces *faces;
  const PetscScalar *r; /* [nodes of the faces][bs] reactions */
  PetscInt at;          /* of the field in a block */
  PetscScalar *givers;  /* [nlocal] labels that give it there */
  PetscScalar *area;    /* [nlocal] integral of N over the label */
} Shares;

static PetscErrorCode setup(RhxDiagnostic *d)
{
  const RhxForm form = RhxDiagnosticGetRun(d)->form;
  const PetscBool area = (PetscBool)(RhxDiagnosticGetDimension(d) == 2 && !form->space->axisymmetric);

  PetscFunctionBegin;
  PetscCheck(form->nscalars, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_kind: got scalar_diffusion without a scalar field, expected one (`rheoplex list physics`: "
             "role scalar field)",
             d->name);
  PetscCall(RhxDiagnosticSetLabels(d, 0, NULL, NULL));
  for (PetscInt i = 0; i < d->nlabels; i++)
    for (PetscInt k = 0; k < form->nscalars; k++) {
      const RhxField *f = RhxFieldsGet(form->space->fields, RHX_GROUP_SCALARS, k);
      char column[512], unit[64];
      snprintf(column, sizeof(column), "%s_%s_diffusion", d->label[i], f->name);
      snprintf(unit, sizeof(unit), "%s%s%s", strcmp(f->unit, "1") ? f->unit : "", strcmp(f->unit, "1") ? " " : "",
               area ? "m^2/s" : "m^3/s");
      PetscCall(RhxDiagnosticAddColumnUnit(d, column, unit));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count_givers(Shares *s, RhxBoundary bc, PetscInt k)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(s->givers, s->space->nlocal));
  for (PetscInt l = 0; l < s->space->nlabels; l++) {
    const RhxFaces *faces = s->space->faces + l;
    PetscBool gives;
    PetscCall(RhxBoundaryGivesScalar(bc, faces->label, k, &gives));
    for (PetscInt i = 0; gives && i < faces->nnodes; i++) s->givers[faces->node[i]]++;
  }
  PetscCall(RhxSpaceGlobalToLocal(s->space, 1, s->givers, s->givers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Integrals of N over a face, by its nodes. */
static void integrate(const Shares *s, const RhxFaceGroup *g, PetscInt f, double area[4])
{
  double n[3];

  memset(area, 0, 4 * sizeof(*area));
  for (PetscInt q = 0; q < g->nfq; q++) {
    const double size = RhxFaceNormal(g, s->space->dim, f, q, n);
    for (PetscInt a = 0; a < g->nfn; a++) area[a] += g->N[q * g->nn + g->fnode[a]] * size;
  }
}

static PetscErrorCode integrate_label(Shares *s)
{
  double area[4];

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(s->area, s->space->nlocal));
  for (PetscInt k = 0; k < s->faces->ngroups; k++)
    for (PetscInt f = 0; f < s->faces->group[k].n; f++) {
      const RhxFaceGroup *g = s->faces->group + k;
      integrate(s, g, f, area);
      for (PetscInt a = 0; a < g->nfn; a++) s->area[RhxFaceParentNode(g, f, g->fnode[a])] += area[a];
    }
  PetscCall(RhxSpaceReduce(s->space, 1, s->area));
  PetscCall(RhxSpaceGlobalToLocal(s->space, 1, s->area, s->area));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The label's reactions; at nodes that others share the mean flux of the face's nodes that are its alone, an error of second order. */
static PetscErrorCode add_reactions(Shares *s, double *into)
{
  const PetscInt bs = s->space->bs, *place = s->faces->at;
  double area[4], sum = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->faces->ngroups; k++)
    for (PetscInt f = 0; f < s->faces->group[k].n; f++, place += s->faces->group[k].nfn) {
      const RhxFaceGroup *g = s->faces->group + k;
      double mean = 0;
      PetscInt n = 0;
      integrate(s, g, f, area);
      for (PetscInt a = 0; a < g->nfn; a++) {
        const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
        if (s->givers[i] > 1 || !(s->area[i] > 0)) continue; /* without area: on the axis */
        mean += s->r[(size_t)place[a] * bs + s->at] / s->area[i];
        n++;
      }
      for (PetscInt a = 0; n && a < g->nfn; a++)
        if (s->givers[RhxFaceParentNode(g, f, g->fnode[a])] > 1) sum += area[a] * mean / n;
    }
  for (PetscInt i = 0; i < s->faces->nnodes; i++)
    if (!(s->givers[s->faces->node[i]] > 1)) sum += s->r[(size_t)i * bs + s->at];
  PetscCallMPI(MPI_Allreduce(&sum, into, 1, MPI_DOUBLE, MPI_SUM, s->space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x: the state near the labels */
static PetscErrorCode measure(const RhxDiagnosticsRun *run, const char *label, PetscInt k, double t,
                              const PetscScalar *x, double *out)
{
  const RhxSpace space = run->form->space;
  Shares s = {.space = space, .at = run->form->first_scalar + k};
  PetscScalar *r;
  PetscReal into;
  PetscBool gives;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGivesScalar(run->bc, label, k, &gives));
  if (!gives) {
    PetscCall(RhxBoundaryScalarFlux(run->bc, label, k, t, x, &into));
    *out = -into;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxSpaceGetFaces(space, label, &s.faces));
  PetscCall(ISGetLocalSize(s.faces->nodes, &n));
  PetscCall(PetscMalloc3((size_t)n * space->bs, &r, space->nlocal, &s.givers, space->nlocal, &s.area));
  PetscCall(RhxSchemeFetchReactions(run->ts, s.faces->nodes, r));
  s.r = r;
  PetscCall(count_givers(&s, run->bc, k));
  PetscCall(integrate_label(&s));
  PetscCall(add_reactions(&s, &into));
  PetscCall(PetscFree3(r, s.givers, s.area));
  *out = -into / (k == run->form->swirl ? run->form->rho : 1.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticGetStateNear(d, &x));
  PetscCall(RhxDiagnosticFindReactions(d));
  for (PetscInt i = 0; i < d->nlabels; i++)
    for (PetscInt k = 0; k < run->form->nscalars; k++) PetscCall(measure(run, d->label[i], k, step->t, x, values++));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_scalar_diffusion = {
    .entry = {sizeof(RhxDiagnosticType), "scalar_diffusion",
              "scalar fields that diffuse out of the domain through labels, -D grad c.n, their unit times m^3/s (2D: "
              "m^2/s); heat is rho cp times that of a temperature: columns <label>_<field>_diffusion"},
    RHX_LABEL_OPTIONS,
    .setup = setup,
    .evaluate = evaluate};
