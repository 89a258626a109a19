#include "plugin/scalars.h"
#include "form/scalars_impl.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include "plugin/length.h"
#include "plugin/needs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

PetscErrorCode RhxFormAddScalars(RhxForm form, const RhxPlugin *plugin, void *par)
{
  PetscFunctionBegin;
  PetscCheck(form->nscalars + plugin->nscalars <= RHX_MAX_SCALARS, form->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "Too many scalar fields: got %" PetscInt_FMT " with those of '%s', expected at most %d (option -physics)",
             form->nscalars + plugin->nscalars, plugin->name, RHX_MAX_SCALARS);
  form->owner[form->nowners] = (RhxFormScalars){plugin, par, form->nscalars};
  if (plugin->flags & RHX_IS_SWIRL) {
    PetscCheck(form->swirl < 0 && plugin->nscalars == 1, form->comm, PETSC_ERR_ARG_INCOMP,
               "-physics: got '%s' with %d fields%s, expected one field for the azimuthal velocity", plugin->name,
               plugin->nscalars, form->swirl < 0 ? "" : " beside another azimuthal velocity");
    form->swirl = form->nscalars;
  }
  for (int k = 0; k < plugin->nscalars; k++) {
    RhxFormScalar *sc = &form->scalar[form->nscalars++];
    *sc = (RhxFormScalar){.row = &plugin->scalars[k], .owner = form->nowners, .number = k};
    PetscCall(RhxScalarSettingsRead(form->comm, sc->row, &sc->set));
  }
  form->nowners++;
  form->coupled |= plugin->flags & (RHX_COUPLES | RHX_SHIFTS);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_field(RhxForm form, const RhxPlugin *plugin, const RhxRow *row, const char *name,
                                 PetscInt *found)
{
  char there[RHX_STRING_LENGTH] = "";
  PetscFunctionBegin;
  for (*found = 0; *found < form->nscalars; ++*found) {
    const char *field = form->scalar[*found].row->name;
    if (!strcmp(field, name)) PetscFunctionReturn(PETSC_SUCCESS);
    if (*found) PetscCall(PetscStrlcat(there, ", ", sizeof(there)));
    PetscCall(PetscStrlcat(there, field, sizeof(there)));
  }
  SETERRQ(form->comm, PETSC_ERR_ARG_INCOMP,
          "-physics_%s_%s: got \"%.200s\", the scalar field that '%s' reads (%s), expected one of the case: %s, or the "
          "plugin that has it in -physics",
          plugin->name, row->name, name, plugin->name, row->help, there);
}

/* What only couples must not shift: its factors would be left out here and there. At values below, at and above the scales. */
static PetscErrorCode check_factors(RhxForm form, const RhxFormScalars *owner)
{
  static const double times[] = {0.3, 1.0, 1.7};
  double *fields;
  char got[32];
  PetscFunctionBegin;
  if (owner->plugin->flags & RHX_SHIFTS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(form->nscalars, &fields));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(times); i++) {
    double factor[2] = {1.0, 1.0};
    for (PetscInt k = 0; k < form->nscalars; k++) fields[k] = times[i] * form->scalar[k].set.scale;
    RhxPointLawGet(3, 6, RHX_KIND_DOUBLE)
        ->shift(owner->plugin, owner->par, form->rho, (int)form->nscalars, (int)owner->first, fields, factor);
    snprintf(got, sizeof(got), "%g", factor[0] == 1.0 ? factor[1] : factor[0]);
    PetscCheck(
        factor[0] == 1.0 && factor[1] == 1.0, form->comm, PETSC_ERR_ARG_INCOMP,
        "-physics %s: got a factor `%s` of %s by its function shift, which its flags do not say, expected RHX_SHIFTS, "
        "or `time` and `viscosity` left as they are",
        owner->plugin->name, factor[0] == 1.0 ? "viscosity" : "time", got);
  }
  PetscCall(PetscFree(fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormFindUsual(RhxForm form)
{
  char text[RHX_STRING_LENGTH], formula[RHX_STRING_LENGTH], *past;
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nscalars; k++) {
    RhxFormScalar *sc = &form->scalar[k];
    PetscCall(RhxScalarTextRead(form->comm, "initial_", sc->row, text));
    RhxFormScalarFormula(form, k, text[0] ? text : sc->row->initial, sizeof(formula), formula);
    sc->usual = strtod(formula, &past);
    if (past == formula || past[strspn(past, " ")]) sc->usual = NAN;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormResolveFields(RhxForm form)
{
  char prefix[RHX_OPTION_LENGTH], *name;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(RHX_STRING_LENGTH, &name));
  for (PetscInt k = 0; k < form->nowners; k++) {
    const RhxFormScalars *owner = &form->owner[k];
    PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "physics_%s_", owner->plugin->name));
    for (int r = 0; r < owner->plugin->nrows; r++) {
      const RhxRow *row = &owner->plugin->rows[r];
      const RhxRow text = {row->name, RHX_STRING, 0, 0, row->value, RHX_ANY, 0, 0, NULL, row->unit, row->help};
      PetscInt found;
      if (!RhxRowNamesField(row)) continue;
      PetscCall(RhxRowsRead(form->comm, prefix, 1, &text, 1, 0, name));
      PetscCall(find_field(form, owner->plugin, row, name, &found));
      *(int *)((char *)owner->par + row->offset) = (int)(found - owner->first);
    }
  }
  PetscCall(PetscFree(name));
  for (PetscInt k = 0; k < form->nowners; k++) PetscCall(check_factors(form, &form->owner[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeclareScalars(RhxForm form, RhxFields fields)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nscalars; k++) {
    const RhxScalarRow *row = form->scalar[k].row;
    const PetscBool from = (PetscBool)(row->bound != RHX_ANY);
    const PetscBool to = (PetscBool)(row->bound == RHX_IN || row->bound == RHX_IN_RIGHT_OPEN);
    PetscCall(RhxFieldsAdd(fields, &(RhxFieldRow){.name = row->name,
                                                  .unit = row->unit,
                                                  .output = row->name,
                                                  .owner = form->owner[form->scalar[k].owner].plugin->name,
                                                  .kind = RHX_SCALAR,
                                                  .group = RHX_GROUP_SCALARS,
                                                  .reflection = RHX_REFLECTS_EVEN,
                                                  .mass = 1,
                                                  .couplings = form->owner[form->scalar[k].owner].plugin->flags,
                                                  .lower = from ? row->lower : PETSC_NINFINITY,
                                                  .upper = to ? row->upper : PETSC_INFINITY}));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormSetUsual(RhxForm form, PetscInt k, PetscReal mean)
{
  RhxFormScalar *sc = &form->scalar[k];
  char digits[32]; /* the same level on any number of ranks */
  PetscFunctionBegin;
  sc->usual = mean;
  snprintf(digits, sizeof(digits), "%.4g", mean);
  if (form->owner[sc->owner].plugin->flags & RHX_VARIES_ABOUT_START) sc->level = strtod(digits, NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormAskShift(RhxForm form)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nowners; k++) {
    const unsigned flags = form->owner[k].plugin->flags;
    const char *name = form->scalar[form->owner[k].first].row->name;
    if (flags & (RHX_COUPLES | RHX_SHIFTS)) PetscCall(RhxFormAsk(form, RHX_ASK_FELT, name, ""));
    if (flags & RHX_SHIFTS) PetscCall(RhxFormAsk(form, RHX_ASK_SHIFTED, name, ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shift_by(RhxForm form, const RhxFormScalars *owner, const void *par, const PetscReal *fields,
                               PetscReal factor[2])
{
  const RhxSpace space = form->space;

  PetscFunctionBegin;
  if (owner->plugin->flags & RHX_SHIFTS)
    RhxPointLawGet(space ? (int)space->dim : 3, space ? (int)space->ntens : 6, RHX_KIND_DOUBLE)
        ->shift(owner->plugin, par, form->rho, (int)form->nscalars, (int)owner->first, fields, factor);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormShift(RhxForm form, const PetscReal *fields, PetscReal factor[2])
{
  PetscFunctionBegin;
  factor[0] = factor[1] = 1;
  if (!(form->coupled & RHX_SHIFTS)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < form->nowners; k++)
    PetscCall(shift_by(form, &form->owner[k], form->owner[k].par, fields, factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormShiftAbove(RhxForm form, PetscInt k, PetscReal more, PetscReal *factor)
{
  const RhxFormScalars *owner = &form->owner[form->scalar[k].owner];
  const RhxPlugin *plugin = owner->plugin;
  const char *initial = form->scalar[k].row->initial;
  PetscReal fields[RHX_MAX_SCALARS], both[2] = {1, 1};
  void *par;

  PetscFunctionBegin;
  PetscCall(PetscMalloc(plugin->param_size, &par));
  PetscCall(PetscMemcpy(par, owner->par, plugin->param_size));
  for (PetscInt n = 0; n < form->nscalars; n++) fields[n] = form->scalar[n].usual;
  for (int r = 0; r < plugin->nrows; r++) {
    double *value = (double *)((char *)par + plugin->rows[r].offset);
    if (plugin->rows[r].kind != RHX_REAL || !initial || strcmp(plugin->rows[r].name, initial)) continue;
    *value += more;
    fields[k] = *value + 1;
    PetscCall(shift_by(form, owner, par, fields, both));
  }
  PetscCall(PetscFree(par));
  *factor = both[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormUsualShift(RhxForm form, PetscReal factor[2])
{
  PetscReal fields[RHX_MAX_SCALARS];
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nscalars; k++) fields[k] = form->scalar[k].usual;
  PetscCall(RhxFormShift(form, fields, factor));
  if (!PetscIsNormalReal(factor[0]) || !PetscIsNormalReal(factor[1])) factor[0] = factor[1] = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDiffusivity(RhxForm form, PetscInt k, PetscReal *D)
{
  const RhxFormScalars *owner = &form->owner[form->scalar[k].owner];
  double fields[RHX_MAX_SCALARS];
  PetscFunctionBegin;
  for (PetscInt i = 0; i < form->nscalars; i++) fields[i] = form->scalar[i].set.scale;
  *D = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE)
           ->diffusivity(owner->plugin, owner->par, form->rho, (int)form->nscalars, (int)owner->first, fields,
                         (int)form->scalar[k].number);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormLeastDiffusivity(RhxForm form, PetscReal *least)
{
  PetscFunctionBegin;
  *least = PETSC_MAX_REAL;
  for (PetscInt k = 0; k < form->nscalars; k++) {
    PetscReal D;
    PetscCall(RhxFormDiffusivity(form, k, &D));
    if (k != form->swirl && !(D >= *least)) *least = D > 0.0 ? D : 0.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormWarming(RhxForm form, PetscInt k, double *rate)
{
  const RhxFormScalars *owner = &form->owner[form->scalar[k].owner];
  double *fields;
  PetscFunctionBegin;
  *rate = 0.0;
  if (!(owner->plugin->flags & RHX_WARMS)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(form->nscalars, &fields));
  for (PetscInt i = 0; i < form->nscalars; i++)
    fields[i] = PetscIsInfOrNanReal(form->scalar[i].usual) ? form->scalar[i].set.scale : form->scalar[i].usual;
  *rate = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE)
              ->warming(owner->plugin, owner->par, form->rho, (int)form->nscalars, (int)owner->first, fields,
                        (int)form->scalar[k].number);
  PetscCall(PetscFree(fields));
  PetscCheck(
      !PetscIsInfOrNanReal(*rate), form->comm, PETSC_ERR_ARG_INCOMP,
      "-physics %s: got a source of '%s' that reads more than the density, the velocity's gradient, eta_s, tau and "
      "the fields' values, beside RHX_WARMS; expected no other part of the flow",
      owner->plugin->name, form->scalar[k].row->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxFormScalarFormula(RhxForm form, PetscInt k, const char *text, size_t size, char *formula)
{
  const RhxFormScalars *owner = &form->owner[form->scalar[k].owner];

  snprintf(formula, size, "%s", text);
  for (int r = 0; r < owner->plugin->nrows; r++) {
    const RhxRow *row = &owner->plugin->rows[r];
    if (row->kind == RHX_REAL && !row->per_mode && !strcmp(row->name, text))
      snprintf(formula, size, "%.17g", *(const double *)((const char *)owner->par + row->offset));
  }
}

PetscBool RhxFormShiftReads(RhxForm form, PetscInt field)
{
  for (PetscInt k = 0; k < form->nowners; k++) {
    const RhxFormScalars *owner = &form->owner[k];
    if (!(owner->plugin->flags & RHX_SHIFTS)) continue;
    if (field >= owner->first && field < owner->first + owner->plugin->nscalars) return PETSC_TRUE;
    for (int r = 0; r < owner->plugin->nrows; r++)
      if (RhxRowNamesField(&owner->plugin->rows[r]) &&
          field == owner->first + *(const int *)((const char *)owner->par + owner->plugin->rows[r].offset))
        return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscInt RhxFormAuxCount(RhxForm form, RhxAuxOwner of)
{
  return of == RHX_OF_FLOW ? 1 : of == RHX_OF_MODE ? form->nmodes : form->nscalars;
}

PetscInt RhxFormAuxStart(RhxForm form, RhxAuxOwner of, PetscInt k)
{
  if (of == RHX_OF_FLOW) return 0;
  if (of == RHX_OF_MODE) return form->naux_flow + k * form->naux_mode;
  return form->naux_flow + form->nmodes * form->naux_mode + k * form->naux_scalar;
}
