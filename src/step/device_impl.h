/* Memory and kernels of the operations on a device. */
#ifndef RHX_STEP_DEVICE_IMPL_H
#define RHX_STEP_DEVICE_IMPL_H
#include "boundary/device_boundary.h"
#include "exchange/exchange.h"
#include "form/cuda/faces.h"
#include "form/cuda/matrix.h"
#include "form/cuda/passes.h"
#include "form/cuda/product.h"
#include "form/cuda/totals.h"
#include "form/nodal_gradient.h"
#include "kernels/step.h"
#include "step/device_momentum_impl.h"
#include "step/ops.h"

#define RHX_STEP_EXPLICIT "kernels/step.cuh"
#define RHX_STEP_IMPLICIT "kernels/implicit.cuh"
#define RHX_STEP_THREADS 256        /* of kernels/step.cuh */
#define RHX_STEP_MAX_BLOCKS 1024    /* of kernels that reduce */
#define RHX_STEP_FINISH_BLOCKS 4096 /* of the kernel that ends a step */
#define RHX_STEP_LEAST_CHUNK 16     /* nodes of a block: small meshes are spread over the device */

typedef enum {
  RHX_STEP_BEGIN,
  RHX_STEP_STAGE,
  RHX_STEP_ADVANCE,
  RHX_STEP_RHS,
  RHX_STEP_SUM,
  RHX_STEP_CENTRE,
  RHX_STEP_COMBINE,
  RHX_STEP_FINISH,
  RHX_STEP_FLUX,
  RHX_STEP_REPORT,
  RHX_STEP_NORMS,
  RHX_STEP_LOAD,
  RHX_STEP_PICK,
  RHX_STEP_CORRECT,
  RHX_STEP_TELL,
  RHX_STEP_PART,
  RHX_STEP_OPEN,
  RHX_STEP_ADD_MASS,
  RHX_STEP_RISE,
  RHX_STEP_INFLOW,
  RHX_STEP_INFLOW_PRODUCT,
  RHX_STEP_FILM,
  RHX_STEP_TAKE,
  RHX_STEP_NKERNELS
} RhxStepKernel;

typedef struct _p_RhxStepProjection *RhxStepProjection;
typedef struct _p_RhxStepValues *RhxStepValues;

/* A list of nodes that values were asked for; pointers are to device memory. */
typedef struct RhxPicked_s *RhxPicked;
struct RhxPicked_s {
  PetscObjectId id; /* of the caller's list */
  int n, width;     /* width: of the values that there is room for */
  void *node, *value;
  RhxPicked next;
};

/* Pointers are to device memory unless said otherwise; all but form, faces, bc, halo, program are owned. */
typedef struct {
  RhxFormDevice form;
  RhxFacesDevice faces;
  RhxBoundaryDevice bc;
  RhxExchange halo; /* of the nodes */
  RhxDeviceProgram program;
  RhxDeviceFunction kernel[RHX_STEP_NKERNELS];
  PetscBool serial, on_device, recordable; /* one rank; the pressure is solved on the device; in a graph */
  PetscBool free;                          /* no pressure is given anywhere */
  void *imass, *ivolume;                   /* [nlocal] inverse mass of updates, inverse row sums */
  double irho;
  void *per_rate;                 /* [bs] inverse coefficients of rates */
  void *source;                   /* [nlocal][bs] or NULL */
  void *clock, *s;                /* RhxClock; [RHX_S_SIZE] */
  void *inverse_scale;            /* [nmodes + nscalars] conformation per unknown, inverse of a scalar's scale */
  void *load;                     /* [nlocal][bs] of the form, or NULL */
  void *open_node, *open_normal;  /* of the form's open nodes */
  void *open_diagonal, *rise;     /* of them too; rise NULL: nothing rises */
  void *health, *part;            /* partial results of blocks */
  void *ticket;                   /* unsigned: how many blocks have come */
  RhxGiven given;                 /* borrowed from bc */
  RhxInflow inflow;               /* likewise */
  RhxFilm film;                   /* likewise */
  double film_rate;               /* of the last residual with stats, 1/s; of a recorded one it does not change */
  PetscBool planes;               /* of symmetry */
  RhxLift lift;                   /* Laplacian: free rows, fixed columns; on one rank */
  RhxBoundaryPoints boundary;     /* points of all boundary faces */
  int nflux, nblocks;             /* blocks of the flux's kernel (0: the report adds up), of the others */
  int nfinish, chunk;             /* blocks of the kernel that ends a step; most nodes that one takes at a time */
  PetscBool reports;              /* the kernel that measures reports too: one rank, few points */
  RhxClock *host_clock;           /* host memory that the device reaches */
  double *host_s;                 /* likewise, [RHX_S_SIZE] */
  RhxLink link;                   /* of sums of all ranks; NULL where no mean is taken of several */
  void *sums;                     /* of the link: each rank's partial results, */
  PetscMPIInt *count, *first;     /* host: as many, from there on, by rank */
  PetscScalar *host_b, *host_phi; /* host: a solver there */
  RhxStepValues values;           /* given ones */
  PetscInt sources;               /* version of the boundary's that the device has */
  RhxDeviceGraph graph[2];        /* of steps, by their keys */
  PetscBool begun;                /* the step has had its first stage */
  double at, more;                /* a stage's rates are of t + at dt, its end is more dt later */
  PetscBool recording, warm;      /* warm: a step was done */
  void *norm;                     /* [RHX_NNORMS] squares */
  RhxPicked picked;               /* list, owned */
  void *packed;                   /* [nowned][packed_width] a part of node blocks; NULL: not used yet */
  PetscInt packed_width;
  RhxMassRows mass;             /* the consistent mass, or none */
  void *correction;             /* [naux] int, of each projection */
  void *projected[2];           /* [nlocal][naux] projections before they are corrected; between two corrections */
  RhxStepMomentum momentum;     /* NULL: explicit */
  RhxStepTransport polymer;     /* NULL: modes are explicit */
  RhxStepProjection projection; /* NULL: none was solved for */
  RhxFormMatrix tangent;        /* of derivatives, as the product: NULL until one is asked for */
  RhxFormProduct product;
  void *tangent_clock;  /* RhxTime */
  void *rest;           /* [nlocal][bs] zeros, a rate; NULL until it is asked for */
  RhxFormTotals totals; /* NULL until asked for, as what follows */
  RhxDeviceProgram nodal;
  void *nodal_part; /* parts of reductions, and their results */
  void *slope[2];   /* [nlocal] a nodal field, [nlocal][dim] its gradient times the mass */
} RhxStepDeviceData, *RhxStepDevice;

