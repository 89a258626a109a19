/* The faces of a plane label with their nodes, gathered: the same on every rank. Fields live on its nodes: values by the faces' P1 and Q1
 * functions, gradients by quadratics fitted around each node. */
#ifndef RHX_SECTION_IMPL_H
#define RHX_SECTION_IMPL_H
#include "boundary/impl.h"

typedef struct _p_RhxSection *RhxSection;

/* Where a place is: the face, and the functions of its corners. */
typedef struct {
  PetscInt face;
  PetscReal N[4];
} RhxSectionPlace;

#define RHX_SECTION_LISTS 4 /* of places that were asked for last */
typedef struct {
  PetscInt n;
  PetscReal *x; /* [n][dim] */
  RhxSectionPlace *place;
} RhxSectionList;

struct _p_RhxSection {
  PetscInt dim, nfaces, nnodes; /* of space; of all ranks */
  PetscReal origin[3], axis[2][3];
  PetscBool axisymmetric; /* areas are those that a line sweeps, 2 pi r long */
  PetscReal area;
  PetscReal *x;                 /* [nnodes][2] along the axes, m (a line: the first) */
  unsigned *flags;              /* [nnodes] RHX_TYPE_... of all other conditions at the node */
  PetscInt *wall;               /* [nnodes] number of the wall without slip that holds the node, -1: none does */
  PetscInt *node;               /* [nfaces][4] corners in turn, -1: none */
  PetscReal *corner;            /* [nfaces][4][2] where they are for the face: periodic images */
  PetscInt *first, *around;     /* [nnodes + 1]; faces of each node */
  PetscInt *start, *at;         /* [nnodes + 1]; nodes that make the gradient of each, and */
  PetscReal *weight;            /* [.][2] how */
  PetscInt grid[2], *bin, *row; /* faces by place: those of square k are row[bin[k]] ... */
  PetscReal low[2], width[2];
  PetscInt nrim, *rim; /* [nrim][2] nodes of the edges of a single face (3D), and */
  PetscReal *edge;     /* [nrim][2][2] where they are for it */
  PetscInt *slip;      /* [nrim] number of the wall with friction that it is on, the first of several, or -1 */
  PetscInt *id;        /* [nnodes] global numbers, rising */
  RhxSectionList list[RHX_SECTION_LISTS]; /* the latest first */
};

/* Of a label that is plane (2D: straight). Collective. */
PetscErrorCode RhxSectionCreate(RhxBoundary bc, const RhxCondition *c, RhxSection *section);
PetscErrorCode RhxSectionDestroy(RhxSection *section);
PetscInt RhxSectionCorners(RhxSection s, PetscInt face);
/* Quadrature point q of a face: functions N[4] of its corners, their gradients, area; FALSE: there are no more. Exact for the products of
 * two functions of a triangle or parallelogram. */
PetscBool RhxSectionPoint(RhxSection s, PetscInt face, PetscInt q, PetscReal N[4], PetscReal dN[4][2], PetscReal *area);
/* Of n places x[n][dim] of the label; borrowed, and good until as many other lists are asked for. Found once while the same are asked for. */
PetscErrorCode RhxSectionLocate(RhxSection s, PetscInt n, const PetscReal *x, const RhxSectionPlace **place);
/* Of values[nnodes][n] at a place: v[n] and gradient[n][3] along the label; either may be NULL. */
void RhxSectionEvaluate(RhxSection s, const RhxSectionPlace *place, PetscInt n, const PetscReal *values, PetscReal *v,
                        PetscReal (*gradient)[3]);
/* Of a flow along the normal: unknown[nnodes], a node's number, -1 at walls without slip, n of them; share[nnodes], the flux of a unit velocity of the
 * node, m^2; most: nodes that share a face with one, itself included, at most. */
PetscErrorCode RhxSectionUnknowns(RhxSection s, PetscInt *n, PetscInt *unknown, PetscReal *share, PetscInt *most);
/* section_fit.c */
PetscErrorCode RhxSectionFit(RhxSection s);
#endif
