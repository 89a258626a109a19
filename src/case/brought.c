/* Doubts about the fluid that comes in: the profile of a flow rate in time, and its polymer. */
#include "boundary/backflow.h"
#include "boundary/memory.h"
#include "case/choose_impl.h"
#include "case/impl.h"
#include "form/relaxation.h"

/* 2 pi lambda over a period: there the stress of a Maxwell fluid is a tenth less than in steady flow */
#define REMEMBERED 0.5

/* Half width times sqrt(2 pi rho/(T eta)), from which on the steady profile is 10 to 13 % of its maximum off */
#define PULSATILE 2.5

/* An inlet whose flow rate changes faster than viscosity crosses it, with the profile of steady flow. */
static PetscErrorCode doubt_profile(RhxCase rc, const char *label, double t)
{
  RhxGivenTime given;
  PetscReal half, eta, number;
  PetscBool linear;
  char expected[400], rate[300];

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetQuasiSteady(rc->bc, label, &half, &linear));
  if (!(half > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCaseShortestTimeOf_Private(rc, label, t, &given));
  PetscCall(PetscSNPrintf(rate, sizeof(rate), "bc_%s_flow_rate", label));
  if (!(given.time > 0.0) || strcmp(given.option, rate)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormViscosityAt(rc->form, rc->option.velocity / half, &eta));
  number = half * sqrt(2.0 * PETSC_PI * rc->form->rho / (given.time * eta));
  if (!(number > PULSATILE)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(expected, sizeof(expected), "%s%s%sthe inlet further upstream", linear ? "-bc_" : "", linear ? label : "",
           linear ? "_profile womersley (of a formula with its period), or " : "");
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: note: the flow rate at the inlet '%s' changes in %.3g s, and comes in with the "
                         "profile of steady flow at the rate of each moment; its Womersley number, half a width of "
                         "%.3g m times sqrt(2 pi rho/(T eta)), is %.3g, so that pulsatile flow has another one: "
                         "expected %s\n",
                         label, given.time, half, number, expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode doubt_free(RhxCase rc, double t, double end)
{
  RhxTold inlets = {0};
  char names[512];

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetFreeInlets(rc->bc, t, end, &inlets));
  RhxToldName(&inlets, "-bc_", "_polymer", sizeof(names), names);
  if (inlets.n)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: %s: got free for %s through which fluid comes in, with a stress that "
                           "nothing gives and that may grow there; expected developed, formula or rest, or free where "
                           "fluid goes out\n",
                           names, inlets.n > 1 ? "inlets" : "an inlet"));
  PetscCall(RhxToldDestroy(&inlets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of driven labels those that do not say so; text: their options where the channel goes on. */
static PetscErrorCode choose_unsaid(const RhxTold *driven, RhxTold *unsaid, size_t size, char *text)
{
  PetscFunctionBegin;
  text[0] = '\0';
  for (PetscInt k = 0; k < driven->n; k++) {
    const char *label = driven->label[k];
    const size_t used = strlen(text);
    char option[300], polymer[32] = "";
    PetscBool said;

    PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_polymer_inflow", label));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, &said));
    if (said) continue;
    PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_polymer", label));
    PetscCall(PetscOptionsGetString(NULL, NULL, option, polymer, sizeof(polymer), NULL));
    snprintf(text + used, size - used, "%s%s%s", used ? ", " : "", option,
             strcmp(polymer, "zero") ? "_inflow developed" : " open in place of zero");
    PetscCall(RhxToldAdd(unsaid, label, driven->value[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode doubt_rest(RhxCase rc, double t, double end)
{
  RhxTold driven = {0}, unsaid = {0};
  char names[512], over[256], expected[1024];

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetDriven(rc->bc, t, end, RhxBoundaryBringsRest, &driven));
  PetscCall(choose_unsaid(&driven, &unsaid, sizeof(expected), expected));
  RhxToldName(&unsaid, "'", "'", sizeof(names), names);
  RhxToldValues(&unsaid, 1.0, sizeof(over), over);
  if (unsaid.n)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: fluid comes in through %s, which %s open with a pressure %s Pa above "
                           "another one, and its polymer at rest: expected %s where the channel goes on, or "
                           "-bc_%s_polymer_inflow rest, as out of a reservoir, which says so\n",
                           names, unsaid.n > 1 ? "are" : "is", over, expected, RhxToldOption(&unsaid)));
  PetscCall(RhxToldDestroy(&driven));
  PetscCall(RhxToldDestroy(&unsaid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An inlet whose flow changes within the memory of the fluid: its developed stress is that of steady flow at the rate of the moment, or, with
 * memory, its profile alone is, where the law makes that another one. */
static PetscErrorCode doubt_memory(RhxCase rc, const char *label, double t)
{
  RhxGivenTime given;
  char option[300], type[64], polymer[32] = "developed", times[400], what[512];
  double longest;
  PetscBool has = RhxBoundaryHasMemory(rc->bc, label), mixes;

  PetscFunctionBegin;
  PetscCall(RhxCaseTypeOf_Private(label, sizeof(type), type));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_polymer", label));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, polymer, sizeof(polymer), NULL));
  if (strcmp(type, "inlet") || strcmp(polymer, "developed")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCaseShortestTimeOf_Private(rc, label, t, &given));
  PetscCall(RhxFormRelaxationTime(rc->form, &longest));
  if (!(given.time > 0.0 && 2.0 * PETSC_PI * longest > REMEMBERED * given.time)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryHasMomentaryProfile(rc->bc, label, &mixes));
  if (has && !mixes) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(times, sizeof(times), "%.3g s (-%s) beside a relaxation time of %.3g s", given.time, given.option, longest);
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

PetscErrorCode RhxCaseDoubtInflow_Private(RhxCase rc, double t, PetscBool steady)
{
  const double end = !steady && rc->stop.time > t ? rc->stop.time : t;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < rc->space->nlabels && !steady && rc->form->convection > 0.0 && rc->step.shortest.time > 0.0;
       i++)
    PetscCall(doubt_profile(rc, rc->space->faces[i].label, t));
  if (!rc->form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(doubt_free(rc, t, end));
  PetscCall(doubt_rest(rc, t, end));
  for (PetscInt i = 0; i < rc->space->nlabels && !steady && rc->step.shortest.time > 0.0; i++)
    PetscCall(doubt_memory(rc, rc->space->faces[i].label, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}
