/* Sources of every row, initial state by formula, conformation turned into the unknown, noise that no rank count changes. */
#include "common.h"
#include <math.h>

#define WALLS "-mesh_box_faces 4,3 -mesh_box_periodic x -bc_bottom_type wall -bc_top_type wall "
#define NOISE0 0.472332843409448 /* printed by one rank */
#define NOISE1 -0.134177482205877
#define LAW "-physics newtonian,oldroydb -physics_oldroydb_viscosity 0.5 -physics_oldroydb_lambda 2 "

static PetscErrorCode sources(void)
{
  Setup s;

  PetscFunctionBegin;
  PetscCall(setup_create(
      WALLS LAW
      "-form_body_force y,2 -form_source_velocity x*t,t -form_source_pressure x+y -form_source_stress 1,x,t*y",
      NULL, &s));
  PetscCall(RhxBoundarySetUp(s.bc));
  for (int k = 0; k < 3; k++) {
    double t = 0.5 * k;
    PetscCall(RhxBoundarySetTime(s.bc, t));
    for (PetscInt i = 0; i < s.space->nlocal; i++) {
      const PetscReal *x = s.space->x + 2 * i;
      const PetscScalar *v = s.form->source + i * s.space->bs;
      const double want[6] = {x[1] + x[0] * t, 2 + t, x[0] + x[1], 1, x[0], t * x[1]};
      for (int r = 0; r < 6; r++)
        expect(near(v[r], want[r], 1e-15), "source of row %d at t = %g is %g, expected %g", r, t, v[r], want[r]);
    }
  }
  PetscCall(setup_destroy(&s));
  PetscCall(setup_create(WALLS LAW, NULL, &s));
  PetscCall(RhxBoundarySetUp(s.bc));
  expect(!s.form->source, "sources were made for a form without any");
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define SUM "y*-t-x^2*t+2e-3*y*t-1e+0*x/(1+t)/(2+y)"
#define MIXED "sin(x-t)*y"

static double of(int k, double x, double y, double t)
{
  switch (k) {
  case 0:
    return -x * x * t + 2e-3 * y * t - x / (1 + t) / (2 + y) - y * t;
  case 1:
    return sin(x - t) * y;
  case 2:
    return cos(3 * t);
  case 3:
    return t > 0.7 ? x : y;
  case 4:
    return (1 + t) * (1 + t) / (1 + y) * exp(-x) * 2 - t / 3;
  default:
    return x * y;
  }
}

/* Every row by a formula of its own at times beyond the first: what it has to evaluate again, and its values. */
static PetscErrorCode separated(void)
{
  Setup s;
  PetscInt64 before, after;

  PetscFunctionBegin;
  PetscCall(setup_create(WALLS LAW "-form_body_force " SUM "," MIXED
                                   " -form_source_pressure cos(3*t) -form_source_stress "
                                   "t>0.7?x:y,(1+t)^2/(1+y)*exp(-x)*2-t/3,x*y",
                         NULL, &s));
  PetscCall(RhxBoundarySetUp(s.bc));
  for (int step = 0; step < 4; step++) {
    const double t = 0.3 * step;
    const PetscInt64 want =
        2 * (PetscInt64)s.space->nlocal + 4 + 1 + 2; /* two wholes; terms of SUM, pressure, of the fourth */
    PetscCall(RhxFormulaCount(&before));
    PetscCall(RhxBoundarySetTime(s.bc, t));
    PetscCall(RhxFormulaCount(&after));
    expect(step == 0 || after - before == want, "step %d evaluated %d points, expected %d", step, (int)(after - before),
           (int)want);
    for (PetscInt i = 0; i < s.space->nlocal; i++)
      for (int r = 0; r < 6; r++) {
        const double *x = s.space->x + 2 * i, v = s.form->source[i * s.space->bs + r], w = of(r, x[0], x[1], t);
        expect(near(v, w, 4e-15), "source of row %d at t = %g is %.17g, expected %.17g", r, t, v, w);
      }
  }
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode initial(const char *variable, double scale, double rest)
{
  Setup s;
  char options[1024];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(
      options, sizeof(options),
      WALLS LAW "-polymer_variable %s -initial_velocity y,x+t -initial_pressure 3 -initial_conformation 2,1+y,x",
      variable));
  PetscCall(setup_create(options, NULL, &s));
  PetscCall(RhxBoundarySetUp(s.bc));
  PetscCall(RhxBoundaryInitialState(s.bc, 1, PETSC_TRUE, s.x));
  for (PetscInt i = 0; i < s.space->nowned; i++) {
    const PetscReal *x = s.space->x + 2 * i;
    PetscBool wall = (PetscBool)(x[1] == 0 || x[1] == 1);
    const double want[6] = {wall ? 0 : x[1], wall ? 0 : x[0] + 1, 3, rest + scale, rest + scale * x[1], scale * x[0]};
    for (int r = 0; r < 6; r++)
      expect(near(s.x[6 * i + r], want[r], 1e-14), "initial %s, row %d at (%g, %g) is %g, expected %g", variable, r,
             x[0], x[1], s.x[6 * i + r], want[r]);
  }
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* log c of c = R diag(e, 1/e) R^T, R a turn by x, is R diag(1, -1) R^T: cos 2x, -cos 2x, sin 2x. */
static PetscErrorCode logarithm(void)
{
  Setup s;

  PetscFunctionBegin;
  PetscCall(setup_create(WALLS LAW "-polymer_variable logconf -initial_conformation "
                                   "cosh(1)+sinh(1)*cos(2*x),cosh(1)-sinh(1)*cos(2*x),sinh(1)*sin(2*x)",
                         NULL, &s));
  PetscCall(RhxBoundarySetUp(s.bc));
  PetscCall(RhxBoundaryInitialState(s.bc, 0, PETSC_TRUE, s.x));
  for (PetscInt i = 0; i < s.space->nowned; i++) {
    double x = s.space->x[2 * i];
    const PetscScalar *v = s.x + 6 * i + 3;
    expect(near(v[0], cos(2 * x), 1e-14) && near(v[1], -cos(2 * x), 1e-14) && near(v[2], sin(2 * x), 1e-14),
           "log c at x = %g is %g, %g, %g", x, v[0], v[1], v[2]);
  }
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums over the nodes with weights by position are those of one rank, written down. */
static PetscErrorCode noise(void)
{
  Setup s;
  double sums[3] = {0};

  PetscFunctionBegin;
  PetscCall(setup_create("-mesh_box_faces 8,8 -mesh_box_periodic xy " LAW "-initial_perturbation 0.1", NULL, &s));
  PetscCall(RhxBoundarySetUp(s.bc));
  PetscCall(RhxBoundaryInitialState(s.bc, 0, PETSC_TRUE, s.x));
  for (PetscInt i = 0; i < s.space->nowned; i++) {
    sums[0] += s.x[6 * i] * (1 + s.space->x[2 * i] + 3 * s.space->x[2 * i + 1]);
    sums[1] += s.x[6 * i + 4];
    sums[2] = PetscMax(sums[2], PetscAbsReal(s.x[6 * i + 2]));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums + 2, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  expect(near(sums[0], NOISE0, 1e-12) && near(sums[1], NOISE1, 1e-12), "sums of the noise are %.15g %.15g", sums[0],
         sums[1]);
  expect(sums[2] <= 0.1 && sums[2] > 0.08, "largest noise is %g", sums[2]);
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(test_begin(&argc, &argv));
  PetscCall(sources());
  PetscCall(separated());
  PetscCall(initial("stress", 0.25, 0));
  PetscCall(initial("conformation", 1, 1));
  PetscCall(logarithm());
  PetscCall(noise());
  return test_end();
}
