/* What launches of the form's kernels are given, for host and device: declared here and nowhere else. Pointers are to device
 * memory; nodes, bs, naux: of a rank, their values, their auxiliary values; nn: nodes of an element. */
#ifndef RHX_KERNELS_PASS_H
#define RHX_KERNELS_PASS_H
#include <kernels/clock.h>

#define RHX_ASSEMBLE_ATOMIC 0 /* out[node] += by atomics */
#define RHX_ASSEMBLE_PLAIN 1  /* out[node] +=, no two elements of the launch share a node */
#define RHX_ASSEMBLE_STORE 2  /* out[tile node] = */

typedef struct {
  int first, last;                       /* tiles first to last - 1 */
  int stride, most;                      /* bytes of a tile's record, nodes it has room for */
  int assembly;                          /* RHX_ASSEMBLE_* */
  int nzero;                             /* doubles of `zero` */
  const char *record;                    /* of every tile: kernels/element.cuh */
  const double *scale;                   /* [nodes] factor of projections */
  const double *x, *xdot, *aux, *source; /* [nodes][bs], [nodes][naux] */
  double *out, *zero;                    /* results; an array that a later kernel adds to */
  const RhxTime *clock;
  unsigned long long *stats; /* RhxFormStats, largest so far */
  double rho, convection;
#if !defined(__CUDACC_RTC__) || RHX_BY_TURNS /* kernels of all modes at once are given what is before */
  double *sums;                              /* of the modes at the points: kernels/turns.cuh */
#endif
} RhxDevicePass;
#if !defined(__CUDACC_RTC__) || RHX_BY_TURNS
RHX_SIZE_IS(RhxDevicePass, 128);
#else
RHX_SIZE_IS(RhxDevicePass, 120);
#endif

/* What the traction of a face is, to which the prescribed one is added: none; eta_s ((grad u)^T.n - div u n); that of the state
 * (rhx_compose_open). */
enum { RHX_FACE_SYMMETRIC, RHX_FACE_GRADIENT, RHX_FACE_OPEN };

/* A quadrature point of a face, of cells of NN nodes in DIM dimensions: the same on every step. */
#define RHX_FACE_POINT(NN, DIM)                                                \
  struct {                                                                     \
    double N[NN], dN[NN][DIM]; /* of the parent's nodes, gradients in space */ \
    double x[DIM], n[DIM], g[DIM][DIM], ih2;                                   \
    double w;        /* weight times area */                                   \
    double backflow; /* share of rho min(u.n, 0) u that is added */            \
    int node[NN], form, unused;                                                \
  }
#define RHX_FACE_POINT_SIZE(NN, DIM) (8 * ((NN) * (1 + (DIM)) + (DIM) * (2 + (DIM)) + 3 + ((NN) + 3) / 2))

typedef struct {
  int n, unused; /* points */
  const double *x, *xdot, *aux, *source;
  const RhxTime *clock;
  double rho, convection;
} RhxFacePass;
RHX_SIZE_IS(RhxFacePass, 64);

/* Result i of the nodes of the list, dim each: out += the parts entry[start[k]..start[k + 1]) */
typedef struct {
  int n, unused;
  const int *node, *start, *entry;
} RhxFaceNodes;
RHX_SIZE_IS(RhxFaceNodes, 32);

/* Block `at` of the row of a node, in a matrix laid out as RhxMatrixPass has it: += the parts entry[start[k]..start[k + 1]), each
 * point * nn * nn + row's node * nn + column's */
typedef struct {
  int n, unused;                              /* pairs of nodes */
  const int *row, *node, *at, *start, *entry; /* row: [nodes + 1] blocks before a node's row */
} RhxFaceBlocks;
RHX_SIZE_IS(RhxFaceBlocks, 48);

