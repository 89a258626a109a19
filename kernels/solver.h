/* What launches of the pressure solver's kernels are given, for host and device: declared here and nowhere else. Pointers are
 * to device memory unless said otherwise. */
#ifndef RHX_KERNELS_SOLVER_H
#define RHX_KERNELS_SOLVER_H
#include <kernels/dialect.h>

#define RHX_THREADS 256

/* Members of a matrix of src/solver/sell_impl.h with values V; one piece of memory, which begins with `first`. */
#define RHX_MATRIX_MEMBERS(V)  \
  {                            \
    int n, nslices;            \
    const int *first, *column; \
    const V *value;            \
  }
typedef struct RHX_MATRIX_MEMBERS(void) RhxDeviceMatrix;
RHX_SIZE_IS(RhxDeviceMatrix, 32);

/* Sums of an iteration; RHX_SUMS: most numbers that a kernel sums. */
enum { RHX_RZ, RHX_WZ, RHX_RR, RHX_RW, RHX_WW, RHX_WS, RHX_ZZ, RHX_Z, RHX_SUMS };
/* The kernel that left the sums of several ranks. */
enum { RHX_AT_MEAN, RHX_AT_RECALL, RHX_AT_RESIDUAL, RHX_AT_NORM, RHX_AT_PRODUCT, RHX_AT_REMEMBER };

typedef struct {
  double gamma, alpha, beta; /* of the last rhx_product */
  double rs, ss;             /* (r, s), (s, s) after it */
  double scale;              /* of the preconditioner's input */
  double inverse, zmean;     /* 1 / scale of its output, mean of z */
  double norm, start, goal, bnorm, mean;
  int iteration, reason, live, first; /* live: rhx_update has work; first: it makes p and s */
  unsigned ticket;
} RhxCGState;
RHX_SIZE_IS(RhxCGState, 128);

typedef struct {
  double norm, start;
  int iteration, reason; /* reason 0: none */
} RhxCGEnd;
RHX_SIZE_IS(RhxCGEnd, 24);
typedef struct {         /* host memory, dear to read from the device */
  RhxCGEnd last, failed; /* failed: the first solve that failed since the host looked */
} RhxCGResult;
RHX_SIZE_IS(RhxCGResult, 48);

#define RHX_PAST 8 /* most earlier solutions that a guess is made of; at most RHX_SUMS */
typedef struct {
  int next, used;                                    /* place of the next one; whether a weight is not zero */
  double gram[RHX_PAST][RHX_PAST], weight[RHX_PAST]; /* (x_j, A x_k); of the guess */
} RhxCGPast;                                         /* zeros at first */
RHX_SIZE_IS(RhxCGPast, 584);

typedef struct {
  int n, norm, constants, most, guess, direct, total, ranks; /* total: rows of all ranks */
  double relative, absolute, divergence;
  const double *b;
  double *x, *r, *w, *p, *s, *sums, *history;
  float *in;
  const float *out;
  RhxCGState *state;
  RhxCGResult *result;
  unsigned long long loop;
  const double *shared;       /* [ranks][RHX_SUMS] sums of each rank */
  double *mine;               /* this rank's of them */
  RhxCGPast *past;            /* NULL: x is the guess */
  double *solutions;          /* [places][n] earlier ones, zero where there is none */
  const unsigned char *alone; /* [n] rows that are their diagonal */
  long long places;           /* solutions that are kept */
} RhxCGSolve;
RHX_SIZE_IS(RhxCGSolve, 208);

#endif
