/* A format of output: one of -output_formats. It is written where fields are due (-output_every, -output_dt, at the end), at
 * most once a step. All functions are called on all ranks. */
#ifndef RHX_OUTPUT_TYPE_H
#define RHX_OUTPUT_TYPE_H
#include <rheoplex/extension.h>

typedef struct RhxWriter RhxWriter; /* a format in a run */

#define RHX_OUTPUT_MESSAGE 1024

typedef struct {
  PetscInt step;
  double t;  /* s */
  Vec x;     /* the state, blocks of owned nodes as RhxCaseGetState has them; on the host */
  double dt; /* of the step, s */
} RhxOutputStep;

typedef struct {
  RhxEntry entry;
  int nrows; /* options of its own, -output_<name>_<row>, read into a struct of `size` bytes */
  const RhxRow *rows;
  unsigned long size;
  /* Each but write may be NULL. */
  PetscErrorCode (*setup)(RhxWriter *w); /* once; the folder is there */
  /* The run goes on from this step; *last: the step that is written already, -1: none. */
  PetscErrorCode (*restart)(RhxWriter *w, PetscInt step, PetscInt *last);
  /* problem: "" or a sentence that says what cannot be written, the same on every rank; the run then does as
   * -output_on_error says. */
  PetscErrorCode (*write)(RhxWriter *w, const RhxOutputStep *step, char problem[RHX_OUTPUT_MESSAGE]);
  PetscErrorCode (*destroy)(RhxWriter *w);
  const char *list; /* ending of the file to open, such as ".pvd", which the end of a run names; NULL: none */
} RhxOutputType;

/* descriptor: static, borrowed. A second one of a name is an error. */
PetscErrorCode RhxOutputRegister(const RhxOutputType *descriptor);

MPI_Comm RhxWriterGetComm(const RhxWriter *w);
PetscInt RhxWriterGetDimension(const RhxWriter *w);
void *RhxWriterGetOptions(RhxWriter *w); /* the struct of its rows; members for its work may follow them */
PetscErrorCode RhxWriterGetPath(RhxWriter *w, const char *suffix, size_t size,
                                char *path); /* <folder>/<case><suffix> */
/* A text of rank 0 as a whole file <folder>/<case><suffix>: written beside and renamed, once the first step is finished. */
PetscErrorCode RhxWriterWriteText(RhxWriter *w, const char *suffix, const char *text, char problem[RHX_OUTPUT_MESSAGE]);
#endif
