/* The diagnostics of a run, named by the user or by the short options: their tables and when they are evaluated. */
#ifndef RHX_NAMED_H
#define RHX_NAMED_H
#include "diagnostics/diagnostics.h"
#include "diagnostics/series.h"
#include "output/output.h"
#include "petsc_compat.h"
#include "scheme/scheme.h"
#include <rheoplex/diagnostic.h>
#include <stddef.h>

typedef struct _p_RhxDiagnostics *RhxDiagnostics;

/* What they look at, borrowed; velocity and length: units of reports. */
typedef struct {
  RhxForm form;
  RhxBoundary bc;
  TS ts;
  Vec x;
  RhxOutput output;
  double velocity, length;
} RhxDiagnosticsRun;

PetscErrorCode RhxDiagnosticsRegisterOptions(void); /* -diagnostic_<name>_... and the kinds of the library */
PetscErrorCode RhxDiagnosticsCreate(MPI_Comm comm, RhxDiagnostics *ds);
/* One of a short option such as -diagnostic_forces, whose value is the row `label` of the kind; the name is refused to users.
 * Nothing where text is empty. */
PetscErrorCode RhxDiagnosticsAddShort(RhxDiagnostics ds, const char *kind, const char *text, int every);
PetscErrorCode RhxDiagnosticsSetFromOptions(RhxDiagnostics ds); /* those with a -diagnostic_<name>_kind */
PetscErrorCode RhxDiagnosticsSetUp(RhxDiagnostics ds, const RhxDiagnosticsRun *run);
/* append: tables go on behind the rows of first_step at t, of which one goes that is there because a run ended. */
PetscErrorCode RhxDiagnosticsBegin(RhxDiagnostics ds, PetscBool append, PetscInt first_step, double t);
/* The first step is to come. After Begin and Restore. */
PetscErrorCode RhxDiagnosticsStart(RhxDiagnostics ds, const RhxDiagnosticStep *step);
PetscErrorCode RhxDiagnosticsPublish(RhxDiagnostics ds); /* the tables replace those of an earlier run */
/* Reads -diagnostic_<name>_every and _every_dt again, in a run at time t; before, of all of them: do the periods of their kinds allow it? */
PetscErrorCode RhxDiagnosticsChange(RhxDiagnostics ds, double t);
PetscErrorCode RhxDiagnosticsCheckChange(RhxDiagnostics ds);
/* The row of an option "diagnostic_<name>_every" or "..._every_dt" of a diagnostic that the user has named, and the option's part
 * before the row's name; *row NULL: of none. */
PetscErrorCode RhxDiagnosticsFindChanging(RhxDiagnostics ds, const char *option, size_t size, char *prefix,
                                          const RhxRow **row);
/* The next time after t at which a step has to end, by -diagnostic_<name>_every_dt; PETSC_MAX_REAL: none. */
PetscErrorCode RhxDiagnosticsNextTime(RhxDiagnostics ds, double t, double *next);
PetscErrorCode RhxDiagnosticsStep(RhxDiagnostics ds, const RhxDiagnosticStep *step);
PetscErrorCode RhxDiagnosticsFields(RhxDiagnostics ds, const RhxDiagnosticStep *step); /* fields are written */
PetscErrorCode RhxDiagnosticsHas(RhxDiagnostics ds, const char *option,
                                 const char *name); /* error unless it has a table */
/* values[2 + column] of the named one at the present state; nothing is written. */
PetscErrorCode RhxDiagnosticsEvaluate(RhxDiagnostics ds, const char *name, const RhxDiagnosticStep *step,
                                      const RhxDiagnostic **d);
/* Columns of the named one, and whether they have derivatives with respect to the state; then that of one is added (diagnostic.h). */
PetscErrorCode RhxDiagnosticsHasGradient(RhxDiagnostics ds, const char *name, PetscInt *ncolumns, PetscBool *has);
PetscErrorCode RhxDiagnosticsGradient(RhxDiagnostics ds, const char *name, PetscInt column, Vec state, Vec reactions);
/* Of this rank: seconds that the rows of steps have taken so far, and the diagnostic that took most of them, borrowed, NULL: there is no row. */
typedef struct {
  double seconds;
  const RhxDiagnostic *costliest;
} RhxDiagnosticsCost;
PetscErrorCode RhxDiagnosticsGetCost(RhxDiagnostics ds, RhxDiagnosticsCost *cost);
PetscErrorCode RhxDiagnosticsSay(RhxDiagnostics ds); /* a line each of the summary, or the kind's own */
/* -stop_settled "<name>:<tol>:<time>", "": none. Before SetUp; units of time: s. */
PetscErrorCode RhxDiagnosticsSetSettled(RhxDiagnostics ds, const char *text, double unit);
/* Has that table settled? After Step. */
PetscErrorCode RhxDiagnosticsGetSettled(RhxDiagnostics ds, PetscBool *settled);
/* On the screen which of them take a period, by an option, that is no whole number of `period`, which `given` gives. */
PetscErrorCode RhxDiagnosticsWarnOfPeriods(RhxDiagnostics ds, double period, const char *given);
/* Likewise which of them average nothing, or no whole period, by `end`, s; 0: the end is not known. */
PetscErrorCode RhxDiagnosticsWarnOfEnd(RhxDiagnostics ds, double end);
/* -stop_periodic "<name>:<tol>", "": none; of the kind periodicity. Before SetUp. */
PetscErrorCode RhxDiagnosticsSetPeriodic(RhxDiagnostics ds, const char *text);
/* Does a period end with the step, whose row is below tol, and which (rank 0)? Before Step, not its last one as far as is known.
 * farthest: largest value of the last row of a period (rank 0); 0: there is none. */
