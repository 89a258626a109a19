/* Developed stresses in simple shear, which are found from what is known of shear rates, against the law's own steady state at that velocity
 * gradient: every law, rates over six decades, frames at random, whatever was asked before; what is no simple shear, fast shear, and a law with a kink. Steps in time
 * in a frame. */
#include "../common/largest.h"
#include "../device/matrix_setup.h"
#include "form/transient.h"
#include "form/viscometric_impl.h"
#include <math.h>

#define KINK 0.7       /* of the trace: 2 (lambda g)^2 there */
#define LAMBDA 0.9     /* s, */
#define OTHER 0.23     /* of the second mode */
#define TOLERANCE 1e-9 /* of rounding across the axes */
#define SHEARS 400

static double uniform(void)
{
  static unsigned long long state = 88172645463325252ull;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / 9007199254740992.0 * 2.0 - 1.0;
}

/* L = g d (x) n of the form's own gradient, [dim][dim]. */
static void shear(int dim, double g, double *L)
{
  double d[3], n[3], size = 0.0, along = 0.0;

  for (int i = 0; i < dim; i++) {
    d[i] = uniform();
    size += d[i] * d[i];
  }
  for (int i = 0; i < dim; i++) {
    d[i] /= sqrt(size);
    n[i] = uniform();
  }
  for (int i = 0; i < dim; i++) along += d[i] * n[i];
  size = 0.0;
  for (int i = 0; i < dim; i++) {
    n[i] -= along * d[i];
    size += n[i] * n[i];
  }
  for (int i = 0; i < dim * dim; i++) L[i] = g * d[i / dim] * n[i % dim] / sqrt(size);
}

