/* Fields that shift the laws so far that they are in another unit than their reference, such as Celsius beside Kelvin. */
#include "boundary/scalar.h"
#include "case/impl.h"
#include "diagnostics/diagnostics.h"
#include "form/scalars.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLDEST 200.0     /* K: references above are Kelvin's, */
#define CELSIUS 200.0     /* and what is below this beside them not, */
#define FREEZING 273.15   /* nor what is below this and with it nearer to them */
#define LEAST_CELSIUS 5.0 /* what is below it is of a case without units */
#define DIFFERENT 1e-3    /* of the logarithm of a factor */
#define FAR 1e3           /* times, either way: a melt's from its reference has tens */

/* ", physics_<plugin>_<parameter>" of the value that a field begins with unless one is given, if there is one. */
static void name_reference(const RhxFormScalars *owner, const RhxScalarRow *row, size_t size, char *text)
{
  char option[300];

  snprintf(option, sizeof(option), "physics_%s_%s", owner->plugin->name, row->initial ? row->initial : "");
  snprintf(text, size, "%s%s%s", RhxOptionIsKnown(option) ? " (-" : "", RhxOptionIsKnown(option) ? option : "",
           RhxOptionIsKnown(option) ? ")" : "");
}

PetscBool RhxCaseIsKelvin_Private(RhxForm form, PetscInt k, double *reference)
{
  const RhxScalarRow *row = form->scalar[k].row;
  char formula[RHX_STRING_LENGTH];

  RhxFormScalarFormula(form, k, row->initial ? row->initial : "", sizeof(formula), formula);
  *reference = atof(formula);
  return (PetscBool)(!strcmp(row->unit, "K") && *reference > COLDEST);
}

static PetscBool is_celsius(double value, double from)
{
  return (PetscBool)(value < CELSIUS || (value < FREEZING && fabs(value + FREEZING - from) < fabs(value - from)));
}

