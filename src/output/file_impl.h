/* Files that rank 0 writes for all ranks, each byte checked.
 * Why one rank: MPI libraries do not return every error of a write (a full disk), the system's own calls do. Blocks of other
 * ranks pass through it by the chunk, so its memory does not grow with the file. */
#ifndef RHX_OUTPUT_FILE_IMPL_H
#define RHX_OUTPUT_FILE_IMPL_H
#include "petsc_compat.h"
#include <stdint.h>

typedef struct {
  MPI_Comm comm;
  char name[PETSC_MAX_PATH_LEN];
  int fd, err;          /* rank 0; errno of the first failure, 0: none */
  int64_t end, last_at; /* rank 0: size so far; where `last` stands */
  size_t last_n;
  char last[4096]; /* what is to be found at the end of the file */
} RhxFile;

/* All collective. */
PetscErrorCode RhxFileCreate(MPI_Comm comm, const char *name, RhxFile *file);
PetscErrorCode RhxFileWrite(RhxFile *file, int64_t at, const void *data, int64_t n); /* n bytes of this rank */
/* Checks size and end of the file on the disk (sync: after it has got there); one that failed is removed. err: an errno, the
 * same on every rank, 0: the file is whole. */
PetscErrorCode RhxFileClose(RhxFile *file, PetscBool sync, int *err);
/* On one rank: all of it, or an errno. */
int RhxWriteAt(int fd, const void *data, int64_t n, int64_t at);
#endif
