#include "petsc_compat.h"
#include "scheme/sdirk_impl.h"
#include <float.h>
#include <math.h>

#define STAGES 3
#define TYPE "-ts_arkimex_type"

/* c: sums of rows. */
typedef struct {
  const char *name;
  PetscInt order, stages;
  double a[STAGES * STAGES], embedded[STAGES]; /* of one order less */
} Table;

#define G2 0.29289321881345247560                   /* 1 - 1/sqrt 2 */
#define G3 0.43586652150845899942                   /* the root of g^3 - 3 g^2 + 3/2 g - 1/6 between 1/6 and 1/2 */
#define B1 (-(6.0 * G3 * G3 - 16.0 * G3 + 1.0) / 4) /* of Alexander, SIAM J. Numer. Anal. 14 (1977) 1006 */
#define B2 ((6.0 * G3 * G3 - 20.0 * G3 + 5.0) / 4)

/* Embedded formulas: of Ellsiepen (1999), which leaves 1/2 of what is infinitely stiff; of Cash, J. ACM 26 (1979) 504, which leaves .957. */
static const Table tables[] = {
    {"sdirk2", 2, 2, {G2, 0.0, 1.0 - G2, G2}, {-1.0 + 1.25 * M_SQRT2, 2.0 - 1.25 * M_SQRT2}},
    {"sdirk3",
     3,
     3,
     {G3, 0.0, 0.0, (1.0 - G3) / 2, G3, 0.0, B1, B2, G3},
     {G3 / (1.0 - G3), (1.0 - 2.0 * G3) / (1.0 - G3), 0.0}},
};

struct _RhxSdirk {
  const Table *table;
  TS ts;
  RhxEquations eq;
  double c[STAGES + 1];         /* 0, then those of stages */
  double w[STAGES][STAGES + 1]; /* g_i - g(t + c_i dt) over g(t + c_k dt) - g(t) */
  Vec rise[STAGES + 1];         /* the latter of fields with a rate; [0] is g(t) */
  double aim[STAGES + 1];       /* likewise, of a mean velocity that is kept */
  double ahead;                 /* of the stage, since the one or the step before; 0: of which nothing is known */
};

/* ---- Tables ---- */

static PetscBool registered;

