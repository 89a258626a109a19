/* Developed stress at inlets and developed traction at outlets against the closed form of an upper-convected linear law:
 * tau_xy = eta g, tau_xx = 2 lambda eta g^2 in shear g = du/dy. Stress and conformation, 2D and 3D, two modes. */
#include "boundary/impl.h"
#include "common.h"
#include "kernels/pass.h"

#define LAWS                                                                                     \
  " -physics newtonian,oldroydb -physics_oldroydb_modes 2 -physics_oldroydb_viscosity 0.5,0.25 " \
  "-physics_oldroydb_lambda 2,0.3 "
static const double eta[2] = {0.5, 0.25}, lambda[2] = {2, 0.3};

/* u = 3 (1 - y^2): g = -6 y at inlet and outlet; components from the axis: xx, yy, ..., xy. */
static PetscErrorCode inlet(const char *variable, PetscInt dim)
{
  Setup s;
  char options[2048];
  PetscInt bs;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(options, sizeof(options), "%s -polymer_variable %s" LAWS,
                          dim == 2 ? "-mesh_box_lower 0,-1 -mesh_box_upper 3,1 -mesh_box_faces 3,8 -bc_left_type inlet "
                                     "-bc_left_profile parabolic "
                                     "-bc_left_mean_velocity 2 -bc_bottom_type wall -bc_top_type wall -bc_right_type "
                                     "outlet -bc_right_polymer zero"
                                   : "-mesh_box_lower 0,-1,0 -mesh_box_upper 3,1,1 -mesh_box_faces 3,8,3 "
                                     "-mesh_box_periodic z -bc_left_type inlet "
                                     "-bc_left_velocity 3*(1-y^2),0,0 -bc_bottom_type wall -bc_top_type wall "
                                     "-bc_right_type outlet -bc_right_polymer zero",
                          variable));
  PetscCall(setup_imposed(options, NULL, 0, &s));
  bs = s.space->bs;
  for (PetscInt i = 0; i < s.space->nowned; i++) {
    const PetscReal *x = s.space->x + dim * i;
    double g = -6 * x[1];
    if (x[0] != 0) continue; /* end nodes on the walls count */
    for (PetscInt k = 0; k < 2; k++) {
      const PetscScalar *got = s.x + i * bs + RhxFieldsGet(s.space->fields, RHX_GROUP_MODES, k)->offset;
      PetscInt ntens = s.space->ntens, xy = ntens - 1;
      for (PetscInt a = 0; a < ntens; a++) {
        double tau = a == xy ? eta[k] * g : a == 0 ? 2 * lambda[k] * eta[k] * g * g : 0;
        double want = !strcmp(variable, "stress") ? tau : (a < dim) + tau * lambda[k] / eta[k];
        expect(near(got[a], want, 1e-9 * (1 + PetscAbsReal(want))),
               "%dD %s, mode %d, component %d at y = %g is %.15g, expected %.15g", (int)dim, variable, (int)k, (int)a,
               x[1], got[a], want);
      }
    }
  }
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Traction at the outlet, half ramped: (tau - p I).n with n = (1, 0), g = -3 y, p = 4 + y. */
static PetscErrorCode outlet(const char *form)
{
  Setup s;
  char options[2048];
  PetscInt points = 0;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(
      options, sizeof(options),
      "-mesh_box_lower 0,-1 -mesh_box_upper 3,1 -mesh_box_faces 3,8 -bc_left_type inlet -bc_left_velocity 1,0 "
      "-bc_bottom_type wall -bc_top_type wall -bc_right_type outlet -bc_right_profile parabolic "
      "-bc_right_maximum_velocity 3 "
      "-bc_right_ramp 4 -bc_right_pressure 4+y -bc_right_form %s" LAWS,
      form));
  PetscCall(setup_imposed(options, NULL, 2, &s));
  expect(s.form->nface_terms == 1, "%d face terms, expected 1", (int)s.form->nface_terms);
  expect(s.form->face_term[0].form == (strcmp(form, "gradient") ? RHX_FACE_SYMMETRIC : RHX_FACE_GRADIENT),
         "form %s is not what the face term has", form);
  for (PetscInt i = 0; i < s.form->face_term[0].faces->ngroups; i++) {
    const RhxFaceGroup *g = &s.form->face_term[0].faces->group[i];
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt q = 0; q < g->nfq; q++) {
        const PetscReal *t =
            s.form->face_term[0].traction[i] + (f / RHX_LANES * g->nfq + q) * 2 * RHX_LANES + f % RHX_LANES;
        PetscReal x[3], n[3], xx = 0, xy = 0;
        RhxFacePoint(g, 2, f / RHX_LANES, q, f % RHX_LANES, x, n);
        for (PetscInt k = 0; k < 2; k++) {
          xy += eta[k] * -3 * x[1];
          xx += 2 * lambda[k] * eta[k] * 9 * x[1] * x[1];
        }
        expect(near(t[0], xx - 4 - x[1], 1e-9) && near(t[RHX_LANES], xy, 1e-9),
               "traction at y = %g is (%.12g, %.12g), expected (%.12g, %.12g)", x[1], t[0], t[RHX_LANES], xx - 4 - x[1],
               xy);
        points++;
      }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &points, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  expect(points >= 8, "%d quadrature points at the outlet", (int)points);
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(test_begin(&argc, &argv));
  PetscCall(inlet("stress", 2));
  PetscCall(inlet("conformation", 2));
  PetscCall(inlet("stress", 3));
  PetscCall(outlet("gradient"));
  PetscCall(outlet("symmetric"));
  return test_end();
}
