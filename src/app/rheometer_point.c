/* Laws in a homogeneous flow: steady states, sudden strains, small oscillations, the stress. */
#include "app/rheometer.h"
#include "petsc_compat.h"
#include <math.h>

#define NT 6

static const RhxPointLaw *point_law(int kind) { return RhxPointLawGet(3, NT, kind); }

void RhxRheometerRest(const RhxRheometer *rm, double *c)
{
  for (PetscInt k = 0; k < NT * rm->form->nmodes; k++) c[k] = k % NT < 3 ? 1.0 : 0.0;
}

double RhxRheometerLongest(const RhxRheometer *rm)
{
  const double L[9] = {0}, rest[NT] = {1, 1, 1, 0, 0, 0};
  double longest = 0.0, prop[3];
  for (PetscInt m = 0; m < rm->form->nmodes; m++) {
    point_law(RHX_KIND_DOUBLE)->properties(rm->form->mode[m].law, rm->form->mode[m].par, L, rest, prop);
    longest = PetscMax(longest, prop[1]);
  }
  return longest;
}

void RhxRheometerStress(const RhxRheometer *rm, double rate, const double *c, double *tau)
{
  const RhxForm form = rm->form;
  double L[9], one[NT], eta = 0.0;
  for (int i = 0; i < 9; i++) L[i] = rate * rm->unit[i];
  if (form->viscous) point_law(RHX_KIND_DOUBLE)->viscosity(form->viscous, form->viscous_par, L, &eta);
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) tau[rhx_tensor_index(3, NT, i, j)] = eta * (L[3 * i + j] + L[3 * j + i]);
  for (PetscInt m = 0; m < form->nmodes; m++) {
    point_law(RHX_KIND_DOUBLE)->stress(form->mode[m].law, form->mode[m].par, L, c + NT * m, one);
    for (int k = 0; k < NT; k++) tau[k] += one[k];
  }
}

static void multiply(const double *A, const double *B, double *C)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* F = exp(A): the series to A^14 of A/2^n, |A/2^n| <= 1/4, squared n times. */
static void exponential(const double *A, double *F)
{
  const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double norm = 0.0, scale = 1.0, As[9], T[9];
  int n = 0;
  for (int i = 0; i < 9; i++) norm += fabs(A[i]);
  for (; norm * scale > 0.25; n++) scale *= 0.5;
  for (int i = 0; i < 9; i++) {
    As[i] = scale * A[i];
    F[i] = identity[i];
  }
  for (int k = 14; k > 0; k--) {
    multiply(As, F, T);
    for (int i = 0; i < 9; i++) F[i] = identity[i] + T[i] / k;
  }
  for (; n > 0; n--) {
    multiply(F, F, T);
    for (int i = 0; i < 9; i++) F[i] = T[i];
  }
}

void RhxRheometerStrain(const RhxRheometer *rm, double strain, double *c)
{
  const double *L = rm->unit;
  for (PetscInt m = 0; m < rm->form->nmodes; m++) {
    const double xi = rm->form->mode[m].slip;
    double A[9], F[9];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) A[3 * i + j] = strain * (L[3 * i + j] - 0.5 * xi * (L[3 * i + j] + L[3 * j + i]));
    exponential(A, F);
    for (int i = 0; i < 3; i++)
      for (int j = i; j < 3; j++)
        c[NT * m + rhx_tensor_index(3, NT, i, j)] =
            F[3 * i] * F[3 * j] + F[3 * i + 1] * F[3 * j + 1] + F[3 * i + 2] * F[3 * j + 2];
  }
}

PetscErrorCode RhxRheometerSteady(const RhxRheometer *rm, double from, double rate, double *c, PetscBool *found,
                                  double *reached)
{
  double L[9];
  PetscFunctionBegin;
  for (int i = 0; i < 9; i++) L[i] = rate * rm->unit[i];
  *found = PETSC_TRUE;
  *reached = rate;
  for (PetscInt m = 0; m < rm->form->nmodes; m++) {
    const RhxFormMode *fm = &rm->form->mode[m];
    const RhxPointMode pm = {fm->law, fm->par, fm->slip, 3, NT};
    double at = from / rate;
    PetscCall(RhxPointSteady(&pm, L, &at, c + NT * m));
    if (at < 1.0) {
      *found = PETSC_FALSE;
      *reached = PetscMin(*reached, at * rate);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRheometerModuli(const RhxRheometer *rm, double frequency, double *storage, double *loss)
{
  const RhxForm form = rm->form;
  const double zero[9] = {0};
  double eta = 0.0;
  PetscFunctionBegin;
  if (form->viscous) point_law(RHX_KIND_DOUBLE)->viscosity(form->viscous, form->viscous_par, zero, &eta);
  *storage = 0.0;
  *loss = frequency * eta;
  for (PetscInt m = 0; m < form->nmodes; m++) {
    const RhxFormMode *fm = &form->mode[m];
    const RhxPointMode pm = {fm->law, fm->par, fm->slip, 3, NT};
    double G1, G2;
    PetscCall(RhxPointModuli(&pm, frequency, &G1, &G2));
    *storage += G1;
    *loss += G2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