static PetscErrorCode forget(void)
{
  PetscFunctionBegin;
  registered = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a dense output that anything asks for: it is linear. */
static PetscErrorCode register_tables(void)
{
  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  registered = PETSC_TRUE;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(tables); k++) {
    const Table *t = &tables[k];
    const double *b = t->a + t->stages * (t->stages - 1);
    PetscCall(TSARKIMEXRegister(t->name, t->order, t->stages, t->a, b, NULL, t->a, b, NULL, t->embedded, t->embedded, 1,
                                b, b));
  }
  PetscCall(PetscRegisterFinalize(forget));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_switches(MPI_Comm comm)
{
  static const struct {
    const char *option, *why;
    PetscBool expected;
  } of_petsc[] = {
      {"-ts_arkimex_fully_implicit", "nothing of the equations is explicit", PETSC_TRUE},
      {"-ts_arkimex_fastslowsplit", "nothing of the equations is explicit", PETSC_FALSE},
      {"-ts_arkimex_initial_guess_extrapolate", "a restart does not have the stages of the step before", PETSC_FALSE}};
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(of_petsc); k++) {
    PetscBool got = of_petsc[k].expected;
    PetscCall(PetscOptionsGetBool(NULL, NULL, of_petsc[k].option, &got, NULL));
    PetscCheck(got == of_petsc[k].expected, comm, PETSC_ERR_USER_INPUT, "%s: got %s, expected %s: %s",
               of_petsc[k].option, PetscBools[got], PetscBools[of_petsc[k].expected], of_petsc[k].why);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_table(MPI_Comm comm, const Table **table)
{
  char name[64];
  PetscFunctionBegin;
  PetscCall(PetscStrncpy(name, tables[0].name, sizeof(name)));
  PetscCall(PetscOptionsGetString(NULL, NULL, TYPE, name, sizeof(name), NULL));
  *table = NULL;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(tables); k++)
    if (!strcmp(name, tables[k].name)) *table = &tables[k];
  PetscCheck(*table, comm, PETSC_ERR_USER_INPUT,
             TYPE
             ": got '%s', expected sdirk2 or sdirk3: the pressure has no rate, so that all stages must be implicit "
             "and the last one the end of the step, and values that are given have those of stages for these two",
             name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Derivative at node j of the polynomial that is 1 at node k and 0 at the other ones. */
static double slope(const double *node, PetscInt n, PetscInt j, PetscInt k)
{
  double d = 0.0, of_j = 1.0, of_k = 1.0;
  if (j == k) {
    for (PetscInt m = 0; m < n; m++)
      if (m != j) d += 1.0 / (node[j] - node[m]);
    return d;
  }
  for (PetscInt m = 0; m < n; m++) {
    if (m != j) of_j *= node[j] - node[m];
    if (m != k) of_k *= node[k] - node[m];
  }
  return of_j / of_k / (node[j] - node[k]);
}

static void set_weights(RhxSdirk sd)
{
  const PetscInt s = sd->table->stages;
  for (PetscInt i = 0; i < s; i++)
    for (PetscInt j = 0; j < s; j++) sd->c[i + 1] += sd->table->a[i * s + j];
  for (PetscInt i = 0; i < s - 1; i++)
    for (PetscInt k = 1; k <= s; k++) {
      for (PetscInt j = 0; j <= i; j++) sd->w[i][k] += sd->table->a[i * s + j] * slope(sd->c, s + 1, j + 1, k);
      sd->w[i][k] -= k == i + 1;
    }
}

PetscErrorCode RhxSdirkCreate(TS ts, RhxEquations eq, RhxSdirk *sdirk)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)ts);
  RhxSdirk sd;
  PetscFunctionBegin;
  PetscCall(register_tables());
  PetscCall(check_switches(comm));
  PetscCall(PetscNew(sdirk));
  sd = *sdirk;
  PetscCall(find_table(comm, &sd->table));
  PetscCall(TSARKIMEXSetFullyImplicit(ts, PETSC_TRUE));
  PetscCall(TSARKIMEXSetType(ts, sd->table->name));
  sd->ts = ts;
  sd->eq = eq;
  set_weights(sd);
  for (PetscInt k = 0; k <= sd->table->stages; k++) PetscCall(VecDuplicate(eq->value, &sd->rise[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSdirkDestroy(RhxSdirk *sdirk)
{
  PetscFunctionBegin;
  if (!*sdirk) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k <= STAGES; k++) PetscCall(VecDestroy(&(*sdirk)->rise[k]));
  PetscCall(PetscFree(*sdirk));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What is given ---- */

/* A pressure is what it is at the stage's time: it has no rate. */
static PetscErrorCode leave_pressure(RhxSpace sp, Vec x)
{
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &a));
  for (PetscInt i = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE); i < sp->nowned * sp->bs; i += sp->bs) a[i] = 0.0;
  PetscCall(VecRestoreArray(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Over the step, from behind its start: there it may jump. */
static PetscErrorCode look(RhxSdirk sd, double t, double dt)
{
  const RhxEquations eq = sd->eq;
  const double start = nextafter(t + DBL_EPSILON * dt, HUGE_VAL);
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= sd->table->stages; k++) {
    PetscCall(RhxEquationsSetTime(eq, k ? t + sd->c[k] * dt : start));
    PetscCall(VecCopy(eq->value, sd->rise[k]));
    sd->aim[k] = eq->driven ? eq->driven->aim : 0.0;
    if (k) sd->aim[k] -= sd->aim[0];
    if (k) PetscCall(VecAXPY(sd->rise[k], -1.0, sd->rise[0]));
    if (k) PetscCall(leave_pressure(eq->form->space, sd->rise[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSdirkGive(RhxSdirk sd, double t)
{
  const RhxEquations eq = sd->eq;
  const double start = sd->ts->ptime, dt = sd->ts->time_step;
  const PetscInt last = sd->table->stages - 1;
  PetscInt i = 0;
  PetscFunctionBegin;
  while (i < last && t > start + 0.5 * (sd->c[i + 1] + sd->c[i + 2]) * dt) i++;
  sd->ahead = i || !(sd->ts->steprestart || sd->ts->reject) ? (sd->c[i + 1] - sd->c[i]) * dt : 0.0;
  if (!i) PetscCall(look(sd, start, dt));
  PetscCall(RhxEquationsSetTime(eq, t));
  if (i == last) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecMAXPY(eq->value, last + 1, sd->w[i] + 1, sd->rise + 1));
  for (PetscInt k = 1; eq->driven && k <= last + 1; k++) eq->driven->aim += sd->w[i][k] * sd->aim[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSdirkGuess(RhxSdirk sd, Vec slope, Vec x)
{
  PetscFunctionBegin;
  if (sd->ahead > 0.0) PetscCall(VecAXPY(x, sd->ahead, slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The error of a step ---- */

PetscErrorCode RhxSdirkError(TS ts, NormType type, PetscInt *order, PetscReal *error)
{
  PetscReal absolute, relative;
  PetscInt of_step;
  Vec other;
  DM dm;
  PetscFunctionBegin;
  of_step = ts->adapt->candidates.order[0];
  PetscCall(TSGetDM(ts, &dm));
  PetscCall(DMGetGlobalVector(dm, &other));
  PetscCall(TSEvaluateStep(ts, of_step - 1, other, NULL));
  PetscCall(TSErrorWeightedNorm(ts, ts->vec_sol, other, type, error, &absolute, &relative));
  PetscCall(DMRestoreGlobalVector(dm, &other));
  if (order) *order = of_step;
  PetscFunctionReturn(PETSC_SUCCESS);
}
