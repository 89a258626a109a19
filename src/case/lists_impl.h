/* Lists of lists in a YAML text. */
#ifndef RHX_LISTS_IMPL_H
#define RHX_LISTS_IMPL_H
#include <petscsys.h>

/* [[a, b], [c, d]] becomes the one list of all entries, of the same length as text; inner lists of different lengths are an error. */
PetscErrorCode RhxListsFlatten(MPI_Comm comm, const char *file, char *text);
#endif
