#include "petsc_compat.h"
#include "scheme/parameter_impl.h"
#include <math.h>

#define INSIDE 1e-4 /* of `by`: what stands for the limit at an open bound of the parameter is so far from it */

/* Does the case have this option? */
static PetscErrorCode is_read(const char *option, PetscBool *read)
{
  PetscInt n;
  PetscFunctionBegin;
  *read = PETSC_FALSE;
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n && !*read; i++) {
    const char *name, *value;
    PetscCall(RhxOptionsReadGet(i, &name, &value, NULL));
    PetscCall(PetscStrcmp(name, option, read));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A value that is an open bound: 1 where it is the lower one, -1 the upper one; else 0. */
static double is_open_bound(const RhxRow *row, double value)
{
  if (row->bound == RHX_GT && value == row->lower) return 1.0;
  return row->bound == RHX_IN_RIGHT_OPEN && value == row->upper ? -1.0 : 0.0;
}

double RhxParameterTaken(const RhxParameter *pm, double value)
{
  return pm->time ? value : value + is_open_bound(pm->row, value) * INSIDE * fabs(pm->by);
}

double RhxParameterCalled(const RhxParameter *pm, double value)
{
  return value == RhxParameterTaken(pm, pm->to) ? pm->to : value == RhxParameterTaken(pm, pm->from) ? pm->from : value;
}

/* The ratios of the modes' values, where the case gives several of them; both ends in every mode. */
static PetscErrorCode read_ratios(RhxScheme sc, RhxParameter *pm)
{
  const MPI_Comm comm = sc->form->comm;
  char option[260], text[RHX_STRING_LENGTH] = "";
  const double end[] = {pm->from, pm->to};
  double largest = 0.0;
  char number[32], takes[256];
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%s", pm->option));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, text, sizeof(text), NULL));
  PetscCall(PetscMalloc1(RHX_MAX_MODES, &pm->ratio));
  for (char *p = text; p && *p && pm->nmodes < RHX_MAX_MODES; p = *p ? p + 1 : NULL) {
    pm->ratio[pm->nmodes++] = strtod(p, NULL);
    p += strcspn(p, ",");
  }
  if (pm->nmodes < 2) PetscCall(PetscFree(pm->ratio));
  for (PetscInt m = 0; pm->ratio && m < pm->nmodes; m++) largest = PetscMax(largest, pm->ratio[m]);
  PetscCheck(!pm->ratio || largest > 0.0, comm, PETSC_ERR_USER_INPUT,
             "-scheme_steady_continuation: got %s, of which the case gives %s, expected a value > 0 of some mode, to "
             "which the others keep their ratios",
             pm->option, text);
  snprintf(number, sizeof(number), "%g", largest);
  for (PetscInt m = 0; pm->ratio && m < pm->nmodes; m++) pm->ratio[m] /= largest;
  if (pm->ratio)
    PetscCall(PetscPrintf(comm,
                          "continuation: the value of %s is that of the largest of %" PetscInt_FMT
                          " modes, %s in the case; the others keep their ratios to it\n",
                          pm->option, pm->nmodes, number));
  RhxRowDescribe(pm->row, takes, sizeof(takes));
  for (PetscInt m = 0; pm->ratio && m < 2 * pm->nmodes; m++) {
    const double value = RhxParameterTaken(pm, end[m % 2]) * pm->ratio[m / 2];
    snprintf(text, sizeof(text), "%s = %g, with which mode %d has %g", pm->option, end[m % 2], (int)m / 2, value);
    PetscCheck(RhxRowHolds(pm->row, value), comm, PETSC_ERR_USER_INPUT,
               "-scheme_steady_continuation: got %s, expected %s in every mode", text, takes);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the row. */
static PetscErrorCode find_row(RhxScheme sc, RhxParameter *pm)
{
  PetscBool known;
  PetscFunctionBegin;
  PetscCall(is_read(pm->option, &known));
  pm->row = RhxOptionRow(pm->option);
  PetscCheck(known && pm->row && pm->row->kind == RHX_REAL &&
                 (!strncmp(pm->option, "physics_", 8) || !strncmp(pm->option, "stabiliser_", 11) ||
                  !strcmp(pm->option, "form_density")),
             sc->form->comm, PETSC_ERR_USER_INPUT,
             "-scheme_steady_continuation: got the option '%s', expected a parameter of a law or a stabiliser of this "
             "case that is a number (physics_..., stabiliser_...), form_density, or " RHX_PARAMETER_TIME
             ", the time at which conditions and sources are taken, so that formulas in t say how they grow, such as "
             "-bc_inlet_flow_rate \"0.2*t\" with -scheme_steady_continuation t=0.1:0.1:1",
             pm->option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_ends(RhxScheme sc, const RhxParameter *pm)
{
  const MPI_Comm comm = sc->form->comm;
  const double end[] = {pm->from, pm->to};
  char takes[256], text[300];
  PetscFunctionBegin;
  RhxRowDescribe(pm->row, takes, sizeof(takes));
  for (int k = 0; k < 2; k++) {
    const double side = is_open_bound(pm->row, end[k]);
    PetscCheck(side != 0.0 || RhxRowHolds(pm->row, end[k]), comm, PETSC_ERR_USER_INPUT,
               "-scheme_steady_continuation: got %s = %g, expected %s%s", pm->option, end[k], takes,
               pm->row->bound == RHX_GT || pm->row->bound == RHX_IN_RIGHT_OPEN ? ", or its limit" : "");
    if (side == 0.0 || (k && pm->from == pm->to)) continue;
    snprintf(text, sizeof(text), "%s = %g", pm->option, end[k]);
    PetscCall(
        PetscPrintf(comm, "continuation: %s is a limit, for which %g stands\n", text, RhxParameterTaken(pm, end[k])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxParameterRead(RhxScheme sc, const char *text, RhxParameter *pm)
{
  int used = 0;
  PetscFunctionBegin;
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
      sscanf(text, "%255[^=]=%lf:%lf:%lf%n", pm->option, &pm->from, &pm->by, &pm->to, &used) == 4 && !text[used] &&
          pm->by != 0.0 && (pm->to - pm->from) / pm->by >= 0.0 && (pm->to - pm->from) / pm->by < 1e6,
      sc->form->comm, PETSC_ERR_USER_INPUT,
      "-scheme_steady_continuation: got '%s', expected option=from:by:to with values from `from` to `to`, such as "
      "physics_oldroydb_lambda=0.1:0.1:0.7",
      text);
  PetscCall(PetscStrcmp(pm->option, RHX_PARAMETER_TIME, &pm->time));
  if (pm->time) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_row(sc, pm));
  PetscCall(check_ends(sc, pm));
  PetscCall(read_ratios(sc, pm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxParameterDestroy(RhxParameter *pm)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(pm->ratio));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxParameterSet(RhxScheme sc, const RhxParameter *pm, const char *name, double value)
{
  const PetscBool modes = (PetscBool)(pm->ratio && !strcmp(name, pm->option));
  char option[260], text[25 * RHX_MAX_MODES];
  char number[32];
  size_t used = 0;
  PetscBool same;
  PetscFunctionBegin;
  snprintf(number, sizeof(number), "%g", value);
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%s", name));
  for (PetscInt m = 0; m < (modes ? pm->nmodes : 1); m++)
    used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.16g", m ? "," : "",
                             value * (modes ? pm->ratio[m] : 1.0));
  PetscCall(PetscOptionsSetValue(NULL, option, text));
  PetscCall(RhxFormReadParameters(sc->form, &same));
  PetscCheck(same, sc->form->comm, PETSC_ERR_USER_INPUT,
             "-scheme_steady_continuation: got %s = %s, where the stabilisers project other fields than with what the "
             "case gives it, expected values where they project the same",
             name, number);
  PetscCall(RhxOpsTakeParameters(sc->ops));
  PetscCall(RhxBoundaryRenew(sc->bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
