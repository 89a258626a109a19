/* The finite element space: P1/Q1 fields in node blocks, element and face tables per cell type, halos.
 *
 * Nodes are vertices. Local nodes: [0, nowned) owned, [nowned, nlocal) ghosts. A local array holds nlocal blocks of bs
 * values; its first nowned blocks in order are the entries of the global Vec on this rank. */
#ifndef RHX_SPACE_H
#define RHX_SPACE_H
#include "exchange/host/halo.h"
#include "mesh/mesh.h"
#include "plugin/length.h"
#include "space/field.h"

#define RHX_AFFINE(dim) ((dim) * (dim) + 1 + (dim)) /* numbers of a simplex */

/* Elements of one cell type, in lane groups: element e is lane e % RHX_LANES of group e / RHX_LANES. */
typedef struct {
  DMPolytopeType type;
  PetscInt nn, nq; /* nodes an element; quadrature points */
  PetscBool axisymmetric;
  PetscInt n, ngroups; /* elements; groups, the tail padded with copies of the last element */
  PetscInt *conn;      /* [ngroups][nn][RHX_LANES] local node, VTK order (positive Jacobian) */
  PetscInt *cell;      /* [n] plex cell */
  PetscReal *x;        /* [ngroups][nn][dim][RHX_LANES] node positions as the element sees them (periodic images), m */
  PetscReal *affine;  /* [ngroups][RHX_AFFINE(dim)][RHX_LANES] of simplices: J^-1, det J, centroid; or NULL: not kept */
  const PetscReal *w; /* [nq] quadrature weights in the reference element */
  const PetscReal *N; /* [nq][nn] shape functions */
  const PetscReal *dN; /* [nq][nn][dim] reference gradients */
  PetscReal metric[9]; /* Q of the metric g = J^-T Q J^-1: identity for quads and hexes on [-1,1]^d; for simplices
                               the matrix that makes g = 2 sum_a grad N_a (x) grad N_a (dim x dim) */
} RhxCells;

/* Boundary faces of one label whose parent elements have one type and that are the same side of it. */
typedef struct {
  DMPolytopeType type;   /* of the parent element */
  PetscInt side;         /* number of the face in the parent's reference element */
  PetscInt nn, nfn, nfq; /* nodes of the parent, of the face; quadrature points of the face */
  PetscBool axisymmetric;
  PetscInt n, ngroups;
  PetscInt *conn;          /* [ngroups][nn][RHX_LANES] nodes of the parent */
  PetscInt *face;          /* [n] RHX_MAX_SIDES * plex cell + side */
  PetscInt fnode[4];       /* [nfn] parent's local node numbers of the face */
  PetscReal *x;            /* [ngroups][nn][dim][RHX_LANES] */
  const PetscReal *w;      /* [nfq] weights on the reference face */
  const PetscReal *N, *dN; /* [nfq][nn], [nfq][nn][dim] of the parent at the face's points */
  PetscReal
      tangent[6]; /* [dim-1][dim] d xi / d (face coordinates): normal * area = vector product of J tangent, outward */
  const PetscReal *metric; /* of the parent type, as in RhxCells */
} RhxFaceGroup;

typedef struct {
  char label[RHX_NAME_LENGTH];
  PetscInt ngroups;
  RhxFaceGroup *group;
  PetscInt nnodes; /* owned nodes on the label (union over ranks is every node of the label) */
  PetscInt *node;  /* [nnodes] owned local node, then the ghosts of this rank's faces: */
  IS nodes;        /* all of them */
  PetscInt *at;    /* [faces in the order of groups][nodes of a face] places among them */
} RhxFaces;

typedef struct _p_RhxSpace *RhxSpace;
struct _p_RhxSpace {
  RhxMesh mesh; /* borrowed */
  MPI_Comm comm;
  PetscInt dim, ntens;
  PetscBool axisymmetric;                   /* of the fields: measures are those of what the half plane sweeps */
  RhxFields fields;                         /* owned */
  PetscInt nmodes, nfields, bs;             /* of the fields; bs: components of the state's node block */
  const RhxField *field;                    /* [nfields] those of the table */
  PetscInt nowned, nlocal, nglobal, rstart; /* nodes */
  PetscSF sf;                               /* roots: owned nodes; leaves: ghosts, numbered from nowned */
  RhxHalo halo;                             /* of sf */
  PetscInt *vertex_node;                    /* [vEnd - vStart] local node of a plex vertex */
  PetscInt *natural;                        /* [nlocal] vertex number in the mesh before distribution and reordering */
  ISLocalToGlobalMapping l2g;               /* local node -> global node */
  PetscInt ntypes;
  RhxCells *cells; /* [ntypes] */
  PetscInt nlabels;
  RhxFaces *faces;            /* [nlabels] */
  PetscReal *x;               /* [nlocal][dim] */
  PetscReal *mass;            /* [nlocal] lumped mass (row sum), summed over ranks, m^dim; axisymmetric m^3 */
  DM dm;                      /* of the state, RhxSpaceCreateDM; NULL: nobody has asked for it */
  struct RhxElement *element; /* [ntypes] reference elements; cells and face groups point into them */
};

/* Takes the whole table of fields over. */
PetscErrorCode RhxSpaceCreate(RhxMesh mesh, RhxFields *fields, RhxSpace *space);
PetscErrorCode RhxSpaceDestroy(RhxSpace *space);
PetscErrorCode RhxSpaceCreateVec(RhxSpace space, PetscInt bs, Vec *v); /* global, block size bs */
/* local[nlocal*bs] from the global Vec's array g[nowned*bs] (g may be the start of `local`). Collective. */
PetscErrorCode RhxSpaceGlobalToLocal(RhxSpace space, PetscInt bs, const PetscScalar *g, PetscScalar *local);
/* Adds ghosts of `local` into their owners; afterwards the first nowned blocks hold the sums. Collective. */
PetscErrorCode RhxSpaceReduce(RhxSpace space, PetscInt bs, PetscScalar *local);
/* size[3]: sides of the box around the nodes, m; 0 beyond dim. Collective. */
PetscErrorCode RhxSpaceGetExtent(RhxSpace space, double size[3]);
PetscErrorCode RhxSpaceGetFaces(RhxSpace space, const char *label, const RhxFaces **faces);
/* mine[n] of every rank in their order; the caller frees all[nall]. Collective. */
PetscErrorCode RhxGatherReals(MPI_Comm comm, PetscInt n, const PetscReal *mine, PetscInt *nall, PetscReal **all);
/* Numbers of blocks of bs values, for matrices; the caller's. Collective. */
PetscErrorCode RhxSpaceBlockMapping(RhxSpace space, PetscInt bs, ISLocalToGlobalMapping *l2g);
#endif
