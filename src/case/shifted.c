/* Fields that shift the laws so far that they are in another unit than their reference, such as Celsius beside Kelvin. */
#include "case/impl.h"
#include "diagnostics/diagnostics.h"
#include "form/scalars.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLDEST 200.0   /* K: references above are Kelvin's, */
#define CELSIUS 200.0   /* and what is below this beside them not, */
#define FREEZING 273.15 /* nor what is below this and with it nearer to them */
#define FAR 1e3         /* times, either way: a melt's from its reference has tens */

/* ", physics_<plugin>_<parameter>" of the value that a field begins with unless one is given, if there is one. */
static void name_reference(const RhxFormScalars *owner, const RhxScalarRow *row, size_t size, char *text)
{
  char option[300];

  snprintf(option, sizeof(option), "physics_%s_%s", owner->plugin->name, row->initial ? row->initial : "");
  snprintf(text, size, "%s%s%s", RhxOptionIsKnown(option) ? " (-" : "", RhxOptionIsKnown(option) ? option : "",
           RhxOptionIsKnown(option) ? ")" : "");
}

/* The value that a field has by an option, "300", "value 300", "inflow 300" or "film 20, 300"; FALSE: it is no number. */
static PetscErrorCode given_as(const char *option, double *value, PetscBool *is)
{
  char text[RHX_STRING_LENGTH] = "", *end;
  const char *at = text, *comma;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, option, text, sizeof(text), NULL));
  comma = strchr(text, ',');
  if (!strncmp(at, "value ", 6)) at += 6;
  if (!strncmp(at, "inflow ", 7)) at += 7;
  if (!strncmp(at, "film ", 5) && comma) at = comma + 1;
  *value = strtod(at, &end);
  *is = (PetscBool)(end > at && !end[strspn(end, " ")]);
  PetscFunctionReturn(PETSC_SUCCESS);
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

/* What is doubtful of a value of field k beside its reference; empty: nothing. */
static PetscErrorCode doubt_value(RhxForm form, PetscInt k, double value, size_t size, char *text)
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
    snprintf(text, size, "got %g beside a reference of %g K%s: is it in degrees Celsius? expected %g K then", value,
             from, reference, value + FREEZING);
  else if (!given)
    snprintf(text, size,
             "got %g %s, at which the laws' times are %.2g-fold those at their reference%s, %g %s, which is a default: "
             "expected the %s at which their parameters were measured",
             value, row->unit, factor[0], reference, from, row->unit, row->name);
  else if (!(fabs(log(factor[0])) <= log(FAR)))
    snprintf(text, size,
             "got %g %s, at which the laws' times are %.2g-fold those at their reference%s, %g %s; expected from 1e-3 "
             "to 1e3",
             value, row->unit, factor[0], reference, from, row->unit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first value of field k that is given and doubtful. */
static PetscErrorCode doubt_values(RhxCase rc, PetscInt k)
{
  char option[300], text[1024];

  PetscFunctionBegin;
  for (PetscInt i = -1; i < rc->space->nlabels; i++) {
    const char *field = rc->form->scalar[k].row->name;
    double value = 0.0;
    PetscBool is = PETSC_FALSE;
    if (i < 0)
      PetscCall(PetscSNPrintf(option, sizeof(option), "-initial_%s", field));
    else
      PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_%s", rc->space->faces[i].label, field));
    PetscCall(given_as(option, &value, &is));
    if (!is) continue;
    PetscCall(doubt_value(rc->form, k, value, sizeof(text), text));
    if (!text[0]) continue;
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR, "rheoplex: warning: %s: %s\n", option, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfShift_Private(RhxCase rc)
{
  const RhxForm form = rc->form;
  PetscReal fields[RHX_MAX_SCALARS], factor[2];
  char reference[320], value[32], shift[32];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nscalars; k++) fields[k] = form->scalar[k].usual;
  PetscCall(RhxFormShift(form, fields, factor));
  for (PetscInt k = 0; k < form->nscalars && (form->coupled & RHX_SHIFTS); k++) PetscCall(doubt_values(rc, k));
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
