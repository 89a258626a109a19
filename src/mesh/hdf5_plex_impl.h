/* The graph of points of an HDF5 mesh, checked before PETSc sees it. */
#ifndef RHX_HDF5_PLEX_IMPL_H
#define RHX_HDF5_PLEX_IMPL_H
#include "mesh/hdf5_read.h"
#include <petscdmplex.h>

#define RHX_H5_PATH 512

typedef struct {
  RhxH5 file;
  char root[RHX_H5_PATH];       /* group of the mesh, "" or topologies/<name>/ */
  PetscInt dim, npoints;        /* vertices, edges, faces and cells */
  PetscInt *size, *start;       /* [npoints] of a point's cone in cone */
  PetscInt *cone, *orientation; /* [ncone] */
  PetscInt ncone;               /* entries of all cones */
  PetscInt *depth;              /* [npoints] 0: a vertex, dim: a cell */
  PetscInt first[4], end[4];    /* points of a depth */
} RhxH5Plex;

PetscErrorCode RhxH5PlexRead(RhxH5Plex *plex);  /* root, topology */
PetscErrorCode RhxH5PlexCheck(RhxH5Plex *plex); /* fills depth, first, end */
PetscErrorCode RhxH5PlexCreateDM(const RhxH5Plex *plex, DM *dm);
/* x[number of vertices][dim] */
PetscErrorCode RhxH5PlexPositions(const RhxH5Plex *plex, PetscReal *x);
PetscErrorCode RhxH5PlexDestroy(RhxH5Plex *plex); /* what was read; not the file */
#endif
