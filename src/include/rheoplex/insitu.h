/* What shows a run while it runs: a shared object with an rhx_insitu(), opened when -insitu_script is given. Plain C over MPI,
 * for adaptors of C++ libraries; share/catalyst is the one of ParaView. */
#ifndef RHX_INSITU_H
#define RHX_INSITU_H
#include <mpi.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define RHX_INSITU_VERSION 1
#define RHX_INSITU_MESSAGE 512

typedef struct {
  double t; /* s */
  int64_t step;
  int last; /* the run's last one: shown whatever a script says of its steps */
} RhxInsituStep;

/* A rank's piece of the mesh; nothing is copied: the arrays stay as they are and where they are until `end`. */
typedef struct {
  int64_t npoints, ncells;
  const double *xyz;           /* [npoints][3], m */
  const int64_t *offset;       /* [ncells + 1] into connectivity */
  const int64_t *connectivity; /* points of the cells, in VTK's order */
  const unsigned char *type;   /* [ncells] VTK's types: 5 9 10 12 13 14 */
} RhxInsituMesh;

typedef struct {
  const char *name;
  int cell, components; /* of cells, else of points; 1, 3, or 6: XX YY ZZ XY YZ XZ */
  const double *values; /* [points or cells][components]; the place is the same until `end` */
} RhxInsituField;

typedef struct {
  MPI_Comm comm;
  int nscripts;
  const char *const *script; /* files that rank 0 could read */
  const char *name, *folder; /* of the case; of what scripts write */
  int egl;                   /* draw by EGL, without an X server */
} RhxInsituRun;

/* Functions of all ranks. They return 0, or write why not into `message`; after that the run calls `end` and goes on without. */
typedef struct {
  unsigned long size; /* of this struct */
  int version;
  const char *name;
  int (*begin)(const RhxInsituRun *run, char message[RHX_INSITU_MESSAGE]);
  int (*wants)(const RhxInsituStep *step); /* 1: a script will show this step */
  int (*show)(const RhxInsituStep *step, const RhxInsituMesh *mesh, int nfields, const RhxInsituField *fields,
              char message[RHX_INSITU_MESSAGE]);
  void (*end)(void);
} RhxInsituAdaptor;

typedef const RhxInsituAdaptor *(*RhxInsituFn)(void); /* symbol "rhx_insitu" */

#ifdef __cplusplus
}
#endif
#endif
