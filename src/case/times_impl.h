/* What the time of a run went into; seconds of wall time. */
#ifndef RHX_CASE_TIMES_IMPL_H
#define RHX_CASE_TIMES_IMPL_H
#include "case/impl.h"

/* On the screen, once, that diagnostics are what a person waits for, who has waited for -case_report_seconds; since: the first step. */
PetscErrorCode RhxReportCost(RhxCase rc, double since);
/* Set-up, output, and the steps by their parts; total: of so many steps, with output. Collective. */
PetscErrorCode RhxReportTimes(RhxCase rc, PetscInt nsteps, double total);
#endif
