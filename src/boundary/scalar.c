/* Conditions of scalar fields: natural, a value, or the diffusive flux D grad c.n into the fluid, given or through a film; their initial values. */
#include "boundary/coming_impl.h"
#include "boundary/scalar_impl.h"
#include "boundary/sliding_impl.h"
#include "boundary/warmth_impl.h"
#include "form/scalars.h"
#include "plugin/length.h"

#define TIMES 16 /* parts of a run */

/* Do all faces of the label lie on the axis? Collective. */
static PetscErrorCode lies_on_axis(RhxBoundary bc, const RhxCondition *c, PetscBool *axis)
{
  PetscReal far[2] = {0, 0}; /* of the label, of the mesh */

  PetscFunctionBegin;
  for (PetscInt j = 0; j < c->faces->nnodes; j++)
    far[0] = PetscMax(far[0], PetscAbsReal(bc->space->x[2 * c->faces->node[j] + 1]));
  for (PetscInt i = 0; i < bc->space->nowned; i++) far[1] = PetscMax(far[1], PetscAbsReal(bc->space->x[2 * i + 1]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, far, 2, MPIU_REAL, MPIU_MAX, bc->comm));
  *axis = (PetscBool)(far[0] <= 1e-10 * far[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RhxScalarRow *swirl_row(RhxBoundary bc)
{
  return bc->form->swirl >= 0 ? bc->form->scalar[bc->form->swirl].row : NULL;
}

/* Friction holds the velocity in the half plane alone. */
static const char *condition_text(const RhxCondition *c, const RhxScalarRow *row)
{
  if (RhxConditionSlips(c) && row == swirl_row(c->bc)) return "given";
  if (c->type->flags & RHX_TYPE_NO_SLIP) return row->wall;
  if (c->type->flags & RHX_TYPE_INWARD) return row->inlet;
  return "natural";
}

/* u_theta of the condition's own, of which text is to say nothing. */
static PetscErrorCode take_swirl(RhxBoundary bc, const RhxCondition *c, const RhxScalarRow *row, const char *text,
                                 RhxScalarCondition *s)
{
  PetscFunctionBegin;
  PetscCheck(!text[0], bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_%s: got \"%s\", but -bc_%s_%s gives the azimuthal velocity, expected one of the two", c->label,
             row->name, text, c->label, c->opt->velocity[0] ? "velocity" : "type");
  s->kind = RHX_SCALAR_VALUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const words[] = {[RHX_SCALAR_VALUE] = "value ",
                                    [RHX_SCALAR_INFLOW] = "inflow ",
                                    [RHX_SCALAR_FLUX] = "flux ",
                                    [RHX_SCALAR_FILM] = "film "};

/* Of the word that begins the text; natural: of none. */
static RhxScalarKind kind_of(const char *text)
{
  for (int k = RHX_SCALAR_VALUE; k <= RHX_SCALAR_FILM; k++)
    if (!strncmp(text, words[k], strlen(words[k]))) return (RhxScalarKind)k;
  return RHX_SCALAR_NATURAL;
}

static PetscBool has_word(const char *text)
{
  for (int k = RHX_SCALAR_VALUE; k <= RHX_SCALAR_FILM; k++)
    if (strstr(text, words[k])) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* "h, c_a" */
static PetscErrorCode take_film(RhxBoundary bc, const RhxCondition *c, const RhxScalarRow *row, const char *option,
                                const char *formulas, RhxScalarCondition *s)
{
  RhxFormula f[2] = {NULL, NULL};

  PetscFunctionBegin;
  PetscCheck(row != swirl_row(bc), bc->comm, PETSC_ERR_ARG_WRONG,
             "-%s: got a film for the azimuthal velocity, whose friction it would be, expected value, flux or natural",
             option);
  PetscCheck(!(c->type->flags & RHX_TYPE_SYMMETRY), bc->comm, PETSC_ERR_ARG_WRONG,
             "-%s: got a film on a plane of symmetry, through which nothing diffuses, expected another type of label, "
             "such as free_slip, or no condition",
             option);
  PetscCall(RhxFormulaListCreate(bc->comm, option, formulas, 1, 2, "of a film: coefficient, ambient value", f));
  s->film = f[0];
  s->formula = f[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "value f", "flux f", "film h, f" or natural; f may not hold another of these words. */
static PetscErrorCode parse(RhxBoundary bc, const RhxCondition *c, const RhxScalarRow *row, const char *text,
                            RhxScalarCondition *s)
{
  const RhxScalarKind kind = kind_of(text);
  const char *formula = kind ? text + strlen(words[kind]) : text;
  PetscBool film = PETSC_FALSE;
  char option[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_%s", c->label, row->name));
  if (!strcmp(text, "natural")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(strcmp(text, "given"), bc->comm, PETSC_ERR_ARG_WRONG,
             "label '%s' is %s %s, where the scalar field '%s' has to be given: got nothing, expected -%s \"value "
             "<formula>\", \"inflow <formula>\", \"flux <formula>\", \"film <coefficient>, <ambient>\" or natural%s",
             c->label, strchr("aeiou", c->type->entry.name[0]) ? "an" : "a", c->type->entry.name, row->name, option,
             row != swirl_row(bc)   ? ""
             : RhxConditionSlips(c) ? ": its friction holds the other components alone"
                                    : ", or a third formula of its velocity");
  PetscCheck(
      kind, bc->comm, PETSC_ERR_ARG_WRONG,
      "-%s: got \"%s\", expected natural, \"value <formula>\", \"inflow <formula>\", \"flux <formula>\" or \"film "
      "<coefficient>, <ambient>\"",
      option, text);
  PetscCheck(!has_word(formula), bc->comm, PETSC_ERR_ARG_WRONG,
             "-%s: got \"%s\", expected one of value, inflow, flux and film, not two on one label", option, text);
  PetscCheck(kind != RHX_SCALAR_INFLOW || ((c->gives & (RHX_TYPE_OPEN | RHX_TYPE_INWARD)) && row != swirl_row(bc)),
             bc->comm, PETSC_ERR_ARG_WRONG,
             "-%s: got \"%s\" for a label of type %s%s, expected it of an inlet or an open label, which fluid passes",
             option, text, c->type->entry.name, row == swirl_row(bc) ? " and the azimuthal velocity" : "");
  s->kind = kind;
  if (kind == RHX_SCALAR_FILM)
    PetscCall(take_film(bc, c, row, option, formula, s));
  else
    PetscCall(RhxFormulaCreate(bc->comm, option, formula, RHX_FORMULA_OF_PLACE, &s->formula));
  PetscCall(RhxFormulaDependsOnTime(s->formula, &s->time));
  if (s->film) PetscCall(RhxFormulaDependsOnTime(s->film, &film));
  s->time = (PetscBool)(s->time || film);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionReadScalars(RhxBoundary bc, RhxCondition *c)
{
  char prefix[RHX_OPTION_LENGTH], text[RHX_STRING_LENGTH];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "bc_%s_", c->label));
  PetscCall(PetscCalloc1(bc->form->nscalars, &c->scalar));
  for (PetscInt k = 0; k < bc->form->nscalars; k++) {
    const RhxScalarRow *row = bc->form->scalar[k].row;
    PetscBool axis = PETSC_FALSE;
    PetscCall(RhxScalarTextRead(bc->comm, prefix, row, text));
    if (k == bc->form->swirl) PetscCall(lies_on_axis(bc, c, &axis));
    PetscCheck(!axis || !text[0], bc->comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_%s: got \"%s\" for the azimuthal velocity on the axis, where it is 0: expected no condition",
               c->label, row->name, text);
    if (axis || (k == bc->form->swirl && c->opt->tangential && !text[0]))
      PetscCall(PetscStrncpy(text, "value 0", sizeof(text)));
    if (k == bc->form->swirl && (c->gives & RHX_TYPE_SWIRL)) {
      PetscCall(take_swirl(bc, c, row, text, &c->scalar[k]));
      continue;
    }
    PetscCall(parse(bc, c, row, text[0] ? text : condition_text(c, row), &c->scalar[k]));
    bc->scalar_time = (PetscBool)(bc->scalar_time || c->scalar[k].time);
    if (c->scalar[k].kind < RHX_SCALAR_INFLOW) continue;
    bc->has_flux = PETSC_TRUE;
    bc->flux_time = (PetscBool)(bc->flux_time || c->scalar[k].time);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* winner[node]: the condition of the smallest priority, the first of equals, of those that give field k its value. */
static void choose(RhxBoundary bc, PetscInt k, PetscInt *winner)
{
  for (PetscInt i = 0; i < bc->space->nowned; i++) winner[i] = -1;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if (c->scalar[k].kind != RHX_SCALAR_VALUE) continue;
    for (PetscInt j = 0; j < c->faces->nnodes; j++) {
      PetscInt *w = &winner[c->faces->node[j]];
      if (*w < 0 || c->type->priority < bc->cond[*w].type->priority) *w = i;
    }
  }
}

PetscErrorCode RhxBoundaryListScalars(RhxBoundary bc)
{
  const RhxSpace space = bc->space;
  RhxFixed *fixed = &bc->fixed[RHX_GROUP_SCALARS];
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    PetscBool warms;
    PetscCall(RhxConditionSetUpWarmth(&bc->cond[i], &warms));
    bc->has_flux = (PetscBool)(bc->has_flux || warms);
    PetscCall(RhxConditionSetUpComing(&bc->cond[i]));
  }
  for (PetscInt k = 0; k < bc->form->nscalars; k++) {
    choose(bc, k, bc->winner);
    for (PetscInt i = 0; i < bc->ncond; i++) {
      RhxNodeSet *set = &bc->cond[i].scalar[k].nodes;
      PetscCall(RhxNodeSetCreate(bc, &bc->cond[i], i, bc->winner, set));
      set->start = n;
      n += set->n;
    }
  }
  PetscCall(RhxFixedCreate(n, fixed));
  for (PetscInt k = 0; k < bc->form->nscalars; k++) {
    const PetscInt offset = RhxFieldsGet(space->fields, RHX_GROUP_SCALARS, k)->offset;
    for (PetscInt i = 0; i < bc->ncond; i++) {
      const RhxNodeSet *set = &bc->cond[i].scalar[k].nodes;
      for (PetscInt j = 0; j < set->n; j++) fixed->idx[set->start + j] = set->node[j] * space->bs + offset;
    }
  }
  PetscCall(RhxBoundaryBeginGiven(bc));
  if (bc->has_flux) PetscCall(RhxFormNeedLoad(bc->form, &bc->fluxes));
  PetscCall(RhxBoundarySetUpFilm(bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryScalars(RhxBoundary bc, double t)
{
  const RhxSpace space = bc->space;
  PetscScalar *val = bc->fixed[RHX_GROUP_SCALARS].val;

  PetscFunctionBegin;
  if (bc->has_flux) PetscCall(PetscArrayzero(bc->fluxes, space->nlocal * space->bs));
  for (PetscInt i = 0; i < bc->ncond; i++)
    for (PetscInt k = 0; k < bc->form->nscalars; k++) {
      const RhxScalarCondition *s = &bc->cond[i].scalar[k];
      const RhxNodeSet *set = &s->nodes;
      const PetscInt offset = RhxFieldsGet(space->fields, RHX_GROUP_SCALARS, k)->offset;
      if (s->kind == RHX_SCALAR_VALUE && s->formula)
        PetscCall(RhxBoundaryFormula(bc, s->formula, t, set->n, set->x, 1, val + set->start));
      if (s->kind >= RHX_SCALAR_FLUX)
        PetscCall(RhxConditionAddFlux(&bc->cond[i], k, RHX_FLUX_GIVEN, t, space->bs, bc->fluxes + offset));
    }
  PetscCall(RhxBoundaryNoteGiven(bc, t));
  PetscCall(RhxBoundaryRub(bc, t));
  PetscCall(RhxBoundaryFilm(bc, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NULL: the label has no condition. */
static RhxCondition *find(RhxBoundary bc, const char *label)
{
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (!strcmp(bc->cond[i].label, label)) return &bc->cond[i];
  return NULL;
}

PetscErrorCode RhxBoundaryGivesScalar(RhxBoundary bc, const char *label, PetscInt k, PetscBool *gives)
{
  const RhxCondition *c = find(bc, label);

  PetscFunctionBegin;
  *gives = (PetscBool)(c && c->scalar[k].kind == RHX_SCALAR_VALUE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryHoldsScalar(RhxBoundary bc, PetscInt k, PetscBool *holds)
{
  PetscFunctionBegin;
  *holds = PETSC_FALSE;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if (c->scalar && (c->scalar[k].kind == RHX_SCALAR_VALUE || c->scalar[k].kind == RHX_SCALAR_INFLOW ||
                      c->scalar[k].film || c->coming))
      *holds = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryBringsScalar(RhxBoundary bc, const char *label, PetscInt k, PetscBool *brings)
{
  const RhxCondition *c = find(bc, label);

  PetscFunctionBegin;
  *brings = (PetscBool)(c && (c->scalar[k].kind == RHX_SCALAR_VALUE || c->scalar[k].kind == RHX_SCALAR_INFLOW));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryScalarFlux(RhxBoundary bc, const char *label, PetscInt k, double t, const PetscScalar *x,
                                     PetscReal *into)
{
  RhxCondition *c = find(bc, label);
  const PetscInt n = bc->space->nlocal, at = bc->form->first_scalar + k;
  PetscScalar *given, *film;

  PetscFunctionBegin;
  *into = 0;
  if (!c || (c->scalar[k].kind < RHX_SCALAR_FLUX && !c->warmth && !c->coming)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxConditionSumWarmth(c, k, t, x, into));
  PetscCall(RhxConditionSumComing(c, k, t, x, into));
  PetscCall(PetscCalloc2(n, &given, n, &film));
  if (c->scalar[k].kind >= RHX_SCALAR_FLUX) PetscCall(RhxConditionAddFlux(c, k, RHX_FLUX_GIVEN, t, 1, given));
  if (c->scalar[k].film) PetscCall(RhxConditionAddFlux(c, k, RHX_FLUX_BY_FIELD, t, 1, film));
  for (PetscInt i = 0; i < n; i++) *into += given[i] - (film[i] != 0 ? film[i] * x[(size_t)i * bc->space->bs + at] : 0);
  PetscCall(PetscFree2(given, film));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, into, 1, MPIU_REAL, MPIU_SUM, bc->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Raises least (of -value) and largest. */
static void take_range(PetscInt n, const PetscScalar *value, PetscReal most[2])
{
  for (PetscInt i = 0; i < n; i++) {
    if (PetscIsInfOrNanReal(value[i])) continue;
    most[0] = PetscMax(most[0], -value[i]);
    most[1] = PetscMax(most[1], value[i]);
  }
}

static PetscErrorCode label_range(RhxCondition *c, RhxFormula f, double t, double end, PetscReal most[2])
{
  const PetscInt dim = c->bc->space->dim, n = c->faces->nnodes;
  PetscReal *x, *value;
  PetscBool time;

  PetscFunctionBegin;
  PetscCall(RhxFormulaDependsOnTime(f, &time));
  PetscCall(PetscMalloc2(n * dim + 1, &x, n + 1, &value));
  for (PetscInt j = 0; j < n * dim; j++) x[j] = c->bc->space->x[c->faces->node[j / dim] * dim + j % dim];
  for (int i = 0; i <= (time && end > t ? TIMES : 0); i++) {
    PetscCall(RhxBoundaryFormula(c->bc, f, t + (end - t) * i / TIMES, n, x, 1, value));
    take_range(n, value, most);
  }
  PetscCall(PetscFree2(x, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of field k at owned nodes. */
static PetscErrorCode get_initial(RhxBoundary bc, PetscInt k, double t, PetscInt stride, PetscScalar *value)
{
  const RhxScalarRow *row = bc->form->scalar[k].row;
  char option[RHX_OPTION_LENGTH], text[RHX_STRING_LENGTH], formula[RHX_STRING_LENGTH];
  RhxFormula f;

  PetscFunctionBegin;
  PetscCall(RhxScalarTextRead(bc->comm, "initial_", row, text));
  PetscCall(PetscSNPrintf(option, sizeof(option), "initial_%s", row->name));
  RhxFormScalarFormula(bc->form, k, text[0] ? text : row->initial, sizeof(formula), formula);
  PetscCall(RhxFormulaCreate(bc->comm, option, formula, RHX_FORMULA_OF_PLACE, &f));
  PetscCall(RhxBoundaryFormula(bc, f, t, bc->space->nowned, bc->space->x, stride, value));
  PetscCall(RhxFormulaDestroy(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryScalarRange(RhxBoundary bc, const char *label, PetscInt k, double t, double end,
                                      PetscReal range[2], PetscBool *given)
{
  RhxCondition *c = label ? find(bc, label) : NULL;
  PetscReal most[2] = {PETSC_MIN_REAL, PETSC_MIN_REAL};
  PetscScalar *value;

  PetscFunctionBegin;
  if (c && c->scalar[k].kind != RHX_SCALAR_FLUX && c->scalar[k].formula)
    PetscCall(label_range(c, c->scalar[k].formula, t, end, most));
  if (!label) {
    PetscCall(PetscMalloc1(bc->space->nowned + 1, &value));
    PetscCall(get_initial(bc, k, t, 1, value));
    take_range(bc->space->nowned, value, most);
    PetscCall(PetscFree(value));
  }
  bc->failure[0] = '\0'; /* it is told when it is met */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_REAL, MPIU_MAX, bc->comm));
  range[0] = -most[0];
  range[1] = most[1];
  *given = (PetscBool)(range[0] <= range[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryInitialScalars(RhxBoundary bc, double t, PetscScalar *x)
{
  const RhxSpace space = bc->space;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < bc->form->nscalars; k++)
    PetscCall(get_initial(bc, k, t, space->bs, x + RhxFieldsGet(space->fields, RHX_GROUP_SCALARS, k)->offset));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySetLevels(RhxBoundary bc)
{
  const RhxSpace space = bc->space;
  PetscScalar *value;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(space->nowned, &value));
  for (PetscInt k = 0; k < bc->form->nscalars; k++) {
    double sum[2] = {0, 0};
    PetscCall(get_initial(bc, k, 0, 1, value));
    bc->failure[0] = '\0'; /* that of the initial state is told */
    for (PetscInt i = 0; i < space->nowned; i++) {
      sum[0] += space->mass[i] * value[i];
      sum[1] += space->mass[i];
    }
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, bc->comm));
    if (PetscIsNormalReal(sum[0] / sum[1])) PetscCall(RhxFormSetUsual(bc->form, k, sum[0] / sum[1]));
  }
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionViewScalars(RhxBoundary bc, const RhxCondition *c, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < bc->form->nscalars; k++) {
    const RhxScalarCondition *s = &c->scalar[k];
    const char *option, *text = "", *film = "";
    if (s->formula) PetscCall(RhxFormulaGetText(s->formula, &option, &text));
    if (s->film) PetscCall(RhxFormulaGetText(s->film, &option, &film));
    PetscCall(PetscViewerASCIIPrintf(viewer, ", %s %s%s%s%s%s", bc->form->scalar[k].row->name,
                                     !s->kind      ? "natural"
                                     : !s->formula ? "of its velocity"
                                                   : words[s->kind],
                                     film, s->film ? "," : "", text,
                                     c->warmth && s->kind != RHX_SCALAR_VALUE ? ", warmed by the friction" : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionDestroyScalars(RhxBoundary bc, RhxCondition *c)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; c->scalar && k < bc->form->nscalars; k++) {
    PetscCall(RhxFormulaDestroy(&c->scalar[k].formula));
    PetscCall(RhxFormulaDestroy(&c->scalar[k].film));
    PetscCall(PetscFree2(c->scalar[k].nodes.node, c->scalar[k].nodes.x));
  }
  PetscCall(PetscFree(c->scalar));
  PetscFunctionReturn(PETSC_SUCCESS);
}
