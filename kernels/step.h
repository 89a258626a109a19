/* The scalars of an explicit step on the device, double each, for host and device. Maxima are kept as bits: a NaN is larger
 * than every number. */
#ifndef RHX_KERNELS_STEP_H
#define RHX_KERNELS_STEP_H
/* 0 unless v is not finite or beyond 1e100, where its squares and norms soon overflow: such a state is lost. */
#define RHX_LOST(v) (0.0 * (1e208 * (v)))
enum {
  RHX_S_STATS = 0,             /* [8] RhxFormStats */
  RHX_S_TAU = RHX_S_STATS + 4, /* its tau */
  RHX_S_CONTINUITY = 8,
  RHX_S_DU = 9,     /* largest |du/dt|^2 */
  RHX_S_DS = 10,    /* largest |ds/dt|^2, of s over its modulus */
  RHX_S_BAD = 11,   /* 1 if a value is lost */
  RHX_S_LEAST = 12, /* smallest eigenvalue of the conformations, its node and mode */
  RHX_S_NODE = 13,
  RHX_S_MODE = 14,
  RHX_S_NBAD = 15, /* conformations that are not positive definite */
  RHX_S_FLUX = 16, /* [3] outward, inward flux, scale of rounding */
  RHX_S_SIZE = 19
};
enum {
  RHX_FINISH_UPDATE = 1,  /* the pressure, and for a projection the velocity */
  RHX_FINISH_PROJECT = 2, /* the update is a projection's */
  RHX_FINISH_MEASURE = 4,
  RHX_FINISH_REPORT = 8 /* the scalars go to the host */
};
#endif
