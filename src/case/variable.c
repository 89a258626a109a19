/* -polymer_variable auto: the representation in which a case solves for its modes. */
#include "case/impl.h"
#include "form/relaxation.h"
#include "form/scalars.h"
#include "form/taken.h"
#include "petsc_compat.h"

#define WEISSENBERG 0.8 /* beyond it stress and conformation lose positive definiteness first */
#define OF_STEADY 0.3 /* of springs that are not linear, whose conformation Newton's method leaves at corners before */

/* That a continuation in a law's lambda ends with, where it is longer; other modes of the law keep their ratios to it. */
static PetscErrorCode follow_time(RhxCase rc, double *longest)
{
  char text[RHX_STRING_LENGTH] = "", name[256];
  double shift[2];
  PetscFunctionBegin;
  PetscCall(RhxFormUsualShift(rc->form, shift));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-scheme_steady_continuation", text, sizeof(text), NULL));
  for (PetscInt m = 0; m < rc->form->nmodes; m++) {
    size_t n;
    double end[2];
    PetscCall(PetscSNPrintf(name, sizeof(name), "physics_%s_lambda=", rc->form->mode[m].law->name));
    PetscCall(PetscStrlen(name, &n));
    if (!strncmp(text, name, n) && sscanf(text + n, "%lf:%*f:%lf", &end[0], &end[1]) == 2)
      *longest = PetscMax(*longest, shift[0] * PetscMax(end[0], end[1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By auto, or unless one is named for laws that have no stress to solve for; where none is named, of the stress, what auto would take. */
PetscErrorCode RhxCaseChooseVariable_Private(RhxCase rc)
{
  const RhxRepresentation plain = RhxFormPlainRepresentation(rc->form);
  const PetscBool stress = (PetscBool)(plain == RHX_STRESS);
  PetscReal velocity = 1.0, length = 1.0;
  double longest, weissenberg, bound;
  char variable[64] = "", scheme[64] = "";
  const char *taken = "logconf", *why = "(-polymer_variable auto)";
  const char *law;
  PetscBool beyond;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-polymer_variable", variable, sizeof(variable), NULL));
  if ((variable[0] && strcmp(variable, "auto")) || !rc->form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_velocity", &velocity, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_length", &length, NULL));
  PetscCall(RhxFormRelaxationTime(rc->form, &longest));
  PetscCall(follow_time(rc, &longest));
  weissenberg = longest * velocity / length;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-scheme", scheme, sizeof(scheme), NULL));
  bound = !stress && !strcmp(scheme, "steady") ? OF_STEADY : WEISSENBERG;
  beyond = (PetscBool)(weissenberg > bound);
  PetscCall(RhxFormFindUncommuting(rc->form, &law));
  if (law) {
    taken = stress ? "stress" : "conformation";
    PetscCall(RhxFormSetRepresentation(rc->form, plain));
    if (!variable[0]) PetscCall(RhxFormNameRepresentation(rc->form, taken));
    PetscCall(PetscSNPrintf(rc->variable, sizeof(rc->variable),
                            "%s: the rate of '%s' does not commute with the conformation, which has no logarithm then",
                            taken, law));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!variable[0] && stress) {
    if (!beyond) PetscFunctionReturn(PETSC_SUCCESS);
    taken = "stress";
    why = "where the logarithm stays positive definite (-polymer_variable auto or logconf)";
  } else {
    if (!variable[0]) why = "(as -polymer_variable auto, for springs that are not linear)";
    if (!beyond) taken = stress ? "stress" : "conformation";
    PetscCall(RhxFormSetRepresentation(rc->form, beyond ? RHX_LOGCONF : plain));
    if (!variable[0]) PetscCall(RhxFormNameRepresentation(rc->form, taken));
  }
  PetscCall(PetscSNPrintf(rc->variable, sizeof(rc->variable),
                          "%s: lambda U/D is %.3g with the longest relaxation time, %s %g %s", taken, weissenberg,
                          beyond ? "beyond" : "at most", bound, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}
