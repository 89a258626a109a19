/* The wall as rank 0 holds it: faces with their integrals, nodes, entries. */
#ifndef RHX_DIAGNOSTICS_WALL_IMPL_H
#define RHX_DIAGNOSTICS_WALL_IMPL_H
#include "diagnostics/diagnostics.h"
#include "space/face.h"
#include <petscksp.h>

/* One face as it travels; a struct of doubles only. Node arrays have n used places. */
typedef struct {
  double n, node[4];                    /* nodes of the face; their numbers, which no partition changes */
  double shared[4];                     /* number of other labels at the node */
  double x[4][3];                       /* as the parent element sees them */
  double mass[4][4];                    /* integral N_a N_b */
  double normal[4][3], thrust[4][4][3]; /* integrals N_a n, N_a N_b n */
} RhxWallFace;

/* An unknown of the traction: a node, or that of one wall at a 2D corner. */
typedef struct {
  PetscInt node, part;
  PetscInt next, prev; /* 2D: entries along the chain, -1: none */
  double s, h;         /* 2D: arc length; distance to next */
  double normal[3];    /* unit, out of the fluid */
  PetscBool end;       /* the reaction is not this wall's alone: extrapolate */
  PetscBool simplex;   /* a triangle or tet touches the node */
} RhxWallEntry;

/* Which reactions give the traction. The gradient along the wall is a least-squares fit to the differences from the
 * neighbours on usable faces: along the tangents, inverse . sum t (difference). */
typedef struct {
  PetscInt *level;         /* [nentries] 0: the reaction gives the traction; else faces from there: extrapolate */
  PetscBool *usable;       /* [nfaces] all entries are of level 0 */
  PetscInt *nusable;       /* [nentries] usable faces */
  double (*tangent)[2][3]; /* [nentries] unit vectors along the wall, the second zero in 2D */
  double (*inverse)[2][2]; /* [nentries] of sum t t; of rank 1 where neighbours lie on a line */
} RhxWallStencil;

/* Of reactions at entries: the traction of entries with usable faces, and the integral of N times it. NULL: no entry is smoothed. */
typedef struct {
  Mat once, integral; /* [nentries][nentries] */
  Vec given, left;    /* at work */
} RhxWallSmoother;

/* What gives the traction of all entries of level 0 but those that are smoothed, factorised. */
typedef struct {
  PetscBool *smoothed; /* [nentries] by RhxWallSmooth */
  RhxWallSmoother smoother;
  double (*off)[2]; /* [nentries] integral of N times the shape functions of ends times their distance */
  PetscBool *asked; /* [nentries] for their gradient, by ends */
  PetscInt nends, *ends, nsteep, *steep; /* [nfaces] faces with ends; usable ones about entries that are asked */
  KSP ksp;
} RhxWallSystem;

/* What the velocities near a wall count for in their slopes at its entries. */
typedef struct {
  PetscBool made;        /* on every rank: when a shear rate is first asked for */
  PetscInt nmine, *mine; /* local nodes of this rank that are near */
  PetscInt *start,
      *at; /* [nentries + 1]; [start[nentries]] nodes of an entry's patch, numbered as rank 0 gathers them, and */
  double (*weight)[3]; /* the parts of their velocities in the slopes across the wall and along its tangents, 1/m */
} RhxWallFit;

