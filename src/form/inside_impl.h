/* What only src/form knows of a form: its two sides keep here what they work with. */
#ifndef RHX_FORM_INSIDE_IMPL_H
#define RHX_FORM_INSIDE_IMPL_H
#include "form/nodal_gradient.h"

/* Of scalar fields (theory.md, 3a). */
typedef enum { RHX_CONVECTION_AUTO, RHX_CONVECTION_CONVECTIVE, RHX_CONVECTION_CONSERVATIVE } RhxScalarConvection;

/* Bit by RhxAsk, and up to two texts of each. */
typedef struct {
  uint64_t all;
  char text[RHX_NASKS][2][256];
} RhxAsks;

/* How far the flow curve was found to rise: largest rate, its stress and conformations. */
typedef struct {
  double rate, stress, c[RHX_MAX_MODES][6];
} RhxFlowCurve;

struct _RhxFormInside {
  RhxAsks asks; /* what of the case has been found so far */
  RhxScalarConvection scalar_convection;
  RhxPasses passes; /* of residuals and projections on a device */
  double geometry_memory;
  PetscBool kept;                    /* geometry of simplices was asked for */
  const struct _RhxKernel *kernel;   /* element loops of this dimension and tensor size */
  const struct _RhxKernel *product;  /* those of products with derivatives */
  void *work;                        /* lane workspace, owned */
  struct _RhxProjection *projection; /* solves with the consistent mass; NULL: lumped and corrected */
  PetscScalar *uncorrected;          /* [2][nlocal][naux] work of corrections, or NULL */
  struct _RhxPatch *patch;           /* elements of projections and residuals (patch.h); NULL: all */
  RhxFlowCurve flow_curve;
  struct _RhxViscometric *viscometric; /* [nmodes] viscometric.c, or NULL: nothing was asked yet */
  PetscBool varies;                    /* parameters may change: none is written into a device's programs */
  PetscInt nprograms;
  struct _RhxFormProgram *program;   /* of devices that have the parameters, owned */
  PetscErrorCode (*send)(RhxForm);   /* to them; NULL: there is none */
  RhxNodalGradientFn nodal_gradient; /* nodal_gradient.h; NULL: the host, and */
  void *nodal_ctx;                   /* its context, borrowed */
  double flops[8][64]; /* of a pass of each kind with these rows and arrays (flops.c); 0: not counted yet */
};

/* A stabiliser whose terms of a mode read more of the flow than a turn of the mode has; NULL: none. */
const char *RhxFormFindCoupled(RhxForm form);
#endif
