/* Arrays and kernels of the device side of scheme `lumped`. */
#ifndef RHX_LUMPED_DEVICE_H
#define RHX_LUMPED_DEVICE_H
#include "boundary/device_boundary.h"
#include "form/device_faces.h"
#include "form/device_form.h"
#include "form/device_halo.h"
#include "kernels/step.h"
#include "scheme/lumped_impl.h"

#define RHX_STEP_THREADS 256 /* of kernels/step.cuh */

typedef enum {
  RHX_STEP_BEGIN,
  RHX_STEP_TICK,
  RHX_STEP_ADVANCE,
  RHX_STEP_VELOCITY,
  RHX_STEP_PROJECT_RHS,
  RHX_STEP_DISSIPATE_RHS,
  RHX_STEP_LIFT,
  RHX_STEP_SUM,
  RHX_STEP_CENTRE,
  RHX_STEP_CORRECT,
  RHX_STEP_SET_PRESSURE,
  RHX_STEP_AVERAGE,
  RHX_STEP_CHECK,
  RHX_STEP_FLUX,
  RHX_STEP_REPORT,
  RHX_STEP_COMMIT,
  RHX_STEP_NKERNELS
} RhxStepKernel;

/* Pointers are to device memory unless said otherwise; all but form, faces, bc, halo, program are owned arrays. */
typedef struct {
  RhxFormDevice form;
  RhxFacesDevice faces;
  RhxBoundaryDevice bc;
  RhxHalo halo;
  RhxDeviceProgram program;
  RhxDeviceFunction kernel[RHX_STEP_NKERNELS];
  PetscBool serial, on_device, recordable; /* one rank; the pressure is solved on the device; in a graph */
  PetscBool free;                          /* no pressure is given anywhere */
  void *x, *y, *z, *xdot, *aux, *r;        /* [nlocal][bs], aux [nlocal][naux] */
  void *u, *b, *phi;                       /* [nlocal][dim] velocity, then gradient; [nlocal] */
  void *mass, *volume;                     /* [nlocal] of the scheme; row sums */
  void *is_fixed, *fixed;                  /* [nowned] 0 or 1; [nfixed] nodes of given pressure */
  void *source;                            /* [nlocal][bs] or NULL */
  void *clock, *s;                         /* [2] t, dt; [RHX_S_SIZE] */
  void *inverse_scale;                     /* [nmodes] conformation per unknown */
  void *health, *part;                     /* partial results of blocks */
  int nfixed, nlift;
  void *lift_row, *lift_start, *lift_col, *lift_val; /* Laplacian: free rows, fixed columns */
  int nflux, flux_nn, nflux_blocks, nblocks;
  void *flux_node, *flux_N, *flux_normal; /* points of the boundary: [n][nn], [n][nn], [n][dim] */
  double *host_clock, *host_s;            /* host memory that the device reaches */
  PetscScalar *host_b, *host_phi;         /* host: a solver there */
  PetscInt values, sources;               /* versions of the boundary's values that the device has */
  RhxDeviceGraph graph;
  PetscBool recording, warm, good; /* warm: a step was done; good: x is the state, else y is */
} RhxStepDeviceData, *RhxStepDevice;

PetscErrorCode RhxStepDeviceSetUp(RhxLumped lu);
PetscErrorCode RhxStepDeviceDestroy(RhxLumped lu);
#endif
