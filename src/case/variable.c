/* -polymer_variable auto: the representation in which a case solves for its modes. */
#include "case/impl.h"
#include "form/relaxation.h"
#include "form/scalars.h"
#include "form/taken.h"
#include "petsc_compat.h"

#define WEISSENBERG 0.8 /* beyond it stress and conformation lose positive definiteness first */
#define OF_STEADY 0.3   /* beyond it iterates of Newton's method lose it at corners */

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

static PetscErrorCode take(RhxCase rc, RhxRepresentation which, PetscBool named)
{
  PetscFunctionBegin;
  PetscCall(RhxFormSetRepresentation(rc->form, which));
  if (!named) PetscCall(RhxFormNameRepresentation(rc->form, RhxRepresentationNames[which]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A restart that takes the fields as they are, of a case that names none, goes on in that of its checkpoint. */
static PetscErrorCode follow_checkpoint(RhxCase rc, PetscBool *taken)
{
  const RhxRepresentation plain = RhxFormPlainRepresentation(rc->form);
  char file[PETSC_MAX_PATH_LEN] = "", fields[64] = "same", there[64];
  const char *law;

  PetscFunctionBegin;
  *taken = PETSC_FALSE;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-case_restart", file, sizeof(file), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-case_restart_fields", fields, sizeof(fields), NULL));
  if (!file[0] || strcmp(fields, "same")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCheckpointGetVariable(rc->comm, file, there));
  PetscCall(RhxFormFindUncommuting(rc->form, &law));
  for (int which = plain; which <= (law ? (int)plain : RHX_LOGCONF); which++) {
    if (strcmp(there, RhxRepresentationNames[which])) continue;
    *taken = rc->follows_variable = PETSC_TRUE;
    PetscCall(take(rc, which, (PetscBool)(which == RHX_STRESS))); /* as a case has it that names none */
    PetscCall(PetscSNPrintf(rc->variable, sizeof(rc->variable), "%s: that of the checkpoint (-case_restart)", there));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A law without a logarithm of its conformation keeps what it is written in. */
static PetscErrorCode keep_plain(RhxCase rc, const char *law, PetscBool named)
{
  const RhxRepresentation plain = RhxFormPlainRepresentation(rc->form);

  PetscFunctionBegin;
  PetscCall(take(rc, plain, named));
  PetscCall(PetscSNPrintf(rc->variable, sizeof(rc->variable),
                          "%s: the rate of '%s' does not commute with the conformation, which has no logarithm then",
                          RhxRepresentationNames[plain], law));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* lambda U/D of the longest time. */
static PetscErrorCode find_weissenberg(RhxCase rc, double *weissenberg)
{
  PetscReal velocity = 1.0, length = 1.0;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_velocity", &velocity, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_length", &length, NULL));
  PetscCall(RhxFormRelaxationTime(rc->form, weissenberg));
  PetscCall(follow_time(rc, weissenberg));
  *weissenberg *= velocity / length;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode judge(RhxCase rc, PetscBool named)
{
  const RhxRepresentation plain = RhxFormPlainRepresentation(rc->form);
  const PetscBool stress = (PetscBool)(plain == RHX_STRESS);
  RhxRepresentation taken;
  double weissenberg, bound;
  char scheme[64] = "";
  const char *why = "(-polymer_variable auto)";
  PetscBool beyond, steady;

  PetscFunctionBegin;
  PetscCall(find_weissenberg(rc, &weissenberg));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-scheme", scheme, sizeof(scheme), NULL));
  steady = (PetscBool)!strcmp(scheme, "steady");
  bound = steady ? OF_STEADY : WEISSENBERG;
  beyond = (PetscBool)(weissenberg > bound);
  taken = beyond ? RHX_LOGCONF : plain;
  if (!named && stress && !beyond) PetscFunctionReturn(PETSC_SUCCESS);
  if (!named && stress && !steady) {
    taken = plain;
    why = "where the logarithm stays positive definite (-polymer_variable auto or logconf)";
  } else {
    if (!named)
      why = stress ? "(as -polymer_variable auto, for Newton's method)"
                   : "(as -polymer_variable auto, for springs that are not linear)";
    PetscCall(take(rc, taken, named));
  }
  PetscCall(PetscSNPrintf(rc->variable, sizeof(rc->variable),
                          "%s: lambda U/D is %.3g with the longest relaxation time, %s %g %s",
                          RhxRepresentationNames[taken], weissenberg, beyond ? "beyond" : "at most", bound, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By auto, or unless one is named: the checkpoint's, for laws that have no stress to solve for and for `steady` what auto would take;
 * else the stress, and where auto would take the logarithm that is told. */
PetscErrorCode RhxCaseChooseVariable_Private(RhxCase rc)
{
  char variable[64] = "";
  const char *law;
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-polymer_variable", variable, sizeof(variable), NULL));
  if ((variable[0] && strcmp(variable, "auto")) || !rc->form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  if (!variable[0]) PetscCall(follow_checkpoint(rc, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormFindUncommuting(rc->form, &law));
  if (law)
    PetscCall(keep_plain(rc, law, (PetscBool)(variable[0] != 0)));
  else
    PetscCall(judge(rc, (PetscBool)(variable[0] != 0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