/* Largest difference of s and tau from those of the law's own state, over the largest component of each. */
static PetscErrorCode compare(RhxForm form, PetscInt mode, const double *L, double *error)
{
  const RhxFormMode *fm = &form->mode[mode];
  const int dim = (int)form->space->dim, nt = (int)form->space->ntens;
  const RhxPointMode law = {fm->law, fm->par, fm->slip, nt == 6 ? 3 : dim, nt};
  double whole[9] = {0}, c[6], at = 0.0, s[6], tau[6], right[2][6], size[2] = {0.0, 0.0};

  PetscFunctionBegin;
  for (int i = 0; i < dim * dim; i++) whole[i / dim * law.dim + i % dim] = L[i];
  for (int k = 0; k < nt; k++) c[k] = k < (nt == 3 ? 2 : 3);
  PetscCall(RhxPointSteady(&law, whole, &at, c));
  PetscCall(RhxFormDeveloped(form, mode, L, s, tau));
  RhxPointLawGet(law.dim, nt, RHX_KIND_DOUBLE)->stress(law.law, law.par, whole, c, right[1]);
  if (form->representation == RHX_STRESS)
    PetscCall(PetscArraycpy(right[0], right[1], nt));
  else
    PetscCall(RhxFormUnknown(form, mode, c, right[0]));
  for (int k = 0; k < nt; k++)
    for (int i = 0; i < 2; i++) size[i] = fmax(size[i], fabs(right[i][k]));
  *error = at >= 1.0 ? 0.0 : NAN;
  for (int k = 0; k < nt; k++)
    *error = larger(*error, fmax(fabs(s[k] - right[0][k]) / size[0], fabs(tau[k] - right[1][k]) / size[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_known(RhxForm form, PetscInt mode, const double *L, PetscBool *found)
{
  const RhxFormMode *fm = &form->mode[mode];
  const int dim = (int)form->space->dim, nt = (int)form->space->ntens;
  const RhxPointMode law = {fm->law, fm->par, fm->slip, nt == 6 ? 3 : dim, nt};
  double whole[9] = {0}, c[6];

  PetscFunctionBegin;
  for (int i = 0; i < dim * dim; i++) whole[i / dim * law.dim + i % dim] = L[i];
  PetscCall(RhxFormViscometric(form, mode, &law, whole, c, NULL, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates from 1e-4 to `most` over lambda. kink: rates next to it are not known, all others are. */
static PetscErrorCode check(const char *options, double most, PetscBool kink)
{
  Setup s;
  double worst = 0.0;
  int wrong = 0, near = 0;

  PetscFunctionBegin;
  PetscCall(setup_create(options, &s));
  for (int i = 0; i < SHEARS; i++)
    for (PetscInt m = 0; m < s.form->nmodes; m++) {
      const double lambda = m ? OTHER : LAMBDA, middle = sqrt(KINK / 2.0);
      const double Wi = kink && i % 2 ? middle * exp(0.1 * uniform())
                                      : pow(10.0, -4.0 + (4.0 + log10(most)) * 0.5 * (1.0 + uniform()));
      const double off = kink ? fabs(log(Wi / middle)) : INFINITY;
      double L[9], error;
      PetscBool known;
      shear((int)s.space->dim, Wi / lambda, L);
      PetscCall(compare(s.form, m, L, &error));
      worst = larger(worst, error);
      PetscCall(is_known(s.form, m, L, &known));
      wrong += (off > 0.25 && !known) || (off < 0.02 && known);
      near += off < 0.02;
      L[0] += 1e-9 * Wi / lambda; /* the flow stretches */
      PetscCall(compare(s.form, m, L, &error));
      worst = larger(worst, error);
      PetscCall(is_known(s.form, m, L, &known));
      wrong += known;
    }
  expect(worst <= TOLERANCE && !wrong && !(kink && !near),
         "%s: error %.1e (%g), %d of %d rates known that are not to be, or not known", options, worst, TOLERANCE, wrong,
         2 * SHEARS);
  printf("%.1e, %d: %s\n", worst, wrong, options);
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step in time of a mode in space, rates of places that change, and turn round, in one frame, against the law's with all six components; then with
 * a frame that tilts. */
static PetscErrorCode check_transient(const char *options)
{
  Setup s;
  double worst = 0.0;

  PetscFunctionBegin;
  PetscCall(setup_create(options, &s));
  for (int i = 0; i < SHEARS; i++)
    for (PetscInt m = 0; m < s.form->nmodes; m++) {
      const RhxFormMode *fm = &s.form->mode[m];
      const RhxPointMode law = {fm->law, fm->par, fm->slip, 3, 6};
      const double a[RHX_FORM_PLACES] = {1.3, 1.2, 1.1, 0.9}, dt = 0.07 * (m ? OTHER : LAMBDA);
      double L[RHX_FORM_PLACES][9], c[RHX_FORM_PLACES][6], right[RHX_FORM_PLACES][6], unknown[RHX_FORM_PLACES][6],
          of[6], error[2];
      shear(3, pow(10.0, uniform()) / (m ? OTHER : LAMBDA), L[0]);
      PetscCall(RhxFormSteady(s.form, m, L[0], c[0]));
      for (int place = 1; place < RHX_FORM_PLACES; place++)
        for (int k = 0; k < 9; k++) L[place][k] = (1.0 - 0.6 * place + 1e-6 * (i % 2) * uniform()) * L[0][k];
      PetscCall(PetscArraycpy(right[0], c[0], 6));
      RhxPointTransient(&law, L[0], a, dt, right[0], &error[0]);
      PetscCall(RhxFormTransient(s.form, m, L[0], a, dt, c[0], unknown[0], &error[1]));
      worst = larger(worst, error[0] < 1.0 && error[1] < 1.0 ? 0.0 : NAN);
      for (int place = 0; place < RHX_FORM_PLACES; place++) {
        double size[2] = {0.0, 0.0};
        PetscCall(RhxFormUnknown(s.form, m, right[place], of));
        for (int k = 0; k < 6; k++) {
          size[0] = fmax(size[0], fabs(right[place][k]));
          size[1] = fmax(size[1], fabs(of[k]));
        }
        for (int k = 0; k < 6; k++)
          worst = larger(
              worst, fmax(fabs(c[place][k] - right[place][k]) / size[0], fabs(unknown[place][k] - of[k]) / size[1]));
      }
    }
  expect(worst <= TOLERANCE, "%s: a step in time off by %.1e (%g)", options, worst, TOLERANCE);
  printf("%.1e: in time, %s\n", worst, options);
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is found does not depend on what was asked before, and follows parameters. */
static PetscErrorCode check_memory(void)
{
  Setup s;
  double L[9] = {0, 3.7, 0, 0}, first[6], then[6], tau[6], error;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(setup_create("-mesh_box_faces 2,2 -physics newtonian,giesekus -polymer_variable conformation", &s));
  PetscCall(RhxFormDeveloped(s.form, 0, L, first, tau));
  for (int i = 0; i < 50; i++) {
    double other[9];
    shear(2, pow(10.0, 5.0 * uniform()), other);
    PetscCall(RhxFormDeveloped(s.form, 0, other, then, tau));
  }
  PetscCall(RhxFormDeveloped(s.form, 0, L, then, tau));
  expect(!memcmp(first, then, s.space->ntens * sizeof(double)), "the same bits whatever was asked between");
  PetscCall(PetscOptionsSetValue(NULL, "-physics_giesekus_lambda", "1.7"));
  PetscCall(RhxFormReadParameters(s.form, &same));
  PetscCall(compare(s.form, 0, L, &error));
  expect(error <= TOLERANCE, "of a parameter that has changed: error %.1e", error);
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Along the axes no digit of c is lost: log c of the upper convected Maxwell model, c = [1 + 2 W^2, W; W, 1], by its eigenvalues, whose product is
 * 1 + W^2. */
static PetscErrorCode check_fast(const char *options, int dim)
{
  Setup s;
  double worst = 0.0;

  PetscFunctionBegin;
  PetscCall(setup_create(options, &s));
  for (double W = 1e-3; W < 1e9; W *= 31.7) {
    double L[9] = {0.0, W / LAMBDA}, got[6], tau[6];
    const double r = W * sqrt(1.0 + W * W), high = log1p(W * W + r), low = log1p(W * W) - high,
                 over = 0.5 * (high - low) / r;
    const double want[3] = {0.5 * (high + low) + over * W * W, 0.5 * (high + low) - over * W * W, over * W};
    PetscCall(RhxFormDeveloped(s.form, 0, L, got, tau));
    for (int k = 0; k < 3; k++)
      worst = larger(worst, fabs(got[k < 2 ? k : rhx_tensor_index(dim, (int)s.space->ntens, 0, 1)] - want[k]) / high);
  }
  expect(worst <= 1e-10, "%s: log c in fast shear off by %.1e", options, worst);
  printf("%.1e: fast, %s\n", worst, options);
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(void)
{
#define PLANE "-mesh_box_faces 2,2 -physics newtonian,"
#define SPACE "-mesh_box_faces 2,2,2 -mesh_box_lower 0 -mesh_box_upper 1 -physics newtonian,"
#define TWO(law) #law " -physics_" #law "_modes 2 -physics_" #law "_lambda 0.9,0.23 "
  PetscFunctionBegin;
  PetscCall(check(PLANE TWO(oldroydb) "-polymer_variable stress", 1e2, PETSC_FALSE));
  PetscCall(check(SPACE TWO(oldroydb) "-polymer_variable logconf", 1e2, PETSC_FALSE));
  PetscCall(check(PLANE TWO(giesekus) "-polymer_variable logconf", 1e2, PETSC_FALSE));
  PetscCall(check(SPACE TWO(giesekus) "-polymer_variable conformation", 1e2, PETSC_FALSE));
  PetscCall(check(PLANE TWO(ptt) "-physics_ptt_xi 0.1 -polymer_variable logconf -form_axisymmetric", 1e2, PETSC_FALSE));
  PetscCall(check(SPACE TWO(ptt) "-physics_ptt_form exponential -polymer_variable logconf", 1e2, PETSC_FALSE));
  PetscCall(check(PLANE TWO(fene_p) "-polymer_variable logconf", 1e2, PETSC_FALSE));
  PetscCall(check(SPACE TWO(fene_p) "-polymer_variable logconf", 1e2, PETSC_FALSE));
  PetscCall(check(SPACE TWO(fene_cr) "-polymer_variable conformation", 1e2, PETSC_FALSE));
  PetscCall(check(SPACE TWO(johnson_segalman) "-polymer_variable stress", 1e2, PETSC_FALSE));
  PetscCall(check(PLANE TWO(white_metzner) "-polymer_variable conformation", 1e2, PETSC_FALSE));
  PetscCall(
      check(SPACE TWO(kinked) "-physics_kinked_viscosity 1.1 -physics_kinked_stretch 0.7 -polymer_variable logconf",
            10.0, PETSC_TRUE));
  PetscCall(check_transient(SPACE TWO(ptt) "-physics_ptt_xi 0.1 -polymer_variable logconf"));
  PetscCall(check_transient(SPACE TWO(giesekus) "-polymer_variable stress"));
  PetscCall(check_fast(PLANE TWO(oldroydb) "-polymer_variable logconf", 2));
  PetscCall(check_fast(SPACE TWO(oldroydb) "-polymer_variable logconf", 3));
  PetscCall(check_memory());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(setup_begin(&argc, &argv));
  PetscCall(run());
  return setup_end();
}
