/* The verb eigen: modes of a flow linearised about a steady state. */
#ifndef RHX_APP_EIGEN_H
#define RHX_APP_EIGEN_H
#include "case/case.h"
#include "scheme/spectrum.h"

PetscErrorCode RhxAppEigenRegisterOptions(void);
/* Reads the options of a case for this verb, if there are any, for the verbs that have no use for them. */
PetscErrorCode RhxAppEigenPassOver(void);
/* <case>_adjoint_<number>.vtu: the adjoint mode's fields and its structural sensitivity. */
PetscErrorCode RhxAppEigenWriteAdjoint(RhxCase rc, PetscInt number, const RhxEigenmode *mode);
/* Of -eigen_critical. */
typedef struct {
  const char *text;      /* option=a:b */
  const double *shift;   /* 1/s */
  PetscInt number, most; /* modes, of which the fastest counts; restarts */
  double tol;            /* relative to the value */
} RhxCritical;
/* Error of a text that names no parameter of the case with two values. After the case's SetUp. */
PetscErrorCode RhxAppEigenCheckCritical(RhxCase rc, const RhxCritical *critical);
/* Moves the spectrum and x to the value at which the growth rate is 0; <case>_critical.csv. */
PetscErrorCode RhxAppEigenCritical(RhxCase rc, const RhxCritical *critical, RhxSpectrum spectrum, Vec x);
PetscErrorCode RhxAppEigen(const char *word);
#endif