/* out: that of owners is the column's, [n][nn][live rows][nn]; of others the matrix. */
typedef struct {
  int n, follows;                        /* elements; RHX_FOLLOWS_SLOPES of kernels/compose.h */
  const int *element;                    /* [n] their numbers, or NULL: 0 to n - 1 */
  const int *conn;                       /* [elements][nn] nodes, VTK order */
  const double *coord;                   /* [elements][nn][dim] positions as the elements see them */
  const double *x, *xdot, *aux, *source; /* [nodes][bs], [nodes][naux]; xdot NULL: no rate */
  const RhxTime *clock;
  const int *start;         /* [nodes + 1] blocks of the matrix before a node's row */
  const unsigned short *at; /* [elements][nn][nn] block of a row that belongs to a pair of nodes */
  double *out;
  unsigned char *live;           /* NULL, or [columns][rows]: filled with whether an entry can be other than zero */
  double rho, convection, shift; /* shift: of the rates */
} RhxMatrixPass;
RHX_SIZE_IS(RhxMatrixPass, 128);

/* out: [nodes][bs], or [nodes][naux] of projections. */
typedef struct {
  RhxMatrixPass at;
  const double *v, *a; /* [nodes][bs], [nodes][naux] or NULL: what the derivative is along */
  const double *scale; /* [nodes] factor, or NULL */
} RhxProductPass;
RHX_SIZE_IS(RhxProductPass, 152);

/* A live row of a column component. */
typedef struct {
  int before, l;    /* live rows in the columns before; number among those of its own */
  int nlive, place; /* live rows of its column; where it stands in a row of blocks */
} RhxPair;
RHX_SIZE_IS(RhxPair, 16);

typedef struct {
  int first, n;      /* nodes */
  int elements, add; /* of the store; whether the values of another cell type are there already */
  const int *start;  /* [nodes + 1] as above */
  /* of this range: entries of its node i, element * nn + a, are entry[list[i]] to entry[list[i + 1] - 1] */
  const int *list, *entry;
  const unsigned short *at; /* [entries][nn] */
  const RhxPair *pair;      /* [npairs] */
  const double *store;
  double *out;
  int width, npairs; /* most blocks in a row */
} RhxGatherPass;
RHX_SIZE_IS(RhxGatherPass, 80);

/* Rows of node blocks, laid out as RhxMatrixPass has them. */
typedef struct {
  int n, nr, nc;  /* nodes; components of the matrix that give rows and columns */
  int rows, cols; /* of which so many */
  int unused;
  const int *start;     /* [nodes + 1] */
  const int *component; /* [rows + cols] numbers, from 0, of those rows, then of those columns */
  const double *values;
  double *out; /* that part, laid out likewise */
} RhxPartPass;
RHX_SIZE_IS(RhxPartPass, 56);

/* Rows that become those of the identity, times a number. */
typedef struct {
  int n, nr, nc, unused;  /* rows */
  const int *row, *block; /* [n] node * nr + component; place of the node's own block among those of its row */
  const int *start;
  double diagonal;
  double *values;
} RhxHoldPass;
RHX_SIZE_IS(RhxHoldPass, 56);

/* Each value times one of its row and one of its column. */
typedef struct {
  int n, nr, nc, unused;      /* nodes */
  const int *start, *node;    /* node: [blocks] of their columns */
  const double *left, *right; /* [nodes][nr], [nodes][nc]; NULL: 1 */
  double *values;
} RhxScalePass;
RHX_SIZE_IS(RhxScalePass, 56);

/* Blocks that are added to those of nodes at their own row. */
typedef struct {
  int n, nr, nc, unused;   /* nodes */
  const int *node, *block; /* [n]; place of the node's own block among those of its row */
  const int *start;
  const double *more; /* [n][nr][nc] */
  double *values;
} RhxAddPass;
RHX_SIZE_IS(RhxAddPass, 56);

/* Of each block of nr x nc values: the sum of their magnitudes, and the block on the diagonal. */
typedef struct {
  int n, nr, nc, unused; /* nodes */
  const int *start;
  const int *own; /* [nodes] place of the node's own block among those of its row */
  const double *values;
  double *size, *diagonal; /* [blocks]; [nodes][nr][nc]; one of them NULL */
} RhxBlockPass;
RHX_SIZE_IS(RhxBlockPass, 56);

#endif
