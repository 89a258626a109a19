/* Fluxes and films of a temperature that are of W/m^2, in place of that over density and heat capacity. */
#include "case/impl.h"
#include "form/scalars.h"
#include "petsc_compat.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OFTEN 10.0 /* temperatures of the reference, K, that a flux makes over its layer */
#define FILM 1e3   /* of a film over what the layer conducts */

/* The layer in which a field of this diffusivity changes beside a wall, m: Leveque's, at most the length of the case. */
static double layer(const RhxCase rc, double D)
{
  return rc->option.length * PetscMin(1.0, cbrt(D / (rc->option.velocity * rc->option.length)));
}

/* word: "flux" of a number, or "film" of its coefficient, which is a number. */
static PetscErrorCode given_as(const char *option, char word[8], double *value)
{
  char text[RHX_STRING_LENGTH] = "", *end;

  PetscFunctionBegin;
  *value = 0.0;
  PetscCall(PetscOptionsGetString(NULL, NULL, option, text, sizeof(text), NULL));
  if (sscanf(text, "%7s", word) != 1 || (strcmp(word, "flux") && strcmp(word, "film")))
    PetscFunctionReturn(PETSC_SUCCESS);
  *value = strtod(text + 5, &end);
  end += strspn(end, " ");
  if (*end && *end != ',') *value = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode doubt(RhxCase rc, PetscInt k, const char *option, double reference, double D)
{
  char word[8] = "", got[128], then[64] = "";
  double value, rate, over = 0.0;

  PetscFunctionBegin;
  PetscCall(given_as(option, word, &value));
  if (!(D > 0.0) || value == 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  over = fabs(value) * layer(rc, D) / D;
  if (!(over > (strcmp(word, "film") ? OFTEN * reference : FILM))) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormWarming(rc->form, k, &rate));
  if (strcmp(word, "film"))
    snprintf(got, sizeof(got), "a flux of %g K m/s, which makes %.2g K over a layer of %.2g m; is it in W/m^2", value,
             over, layer(rc, D));
  else
    snprintf(got, sizeof(got), "a film of %g m/s, %.2g times what a layer of %.2g m conducts; is it in W/(m^2 K)",
             value, over, layer(rc, D));
  if (rate > 0.0) snprintf(then, sizeof(then), ", %g", value * rate);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: %s: got %s? expected that over density and heat capacity%s\n", option, got,
                         then));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseDoubtFluxes_Private(RhxCase rc)
{
  const RhxForm form = rc->form;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nscalars; k++) {
    double reference;
    PetscReal D;

    if (!RhxCaseIsKelvin_Private(form, k, &reference)) continue;
    PetscCall(RhxFormDiffusivity(form, k, &D));
    for (PetscInt i = 0; i < rc->space->nlabels; i++) {
      char option[300];
      PetscCall(
          PetscSNPrintf(option, sizeof(option), "-bc_%s_%s", rc->space->faces[i].label, form->scalar[k].row->name));
      PetscCall(doubt(rc, k, option, reference, D));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
