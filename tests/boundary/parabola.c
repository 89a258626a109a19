/* Parabolas: values, direction, flux by quadrature, half channels, circles and half circles, formulas' gradients. */
#include "boundary/impl.h"
#include "common.h"
#include <math.h>

/* Integral of u.n over a label from the imposed nodal values. */
static PetscErrorCode flux(Setup *s, const char *label, double *sum)
{
  const RhxFaces *faces;
  PetscScalar *local;
  PetscInt dim = s->space->dim, bs = s->space->bs;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->space->nlocal * bs, &local));
  PetscCall(RhxSpaceGlobalToLocal(s->space, bs, s->x, local));
  PetscCall(RhxSpaceGetFaces(s->space, label, &faces));
  *sum = 0;
  for (PetscInt i = 0; i < faces->ngroups; i++) {
    const RhxFaceGroup *g = &faces->group[i];
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt q = 0; q < g->nfq; q++) {
        PetscReal x[3], n[3];
        RhxFacePoint(g, dim, f / RHX_LANES, q, f % RHX_LANES, x, n);
        for (PetscInt a = 0; a < g->nn; a++)
          for (PetscInt d = 0; d < dim; d++)
            *sum += g->w[q] * g->N[q * g->nn + a] * n[d] *
                    local[g->conn[(f / RHX_LANES * g->nn + a) * RHX_LANES + f % RHX_LANES] * bs + d];
      }
  }
  PetscCall(PetscFree(local));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define OUTLET " -bc_right_type outlet -bc_right_polymer zero -physics newtonian "

