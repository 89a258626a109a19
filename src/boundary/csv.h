/* Rows of numbers in a text file. */
#ifndef RHX_CSV_H
#define RHX_CSV_H
#include <petscsys.h>

typedef struct {
  PetscInt n, columns;
  double *value; /* [n][columns] */
  int *line;     /* [n] of the file, from 1 on */
} RhxCsv;

/* Finite numbers between commas on every line but empty ones, comments (#) and headings before them, in which no word begins like a number. names:
 * of the columns, "time,value"; "time,u,v[,w]": the last may be left out, on all lines. The same on all ranks, also errors, which name
 * option, path and line. Collective. */
PetscErrorCode RhxCsvRead(MPI_Comm comm, const char *option, const char *path, const char *names, RhxCsv *csv);
PetscErrorCode RhxCsvFree(RhxCsv *csv);
#endif
