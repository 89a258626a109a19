/* A .pvd: the list of files <folder>/<case><stem>_<step>.vtu and their times. */
#ifndef RHX_OUTPUT_PVD_H
#define RHX_OUTPUT_PVD_H
#include "output/output.h"

typedef struct _p_RhxPvd *RhxPvd;

/* stem: what stands behind the case's name in the .pvd and its files, "" for the fields of the case. */
PetscErrorCode RhxPvdCreate(RhxOutput output, const char *stem, RhxPvd *pvd);
PetscErrorCode RhxPvdDestroy(RhxPvd *pvd);
/* Takes over what an existing .pvd lists up to this step; last: the largest of them, -1: none. Collective, as the rest. */
PetscErrorCode RhxPvdRestart(RhxPvd pvd, PetscInt step, PetscInt *last);
PetscErrorCode RhxPvdGetFile(RhxPvd pvd, PetscInt step, size_t size, char *path);
/* Lists this step too and writes the .pvd. */
PetscErrorCode RhxPvdAdd(RhxPvd pvd, PetscInt step, double t, char problem[RHX_MESSAGE]);
#endif
