/* Runs that begin at rest: inlets in time that do not; of a polymer, a first step that is long beside the flow's own times, within which all
 * that is given begins. */
#include "boundary/timescale.h"
#include "boundary/told.h"
#include "case/choose_impl.h"
#include "case/impl.h"
#include "form/relaxation.h"

#define LONG 5.0    /* times D/U and the longest relaxation time: to Newton's method it is the steady state at once */
#define ELASTIC 0.3 /* lambda U/D, with less of which that is one of a few iterations */
#define SHORT 10.0  /* steps in the shorter of these times, with which Newton's method comes to its end in a few */

/* No restart, no -initial_velocity. */
static PetscErrorCode begins_at_rest(RhxCase rc, PetscBool *rests)
{
  char velocity[RHX_STRING_LENGTH] = "";

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-initial_velocity", velocity, sizeof(velocity), NULL));
  *rests = (PetscBool)(!rc->option.restart[0] && !velocity[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define PULSE ": a jump in the first step, by most schemes with a pulse of the pressure%s; expected "
#define BEGUN "or a flow to begin with (-case_restart, -initial_velocity)\n"

/* A pressure that does not begin at 0 is none of them: it moves a flow at rest no faster than rho du/dt lets it. Nor is a constant velocity, which
 * says what it begins with. What a run to rest, or to a period, begins with is forgotten. */
static PetscErrorCode warn_of_jumps(RhxCase rc, double t)
{
  const PetscBool forgets = (PetscBool)(rc->stop.steady_tol > 0.0 || rc->stop.settled[0] || rc->stop.periodic[0]);
  const char *const waves = rc->form->nmodes ? ", behind which waves of the stress follow" : "";
  const double end = RhxCaseLookUntil_Private(rc, t);
  RhxTold jumps = {0};
  char names[512], parts[256];
  double mean;

  PetscFunctionBegin;
  if (forgets || !(rc->form->rho > 0.0 || rc->form->nmodes)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryGetJumps(rc->bc, t, end, &jumps));
  RhxToldName(&jumps, "'", "'", sizeof(names), names);
  RhxToldValues(&jumps, 100.0, sizeof(parts), parts);
  if (jumps.n)
    PetscCall(
        PetscFPrintf(rc->comm, PETSC_STDERR,
                     "rheoplex: note: the fluid is at rest, and what comes in through %s begins with %s %% of its "
                     "largest flow" PULSE "-bc_%s_ramp, over which it is raised, a waveform that begins at 0, " BEGUN,
                     names, parts, waves, RhxToldOption(&jumps)));
  PetscCall(RhxToldDestroy(&jumps));
  PetscCall(RhxBoundaryGetMeanJump(rc->bc, t, end, &mean));
  snprintf(parts, sizeof(parts), "%.3g", 100.0 * mean); /* PETSc writes 50 as "50." */
  if (mean > 0.0)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: note: the fluid is at rest, and -form_mean_velocity begins with %s %% of its "
                           "largest value" PULSE "one that begins at 0, " BEGUN,
                           parts, waves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfAbrupt_Private(RhxCase rc, double t, double dt)
{
  double longest, speed, own, pass;
  char given[256], text[512], step[128]; /* PETSc writes 10 as "10." */
  PetscBool constant = PETSC_FALSE, newton = PETSC_FALSE, rests = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RhxSchemeHasNewton(rc->ts, &newton));
  PetscCall(RhxCaseStepIsConstant_Private(rc, &constant));
  PetscCall(begins_at_rest(rc, &rests));
  if (rests) PetscCall(warn_of_jumps(rc, t));
  if (!newton || !constant || !rests || !rc->form->nmodes || RhxBoundaryGetRampsEnd(rc->bc, t) > t + dt)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormRelaxationTime(rc->form, &longest));
  PetscCall(RhxBoundaryGetFastest(rc->bc, t + dt, t + dt, &speed, given));
  if (!(speed > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  pass = rc->option.length / speed;
  own = PetscMax(pass, longest);
  if (!(longest > ELASTIC * pass && dt > LONG * own)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text, sizeof(text),
           "%g s, is %.2g times the flow's own time (D/U %.2g s with -%s, the longest relaxation time %.2g s)", dt,
           dt / own, pass, given, longest);
  snprintf(step, sizeof(step), "-scheme_%.64s_dt %.1g", rc->general.scheme, PetscMin(pass, longest) / SHORT);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: the first step, %s, and from rest all that is given begins within it: "
                         "Newton's method may try it for long, with shorter steps too; expected %s, steps by their "
                         "error (-ts_adapt_type basic), or conditions that are raised over some steps "
                         "(-bc_<label>_ramp); -scheme steady finds the state at rest\n",
                         text, step));
  PetscFunctionReturn(PETSC_SUCCESS);
}