/* Made once: geometry and what follows from it; reaction, pressure and turn are of the last state. */
struct RhxWallMesh_s {
  const RhxFaces *faces; /* of the label, this rank's */
  PetscInt dim, nfaces, nnodes, nentries;
  RhxWallFace *face;
  PetscInt *number;          /* [nnodes] those of the mesh, rising, so that no partition changes the order of entries */
  PetscInt (*node)[4];       /* [nfaces] node numbers */
  PetscInt (*entry)[4];      /* [nfaces] entry numbers */
  PetscBool swirl;           /* the third component is that along theta */
  double (*x)[3], *pressure; /* [nnodes] */
  double (*reaction)[3];     /* [nnodes] of all faces of the node, without the pressure's part */
  double *turn;              /* [nnodes] with swirl u_theta/r */
  PetscBool *shared;         /* [nnodes] another label has the node too */
  RhxWallEntry *e;           /* [nentries] */
  PetscInt nlinks;           /* 2D: faces in the order of their chains */
  PetscInt (*link)[2];       /* [nlinks] entries */
  double (*step)[3];         /* [nlinks] vector from the first to the second */
  RhxWallStencil stencil;
  RhxWallSystem system;
  RhxWallFit fit;
  RhxWallSurface surface; /* 3D */
  Mat thrust;             /* of pressures at nodes the integrals of N p n, rows 3 node + component */
  PetscInt *sent;         /* [nnodes] nodes, as rank 0 gathers them; NULL: none was gathered yet */
};

/* 2D: orders the faces into chains and makes entries and links. 3D: an entry a node. */
PetscErrorCode RhxWallMakeEntries(RhxWallMesh *w);
/* 3D: faces and their points for RhxWallWriteSurface. */
PetscErrorCode RhxWallMakeSurface(const RhxWallMesh *w, RhxWallSurface *surface);
/* Copies n structs of `size` bytes, doubles only, of every rank to rank 0; free there with PetscFree. */
PetscErrorCode RhxWallGather(MPI_Comm comm, PetscInt n, size_t size, const void *mine, PetscInt *nall, void *all);

/* An element near the wall as it travels; a struct of doubles only. */
typedef struct {
  double n, node[8]; /* nodes; their numbers, as of faces */
  double x[8][3];    /* positions as the element sees them */
} RhxWallCell;

/* RHX_WALL_RINGS rings of elements about the label, on rank 0; free with PetscFree. Collective. */
PetscErrorCode RhxWallCells(RhxForm form, const char *label, PetscInt *n, RhxWallCell **cell);
/* slope[nentries][3] on rank 0, to be freed: n.(grad u + grad u^T) for n into the fluid, by a least-squares fit of nodal values; its
 * tangential part is the shear. x[nlocal][bs]: known at RHX_WALL_RINGS rings. After RhxWallFitCreate. Collective. */
PetscErrorCode RhxWallFitCreate(RhxForm form, RhxWallMesh *w);
PetscErrorCode RhxWallFitDestroy(RhxWallFit *f);
PetscErrorCode RhxWallSlopes(RhxForm form, const RhxWallMesh *w, const PetscScalar *x, double (**slope)[3]);

PetscErrorCode RhxWallStencilCreate(const RhxWallMesh *w, RhxWallStencil *s);
PetscErrorCode RhxWallStencilDestroy(RhxWallStencil *s);
/* Unit vectors across a normal. */
void RhxWallTangents(int dim, const double *normal, double tangent[2][3]);
/* Components of v along them. */
void RhxWallAlong(double tangent[2][3], const double *v, double t[2]);
/* Pseudo-inverse of a sum of t t. */
void RhxWallInvert(double A[2][2], double inverse[2][2]);

/* size[nentries] of the gradient along the wall of v[nentries][3], x, y, z or in 2D theta; nan where v is 0. After the stencil. */
PetscErrorCode RhxWallGradients(const RhxWallMesh *w, PetscBool axisymmetric, const double (*v)[3], double *size);

/* traction[nentries][3]: viscous traction sigma n + p n at the entries. */
PetscErrorCode RhxWallSolve(const RhxWallMesh *w, double (*traction)[3]);
/* After the stencil. */
PetscErrorCode RhxWallSystemCreate(const RhxWallMesh *w, RhxWallSystem *s);
PetscErrorCode RhxWallSystemDestroy(RhxWallSystem *s);
/* The same at the entries of simplices that have usable faces, from neighbouring reactions. */
PetscErrorCode RhxWallSmootherCreate(const RhxWallMesh *w, RhxWallSmoother *s);
PetscErrorCode RhxWallSmootherDestroy(RhxWallSmoother *s);
PetscErrorCode RhxWallSmooth(const RhxWallMesh *w, double (*traction)[3]);
#endif
