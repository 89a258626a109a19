/* Inside of the output room. Private to output. */
#ifndef RHX_OUTPUT_IMPL_H
#define RHX_OUTPUT_IMPL_H
#include "output/lock.h"
#include "output/output.h"
#include "output/vtu.h"
#include "plugin/option.h"

typedef struct {
  char folder[RHX_STRING_LENGTH];
  int every, fields, checkpoint_every, on_error;
  double dt;
} RhxOutputSettings;

/* What a field of the .vtu is made from. */
typedef enum {
  FROM_STATE,
  TOTAL_STRESS,
  STRESS_TRACE,
  MODE_STRESS,
  MODE_C,
  MODE_TRACE,
  MODE_MIN,
  RANK
} RhxOutputSource;

struct _p_RhxOutput {
  RhxForm form; /* borrowed */
  MPI_Comm comm;
  char name[256], folder[PETSC_MAX_PATH_LEN], checkpoint[PETSC_MAX_PATH_LEN];
  RhxOutputSettings set;
  RhxLock lock; /* rank 0 */
  RhxVtu *vtu;
  PetscInt nfields;
  RhxVtuField *field;
  RhxOutputSource *source;    /* [nfields] */
  PetscInt *index;            /* [nfields] field of the space, or mode */
  PetscInt nseries, capacity; /* rank 0: entries of the .pvd */
  PetscInt *series_step;
  double *series_t;
  PetscInt last_step;     /* -1: none written */
  PetscInt64 last_period; /* of -output_dt in which a field was written */
  PetscBool holding;      /* whole files wait under temporary names */
  PetscBool aside;        /* earlier results are of another case and are moved aside */
  PetscInt nheld;         /* rank 0 */
  char *(*held)[2];       /* [nheld] temporary name and name, owned */
  PetscInt nresults;      /* endings of files of this run that no other case of the name has to have */
  char **result;
  PetscInt nproblems; /* that a run went on with */
};
#endif
