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
/* Files that a spectrum writes, by kinds: */
enum {
  RHX_EIGEN_REAL,
  RHX_EIGEN_IMAGINARY,
  RHX_EIGEN_REAL_LIST,
  RHX_EIGEN_IMAGINARY_LIST,
  RHX_EIGEN_ADJOINT,
  RHX_EIGEN_PERTURBED,
  RHX_EIGEN_CRITICAL,
  RHX_EIGEN_NFILES
};
typedef struct {
  PetscInt most;                    /* numbers */
  PetscBool *own[RHX_EIGEN_NFILES]; /* [most] this one wrote it; of one file number 0 */
} RhxEigenFiles;
PetscErrorCode RhxAppEigenFilesCreate(PetscInt most, RhxEigenFiles *files);
void RhxAppEigenFilesTakeMode(RhxEigenFiles *files, PetscInt number); /* its fields and their lists */
/* Others of these names, but for the state that -case_restart names, move to <folder>/<case>.1 (or .2, ...), told. */
PetscErrorCode RhxAppEigenFilesKeepEarlier(RhxCase rc, const RhxEigenFiles *files);
PetscErrorCode RhxAppEigenFilesDestroy(RhxEigenFiles *files);
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
