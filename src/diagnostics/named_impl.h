/* The diagnostics of a run, for what makes and asks them. */
#ifndef RHX_NAMED_IMPL_H
#define RHX_NAMED_IMPL_H
#include "diagnostics/named.h"

struct _p_RhxDiagnostics {
  MPI_Comm comm;
  PetscInt n, size;
  RhxDiagnostic **item; /* owned */
  RhxDiagnosticsRun run;
  RhxDiagnostic *settling;          /* of -stop_settled, borrowed; NULL: none */
  double settled_tol, settled_time; /* relative change in this time, s */
  RhxDiagnostic *repeating;         /* of -stop_periodic, borrowed; NULL: none */
  double repeated_tol;
  PetscBool repeats; /* its last row is below that, on rank 0, */
  double farthest;   /* and the largest value of its last row of a period; 0: none */
};

/* cost.c. A row of a step, timed. */
PetscErrorCode RhxDiagnosticTime(RhxDiagnostic *d, const RhxDiagnosticStep *step,
                                 PetscErrorCode (*evaluate)(RhxDiagnostic *, const RhxDiagnosticStep *));
/* restore.c. What it measures, as a number: of its kind, labels and the values of the kind's options. */
void RhxDiagnosticGetMark(const RhxDiagnostic *d, unsigned *mark);
/* columns.c. After its setup: values[2 + ncolumns] with room behind them; names and units fit for a table, each once. */
PetscErrorCode RhxDiagnosticMakeValues(RhxDiagnostic *d), RhxDiagnosticCheckColumns(const RhxDiagnostic *d);
/* Evaluates it into its values; an error where it fills more than its columns. */
PetscErrorCode RhxDiagnosticFill(RhxDiagnostic *d, const RhxDiagnosticStep *step);
#endif
