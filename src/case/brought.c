/* Doubts about the polymer of the fluid that comes in. */
#include "boundary/backflow.h"
#include "boundary/memory.h"
#include "case/choose_impl.h"
#include "case/impl.h"
#include "form/relaxation.h"

/* 2 pi lambda over a period: there the stress of a Maxwell fluid is a tenth less than in steady flow */
#define REMEMBERED 0.5

static PetscErrorCode doubt_free(RhxCase rc, double t, double end)
{
  const char *label;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetFreeInlet(rc->bc, t, end, &label));
  if (!label) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: -bc_%s_polymer: got free for an inlet through which fluid comes in, with "
                         "a stress that nothing gives and that may grow there; expected developed, formula or rest, or "
                         "free where fluid goes out\n",
                         label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode doubt_rest(RhxCase rc, double t, double end)
{
  const char *label;
  double over;
  char option[RHX_STRING_LENGTH], polymer[32] = "";
  PetscBool said;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetDriven(rc->bc, t, end, RhxBoundaryBringsRest, &label, &over));
  if (!label) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_polymer_inflow", label));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &said));
  if (said) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_polymer", label));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, polymer, sizeof(polymer), NULL));
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: fluid comes in through '%s', which is open with a pressure %.3g Pa above "
                         "another one, and its polymer at rest: expected -bc_%s_polymer%s where the "
                         "channel goes on, or -bc_%s_polymer_inflow rest, as out of a reservoir, which says so\n",
                         label, over, label, strcmp(polymer, "zero") ? "_inflow developed" : " open in place of zero",
                         label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An inlet whose flow changes within the memory of the fluid: its developed stress is that of steady flow at the rate of the moment, or, with
 * memory, its profile alone is, where the law makes that another one. */
static PetscErrorCode doubt_memory(RhxCase rc, const char *label)
{
  const RhxGivenTime *given = &rc->step.shortest;
  char option[300], type[64], polymer[32] = "developed", times[400], what[512];
  double longest;
  PetscBool its, has = RhxBoundaryHasMemory(rc->bc, label), mixes;

  PetscFunctionBegin;
  PetscCall(RhxCaseTypeOf_Private(label, sizeof(type), type));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_polymer", label));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, polymer, sizeof(polymer), NULL));
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_", label));
  PetscCall(PetscStrncmp(given->option, option, strlen(option), &its));
  PetscCall(RhxFormRelaxationTime(rc->form, &longest));
  if (!its || strcmp(type, "inlet") || strcmp(polymer, "developed") ||
      !(2.0 * PETSC_PI * longest > REMEMBERED * given->time))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryHasMomentaryProfile(rc->bc, label, &mixes));
  if (has && !mixes) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(times, sizeof(times), "%.3g s (-%s) beside a relaxation time of %.3g s", given->time, given->option,
           longest);
  snprintf(what, sizeof(what),
           has ? "the stress of the polymer that comes in has its history, the profile of a law that thins is that of "
                 "steady flow at the rate of the moment (-bc_%s_profile developed)"
               : "the polymer comes in with the stress of steady flow at the rate of the moment "
                 "(-bc_%s_polymer_memory off)",
           label);
  PetscCall(
      PetscFPrintf(rc->comm, PETSC_STDERR,
                   "rheoplex: warning: the flow at the inlet '%s' changes in %s: %s, and stress and "
                   "pressure near the inlet are not those of the flow; expected %sthe inlet further upstream by "
                   "some times what fluid goes in it, %.2g m at -case_velocity, and drops of pressure between points "
                   "behind it (-diagnostic_<name>_kind pressure_difference)\n",
                   label, times, what, has ? "" : "auto, or ", longest * rc->option.velocity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseDoubtPolymer_Private(RhxCase rc, double t, PetscBool steady)
{
  const double end = !steady && rc->stop.time > t ? rc->stop.time : t;

  PetscFunctionBegin;
  if (!rc->form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(doubt_free(rc, t, end));
  PetscCall(doubt_rest(rc, t, end));
  for (PetscInt i = 0; i < rc->space->nlabels && !steady && rc->step.shortest.time > 0.0; i++)
    PetscCall(doubt_memory(rc, rc->space->faces[i].label));
  PetscFunctionReturn(PETSC_SUCCESS);
}
