/* A Gmsh file in memory and what is read of it. */
#ifndef RHX_GMSH_IMPL_H
#define RHX_GMSH_IMPL_H
#include "mesh/celllist_impl.h"

typedef struct {
  PetscInt dim, tag;
  char name[256];
} RhxGmshName;

typedef struct {
  PetscInt dim, tag;
  PetscInt nphysical;
  PetscInt *physical;
} RhxGmshEntity;

typedef struct {
  const char *file;
  char *buffer; /* the whole file and a closing zero */
  size_t size, at;
  char section[64];
  PetscBool binary;
  PetscInt version; /* 22 or 41 */

  PetscInt nnames;
  RhxGmshName *names;
  PetscInt nentities;
  RhxGmshEntity *entities;

  PetscInt nnodes;
  PetscInt *tag;      /* [nnodes], rising */
  PetscInt *position; /* [nnodes] of tag k in x, or NULL: k */
  PetscReal *x;       /* [nnodes][3] in the order of the file */

  PetscInt nelements, nconn, room;
  char *dim, *nn;                       /* [nelements] */
  PetscInt *entity, *physical, *offset; /* [nelements]; physical groups of 2.2 */
  PetscInt *conn;                       /* node indices */

  PetscInt *master; /* [nnodes] periodic image, or NULL */
  PetscInt *vertex; /* [nnodes] in the cell list, -1: no cell uses it */
} RhxGmsh;

PetscErrorCode RhxGmshLoad(RhxGmsh *g, const char *file);
PetscErrorCode RhxGmshError(RhxGmsh *g, const char *expected);
PetscErrorCode RhxGmshNextSection(RhxGmsh *g, PetscBool *found);
PetscErrorCode RhxGmshEndSection(RhxGmsh *g);
PetscErrorCode RhxGmshSkipSection(RhxGmsh *g);
void RhxGmshEndLine(RhxGmsh *g);
/* A number: text in ascii files, else of the binary type of the name. */
PetscErrorCode RhxGmshInt(RhxGmsh *g, const char *what, PetscInt *v);
PetscErrorCode RhxGmshSize(RhxGmsh *g, const char *what, PetscInt *v);
PetscErrorCode RhxGmshReal(RhxGmsh *g, const char *what, PetscReal *v);
PetscErrorCode RhxGmshTextInt(RhxGmsh *g, const char *what, PetscInt *v);
PetscErrorCode RhxGmshTextReal(RhxGmsh *g, const char *what, PetscReal *v);
/* A count of things that take at least `bytes` bytes each in the file. */
PetscErrorCode RhxGmshCheckCount(RhxGmsh *g, const char *what, PetscInt n, size_t bytes);
/* Index of a node by its tag. */
PetscErrorCode RhxGmshNode(RhxGmsh *g, PetscInt tag, PetscInt *k);

PetscErrorCode RhxGmshReadNodes(RhxGmsh *g);
PetscErrorCode RhxGmshReadElements(RhxGmsh *g);
PetscErrorCode RhxGmshReadPeriodic(RhxGmsh *g);
#endif
