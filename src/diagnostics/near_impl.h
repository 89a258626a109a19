/* The state near labels or points: of a device only listed nodes or components travel. */
#ifndef RHX_DIAGNOSTICS_NEAR_IMPL_H
#define RHX_DIAGNOSTICS_NEAR_IMPL_H
#include "diagnostics/named.h"
#include "space/about.h"

/* flag: the label's nodes and those of so many rings of elements about it. Collective. */
PetscErrorCode RhxMarkRings(RhxSpace space, const char *label, int rings, PetscScalar *flag);
PetscErrorCode RhxMarkList(RhxSpace space, const PetscScalar *flag, IS *nodes); /* marked local nodes */

/* Nodes of RhxDiagnosticGetStateNear: of so many rings of elements about its labels; 0: of the elements at their faces. */
PetscErrorCode RhxDiagnosticSetNear(RhxDiagnostic *d, int rings);
/* The state x[nlocal][bs], to be freed, of which listed local nodes are known, others are 0; the list is kept by the caller as long as
 * the run. Collective, as the next. */
PetscErrorCode RhxDiagnosticGetStateAt(RhxDiagnostic *d, IS nodes, PetscScalar **x);
/* The same of all nodes, of which components [first, end) are up to date. */
PetscErrorCode RhxDiagnosticGetLocalPart(RhxDiagnostic *d, PetscInt first, PetscInt end, PetscScalar **x);
#endif
