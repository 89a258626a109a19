/* The flow at the faces of a label, from the state and its gradients: a second way to forces, beside the reactions. */
#ifndef RHX_TRACTION_IMPL_H
#define RHX_TRACTION_IMPL_H
#include "form/form.h"

/* A quadrature point of a face. */
typedef struct {
  double x[3], u[3], p;          /* with swirl u_theta is the third component, and so of what follows */
  double area, n[3];             /* n: outward normal times area; area: its length with the weight, m^2 (2D: m) */
  double pressure[3];            /* -p n, */
  double solvent[3], polymer[3]; /* 2 eta_s D n, tau n: traction on the fluid times area, N (2D: N/m) */
} RhxFaceSample;
typedef void (*RhxFaceFn)(void *ctx, const RhxFaceSample *sample);

/* x[nlocal][bs]. Gradients are those of the parent element: of first order in its size. Not collective: this rank's faces. */
PetscErrorCode RhxVisitFaces(RhxForm form, const char *label, const PetscScalar *x, RhxFaceFn visit, void *ctx);
/* Mean pressure over a label, Pa. Collective. */
PetscErrorCode RhxMeanPressure(RhxForm form, const char *label, const PetscScalar *x, double *pressure);

/* Force of the fluid on a label and its moment about centre, by the surface integral; N and N m (2D: N/m and N). Collective. */
typedef struct {
  double pressure[3], solvent[3], polymer[3], torque[3]; /* with swirl torque[2] is about the axis, */
  double twist[2];                                       /* of solvent and polymer */
} RhxSurfaceForce;
PetscErrorCode RhxIntegrateForce(RhxForm form, const char *label, const PetscScalar *x, const double centre[3],
                                 RhxSurfaceForce *force);
#endif
