/* What the units of the case, U and D, say of it: Reynolds and Weissenberg numbers, and whether mesh and conditions are in them. */
#include "case/impl.h"
#include "form/relaxation.h"
#include "form/scalars.h"
#include "petsc_compat.h"
#include <string.h>

#define HARDLY 0.01  /* shifted */
#define APART 100.0  /* a given velocity and U */
#define FAINT 1000.0 /* two given velocities */
#define LONG 1000.0  /* the mesh in D, which is what mm for m make of a gap */
#define ROUNDING 1e-6
#define SHORT 0.1
#define MOST_RE 1e6 /* beyond either nothing is resolved, or nothing is felt of inertia: other units */
#define LEAST_RE 1e-12
#define MOST_WI 100.0 /* steady flows are computed to tens; ms that stand for s make 1000 of 1 */
#define LARGE \
  100.0 /* m, of a mesh with a fluid as dense as LIQUID and as thin as THIN: SI units, but for the lengths */
#define LIQUID 100.0
#define THIN 0.1
#define UNITS \
  10.0 /* D/U that are looked at where no -stop_time ends the run: what grows in time may not yet be large */

double RhxCaseLookUntil_Private(RhxCase rc, double t)
{
  return rc->stop.time > t ? rc->stop.time : t + UNITS * rc->option.length / rc->option.velocity;
}

