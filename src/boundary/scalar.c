/* Conditions of scalar fields: natural, a value, or the diffusive flux D grad c.n into the fluid; their initial values. */
#include "boundary/scalar_impl.h"
#include "form/scalars.h"
#include "plugin/length.h"
#include "space/face.h"

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

static PetscBool slips(const RhxCondition *c)
{
  const unsigned friction = RHX_TYPE_NORMAL | RHX_TYPE_TRACTION;
  return (PetscBool)((c->type->flags & friction) == friction);
}

/* Friction holds the velocity in the half plane alone. */
static const char *condition_text(const RhxCondition *c, const RhxScalarRow *row)
{
  if (slips(c) && row == swirl_row(c->bc)) return "given";
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

/* "value f", "flux f" or natural; f may not hold another of these words. */
static PetscErrorCode parse(RhxBoundary bc, const RhxCondition *c, const RhxScalarRow *row, const char *text,
                            RhxScalarCondition *s, PetscBool *time)
{
  const PetscBool value = (PetscBool)!strncmp(text, "value ", 6), flux = (PetscBool)!strncmp(text, "flux ", 5);
  const char *formula = text + (value ? 6 : 5);
  char option[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_%s", c->label, row->name));
  if (!strcmp(text, "natural")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(strcmp(text, "given"), bc->comm, PETSC_ERR_ARG_WRONG,
             "label '%s' is %s %s, where the scalar field '%s' has to be given: got nothing, expected -%s \"value "
             "<formula>\", \"flux <formula>\" or natural%s",
             c->label, strchr("aeiou", c->type->entry.name[0]) ? "an" : "a", c->type->entry.name, row->name, option,
             row != swirl_row(bc) ? ""
             : slips(c)           ? ": its friction holds the other components alone"
                                  : ", or a third formula of its velocity");
  PetscCheck(value || flux, bc->comm, PETSC_ERR_ARG_WRONG,
             "-%s: got \"%s\", expected natural, \"value <formula>\" or \"flux <formula>\"", option, text);
  PetscCheck(!strstr(formula, "value ") && !strstr(formula, "flux "), bc->comm, PETSC_ERR_ARG_WRONG,
             "-%s: got \"%s\", expected one of value and flux, not both on one label", option, text);
  s->kind = value ? RHX_SCALAR_VALUE : RHX_SCALAR_FLUX;
  PetscCall(RhxFormulaCreate(bc->comm, option, formula, RHX_FORMULA_OF_PLACE, &s->formula));
  PetscCall(RhxFormulaDependsOnTime(s->formula, time));
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
    PetscBool time = PETSC_FALSE, axis = PETSC_FALSE;
    PetscCall(RhxScalarTextRead(bc->comm, prefix, row, text));
    if (k == bc->form->swirl) PetscCall(lies_on_axis(bc, c, &axis));
    PetscCheck(!axis || !text[0], bc->comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_%s: got \"%s\" for the azimuthal velocity on the axis, where it is 0: expected no condition",
               c->label, row->name, text);
    if (axis) PetscCall(PetscStrncpy(text, "value 0", sizeof(text)));
    if (k == bc->form->swirl && (c->gives & RHX_TYPE_SWIRL)) {
      PetscCall(take_swirl(bc, c, row, text, &c->scalar[k]));
      continue;
    }
    PetscCall(parse(bc, c, row, text[0] ? text : condition_text(c, row), &c->scalar[k], &time));
    bc->scalar_time = (PetscBool)(bc->scalar_time || time);
    if (c->scalar[k].kind == RHX_SCALAR_FLUX) bc->has_flux = PETSC_TRUE;
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
  if (bc->has_flux) PetscCall(RhxFormNeedLoad(bc->form, &bc->fluxes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* load[node] += integral of N q over the faces of a group, q the flux by formula; sum: of q. Either may be NULL. */
static PetscErrorCode add_flux(RhxBoundary bc, RhxFormula q, double t, const RhxFaceGroup *g, PetscScalar *load,
                               PetscReal *sum)
{
  const PetscInt dim = bc->space->dim, bs = bc->space->bs, n = g->n * g->nfq;
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
  PetscCall(RhxBoundaryFormula(bc, q, t, n, x, 1, value));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt f = i / g->nfq, point = i % g->nfq;
    const PetscInt *conn = g->conn + (f / RHX_LANES) * g->nn * RHX_LANES + f % RHX_LANES;
    if (sum) *sum += area[i] * value[i];
    for (PetscInt a = 0; load && a < g->nn; a++)
      load[conn[a * RHX_LANES] * bs] += g->N[point * g->nn + a] * area[i] * value[i];
  }
  PetscCall(PetscFree3(x, area, value));
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
      for (PetscInt g = 0; s->kind == RHX_SCALAR_FLUX && g < bc->cond[i].faces->ngroups; g++)
        PetscCall(add_flux(bc, s->formula, t, &bc->cond[i].faces->group[g], bc->fluxes + offset, NULL));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NULL: the label has no condition. */
static const RhxCondition *find(RhxBoundary bc, const char *label)
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

PetscErrorCode RhxBoundaryScalarFlux(RhxBoundary bc, const char *label, PetscInt k, double t, PetscReal *into)
{
  const RhxCondition *c = find(bc, label);

  PetscFunctionBegin;
  *into = 0;
  if (!c || c->scalar[k].kind != RHX_SCALAR_FLUX) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt g = 0; g < c->faces->ngroups; g++)
    PetscCall(add_flux(bc, c->scalar[k].formula, t, &c->faces->group[g], NULL, into));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, into, 1, MPIU_REAL, MPIU_SUM, bc->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of field k at owned nodes. */
static PetscErrorCode get_initial(RhxBoundary bc, PetscInt k, double t, PetscInt stride, PetscScalar *value)
{
  const RhxScalarRow *row = bc->form->scalar[k].row;
  char option[RHX_OPTION_LENGTH], text[RHX_STRING_LENGTH];
  RhxFormula f;

  PetscFunctionBegin;
  PetscCall(RhxScalarTextRead(bc->comm, "initial_", row, text));
  PetscCall(PetscSNPrintf(option, sizeof(option), "initial_%s", row->name));
  PetscCall(RhxFormulaCreate(bc->comm, option, text[0] ? text : row->initial, RHX_FORMULA_OF_PLACE, &f));
  PetscCall(RhxBoundaryFormula(bc, f, t, bc->space->nowned, bc->space->x, stride, value));
  PetscCall(RhxFormulaDestroy(&f));
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
    char digits[32];
    if (!(bc->form->owner[bc->form->scalar[k].owner].plugin->flags & RHX_VARIES_ABOUT_START)) continue;
    PetscCall(get_initial(bc, k, 0, 1, value));
    bc->failure[0] = '\0'; /* that of the initial state is told */
    for (PetscInt i = 0; i < space->nowned; i++) {
      sum[0] += space->mass[i] * value[i];
      sum[1] += space->mass[i];
    }
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, bc->comm));
    snprintf(digits, sizeof(digits), "%.4g", sum[0] / sum[1]); /* the same on any number of ranks */
    if (PetscIsNormalReal(sum[0] / sum[1])) PetscCall(RhxFormSetLevel(bc->form, k, strtod(digits, NULL)));
  }
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionViewScalars(RhxBoundary bc, const RhxCondition *c, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < bc->form->nscalars; k++) {
    const RhxScalarCondition *s = &c->scalar[k];
    const char *option, *text = "";
    if (s->formula) PetscCall(RhxFormulaGetText(s->formula, &option, &text));
    PetscCall(PetscViewerASCIIPrintf(viewer, ", %s %s%s", bc->form->scalar[k].row->name,
                                     !s->formula && s->kind        ? "of its velocity"
                                     : s->kind == RHX_SCALAR_VALUE ? "value "
                                     : s->kind == RHX_SCALAR_FLUX  ? "flux "
                                                                   : "natural",
                                     text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionDestroyScalars(RhxBoundary bc, RhxCondition *c)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; c->scalar && k < bc->form->nscalars; k++) {
    PetscCall(RhxFormulaDestroy(&c->scalar[k].formula));
    PetscCall(PetscFree2(c->scalar[k].nodes.node, c->scalar[k].nodes.x));
  }
  PetscCall(PetscFree(c->scalar));
  PetscFunctionReturn(PETSC_SUCCESS);
}
