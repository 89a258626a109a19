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
#endif
