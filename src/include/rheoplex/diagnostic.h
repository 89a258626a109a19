/* A kind of diagnostic: -diagnostic_<name>_kind <kind>; a user names any number of each. Core opens the table
 * <folder>/<case>_<name>.csv, begins its rows with step and t, and drops rows of a run that is repeated after a restart.
 * All functions are called on all ranks; SI units. */
#ifndef RHX_DIAGNOSTIC_H
#define RHX_DIAGNOSTIC_H
#include <rheoplex/extension.h>

typedef struct RhxDiagnostic RhxDiagnostic; /* one that the user named */
typedef struct RhxStore RhxStore;           /* a checkpoint */

typedef struct {
  PetscInt step;
  double t, dt;            /* at the end of the step, s */
  PetscBool last, at_rest; /* the run ends with this step; it does because -stop_steady_tol is met */
  PetscBool extra; /* evaluated because the run ends, not by every or every_dt: leaves no trace in what is kept */
} RhxDiagnosticStep;

#define RHX_DIAGNOSTIC_WITH_FIELDS 1u /* evaluated when fields are written, unless the user says when */

typedef struct {
  RhxEntry entry;
  unsigned flags;
  int nrows; /* options of its own, -diagnostic_<name>_<row>, read into a struct of `size` bytes */
  const RhxRow *rows;
  unsigned long size;
  /* Each but evaluate may be NULL. */
  PetscErrorCode (*setup)(
      RhxDiagnostic *d); /* once, before the first step; says its columns. Without one there is no table */
  /* values[columns], not more; values of rank 0 are written. After every -diagnostic_<name>_every steps, at the times of
   * -diagnostic_<name>_every_dt and after the last step. */
  PetscErrorCode (*evaluate)(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values);
  PetscErrorCode (*end)(RhxDiagnostic *d); /* after the run: lines of the summary on the screen */
  PetscErrorCode (*destroy)(RhxDiagnostic *d);
  /* What it knows besides its table, by RhxStore...: called to write checkpoints, and before the first step of a restart to
   * get the values back; where the checkpoint lacks one it begins anew. */
  PetscErrorCode (*state)(RhxDiagnostic *d, RhxStore *store);
  /* Of what `evaluate` would fill into a column now, for sensitivities by adjoints: adds its derivative with respect to the state to
   * `state`, and to `reactions` that with respect to the nodes' reactions, in the rows of the velocity, from which core goes on to the
   * state; both in blocks of owned nodes. Both are NULL: says alone whether there is one. */
  PetscErrorCode (*gradient)(RhxDiagnostic *d, PetscInt column, Vec state, Vec reactions, PetscBool *there);
} RhxDiagnosticType;

/* descriptor: static, borrowed. A second one of a name is an error. */
PetscErrorCode RhxDiagnosticRegister(const RhxDiagnosticType *descriptor);

const char *RhxDiagnosticGetName(const RhxDiagnostic *d);
MPI_Comm RhxDiagnosticGetComm(const RhxDiagnostic *d);
PetscInt RhxDiagnosticGetDimension(const RhxDiagnostic *d);
double RhxDiagnosticGetDensity(const RhxDiagnostic *d); /* kg/m^3 */
void *RhxDiagnosticGetOptions(RhxDiagnostic *d); /* the struct of its rows; members for its work may follow them */
/* In setup. Text is copied; letters, digits, '_' and what labels hold, no comma or quotation mark; each once, and not "step" or "t". */
PetscErrorCode RhxDiagnosticAddColumn(RhxDiagnostic *d, const char *name);
/* The same with its unit, "1" for numbers: <case>_units.csv tells it. */
PetscErrorCode RhxDiagnosticAddColumnUnit(RhxDiagnostic *d, const char *name, const char *unit);
/* The state, blocks of owned nodes as RhxCaseGetState has them, brought to the host where the run is on a device. */
PetscErrorCode RhxDiagnosticGetState(RhxDiagnostic *d, Vec *x);

/* In state. what: a name within the diagnostic, '/' for groups. Collective. */
/* values[n][columns] of rank 0 (copied); from a checkpoint: n and values, PetscMalloc'ed, on every rank. */
PetscErrorCode RhxStoreRows(RhxStore *store, const char *what, PetscInt columns, PetscInt *n, double **values);
/* values[local nodes][columns], owned ones first; from a checkpoint ghosts are filled too, on any number of ranks. */
PetscErrorCode RhxStoreNodes(RhxStore *store, const char *what, PetscInt columns, double *values);
void RhxStoreRefuse(RhxStore *store);           /* what was found does not fit this run */
PetscBool RhxStoreLacks(const RhxStore *store); /* did the checkpoint not have something that was asked for so far? */

/* The flow at a point of the domain: position m, velocity m/s, pressure Pa; components beyond the dimension are 0. */
typedef struct {
  double x[3], u[3], p;
} RhxSample;
typedef void (*RhxIntegrandFn)(void *ctx, const RhxSample *sample, double *values);
/* sum[n] = integrals of values[n] over the domain (2D: per m) by the elements' quadrature, on all ranks. Collective. */
PetscErrorCode RhxDiagnosticIntegrate(RhxDiagnostic *d, PetscInt n, RhxIntegrandFn integrand, void *ctx, double *sum);
#endif