/* The mode with the longest relaxation time at rest, s, and lambda as the law was given it, shifted too; 0: it has none. */
static PetscErrorCode longest_time(RhxCase rc, double *rest, double *given)
{
  double shift[2];

  PetscFunctionBegin;
  *rest = *given = 0.0;
  PetscCall(RhxFormUsualShift(rc->form, shift));
  for (PetscInt m = 0; m < rc->form->nmodes; m++) {
    const RhxPlugin *law = rc->form->mode[m].law;
    double time;
    PetscCall(RhxFormRelaxationTimeOf(rc->form, m, &time));
    if (!(time > *rest)) continue;
    *rest = time;
    *given = 0.0;
    for (int i = 0; i < law->nrows; i++)
      if (law->rows[i].kind == RHX_REAL && !strcmp(law->rows[i].name, "lambda"))
        *given = shift[0] * *(const double *)((const char *)rc->form->mode[m].par + law->rows[i].offset);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ", Wi 0.97 (lambda U/D, lambda 0.00485 s at rest)": what laws have there, which springs that stiffen make less of than their lambda. */
static PetscErrorCode describe_weissenberg(RhxCase rc, size_t size, char *text)
{
  double rest, given;
  char less[64] = "";

  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(longest_time(rc, &rest, &given));
  if (given > 0.0 && !(PetscAbsReal(rest - given) <= ROUNDING * given))
    snprintf(less, sizeof(less), ", lambda %.4g s at rest", rest);
  if (rc->form->nmodes)
    snprintf(text, size, ", Wi %.3g (lambda U/D%s)", rest * rc->option.velocity / rc->option.length, less);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ", Pe 663 (U D over the diffusivity of temperature)" of each scalar field that diffuses. */
static PetscErrorCode describe_peclet(RhxCase rc, size_t size, char *text)
{
  char one[128];
  PetscReal D;

  PetscFunctionBegin;
  text[0] = 0;
  for (PetscInt k = 0; k < rc->form->nscalars; k++) {
    PetscCall(RhxFormDiffusivity(rc->form, k, &D));
    if (k == rc->form->swirl || !(D > 0.0)) continue;
    snprintf(one, sizeof(one), ", Pe %.3g (U D over the diffusivity of %.64s)",
             rc->option.velocity * rc->option.length / D, rc->form->scalar[k].row->name);
    PetscCall(PetscStrlcat(text, one, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseDescribeUnits_Private(RhxCase rc, size_t size, char *text)
{
  const double U = rc->option.velocity, D = rc->option.length;
  double eta, shift[2];
  char wi[128], shifted[96] = "", peclet[256];

  PetscFunctionBegin;
  PetscCall(RhxFormViscosityAt(rc->form, U / D, &eta));
  PetscCall(describe_weissenberg(rc, sizeof(wi), wi));
  PetscCall(RhxFormUsualShift(rc->form, shift));
  if (!(PetscAbsReal(shift[0] - 1.0) <= HARDLY))
    PetscCall(PetscSNPrintf(shifted, sizeof(shifted), ", of laws shifted by %.3g, as the initial fields do", shift[0]));
  PetscCall(describe_peclet(rc, sizeof(peclet), peclet));
  PetscCall(PetscSNPrintf(text, size, "units U = %.6g m/s, D = %.6g m: Re %.3g (rho U D/eta)%s%s%s", U, D,
                          rc->form->rho * U * D / eta, wi, peclet, shifted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_extent(RhxCase rc, double *extent)
{
  double side[3];

  PetscFunctionBegin;
  PetscCall(RhxSpaceGetExtent(rc->space, side));
  *extent = PetscMax(side[0], PetscMax(side[1], side[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of what the case's own units make, and of a liquid's SI density and viscosity beside lengths that are not in m. */
static PetscErrorCode warn_of_reynolds(RhxCase rc)
{
  const double U = rc->option.velocity, D = rc->option.length, rho = rc->form->rho;
  double eta = 0.0, extent = 0.0, re;
  char large[96] = "", text[256];

  PetscFunctionBegin;
  PetscCall(RhxFormViscosityAt(rc->form, U / D, &eta));
  PetscCall(find_extent(rc, &extent));
  if (!(eta > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  re = rho * U * D / eta;
  if (extent >= LARGE && rho >= LIQUID && eta <= THIN)
    snprintf(large, sizeof(large), ", with a mesh of %.3g m of a liquid: expected less than %g m, and Re", extent,
             LARGE);
  if (!large[0] && (rc->form->convection == 0.0 || (re <= MOST_RE && re >= LEAST_RE)))
    PetscFunctionReturn(PETSC_SUCCESS);
  /* PETSc prints 10 as "10." */
  snprintf(text, sizeof(text), "rho %g kg/m^3, U %g m/s, D %g m, eta %.3g Pa s%s %g to %g", rho, U, D, eta,
           large[0] ? large : ": expected", LEAST_RE, MOST_RE);
  PetscCall(PetscFPrintf(
      rc->comm, PETSC_STDERR,
      "rheoplex: warning: Re %.3g (rho U D/eta) is of %s; is a length in other units (-mesh_scale 1e-6 for "
      "micrometres, 0.001 for mm; -case_length in m), a velocity (1 mm/s is 0.001), a flow rate (1 ul/min is 1.67e-11 "
      "m^3/s) or a viscosity (1 mPa s is 0.001)?\n",
      re, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No mode relaxes while the polymer flows by. Of a spectrum slow modes alone may not, which carry little. */
static PetscErrorCode warn_of_weissenberg(RhxCase rc)
{
  const double U = rc->option.velocity, D = rc->option.length;
  double shortest = PETSC_INFINITY, time;
  char text[128];

  PetscFunctionBegin;
  for (PetscInt m = 0; m < rc->form->nmodes; m++) {
    PetscCall(RhxFormRelaxationTimeOf(rc->form, m, &time));
    shortest = PetscMin(shortest, time);
  }
  if (!rc->form->nmodes || !(shortest * U / D > MOST_WI)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text, sizeof(text), "lambda %.4g s, U %g m/s, D %g m: expected at most %g", shortest, U, D, MOST_WI);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: Wi %.3g (lambda U/D) is of %s; is a relaxation time in other units (1 ms "
                         "is 0.001 s), a length (-case_length in m, -mesh_scale) or a velocity (1 mm/s is 0.001)?\n",
                         shortest * U / D, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode warn_of_length(RhxCase rc)
{
  const double D = rc->option.length;
  double extent = 0.0;

  PetscFunctionBegin;
  PetscCall(find_extent(rc, &extent));
  if (extent < (1.0 - ROUNDING) * LONG * D && extent >= SHORT * D) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
      PetscFPrintf(rc->comm, PETSC_STDERR,
                   "rheoplex: warning: the mesh is %.3g m long, %.3g times -case_length, %.3g m: expected 0.1 to 1000 "
                   "times, by the -case_length of a gap or a diameter, by which the time step is chosen and a run is "
                   "judged, or -mesh_scale 0.001 for a mesh in mm, 1e-6 for micrometres\n",
                   extent, extent / D, D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What another unit of a flow rate would be, by the dimension. */
static const char *unit_of_rates(RhxCase rc)
{
  return rc->space->dim == 3 || rc->space->axisymmetric ? "a flow rate in m^3/s (1 ml/s is 1e-6, 1 ul/min 1.67e-11)"
                                                        : "a flow rate in m^2/s, per m of depth";
}

static PetscErrorCode warn_of_slow_rate(RhxCase rc, double t, double end, double fastest)
{
  char option[256];
  double speed;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetSlowestRate(rc->bc, t, end, &speed, option));
  if (!(speed > 0.0) || speed * FAINT >= fastest) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: the fastest velocity by -%s, %.3g m/s, is %.3g times the fastest that is "
                         "given, %.3g m/s: expected 0 or more than 0.001 times, by %s\n",
                         option, speed, speed / fastest, fastest, unit_of_rates(rc)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of rows that a condition takes once, beside the run's end: they may be over long before it. */
static PetscErrorCode warn_of_rows_once(RhxCase rc)
{
  PetscBool more = PETSC_TRUE;
  RhxGivenTime span;
  char text[32]; /* PETSc writes 100 as "100." */

  PetscFunctionBegin;
  snprintf(text, sizeof(text), "%g", APART);
  for (PetscInt i = 0; more && rc->stop.time > 0.0; i++) {
    PetscCall(RhxBoundaryGetRowsOnce(rc->bc, i, &span, &more));
    if (span.time <= APART * rc->stop.time) continue;
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: the rows of -%s, taken once, last %.3g s, %.3g times the run's end "
                           "(-stop_time), %.3g s: are their times in other units (-%s_time_scale 0.001 for ms)? "
                           "expected up to %s times\n",
                           span.option, span.time, span.time / rc->stop.time, rc->stop.time, span.option, text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfUnits_Private(RhxCase rc, double t, double end)
{
  const double U = rc->option.velocity;
  char option[256];
  double speed;
  PetscBool rate = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(warn_of_length(rc));
  PetscCall(warn_of_reynolds(rc));
  PetscCall(warn_of_rows_once(rc));
  PetscCall(warn_of_weissenberg(rc));
  PetscCall(RhxBoundaryGetFastest(rc->bc, t, end, &speed, option));
  PetscCall(warn_of_slow_rate(rc, t, end, speed));
  if (!(speed > 0.0) || (speed <= APART * U && speed * APART >= U)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrendswith(option, "_flow_rate", &rate));
  PetscCall(PetscFPrintf(
      rc->comm, PETSC_STDERR,
      "rheoplex: warning: the fastest velocity that is given, %.3g m/s by -%s, is %.3g times -case_velocity, %.3g m/s: "
      "expected a -case_velocity of its size, by which the time step is chosen and a run is judged%s%s\n",
      speed, option, speed / U, U, rate ? ", or " : "", rate ? unit_of_rates(rc) : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}
