/* Inside of the output room. */
#ifndef RHX_OUTPUT_IMPL_H
#define RHX_OUTPUT_IMPL_H
#include "output/lock_impl.h"
#include "output/output.h"
#include "plugin/option.h"
#include <rheoplex/output.h>

typedef struct {
  char folder[RHX_STRING_LENGTH], formats[RHX_STRING_LENGTH], fields[RHX_STRING_LENGTH];
  int every, checkpoint_every, on_error;
  double dt, checkpoint_dt, checkpoint_wall_time;
} RhxOutputSettings;

/* A format in a run. */
struct RhxWriter {
  RhxOutput output; /* borrowed */
  const RhxOutputType *type;
  void *own;  /* of the type's rows, owned */
  void *data; /* the type's */
};

struct _p_RhxOutput {
  RhxForm form; /* borrowed */
  MPI_Comm comm;
  char name[256], folder[PETSC_MAX_PATH_LEN], checkpoint[PETSC_MAX_PATH_LEN];
  RhxOutputSettings set;
  PetscBool states;             /* steps are those of a continuation */
  PetscBool fields;             /* some are written, */
  char list[RHX_STRING_LENGTH]; /* these: names of -output_fields */
  RhxLock lock;                 /* rank 0 */
  PetscInt nwriters;
  RhxWriter *writer;   /* [nwriters] */
  PetscInt last_step;  /* -1: none written */
  PetscInt first_step; /* the run continues another one from it; -1: it does not */
  double last_t;       /* at which a field was written last */
  PetscBool holding;   /* whole files wait under temporary names */
  PetscBool aside;     /* earlier results are of another case and are moved aside */
  PetscInt nheld;      /* rank 0 */
  char *(*held)[2];    /* [nheld] temporary name and name, owned */
  PetscInt nresults;   /* endings of files of this run that no other case of the name has to have */
  char *(*result)[2];  /* [nresults] ending, and what writes it; owned */
  PetscInt nproblems;  /* that a run went on with */
  PetscInt nkinds;     /* of them, */
  struct {
    char *first; /* owned */
    PetscInt times;
  } * problem; /* [nkinds] */
  Vec base;    /* borrowed; not NULL: fields are derivatives there */
};

/* formats.c */
PetscErrorCode RhxOutputRegisterFormats(void);
PetscErrorCode RhxOutputCreateWriters(RhxOutput o);   /* of -output_formats */
PetscErrorCode RhxOutputKeepDerivatives(RhxOutput o); /* of the writers that one which writes them */
PetscErrorCode RhxOutputDestroyWriters(RhxOutput o);
/* Is rest the pattern, where '*' stands for the digits of a step? */
PetscBool RhxOutputFits(const char *rest, const char *pattern);
/* Rank 0; an errno, of the file at path. */
int RhxOutputDropStale(RhxOutput o, char path[PETSC_MAX_PATH_LEN]);
/* err of a file: a sentence, or "". */
void RhxOutputDescribe(const char *what, const char *file, int err, char problem[RHX_MESSAGE]);
#endif