PetscErrorCode RhxDiagnosticsGetPeriodic(RhxDiagnostics ds, const RhxDiagnosticStep *step, PetscBool *periodic,
                                         double *period, double *farthest);
/* What checkpoints keep of them. Collective. */
PetscErrorCode RhxDiagnosticsCollect(RhxDiagnostics ds, RhxStore *store);
/* The same from a checkpoint; of another mesh (same false) none is taken. After Begin. A line for each that begins anew. */
PetscErrorCode RhxDiagnosticsRestore(RhxDiagnostics ds, const char *file, PetscBool same);
PetscErrorCode RhxDiagnosticsEnd(RhxDiagnostics ds); /* closes the tables */
PetscErrorCode RhxDiagnosticsDestroy(RhxDiagnostics *ds);
PetscBool RhxDiagnosticsHasKind(const char *name);
const RhxEntry *RhxDiagnosticsKindEntry(PetscInt i);                /* NULL: past the last */
PetscBool RhxDiagnosticsAsked(RhxDiagnostics ds, const char *kind); /* is one of that kind among them? */
/* Kinds with their options; of one name, NULL: all. */
PetscErrorCode RhxDiagnosticsKindsView(const char *name, PetscViewer viewer);

/* ---- For the kinds of the library ---- */
#define RHX_DIAGNOSTIC_FROM_START 0x100u /* evaluated where the run begins too, of that step: no row */
#define RHX_DIAGNOSTIC_OF_OTHER 0x200u   /* it asks another one, which is set up before it */
struct RhxDiagnostic {
  RhxDiagnostics all;
  const RhxDiagnosticType *type;
  char *name;   /* owned, as what follows */
  char *option; /* that names its labels, for messages: "-diagnostic_forces", "-diagnostic_<name>_label" */
  char *maker;  /* that makes it, for messages: "-diagnostic_forces", "-diagnostic_<name>_kind" */
  void *own;    /* of the type's rows */
  int every;
  double every_dt;     /* s; 0: none */
  double last_t;       /* of the step that was looked at last */
  double averaged;     /* s; period of its means, of which every_dt is a whole part; 0: none */
  PetscInt last_row;   /* step of its last row, 0: none */
  PetscBool by_steps;  /* evaluated every so many steps, */
  PetscBool by_fields; /* or when fields are written */
  PetscInt ncolumns, capacity;
  char **column, **unit;
  double *values;                /* [2 + ncolumns] of the last row: step, t, columns */
  char *strouhal;                /* column whose frequency is told at the end, "": none; owned */
  PetscInt periods;              /* of that column, */
  PetscInt oscillates;           /* and its number */
  RhxSeries oscillation, recent; /* of that column; of all columns, for -stop_settled */
  RhxTable table;                /* NULL: it has no columns */
  PetscInt nlabels;
  char **label;
  struct RhxFieldSample *sample; /* of RhxFieldSampleCreate, NULL: none */
  IS near;                       /* nodes of RhxDiagnosticGetStateNear, NULL: not asked for yet, */
  IS at;                         /* those of RhxDiagnosticFindReactions */
  PetscBool goes_on;             /* the run continues another one, whose results up to this step stay */
  PetscInt first_step;
  PetscInt nrows; /* of steps so far, */
  double seconds; /* and what they took this rank, s */
};
const RhxDiagnosticsRun *RhxDiagnosticGetRun(const RhxDiagnostic *d);
/* Options of a kind that looks at labels: the row `label` alone; a part of its descriptor. */
typedef struct {
  char label[RHX_STRING_LENGTH];
} RhxLabelOptions;
#define RHX_LABEL_ROW(options, member)                                               \
  {                                                                                  \
    "label", RHX_STRING, 0, offsetof(options, member), "", RHX_ANY, 0, 0, NULL, "1", \
        "labels that are looked at, comma-separated"                                 \
  }
extern const RhxRow RhxLabelRow;
#define RHX_LABEL_OPTIONS .nrows = 1, .rows = &RhxLabelRow, .size = sizeof(RhxLabelOptions)
/* Labels of these options into d->label, and columns <label>_<ends[k]> for each; a label without faces is an error that
 * lists those of the mesh. */
PetscErrorCode RhxDiagnosticSetLabels(RhxDiagnostic *d, PetscInt n, const char *const *ends, const char *unit);
PetscErrorCode RhxDiagnosticSetAllLabels(RhxDiagnostic *d); /* those of the mesh, without columns */
/* The state x[nlocal][bs] with ghosts, to be freed, where only the nodes of the elements at the faces of its labels are known, others
 * are 0: of a device these alone travel. Collective. */
PetscErrorCode RhxDiagnosticGetStateNear(RhxDiagnostic *d, PetscScalar **x);
/* RhxSchemeFindReactions for the nodes of its labels. Collective. */
PetscErrorCode RhxDiagnosticFindReactions(RhxDiagnostic *d);
/* A text of rank 0 as a whole file <folder>/<case><suffix>. Collective. */
PetscErrorCode RhxDiagnosticWriteText(RhxDiagnostic *d, const char *suffix, const char *text, size_t n);
#endif
