/* The verb check-law: laws against what they say, in every dimension, with the parameters given and each choice of words. */
#include "app/app.h"
#include "law/lawcheck.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include "plugin/word.h"
#include <stddef.h>
#include <string.h>

typedef struct {
  const RhxPlugin *law;
  char prefix[256];
  PetscInt nmodes;
  char *par; /* nmodes parameter structs, owned */
  char hint[256];
  PetscBool commutes; /* its rate with c */
} Session;

static PetscErrorCode is_set(const Session *se, const RhxRow *row, PetscBool *set)
{
  char option[512];
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%s%s", se->prefix, row->name));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number within the bounds of a row that has no default: none is 1, no two are the same. */
static double number_for(const RhxRow *row, int r)
{
  if (row->bound == RHX_IN || row->bound == RHX_IN_RIGHT_OPEN) return 0.5 * (row->lower + row->upper);
  if (row->kind == RHX_REAL && row->lower == 0 && row->unit && strcmp(row->unit, "1") == 0) return 0.2 + 0.07 * r;
  return (row->bound == RHX_ANY ? 0.0 : row->lower) + (row->kind == RHX_INT ? 2 + r : 1.25 + 0.5 * r);
}

static PetscErrorCode give_required(const Session *se)
{
  PetscFunctionBegin;
  for (int r = 0; r < se->law->nrows; r++) {
    const RhxRow *row = &se->law->rows[r];
    PetscBool set;
    char option[512], value[64];
    PetscCall(is_set(se, row, &set));
    if (set || row->value || (row->kind != RHX_REAL && row->kind != RHX_INT)) continue;
    PetscCall(PetscSNPrintf(option, sizeof(option), "-%s%s", se->prefix, row->name));
    snprintf(value, sizeof(value), "%g", number_for(row, r));
    PetscCall(PetscOptionsSetValue(NULL, option, value));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  not given, tried with: %s %s\n", option, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_mode(Session *se, PetscInt mode, const char *par)
{
  static const int size[3][2] = {{2, 3}, {2, 4}, {3, 6}};
  const RhxPlugin *law = se->law;
  PetscFunctionBegin;
  for (int s = 0; s < 3; s++) {
    RhxLawCase lc = {law, par, 0.0, mode, size[s][0], size[s][1]};
    if (lc.ntens == 3 && (law->flags & RHX_OUT_OF_PLANE)) continue;
    if (law->slip_row >= 0) lc.slip = *(const double *)(par + law->rows[law->slip_row].offset);
    PetscCall(RhxLawCheck(PETSC_COMM_WORLD, &lc, sizeof(se->hint), se->hint));
    PetscCall(RhxLawCheckFar(PETSC_COMM_WORLD, &lc));
    if (law->kind == RHX_POLYMERIC && se->commutes) PetscCall(RhxLawCommutes(&lc, &se->commutes));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With every value of a choice that was not made, and with a slip where none was given. */
static PetscErrorCode check_variations(Session *se, PetscInt mode)
{
  const RhxPlugin *law = se->law;
  char *par;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(law->param_size, &par));
  for (int r = 0; r < law->nrows; r++) {
    const RhxRow *row = &law->rows[r];
    PetscBool set;
    int n = row->kind == RHX_CHOICE ? 1 : 0;
    for (const char *p = row->choices; n && (p = strchr(p, '|')); p++) n++;
    PetscCall(is_set(se, row, &set));
    if (set) continue;
    PetscCall(PetscArraycpy(par, se->par + mode * law->param_size, law->param_size));
    for (int k = 0; k < n; k++) {
      *(int *)(par + row->offset) = k;
      PetscCall(check_mode(se, mode, par));
    }
    if (r != law->slip_row) continue;
    *(double *)(par + row->offset) = 0.2;
    PetscCall(check_mode(se, mode, par));
  }
  PetscCall(PetscFree(par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_passed(const Session *se)
{
  static const char *const viscous[] = {"the viscosity is positive from rest to 1e6 1/s",
                                        "the viscosity does not change when the frame is turned"};
  static const char *const polymeric[] = {
      "c = I is at rest: rate and stress are 0",
      "eta_p, lambda and modulus are set and positive, from rest to 1e4/lambda and in steady shear",
      "eta_p, lambda and modulus are those of small motions",
      "rate, stress and properties turn with the frame",
      "rate, stress and properties are finite up to tr c = 1024",
      "stress = G (c - I), as claimed",
      "c_zz = 1 stays so in plane flow",
      "rate commutes with c: -polymer_variable logconf may solve for it"};
  const unsigned flags = se->law->flags;
  const PetscBool skipped[] = {PETSC_FALSE,
                               PETSC_FALSE,
                               (PetscBool)((flags & RHX_OTHER_RESPONSE) != 0),
                               PETSC_FALSE,
                               PETSC_FALSE,
                               (PetscBool) !(flags & RHX_LINEAR_SPRING),
                               (PetscBool)((flags & RHX_OUT_OF_PLANE) != 0),
                               PetscNot(se->commutes)};
  PetscFunctionBegin;
  if (se->law->kind == RHX_VISCOUS)
    for (int k = 0; k < 2; k++) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  passed: %s\n", viscous[k]));
  else
    for (int k = 0; k < 8; k++)
      if (!skipped[k]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  passed: %s\n", polymeric[k]));
  if (se->hint[0]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  hint: %s\n", se->hint));
  if (!se->commutes)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "  hint: rate does not commute with c, as a slip that is written there with "
                          "D: -polymer_variable logconf is refused (a slip by RHX_SLIP_ROW is not)\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_law(const char *name)
{
  Session *se;
  const RhxPlugin *law;
  PetscFunctionBegin;
  PetscCall(PetscNew(&se));
  se->commutes = PETSC_TRUE;
  PetscCall(RhxPluginFind(PETSC_COMM_WORLD, RHX_POLYMERIC, name, &se->law));
  law = se->law;
  PetscCheck(law->kind != RHX_SCALARS, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "check-law: got '%s', which holds scalar fields, expected a viscous or polymeric law", name);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "law %s: %s\n", law->name, law->help));
  PetscCall(PetscSNPrintf(se->prefix, sizeof(se->prefix), "physics_%s_", law->name));
  PetscCall(give_required(se));
  se->nmodes = 1;
  if (law->kind == RHX_POLYMERIC) PetscCall(RhxPhysicsModes(PETSC_COMM_WORLD, law, &se->nmodes));
  PetscCall(PetscCalloc1(se->nmodes * law->param_size + 1, &se->par));
  PetscCall(RhxRowsRead(PETSC_COMM_WORLD, se->prefix, law->nrows, law->rows, se->nmodes, law->param_size, se->par));
  for (PetscInt m = 0; m < se->nmodes; m++) {
    PetscCall(check_mode(se, m, se->par + m * law->param_size));
    PetscCall(check_variations(se, m));
  }
  PetscCall(say_passed(se));
  PetscCall(PetscFree(se->par));
  PetscCall(PetscFree(se));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppFindLaws(const char *laws)
{
  const RhxPlugin *law;
  char **names;
  int n;
  PetscFunctionBegin;
  if (!laws) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrToArray(laws, ',', &n, &names));
  for (int i = 0; i < n; i++) PetscCall(RhxPluginFind(PETSC_COMM_WORLD, RHX_POLYMERIC, RhxWord(names[i]), &law));
  PetscCall(PetscStrToArrayDestroy(n, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppCheckLaw(const char *laws)
{
  char **names;
  int n;
  PetscFunctionBegin;
  PetscCall(RhxPluginsLoad(PETSC_COMM_WORLD));
  PetscCheck(laws, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "check-law: got no law, expected check-law law[,law] (rheoplex list physics)");
  PetscCall(RhxAppFindLaws(laws));
  PetscCall(RhxOptionsCheckKnown(PETSC_COMM_WORLD));
  PetscCall(PetscStrToArray(laws, ',', &n, &names));
  for (int i = 0; i < n; i++) PetscCall(check_law(RhxWord(names[i])));
  PetscCall(PetscStrToArrayDestroy(n, names));
  PetscCall(RhxOptionsCheckUsed(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}