/* Channel of height 2 whose inlet has n faces: the polygon's flux is mean * height * (1 - 1/n^2). */
static PetscErrorCode channel(void)
{
  Setup s;
  double sum;

  PetscFunctionBegin;
  PetscCall(setup_imposed(
      "-mesh_box_lower 0,-1 -mesh_box_upper 3,1 -mesh_box_faces 3,8 -bc_left_type inlet -bc_left_profile parabolic "
      "-bc_left_mean_velocity 2 -bc_bottom_type wall -bc_top_type wall" OUTLET,
      NULL, 0, &s));
  for (PetscInt i = 0; i < s.space->nowned; i++) {
    const PetscReal *x = s.space->x + 2 * i;
    if (x[0] != 0) continue;
    expect(near(s.x[i * s.space->bs], 3 * (1 - x[1] * x[1]), 1e-13) && near(s.x[i * s.space->bs + 1], 0, 1e-13),
           "parabola at y = %g is (%g, %g)", x[1], s.x[i * s.space->bs], s.x[i * s.space->bs + 1]);
  }
  PetscCall(flux(&s, "left", &sum));
  expect(near(sum, -4 * (1 - 1.0 / 64), 1e-12), "flux of the parabola is %.15g, expected %.15g", sum,
         -4 * (1 - 1.0 / 64));
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Symmetry at the top: half of the channel of twice the height. */
static PetscErrorCode half_channel(void)
{
  Setup s;

  PetscFunctionBegin;
  PetscCall(setup_imposed(
      "-mesh_box_lower 0,0 -mesh_box_upper 3,2 -mesh_box_faces 3,8 -bc_left_type inlet -bc_left_profile parabolic "
      "-bc_left_maximum_velocity 5 -bc_bottom_type wall -bc_top_type symmetry" OUTLET,
      NULL, 0, &s));
  for (PetscInt i = 0; i < s.space->nowned; i++) {
    const PetscReal *x = s.space->x + 2 * i;
    double want = 5 * (1 - PetscSqr((2 - x[1]) / 2));
    if (x[0] == 0)
      expect(near(s.x[i * s.space->bs], want, 1e-13), "half parabola at y = %g is %g, expected %g", x[1],
             s.x[i * s.space->bs], want);
  }
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Square [-1, 1]^2 to the disc of radius 1/2 about (100, -50), and x turned by 30 degrees about z. */
static void pipe_position(PetscInt dim, PetscScalar *x)
{
  double a = x[1], b = x[2], m = fmax(fabs(a), fabs(b)), r = hypot(a, b), scale = r > 0 ? 0.5 * m / r : 0, y,
         c = cos(M_PI / 6), s = 0.5;
  (void)dim;
  y = 100 + scale * a;
  x[2] = -50 + scale * b;
  a = x[0];
  x[0] = c * a - s * y;
  x[1] = s * a + c * y;
}

static PetscErrorCode pipe_values(const char *options, double radius, double mean)
{
  Setup s;
  double c = cos(M_PI / 6), sine = 0.5;

  PetscFunctionBegin;
  PetscCall(setup_imposed(options, pipe_position, 0, &s));
  for (PetscInt i = 0; i < s.space->nowned; i++) {
    const PetscReal *x = s.space->x + 3 * i;
    const PetscScalar *u = s.x + i * s.space->bs;
    double axial = c * x[0] + sine * x[1], r = hypot(-sine * x[0] + c * x[1] - 100, x[2] + 50);
    double want = r > 0.999999 * radius ? 0 : 2 * mean * (1 - r * r / (radius * radius));
    if (axial > 1e-9) continue;
    expect(near(u[0], c * want, 1e-9) && near(u[1], sine * want, 1e-9) && near(u[2], 0, 1e-9),
           "pipe profile at r = %g is (%g, %g, %g), expected along the axis %g", r, u[0], u[1], u[2], want);
  }
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define PIPE                                                                                                      \
  "-mesh_box_faces 2,8,8 -bc_left_type inlet -bc_left_profile parabolic -bc_left_mean_velocity 3 -bc_right_type " \
  "outlet -physics newtonian "

/* L of a parabola and of the same velocity by formula, at interior points of the inlet. */
static PetscErrorCode gradients(void)
{
  const PetscReal x[6] = {0, -0.7, 0, 0.1, 0, 0.55};
  PetscReal L[12], u[6];
  Setup s;

  PetscFunctionBegin;
  PetscCall(setup_imposed(
      "-mesh_box_lower 0,-1 -mesh_box_upper 3,1 -mesh_box_faces 3,8 -bc_left_type inlet -bc_left_profile parabolic "
      "-bc_left_mean_velocity 2 -bc_bottom_type wall -bc_top_type wall -bc_right_type outlet -physics newtonian "
      "-bc_right_velocity sin(2*y)+x,x*exp(y) -bc_right_polymer zero",
      NULL, 0, &s));
  for (PetscInt c = 0; c < s.bc->ncond; c++) {
    RhxCondition *cond = &s.bc->cond[c];
    if (strcmp(cond->label, "left") && strcmp(cond->label, "right")) continue;
    PetscCall(RhxConditionProfile(s.bc, cond, 0, 3, x, u, L));
    for (int i = 0; i < 3; i++) {
      double X = x[2 * i], y = x[2 * i + 1], left[4] = {0, -6 * y, 0, 0},
             right[4] = {1, 2 * cos(2 * y), exp(y), X * exp(y)};
      for (int k = 0; k < 4; k++) {
        double want = strcmp(cond->label, "left") ? right[k] : left[k];
        expect(near(L[4 * i + k], want, 1e-11), "%s: L[%d] at y = %g is %.15g, expected %.15g", cond->label, k, y,
               L[4 * i + k], want);
      }
    }
  }
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(test_begin(&argc, &argv));
  PetscCall(channel());
  PetscCall(half_channel());
  PetscCall(pipe_values(PIPE "-mesh_box_lower 0,-1,-1 -mesh_box_upper 2,1,1 -bc_bottom_type wall -bc_top_type wall "
                             "-bc_front_type wall -bc_back_type wall",
                        0.5, 3));
  PetscCall(pipe_values(PIPE "-mesh_box_lower 0,-1,0 -mesh_box_upper 2,1,1 -bc_bottom_type wall -bc_top_type wall "
                             "-bc_front_type wall -bc_back_type symmetry",
                        0.5, 3));
  PetscCall(gradients());
  return test_end();
}
