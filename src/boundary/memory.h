/* The polymer that inlets bring in has the history of the flow that is given there (theory.md, 6). */
#ifndef RHX_BOUNDARY_MEMORY_H
#define RHX_BOUNDARY_MEMORY_H
#include "boundary/boundary.h"

/* A run in time begins at t, before its state is made, whose polymer is at rest but for -initial_stress and _conformation; else (in_time FALSE)
 * labels have no memory, and an error where one is asked for. Collective. */
PetscErrorCode RhxBoundaryBeginMemory(RhxBoundary bc, double t, PetscBool in_time);
PetscBool RhxBoundaryHasMemory(RhxBoundary bc, const char *label);
/* Is its velocity the steady developed one of the moment, of a law whose profile is not the same at all rates? */
PetscErrorCode RhxBoundaryHasMomentaryProfile(RhxBoundary bc, const char *label, PetscBool *has);
/* Half the width of an inlet, m, or the radius of a circle of its area, whose flow rate comes in with a profile of steady flow; 0: it does not. linear: profile
 * womersley has it, of this fluid and such a flow rate. */
PetscErrorCode RhxBoundaryGetQuasiSteady(RhxBoundary bc, const char *label, PetscReal *half, PetscBool *linear);
PetscBool RhxBoundaryHasMemories(RhxBoundary bc); /* of any label */
/* Rows for checkpoints, on every rank, to be freed, ascending in the first column, the natural number of a node. n 0: there are none. Collective. */
PetscErrorCode RhxBoundaryCollectMemory(RhxBoundary bc, PetscInt *n, double **rows);
PetscInt RhxBoundaryGetMemoryWidth(RhxBoundary bc); /* columns of them */
/* It is continued at t: from n such rows, or, of a label that has them not of all nodes, from the state x[nowned][bs] there, where that is
 * positive, else from the steady state of the moment. whole: every node had a row. Collective. */
PetscErrorCode RhxBoundaryRestartMemory(RhxBoundary bc, double t, const PetscScalar *x, PetscInt n, const double *rows,
                                        PetscBool *whole);
#endif