/* A reference that would be another one in kelvin: laws that shift by differences alone do not care. */
static PetscErrorCode doubt_reference(RhxCase rc, PetscInt k)
{
  const RhxFormScalars *owner = &rc->form->owner[rc->form->scalar[k].owner];
  const RhxScalarRow *row = rc->form->scalar[k].row;
  char formula[RHX_STRING_LENGTH], got[128];
  double reference, here, there;

  PetscFunctionBegin;
  RhxFormScalarFormula(rc->form, k, row->initial ? row->initial : "", sizeof(formula), formula);
  reference = atof(formula);
  if (strcmp(row->unit, "K") || !(reference >= LEAST_CELSIUS && reference < FREEZING))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormShiftAbove(rc->form, k, 0.0, &here));
  PetscCall(RhxFormShiftAbove(rc->form, k, FREEZING, &there));
  if (!(fabs(log(here / there)) > DIFFERENT)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(got, sizeof(got), "%g K, from which to 1 K above the laws' times change %.3g-fold, at %g K %.3g-fold",
           reference, exp(fabs(log(here))), reference + FREEZING, exp(fabs(log(there))));
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: -physics_%s_%s: got %s: is it in degrees Celsius? expected it and all "
                         "temperatures in kelvin\n",
                         owner->plugin->name, row->initial, got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is doubtful of a value of field k beside its reference; empty: nothing. which: what it is of a formula. */
static PetscErrorCode doubt_value(RhxForm form, PetscInt k, double value, const char *which, size_t size, char *text)
{
  const RhxFormScalars *owner = &form->owner[form->scalar[k].owner];
  const RhxScalarRow *row = form->scalar[k].row;
  char reference[320];
  double from;
  const PetscBool kelvin = RhxCaseIsKelvin_Private(form, k, &from);
  PetscReal fields[RHX_MAX_SCALARS], factor[2];
  PetscBool given = PETSC_TRUE;

  PetscFunctionBegin;
  text[0] = 0;
  for (PetscInt n = 0; n < form->nscalars; n++) fields[n] = n == k ? value : form->scalar[n].usual;
  PetscCall(RhxFormShift(form, fields, factor));
  if (factor[0] == 1.0 && factor[1] == 1.0) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(reference, sizeof(reference), "-physics_%s_%s", owner->plugin->name, row->initial ? row->initial : "");
  if (RhxOptionIsKnown(reference + 1)) PetscCall(PetscOptionsHasName(NULL, NULL, reference, &given));
  name_reference(owner, row, sizeof(reference), reference);
  if (kelvin && is_celsius(value, from))
    snprintf(text, size, "got %g%s%s beside a reference of %g K%s: is it in degrees Celsius? expected %g K then", value,
             which, which[0] ? "," : "", from, reference, value + FREEZING);
  else if (!given)
    snprintf(
        text, size,
        "got %g %s%s, at which the laws' times are %.2g-fold those at their reference%s, %g %s, which is a default: "
        "expected the %s at which their parameters were measured",
        value, row->unit, which, factor[0], reference, from, row->unit, row->name);
  else if (!(fabs(log(factor[0])) <= log(FAR)))
    snprintf(
        text, size,
        "got %g %s%s, at which the laws' times are %.2g-fold those at their reference%s, %g %s; expected from 1e-3 "
        "to 1e3",
        value, row->unit, which, factor[0], reference, from, row->unit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of values from least to largest. */
static PetscErrorCode doubt_range(RhxForm form, PetscInt k, const PetscReal range[2], size_t size, char *text)
{
  static const char *const which[] = {", the least of its formula", ", the largest of its formula"};

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(doubt_value(form, k, range[i], range[0] < range[1] ? which[i] : "", size, text));
    if (text[0]) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of field k that are given and doubtful: the first, and the options of all others. */
static PetscErrorCode doubt_values(RhxCase rc, PetscInt k, double t, double end)
{
  const char *field = rc->form->scalar[k].row->name;
  char option[300], text[1024], first[1536] = "", others[1024] = "";

  PetscFunctionBegin;
  for (PetscInt i = -1; i < rc->space->nlabels; i++) {
    const char *label = i < 0 ? NULL : rc->space->faces[i].label;
    PetscReal range[2];
    PetscBool given = PETSC_TRUE;
    if (!label)
      PetscCall(PetscSNPrintf(option, sizeof(option), "-initial_%s", field));
    else
      PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_%s", label, field));
    if (!label) PetscCall(PetscOptionsHasName(NULL, NULL, option, &given));
    if (given) PetscCall(RhxBoundaryScalarRange(rc->bc, label, k, t, end, range, &given));
    if (!given) continue;
    PetscCall(doubt_range(rc->form, k, range, sizeof(text), text));
    if (!text[0]) continue;
    if (!first[0])
      snprintf(first, sizeof(first), "%s: %s", option, text);
    else
      snprintf(others + strlen(others), sizeof(others) - strlen(others), "%s%s", others[0] ? ", " : "; likewise ",
               option);
  }
  if (first[0]) PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR, "rheoplex: warning: %s%s\n", first, others));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfShift_Private(RhxCase rc, double t, double end)
{
  const RhxForm form = rc->form;
  PetscReal fields[RHX_MAX_SCALARS], factor[2];
  char reference[320], value[32], shift[32];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nscalars; k++) fields[k] = form->scalar[k].usual;
  PetscCall(RhxFormShift(form, fields, factor));
  for (PetscInt k = 0; k < form->nscalars && (form->coupled & RHX_SHIFTS); k++) {
    PetscCall(doubt_reference(rc, k));
    PetscCall(doubt_values(rc, k, t, end));
  }
  if (PetscAbsReal(log(factor[0])) <= log(FAR)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < form->nowners; k++) {
    const RhxFormScalars *owner = &form->owner[k];
    const RhxScalarRow *row = form->scalar[owner->first].row;
    if (!(owner->plugin->flags & RHX_SHIFTS)) continue;
    name_reference(owner, row, sizeof(reference), reference);
    snprintf(value, sizeof(value), "%g", form->scalar[owner->first].usual);
    snprintf(shift, sizeof(shift), "%.2g", factor[0]);
    PetscCall(
        PetscFPrintf(rc->comm, PETSC_STDERR,
                     "rheoplex: warning: at %s %s, which the run begins with, the laws' times are %s-fold those of "
                     "the reference, expected from 1e-3 to 1e3: are both in one unit, %s%s?\n",
                     row->name, value, shift, row->unit, reference));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseJudgeFields_Private(RhxCase rc, PetscBool start)
{
  char text[512];

  PetscFunctionBegin;
  PetscCall(RhxFindFieldFault(rc->form, rc->x, sizeof(text), text));
  PetscCheck(!start || rc->option.restart[0] || !text[0], rc->comm, PETSC_ERR_USER_INPUT,
             "What the run begins with: %s", text);
  if (text[0])
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR, "rheoplex: warning: in the state %s %s\n",
                           start ? "that is restarted from" : "at the end", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
