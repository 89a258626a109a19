/* One .vtu (raw appended, UInt64 headers) for all ranks; each rank is a Piece. */
#ifndef RHX_OUTPUT_VTU_H
#define RHX_OUTPUT_VTU_H
#include "space/space.h"
#include <stdint.h>

typedef struct {
  char name[64];
  PetscInt components;
  const char *const *component; /* [components] names, or NULL */
  PetscBool cell;               /* cell data, else point data */
} RhxVtuField;

/* The piece of this rank. A node whose position in an element differs from its own (a periodic image) is a point of its
 * own, so that no element is drawn across the domain. */
typedef struct {
  MPI_Comm comm;
  PetscInt npoints, ncells, nconn;
  PetscInt *node;      /* [npoints] local node */
  double *xyz;         /* [npoints][3] */
  int64_t *conn;       /* [nconn] */
  int64_t *offset;     /* [ncells + 1] where each cell begins in conn, and the end of the last */
  unsigned char *type; /* [ncells] VTK cell type */
  PetscBool single;    /* fields in single precision */
  int64_t *counts;     /* [ranks][3] npoints, ncells, nconn of every rank */
} RhxVtu;

/* Writes the values of field number `field` for every point or cell of the piece. */
typedef PetscErrorCode (*RhxVtuFillFn)(void *ctx, PetscInt field, double *values);

PetscErrorCode RhxVtuCreate(RhxSpace space, RhxVtu **vtu);
/* A surface that this rank holds: positions xyz[npoints][3], points face[nfaces][4] of triangles (the last -1) and quadrilaterals in
 * their order around; node numbers the points. */
PetscErrorCode RhxVtuCreateSurface(MPI_Comm comm, PetscInt npoints, const double (*xyz)[3], PetscInt nfaces,
                                   const PetscInt (*face)[4], RhxVtu **vtu);
PetscErrorCode RhxVtuDestroy(RhxVtu **vtu);
/* err: an errno, 0: the file is whole. Collective. */
PetscErrorCode RhxVtuWrite(RhxVtu *vtu, const char *file, double t, PetscInt nfields, const RhxVtuField *fields,
                           RhxVtuFillFn fill, void *ctx, int *err);
/* values[n] become numbers of single precision in the first half of their room. */
void RhxVtuRound(PetscInt n, double *values);
#endif
