/* Scripts that show a run while it runs (-insitu_script), by an adaptor that is opened for them alone. Whatever fails there is
 * told in one sentence, and the run goes on without. All functions are collective. */
#ifndef RHX_OUTPUT_INSITU_H
#define RHX_OUTPUT_INSITU_H
#include "output/output.h"

typedef struct _p_RhxInsitu *RhxInsitu;

PetscErrorCode RhxInsituRegisterOptions(void);
/* Reads the options; output: borrowed. */
PetscErrorCode RhxInsituCreate(RhxForm form, RhxOutput output, RhxInsitu *insitu);
PetscErrorCode RhxInsituDestroy(RhxInsitu *insitu);
/* Opens adaptor and scripts; the output folder is there. t: where the run begins. */
PetscErrorCode RhxInsituBegin(RhxInsitu insitu, double t);
/* The next time after t of -insitu_every_dt, at which a step has to end; PETSC_MAX_REAL: none. */
PetscErrorCode RhxInsituNextTime(RhxInsitu insitu, double t, double *next);
/* Will a script show this step? Then of components [*first, *end) of the state's node block. */
PetscErrorCode RhxInsituWants(RhxInsitu insitu, PetscInt step, double t, PetscBool last, PetscBool *wants,
                              PetscInt *first, PetscInt *end);
/* dt: of the last step, s; x: the state. */
PetscErrorCode RhxInsituShow(RhxInsitu insitu, PetscInt step, double t, double dt, PetscBool last, Vec x);
PetscErrorCode RhxInsituEnd(RhxInsitu insitu); /* of the run */
/* Steps shown, and the seconds that it took on the slowest rank: to begin, for the first of them, for all. */
PetscErrorCode RhxInsituGetCost(RhxInsitu insitu, PetscInt *n, double seconds[3]);
#endif
