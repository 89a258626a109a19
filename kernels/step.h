/* What host and device share of the nodal kernels of a step: what a launch is given, and the scalars that it leaves, double
 * each. Maxima are kept as bits: a NaN is larger than every number. Pointers are to device memory. */
#ifndef RHX_KERNELS_STEP_H
#define RHX_KERNELS_STEP_H
#include <kernels/clock.h>

/* Given rows: slot[node] -1 or a place in row[][bs], which holds -1 or a place in val. */
typedef struct {
  const int *slot, *row;
  const double *val;
} RhxGiven;
RHX_SIZE_IS(RhxGiven, 24);

/* Nodes where the modes flow in: normal[n][dim] times area, val[n][width] of the modes. */
typedef struct {
  int n, width;
  const int *node;
  const double *normal, *val;
} RhxInflow;
RHX_SIZE_IS(RhxInflow, 32);

/* Nodes with films of scalar fields: value[n][width] = integral of N h, of all fields; slope[n][width][dim] of friction's heat in the velocity,
 * NULL: none. */
typedef struct {
  int n, width;
  const int *node;
  const double *value, *slope;
} RhxFilm;
RHX_SIZE_IS(RhxFilm, 32);

/* A force per volume along the axes. */
typedef struct {
  double component[3];
} RhxForce;
RHX_SIZE_IS(RhxForce, 24);

/* Rows beside fixed nodes lose K value: of[node] is -1 or a row of start, entry. */
typedef struct {
  int node, val; /* of a fixed pressure */
  double k;
} RhxLiftEntry;
RHX_SIZE_IS(RhxLiftEntry, 16);
typedef struct {
  const int *of, *start;
  const RhxLiftEntry *entry;
} RhxLift;
RHX_SIZE_IS(RhxLift, 24);

/* The sum of weight times term: residuals of stages. */
#define RHX_SUM_TERMS 4
typedef struct {
  int n, unused;
  const double *term[RHX_SUM_TERMS];
  double weight[RHX_SUM_TERMS];
} RhxStageSum;
RHX_SIZE_IS(RhxStageSum, 72);

/* Points of all boundary faces: node[n][2^dim], -1 beyond the cell's, and N alike; normal[n][dim] times weight and area. */
typedef struct {
  int n, unused;
  const int *node;
  const double *N, *normal;
} RhxBoundaryPoints;
RHX_SIZE_IS(RhxBoundaryPoints, 32);

/* The consistent mass of a rank's elements: row i of its nodes in start[i] to start[i + 1] - 1. */
typedef struct {
  int n, nowned;
  const int *start, *node;
  const double *value;
} RhxMassRows;
RHX_SIZE_IS(RhxMassRows, 32);

/* Smallest eigenvalue of the conformations with its place, and how many are not positive. */
typedef struct {
  double least;
  int node, mode, nbad;
} RhxHealth;
RHX_SIZE_IS(RhxHealth, 24);

/* 0 unless v is not finite or beyond 1e100, where its squares and norms soon overflow: such a state is lost. */
#define RHX_LOST(v) (0.0 * (1e208 * (v)))
/* Time of tracked subscales times the largest viscous rate up to which bdf2 hands on all that a balance lacked, of quadrilaterals and hexahedra. */
#define RHX_GRADED 500.0
enum {
  RHX_S_STATS = 0, /* [9] RhxFormStats */
  RHX_S_VISCOUS = RHX_S_STATS + 1,
  RHX_S_TAU = RHX_S_STATS + 4, /* its tau */
  RHX_S_CONTINUITY = 9,
  RHX_S_DU = 10,    /* largest |du/dt|^2 */
  RHX_S_DS = 11,    /* largest |ds/dt|^2, of s over its modulus, and of scalar fields over the scale of each */
  RHX_S_BAD = 12,   /* 1 if a value is lost */
  RHX_S_LEAST = 13, /* smallest eigenvalue of the conformations, its node and mode */
  RHX_S_NODE = 14,
  RHX_S_MODE = 15,
  RHX_S_NBAD = 16, /* conformations that are not positive definite */
  RHX_S_FLUX = 17, /* [3] outward, inward flux, scale of rounding */
  RHX_S_SIZE = 20
};
enum {
  RHX_FINISH_UPDATE = 1,  /* the pressure, and for a projection the velocity */
  RHX_FINISH_PROJECT = 2, /* the update is a projection's */
  RHX_FINISH_MEASURE = 4,
  RHX_FINISH_REPORT = 8, /* the scalars go to the host */
  RHX_FINISH_TAKE = 16   /* of a projection: its gradient becomes what the velocity lost */
};
#endif