/* Begins to compile the programs of a step, beside what is made on the host before the set-up. */
PetscErrorCode RhxStepDeviceBegin(RhxOps ops);
PetscErrorCode RhxStepDeviceTakeParameters(RhxOps ops); /* density, coefficients of rates, moduli: to the device */
PetscErrorCode RhxStepDeviceSetUp(RhxOps ops);
PetscErrorCode RhxStepDeviceAllocate(RhxOps ops, RhxArray a);
/* A RhxNodalGradientFn of the operations. */
PetscErrorCode RhxStepDeviceNodalGradient(void *ops, const PetscScalar *phi, PetscScalar *r);
/* The list on the device, with room for so many values a node. Collective. */
PetscErrorCode RhxStepDevicePicked(RhxOps ops, IS nodes, int width, RhxPicked *picked);
/* Projections as they are on planes of symmetry, corrected by the consistent mass where there are corrections; ghosts are valid. */
PetscErrorCode RhxStepDeviceCorrectProjections(RhxOps ops, RhxArray aux);
/* device_record.c: given values and sources of t; those of t + at dt + more dt of the step, by its body. */
PetscErrorCode RhxStepDeviceSetTime(RhxOps ops, double t);
PetscErrorCode RhxStepDeviceValues(RhxOps ops, double at, double more);
PetscErrorCode RhxStepValuesCreate(RhxOps ops);
PetscErrorCode RhxStepValuesDestroy(RhxOps ops);
/* aux and r at the state x for a clock, an RhxTime on the device, as in the operations; xdot: on the device, or NULL. */
PetscErrorCode RhxStepDeviceProject(RhxOps ops, const void *clock, RhxArray x, RhxArray aux, RhxArray clear);
PetscErrorCode RhxStepDeviceResidual(RhxOps ops, unsigned rows, const void *clock, RhxArray x, const void *xdot,
                                     RhxArray aux, RhxArray r, void *stats, RhxArray clear);
/* r += the derivative, along v, of what flows in at x, where the modes are given in their flux. */
PetscErrorCode RhxStepDeviceInflowProduct(RhxOps ops, RhxArray x, RhxArray v, RhxArray r);
/* r += H v of films, or the derivative's product (boundary/film.h) */
PetscErrorCode RhxStepDeviceAddFilm(RhxOps ops, PetscBool product, RhxArray v, RhxArray r);
/* Sums over all elements become projections with the consistent mass, in owned nodes; nothing but scalars travels. */
PetscErrorCode RhxStepDeviceSolveProjections(RhxOps ops, RhxArray aux);
PetscErrorCode RhxStepDeviceProjectionDestroy(RhxOps ops);
/* Entry of the table. */
PetscErrorCode RhxStepDeviceReplay(RhxOps ops, int key, RhxOpsBody body, void *context);
PetscErrorCode RhxStepDeviceDestroy(RhxOps ops);
#endif
