/* Explicit steps of a polymer that a few thin elements, such as a sliver of a mesh generator, make many times shorter than the rest of the mesh:
 * implicit momentum and transport of the modes (bdf2) have steps that elastic waves alone bound, hardly with the solvent's damping. */
#include "case/choose_impl.h"
#include "case/impl.h"
#include "form/ask.h"
#include "scheme/thinnest.h"

#define AS_THIN 4.0      /* times the thinnest: in the rest of the mesh viscous steps are 16 times as long */
#define FEW 0.05         /* of all elements */
#define MANY 10000.0     /* steps; fewer take a moment */
#define FEWER 20.0       /* times, by bdf2, whose steps cost 1 to 3 explicit ones */
#define OF_STABILITY 0.9 /* of the limit */

/* An explicit scheme for a polymer that is followed in time, which bdf2 can advance too. */
static PetscBool may_be_implicit(RhxCase rc, double t)
{
  const PetscBool to_rest = (PetscBool)(rc->stop.steady_tol > 0.0 || rc->stop.settled[0]);
  return (PetscBool)(rc->form->nmodes && !rc->form->nscalars && rc->stop.time > t && !to_rest &&
                     !RhxFormHasAsked(rc->form, RHX_ASK_BDF2) && !RhxFormFindRefusal(rc->form, RHX_ASK_BDF2));
}

static PetscErrorCode tell(RhxCase rc, const RhxThin *thin, double dt, double steps, double longer)
{
  char at[128], got[320];
  const double *x = thin->centre;

  PetscFunctionBegin;
  snprintf(at, sizeof(at), rc->space->dim > 2 ? "(%.6g, %.6g, %.6g)" : "(%.6g, %.6g)", x[0], x[1], x[2]);
  snprintf(got, sizeof(got),
           "about %.3g steps of %.3g s because of %d of %d elements, the thinnest of %.3g m at %s m, the others more "
           "than %.0f times as thick",
           steps, dt, (int)thin->n, (int)thin->all, thin->thickness, at, AS_THIN);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: the run takes %s; expected about %.3g implicit steps: -scheme "
                         "fractional_step -scheme_fractional_step_integrator bdf2 -scheme_fractional_step_polymer "
                         "transport -scheme_fractional_step_dt %.2g; or a mesh without them, where they are slivers\n",
                         got, steps * dt / longer, longer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfThin_Private(RhxCase rc, double t)
{
  double limit[RHX_NLIMITS], dt, cfl, viscous, passing, waves, longer;
  PetscReal longest;
  RhxThin thin;

  PetscFunctionBegin;
  if (!may_be_implicit(rc, t)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxThinFind(rc->space, AS_THIN, &thin));
  if (!(thin.n < FEW * thin.all)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSGetTimeStep(rc->ts, &longest));
  PetscCall(RhxSchemeFindStep(rc->ts, limit, &dt, &cfl));
  if (!(cfl > 0.0 && dt > 0.0 && rc->stop.time - t > MANY * dt)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSchemeGetTransportStep(rc->ts, &waves));
  PetscCall(RhxCaseTimesOfUnits_Private(rc->form, &viscous, &passing));
  longer = RhxCaseRoundDown_Private(PetscMin(longest, PetscMin(viscous / RHX_FOLLOWING, OF_STABILITY * waves)));
  if (longer > FEWER * dt) PetscCall(tell(rc, &thin, dt, (rc->stop.time - t) / dt, longer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
