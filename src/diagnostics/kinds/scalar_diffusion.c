/* What scalar fields bring out of the domain by diffusion through labels: by consistent reactions where the label gives the value. */
#include "boundary/scalar.h"
#include "diagnostics/diagnostics.h"
#include "diagnostics/named.h"
#include "scheme/scheme.h"
#include "space/face.h"
#include <stdio.h>
#include <string.h>

/* Of one field at one label, whose nodes may belong to other labels that give the field too: their reaction is of all. The label's
 * part has the mean flux of the face's nodes that are the label's alone, an error of second order; what the parts of all such labels
 * leave is divided among them by their areas. */
typedef struct {
  RhxSpace space;
  const RhxFaces *faces;
  const PetscScalar *r;       /* [nodes of the faces][bs] reactions */
  PetscInt at;                /* of the field in a block */
  PetscScalar *givers;        /* [nlocal] labels that give it there */
  PetscScalar *area;          /* [nlocal] integral of N over the label */
  PetscScalar *part;          /* [nlocal] the label's part at shared nodes */
  PetscScalar *parts, *whole; /* [nlocal] sums of part and area over all of them that meet the label */
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

static PetscErrorCode part_shared(Shares *s)
{
  const PetscInt bs = s->space->bs, *place = s->faces->at;
  double area[4];

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(s->part, s->space->nlocal));
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
      for (PetscInt a = 0; n && a < g->nfn; a++) s->part[RhxFaceParentNode(g, f, g->fnode[a])] += area[a] * mean / n;
    }
  PetscCall(RhxSpaceReduce(s->space, 1, s->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds a label's part and area to those of all; the reactions of its nodes, to be freed. */
static PetscErrorCode add_label(Shares *s, TS ts, const RhxFaces *faces, PetscScalar **r)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(faces->nodes, &n));
  PetscCall(PetscMalloc1((size_t)n * s->space->bs, r));
  PetscCall(RhxSchemeFetchReactions(ts, faces->nodes, *r));
  s->faces = faces;
  s->r = *r;
  PetscCall(integrate_label(s));
  PetscCall(part_shared(s));
  for (PetscInt i = 0; i < s->space->nlocal; i++) {
    s->parts[i] += s->part[i];
    s->whole[i] += s->area[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the label give the field, and does it share a node with the other? */
static PetscErrorCode meets(Shares *s, RhxBoundary bc, const RhxFaces *faces, const RhxFaces *own, PetscInt k,
                            PetscBool *yes)
{
  PetscInt common = 0;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGivesScalar(bc, faces->label, k, yes));
  if (!*yes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArrayzero(s->part, s->space->nlocal));
  for (PetscInt i = 0; i < own->nnodes; i++) s->part[own->node[i]] = 1;
  for (PetscInt i = 0; i < faces->nnodes; i++) common += s->part[faces->node[i]] > 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &common, 1, MPIU_INT, MPI_MAX, s->space->comm));
  *yes = (PetscBool)(common > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The label's reactions, with its share of those at nodes that others hold too. Its own part is found last. */
static PetscErrorCode add_reactions(Shares *s, TS ts, RhxBoundary bc, const RhxFaces *own, PetscInt k, double *into)
{
  PetscScalar *r;
  double sum = 0;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < s->space->nlabels; l++) {
    PetscBool yes;
    if (s->space->faces + l == own) continue;
    PetscCall(meets(s, bc, s->space->faces + l, own, k, &yes));
    if (!yes) continue;
    PetscCall(add_label(s, ts, s->space->faces + l, &r));
    PetscCall(PetscFree(r));
  }
  PetscCall(add_label(s, ts, own, &r));
  for (PetscInt i = 0; i < own->nnodes; i++) {
    const PetscInt node = own->node[i];
    const double whole = r[(size_t)i * s->space->bs + s->at];
    if (!(s->givers[node] > 1))
      sum += whole;
    else if (s->whole[node] > 0)
      sum += s->part[node] + (whole - s->parts[node]) * s->area[node] / s->whole[node];
  }
  PetscCall(PetscFree(r));
  PetscCallMPI(MPI_Allreduce(&sum, into, 1, MPI_DOUBLE, MPI_SUM, s->space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x: the state near the labels */
static PetscErrorCode measure(const RhxDiagnosticsRun *run, const char *label, PetscInt k, double t,
                              const PetscScalar *x, double *out)
{
  const RhxSpace space = run->form->space;
  const size_t n = space->nlocal;
  Shares s = {.space = space, .at = run->form->first_scalar + k};
  const RhxFaces *faces;
  PetscReal into;
  PetscBool gives;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGivesScalar(run->bc, label, k, &gives));
  if (!gives) {
    PetscCall(RhxBoundaryScalarFlux(run->bc, label, k, t, x, &into));
    *out = -into;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxSpaceGetFaces(space, label, &faces));
  PetscCall(PetscCalloc5(n, &s.givers, n, &s.area, n, &s.part, n, &s.parts, n, &s.whole));
  PetscCall(count_givers(&s, run->bc, k));
  PetscCall(add_reactions(&s, run->ts, run->bc, faces, k, &into));
  PetscCall(PetscFree5(s.givers, s.area, s.part, s.parts, s.whole));
  *out = -into / (k == run->form->swirl ? run->form->rho : 1.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  PetscScalar *x;
  PetscReal t = step->t; /* of conditions; that of a steady state may be a parameter */
  PetscBool steady;

  PetscFunctionBegin;
  PetscCall(RhxSchemeIsSteady(run->ts, &steady));
  if (steady) PetscCall(RhxSchemeGetGivenTime(run->ts, &t));
  PetscCall(RhxDiagnosticGetStateNear(d, &x));
  PetscCall(RhxDiagnosticFindReactions(d));
  for (PetscInt i = 0; i < d->nlabels; i++)
    for (PetscInt k = 0; k < run->form->nscalars; k++) PetscCall(measure(run, d->label[i], k, t, x, values++));
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
