/* A Gmsh file in memory and what is read of it. Private to the Gmsh reader. */
#ifndef RHX_GMSH_H
#define RHX_GMSH_H
#include "mesh/celllist.h"

typedef struct {
  PetscInt dim, tag;
  char name[256];
} GmshName;

typedef struct {
  PetscInt dim, tag;
  PetscInt nphysical;
  PetscInt *physical;
} GmshEntity;

typedef struct {
  const char *file;
  char *buffer; /* the whole file and a closing zero */
  size_t size, at;
  char section[64];
  PetscBool binary;
  PetscInt version; /* 22 or 41 */

  PetscInt nnames;
  GmshName *names;
  PetscInt nentities;
  GmshEntity *entities;

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
} Gmsh;

PetscErrorCode gmsh_load(Gmsh *g, const char *file);
PetscErrorCode gmsh_error(Gmsh *g, const char *expected);
PetscErrorCode gmsh_next_section(Gmsh *g, PetscBool *found);
PetscErrorCode gmsh_end_section(Gmsh *g);
PetscErrorCode gmsh_skip_section(Gmsh *g);
void gmsh_end_line(Gmsh *g);
/* A number: text in ascii files, else of the binary type of the name. */
PetscErrorCode gmsh_int(Gmsh *g, const char *what, PetscInt *v);
PetscErrorCode gmsh_size(Gmsh *g, const char *what, PetscInt *v);
PetscErrorCode gmsh_real(Gmsh *g, const char *what, PetscReal *v);
PetscErrorCode gmsh_text_int(Gmsh *g, const char *what, PetscInt *v);
PetscErrorCode gmsh_text_real(Gmsh *g, const char *what, PetscReal *v);
/* A count of things that take at least `bytes` bytes each in the file. */
PetscErrorCode gmsh_check_count(Gmsh *g, const char *what, PetscInt n, size_t bytes);
/* Index of a node by its tag. */
PetscErrorCode gmsh_node(Gmsh *g, PetscInt tag, PetscInt *k);

PetscErrorCode gmsh_read_nodes(Gmsh *g);
PetscErrorCode gmsh_read_elements(Gmsh *g);
PetscErrorCode gmsh_read_periodic(Gmsh *g);
#endif
