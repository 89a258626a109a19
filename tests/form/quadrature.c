/* -form_quadrature centroid against full: residuals, projections and the matrix of implicit momentum are the same to rounding where
 * no term is more than what the closed form integrates, that is without stabilisers whose times vary in an element and of laws
 * that are linear in the unknown; of other laws near rest, but for squares of the distance from it. */
#include "../common/largest.h"
#include "../device/matrix_setup.h"
#include "form/host/momentum.h"

#define ROUNDING 1e-12 /* relative to the largest value */
#define DISTANCE 1e-5  /* of a mode near rest, of its changes in a state far from it */
#define SQUARES 1e-10

static const char *const near_rest[] = {
    "-mesh_box_faces 5,4 -mesh_box_cell triangle -physics newtonian,giesekus -polymer_variable stress -stabiliser "
    "split_oss",
    "-mesh_box_faces 3,2,2 -mesh_box_lower 0 -mesh_box_upper 1 -mesh_box_cell tetrahedron -physics newtonian,ptt "
    "-polymer_variable conformation -stabiliser split_oss",
};

static const char *const cases[] = {
    "-mesh_box_faces 5,4 -mesh_box_cell triangle -physics newtonian,oldroydb -physics_oldroydb_modes 2 "
    "-physics_oldroydb_lambda 0.9,1.3 -polymer_variable stress -stabiliser devss,split_oss",
    "-mesh_box_faces 6,4 -mesh_box_cell mixed -physics power_law,white_metzner -polymer_variable conformation "
    "-stabiliser "
    "split_oss",
    "-mesh_box_faces 3,2,2 -mesh_box_lower 0 -mesh_box_upper 1 -mesh_box_cell tetrahedron -physics "
    "carreau_yasuda,johnson_segalman -polymer_variable conformation -stabiliser devss,split_oss",
    "-mesh_box_faces 3,2,2 -mesh_box_lower 0 -mesh_box_upper 1 -mesh_box_cell tetrahedron -physics casson -stabiliser "
    "split_oss",
};

/* The split's pressure with a constant time alone, or all of its parts, whose projections alone are the same. */
static PetscErrorCode prepare(const char *words, const char *quadrature, PetscBool all, Setup *s)
{
  char options[1024];
  PetscScalar *source;
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(options, sizeof(options),
                          "-form_density 3 -stabiliser_devss_theta 0.7 -mesh_box_jitter 0.2 -form_quadrature %s %s %s",
                          quadrature, all ? "" : "-stabiliser_split_oss_parts pressure -stabiliser_split_oss_tau 0.3",
                          words));
  PetscCall(setup_create(options, s));
  const size_t n = (size_t)s->space->nlocal * s->space->bs;
  PetscCall(RhxFormNeedSource(s->form, &source));
  for (size_t i = 0; i < n; i++) source[i] = PetscSinReal(1.7 * i);
  PetscCall(setup_state(s, 0.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest difference over the largest value, of each component the worst. */
static double worst(PetscInt n, PetscInt width, const PetscScalar *got, const PetscScalar *want)
{
  double all = 0;
  for (PetscInt c = 0; c < width; c++) {
    double d = 0, scale = 0;
    for (PetscInt i = 0; i < n; i++) {
      d = larger(d, PetscAbsScalar(got[i * width + c] - want[i * width + c]));
      scale = PetscMax(scale, PetscAbsScalar(want[i * width + c]));
    }
    all = larger(all, d / scale);
  }
  return all;
}

static PetscErrorCode to_rest(Setup *s)
{
  const RhxSpace sp = s->space;
  double rest[6];
  PetscFunctionBegin;
  PetscCall(RhxFormRest(s->form, 0, rest));
  for (PetscInt i = 0; i < sp->nlocal; i++)
    for (PetscInt k = 0; k < sp->ntens; k++) {
      PetscScalar *at = s->x + i * sp->bs + RhxFieldsGet(sp->fields, RHX_GROUP_MODES, 0)->offset + k;
      *at = rest[k] + DISTANCE * (*at - rest[k]);
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_near_rest(const char *words)
{
  Setup s[2];
  PetscScalar *r[2];
  double residual;
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(prepare(words, k ? "centroid" : "full", PETSC_FALSE, &s[k]));
    PetscCall(to_rest(&s[k]));
    PetscCall(PetscMalloc1((size_t)s[k].space->nlocal * s[k].space->bs, &r[k]));
    PetscCall(RhxFormResidual(s[k].form, RHX_ROWS_ALL, 0.0, 0.1, s[k].x, s[k].xdot, s[k].aux, r[k], NULL));
  }
  residual = worst(s[0].space->nowned, s[0].space->bs, r[1], r[0]);
  expect(residual <= SQUARES, "%s: residuals near rest differ by %.2e", words, residual);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "residual near rest %.1e: %s\n", residual, words));
  for (int k = 0; k < 2; k++) {
    PetscCall(PetscFree(r[k]));
    PetscCall(setup_destroy(&s[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode matrices_differ(Setup s[2], double *difference)
{
  RhxMomentumMatrix m[2];
  Mat A[2];
  PetscReal size;
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    const PetscScalar *hoop;
    PetscCall(RhxMomentumMatrixCreate(s[k].form, &m[k]));
    PetscCall(RhxMomentumMatrixAssemble(m[k], 0.0, 0.1, 0.0, s[k].x, s[k].aux));
    PetscCall(RhxMomentumMatrixGet(m[k], &A[k], &hoop));
  }
  PetscCall(MatNorm(A[0], NORM_INFINITY, &size));
  PetscCall(MatAXPY(A[1], -1.0, A[0], SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(A[1], NORM_INFINITY, difference));
  *difference /= size;
  for (int k = 0; k < 2; k++) PetscCall(RhxMomentumMatrixDestroy(&m[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(const char *words, PetscBool all)
{
  static const char *const quadrature[] = {"full", "centroid"};
  Setup s[2];
  PetscScalar *r[2];
  double residual = 0.0, projected, matrix = 0.0;
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(prepare(words, quadrature[k], all, &s[k]));
    PetscCall(PetscMalloc1((size_t)s[k].space->nlocal * s[k].space->bs, &r[k]));
    PetscCall(RhxFormResidual(s[k].form, RHX_ROWS_ALL, 0.0, 0.1, s[k].x, s[k].xdot, s[k].aux, r[k], NULL));
  }
  projected = worst(s[0].space->nowned, s[0].form->naux, s[1].aux, s[0].aux);
  if (!all) {
    residual = worst(s[0].space->nowned, s[0].space->bs, r[1], r[0]);
    PetscCall(matrices_differ(s, &matrix));
  }
  expect(residual <= ROUNDING, "%s: residuals differ by %.2e", words, residual);
  expect(projected <= ROUNDING, "%s: projections differ by %.2e", words, projected);
  expect(matrix <= ROUNDING, "%s: matrices of momentum differ by %.2e", words, matrix);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "residual %.1e, projections %.1e, matrix %.1e: %s\n", residual, projected,
                        matrix, words));
  for (int k = 0; k < 2; k++) {
    PetscCall(PetscFree(r[k]));
    PetscCall(setup_destroy(&s[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(setup_begin(&argc, &argv));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++)
    for (int all = 0; all < 2; all++) PetscCall(check(cases[k], (PetscBool)all));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(near_rest); k++) PetscCall(check_near_rest(near_rest[k]));
  return setup_end();
}
