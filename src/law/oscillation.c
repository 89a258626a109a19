/* Small amplitude oscillatory shear: a law linearised about rest, exactly. */
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include <petscblaslapack.h>

#define MAX_TENS 6

/* At rest: A = d balance/d c and B = -d balance/d rate, T = d tau_xy/d c, direct = d tau_xy/d rate. The differences are in
 * the velocity gradient, in which the upper-convected rate is linear. */
static void linearise(const RhxPointMode *m, double *A, double *B, double *T, double *direct)
{
  const RhxPointLaw *complex_law = RhxPointLawGet(m->dim, m->ntens, RHX_KIND_COMPLEX);
  const RhxPointLaw *law = RhxPointLawGet(m->dim, m->ntens, RHX_KIND_DOUBLE);
  const int nt = m->ntens, xy = nt - 1;
  const double zero[9] = {0};
  double rest[MAX_TENS], prop[3], f[2][MAX_TENS], tau[2][MAX_TENS], column[MAX_TENS], unused[MAX_TENS], h;
  for (int k = 0; k < nt; k++) rest[k] = k < (nt == 3 ? 2 : 3) ? 1.0 : 0.0;
  law->properties(m->law, m->par, zero, rest, prop);
  h = 1e-4 / prop[1];
  for (int k = 0; k < nt; k++) {
    complex_law->balance(m->law, m->par, m->slip, zero, rest, k, unused, A + nt * k);
    complex_law->stress_slope(m->law, m->par, zero, rest, k, column);
    T[k] = column[xy];
  }
  for (int s = 0; s < 2; s++) {
    const double L[9] = {0, s ? -h : h};
    law->balance(m->law, m->par, m->slip, L, rest, 0, f[s], unused);
    law->stress(m->law, m->par, L, rest, tau[s]);
  }
  for (int k = 0; k < nt; k++) B[k] = -(f[0][k] - f[1][k]) / (2 * h);
  *direct = (tau[0][xy] - tau[1][xy]) / (2 * h);
}

/* Strain exp(i w t), rate i w exp(i w t): (i w + A) c = i w B; x holds the real, then the imaginary parts. */
static PetscErrorCode oscillate(int nt, const double *A, const double *B, double w, double *x)
{
  double M[4 * MAX_TENS * MAX_TENS];
  PetscBLASInt n = (PetscBLASInt)(2 * nt), one = 1, pivot[2 * MAX_TENS], info;
  PetscFunctionBegin;
  for (int j = 0; j < nt; j++)
    for (int i = 0; i < nt; i++) {
      M[j * n + i] = M[(j + nt) * n + i + nt] = A[j * nt + i];
      M[j * n + i + nt] = i == j ? w : 0.0;
      M[(j + nt) * n + i] = i == j ? -w : 0.0;
    }
  for (int i = 0; i < nt; i++) {
    x[i] = 0.0;
    x[i + nt] = w * B[i];
  }
  LAPACKgesv_(&n, &one, M, &n, pivot, x, &n, &info);
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT, "The law linearised about rest is singular at %g rad/s",
             w);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPointModuli(const RhxPointMode *mode, double frequency, double *storage, double *loss)
{
  double A[MAX_TENS * MAX_TENS], B[MAX_TENS], T[MAX_TENS], x[2 * MAX_TENS], direct;
  PetscFunctionBegin;
  linearise(mode, A, B, T, &direct);
  PetscCall(oscillate(mode->ntens, A, B, frequency, x));
  *storage = 0.0;
  *loss = frequency * direct;
  for (int k = 0; k < mode->ntens; k++) {
    *storage += T[k] * x[k];
    *loss += T[k] * x[k + mode->ntens];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
