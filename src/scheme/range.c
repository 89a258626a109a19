#include "form/relaxation.h"
#include "petsc_compat.h"
#include "scheme/range_impl.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 5       /* of a range that is advised and falls or rises to a number */
#define INERTIAL 20.0 /* a Reynolds number: with less, viscosity leads Newton's method from rest */
#define INSIDE 1e-4   /* of `by`: what stands for the limit at an open bound of the parameter is so far from it */

/* What the case has for this option, or NULL. */
static PetscErrorCode find_text(const char *option, const char **text)
{
  PetscInt n;
  PetscFunctionBegin;
  *text = NULL;
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n && !*text; i++) {
    const char *name, *value;
    PetscCall(RhxOptionsReadGet(i, &name, &value, NULL));
    if (!strcmp(name, option)) *text = value;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A value that is an open bound: 1 where it is the lower one, -1 the upper one; else 0. */
static double is_open_bound(const RhxRow *row, double value)
{
  if (row->bound == RHX_GT && value == row->lower) return 1.0;
  return row->bound == RHX_IN_RIGHT_OPEN && value == row->upper ? -1.0 : 0.0;
}

double RhxRangeTaken(const RhxRange *r, double value)
{
  return r->how.time ? value : value + is_open_bound(r->row, value) * INSIDE * fabs(r->by);
}

double RhxRangeCalled(const RhxRange *r, double value)
{
  return value == RhxRangeTaken(r, r->to) ? r->to : value == RhxRangeTaken(r, r->from) ? r->from : value;
}

/* The ratios of the modes' values, where the case gives several of them; both ends in every mode. */
static PetscErrorCode read_ratios(RhxScheme sc, RhxRange *r)
{
  const MPI_Comm comm = sc->form->comm;
  const double end[] = {r->from, r->to};
  const char *given;
  char option[256], text[RHX_STRING_LENGTH], takes[256];
  double largest = 0.0;
  PetscFunctionBegin;
  PetscCall(find_text(r->how.option, &given));
  snprintf(option, sizeof(option), "%s", r->how.option);
  RhxParameterRead(option, given, RHX_LARGEST_MODE, &r->how, &largest);
  PetscCheck(r->how.n, comm, PETSC_ERR_USER_INPUT,
             "-scheme_steady_continuation: got %s, of which the case gives %s, expected a value > 0 of some mode, to "
             "which the others keep their ratios",
             option, given);
  if (r->how.n < 2) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text, sizeof(text), "%g", largest);
  PetscCall(PetscPrintf(comm,
                        "continuation: the value of %s is that of the largest of %" PetscInt_FMT
                        " modes, %s in the case; the others keep their ratios to it\n",
                        option, r->how.n, text));
  RhxRowDescribe(r->row, takes, sizeof(takes));
  for (PetscInt m = 0; m < 2 * r->how.n; m++) {
    const double value = RhxRangeTaken(r, end[m % 2]) * r->how.factor[m / 2];
    snprintf(text, sizeof(text), "%s = %g, with which mode %d has %g", option, end[m % 2], (int)m / 2, value);
    PetscCheck(RhxRowHolds(r->row, value), comm, PETSC_ERR_USER_INPUT,
               "-scheme_steady_continuation: got %s, expected %s in every mode", text, takes);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the row. */
static PetscErrorCode find_row(RhxScheme sc, RhxRange *r)
{
  const char *known;
  PetscFunctionBegin;
  PetscCall(find_text(r->how.option, &known));
  r->row = RhxOptionRow(r->how.option);
  PetscCheck(known && r->row && r->row->kind == RHX_REAL &&
                 (!strncmp(r->how.option, "physics_", 8) || !strncmp(r->how.option, "stabiliser_", 11) ||
                  !strcmp(r->how.option, "form_density")),
             sc->form->comm, PETSC_ERR_USER_INPUT,
             "-scheme_steady_continuation: got the option '%s', expected a parameter of a law or a stabiliser of this "
             "case that is a number (physics_..., stabiliser_...), form_density, or " RHX_PARAMETER_TIME
             ", the time at which conditions and sources are taken, so that formulas in t say how they grow, such as "
             "-bc_inlet_flow_rate \"0.2*t\" with -scheme_steady_continuation t=0.1:0.1:1",
             r->how.option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_ends(RhxScheme sc, const RhxRange *r)
{
  const MPI_Comm comm = sc->form->comm;
  const double end[] = {r->from, r->to};
  char takes[256], text[300];
  PetscFunctionBegin;
  RhxRowDescribe(r->row, takes, sizeof(takes));
  for (int k = 0; k < 2; k++) {
    const double side = is_open_bound(r->row, end[k]);
    PetscCheck(side != 0.0 || RhxRowHolds(r->row, end[k]), comm, PETSC_ERR_USER_INPUT,
               "-scheme_steady_continuation: got %s = %g, expected %s%s", r->how.option, end[k], takes,
               r->row->bound == RHX_GT || r->row->bound == RHX_IN_RIGHT_OPEN ? ", or its limit" : "");
    if (side == 0.0 || (k && r->from == r->to)) continue;
    snprintf(text, sizeof(text), "%s = %g", r->how.option, end[k]);
    PetscCall(PetscPrintf(comm, "continuation: %s is a limit, for which %g stands\n", text, RhxRangeTaken(r, end[k])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRangeRead(RhxScheme sc, const char *text, RhxRange *r)
{
  int used = 0;
  PetscFunctionBegin;
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
      sscanf(text, "%255[^=]=%lf:%lf:%lf%n", r->how.option, &r->from, &r->by, &r->to, &used) == 4 && !text[used] &&
          r->by != 0.0 && (r->to - r->from) / r->by >= 0.0 && (r->to - r->from) / r->by < 1e6,
      sc->form->comm, PETSC_ERR_USER_INPUT,
      "-scheme_steady_continuation: got '%s', expected option=from:by:to with values from `from` to `to`, such as "
      "physics_oldroydb_lambda=0.1:0.1:0.7",
      text);
  r->how.time = (PetscBool)!strcmp(r->how.option, RHX_PARAMETER_TIME);
  if (r->how.time) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_row(sc, r));
  PetscCall(check_ends(sc, r));
  PetscCall(read_ratios(sc, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "physics_<law>_lambda" of a law that the form has modes of. */
static PetscBool is_relaxation(RhxForm form, const char *option)
{
  char own[256];
  for (PetscInt m = 0; m < form->nmodes; m++) {
    snprintf(own, sizeof(own), "physics_%s_lambda", form->mode[m].law->name);
    if (!strcmp(option, own)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The longest relaxation time that a polymer's law was given, of all modes, and its option; 0: none. */
static PetscErrorCode find_time(RhxForm form, size_t size, char *option, double *longest)
{
  PetscInt n;
  PetscFunctionBegin;
  *longest = 0.0;
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const char *name, *value;
    RhxParameter how;
    double lambda = 0.0;
    PetscCall(RhxOptionsReadGet(i, &name, &value, NULL));
    if (!is_relaxation(form, name)) continue;
    RhxParameterRead(name, value, RHX_LARGEST_MODE, &how, &lambda);
    if (!how.n || !(lambda > *longest) || isinf(lambda)) continue;
    *longest = lambda;
    snprintf(option, size, "%s", name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The shortest number that reads as the value. */
static const char *exactly(double value, char text[32])
{
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, 32, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  return text;
}

/* U and D of the case's units; false: no case says them. */
static PetscErrorCode find_units(double *velocity, double *length, PetscBool *said)
{
  const char *text[2];
  PetscFunctionBegin;
  PetscCall(find_text("case_velocity", &text[0]));
  PetscCall(find_text("case_length", &text[1]));
  *said = (PetscBool)(text[0] && text[1]);
  if (*said) *velocity = atof(text[0]);
  if (*said) *length = atof(text[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the solvent, where its viscosity varies: "option=from:by:to", or "". */
static PetscErrorCode find_curve(RhxForm form, size_t size, char *range)
{
  const RhxRow *row;
  double from, to, velocity, length;
  char end[32];
  PetscBool said;
  PetscFunctionBegin;
  range[0] = '\0';
  PetscCall(find_units(&velocity, &length, &said));
  if (!said) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormFindNonlinear(form, velocity / length, &row, &from, &to));
  if (row)
    snprintf(range, size, "physics_%s_%s=%.3g:%.3g:%s", form->viscous->name, row->name, from, (to - from) / STEPS,
             exactly(to, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rho U D/eta of the case's units; 0: without convection, or not known. */
static PetscErrorCode find_reynolds(RhxForm form, double *reynolds)
{
  double velocity, length, eta = 0.0;
  PetscBool said;
  PetscFunctionBegin;
  *reynolds = 0.0;
  PetscCall(find_units(&velocity, &length, &said));
  if (!said || form->convection == 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormViscosityAt(form, velocity / length, &eta));
  if (eta > 0.0) *reynolds = form->rho * velocity * length / eta;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRangeFindClimbs(RhxForm form, PetscInt *n, char range[RHX_MOST_CLIMBS][RHX_CLIMB_TEXT])
{
  char option[200], end[32];
  double longest, reynolds;
  PetscFunctionBegin;
  *n = 0;
  PetscCall(find_time(form, sizeof(option), option, &longest));
  PetscCall(find_reynolds(form, &reynolds));
  if (reynolds > INERTIAL)
    snprintf(range[(*n)++], RHX_CLIMB_TEXT, "form_density=%.3g:%.3g:%s", form->rho / 10, 0.225 * form->rho,
             exactly(form->rho, end));
  if (longest > 0.0)
    snprintf(range[(*n)++], RHX_CLIMB_TEXT, "%s=%.3g:%.3g:%s", option, longest / 10, longest / 10,
             exactly(longest, end));
  PetscCall(find_curve(form, RHX_CLIMB_TEXT, range[*n]));
  if (range[*n][0]) ++*n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRangeAdvise(RhxForm form, const char *hint, size_t size, char *text)
{
  char range[RHX_MOST_CLIMBS][RHX_CLIMB_TEXT], still[400];
  PetscInt n;
  PetscBool inviscid;
  PetscFunctionBegin;
  PetscCall(RhxFormIsInviscidAtRest(form, sizeof(still) - 2, still, &inviscid));
  if (inviscid) strcat(still, ", ");
  PetscCall(RhxRangeFindClimbs(form, &n, range));
  if (!n) snprintf(range[0], RHX_CLIMB_TEXT, "t=0.1:0.1:1, with flow rates or velocities times t");
  snprintf(text, size, "%s%s, or continuation (-scheme_steady_continuation %s)", still, hint, range[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
