/* Fields that shift the laws so far that they are in another unit than their reference, such as Celsius beside Kelvin. */
#include "case/impl.h"
#include "form/scalars.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include <math.h>

#define FAR 1e3 /* times, either way: a melt's from its reference has tens */

/* ", physics_<plugin>_<parameter>" of the value that a field begins with unless one is given, if there is one. */
static void name_reference(const RhxFormScalars *owner, const RhxScalarRow *row, size_t size, char *text)
{
  char option[300];

  snprintf(option, sizeof(option), "physics_%s_%s", owner->plugin->name, row->initial ? row->initial : "");
  snprintf(text, size, "%s%s%s", RhxOptionIsKnown(option) ? " (-" : "", RhxOptionIsKnown(option) ? option : "",
           RhxOptionIsKnown(option) ? ")" : "");
}

PetscErrorCode RhxCaseWarnOfShift_Private(RhxCase rc)
{
  const RhxForm form = rc->form;
  PetscReal fields[RHX_MAX_SCALARS], factor[2];
  char reference[320], value[32], shift[32];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nscalars; k++) fields[k] = form->scalar[k].usual;
  PetscCall(RhxFormShift(form, fields, factor));
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
