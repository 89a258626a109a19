/* Symmetry planes: normal velocity, shear of the tensors, odd components of projected fields in ghosts too, oblique planes. */
#include "common.h"
#include <math.h>

/* Planes x = 0 and y = 0 with a corner; every component 1 before. */
static PetscErrorCode planes(void)
{
  Setup s;
  PetscInt bs;

  PetscFunctionBegin;
  PetscCall(setup_imposed("-mesh_box_faces 4,4 -bc_left_type symmetry -bc_bottom_type symmetry -bc_right_type outlet "
                          "-bc_right_polymer zero "
                          "-bc_top_type wall -physics newtonian,oldroydb -polymer_variable conformation",
                          NULL, 0, &s));
  bs = s.space->bs;
  PetscCall(RhxBoundaryImpose(s.bc, RHX_BC_VELOCITY | RHX_BC_MODES, s.x));
  for (int zero = 0; zero < 2; zero++) {
    for (PetscInt i = 0; i < s.space->nowned; i++) {
      const PetscReal *x = s.space->x + 2 * i;
      const PetscScalar *v = s.x + i * bs;
      PetscBool px = (PetscBool)(x[0] == 0), py = (PetscBool)(x[1] == 0), wall = (PetscBool)(x[1] == 1);
      double u = px || wall ? 0 : UNTOUCHED, vy = py || wall ? 0 : UNTOUCHED, xy = px || py ? 0 : UNTOUCHED;
      expect(v[0] == u && v[1] == vy && v[3] == UNTOUCHED && v[4] == UNTOUCHED && v[5] == xy,
             "at (%g, %g): %g %g, %g %g %g", x[0], x[1], v[0], v[1], v[3], v[4], v[5]);
    }
    for (PetscInt i = 0; i < s.space->nowned * bs; i++) s.x[i] = UNTOUCHED;
    PetscCall(RhxBoundaryZero(s.bc, RHX_BC_VELOCITY | RHX_BC_PRESSURE | RHX_BC_MODES, s.x));
  }
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which components of a row vanish on a plane normal to axis n. */
static int odd(RhxAuxShape shape, PetscInt dim, PetscInt component, PetscInt n)
{
  if (shape == RHX_AUX_SCALAR) return 0;
  if (shape == RHX_AUX_VECTOR) return component == n;
  if (shape == RHX_AUX_GRADIENT) return (component / dim == n) != (component % dim == n);
  if (dim == 2) return component >= 2;         /* xx yy xy */
  return component >= 3 && component - 3 != n; /* yz xz xy lack the index component - 3 */
}

static const RhxAuxRow aux_rows[] = {{"a", RHX_AUX_SCALAR, 0, ""},      {"b", RHX_AUX_VECTOR, 0, ""},
                                     {"unused", RHX_AUX_VECTOR, 0, ""}, {"c", RHX_AUX_GRADIENT, 0, ""},
                                     {"d", RHX_AUX_TENSOR, 1, ""},      {"e", RHX_AUX_VECTOR, 1, ""}};
static const RhxPlugin plugin = {.name = "test", .naux = 6, .aux = aux_rows};

/* Makes `plugin` the form's one stabiliser. */
static void use_plugin(RhxForm form)
{
  PetscInt dim = form->space->dim, sizes[4] = {1, dim, dim * dim, form->space->ntens};
  form->nstabilisers = 1;
  form->stabiliser[0].plugin = &plugin;
  form->naux_flow = form->naux_mode = 0;
  for (PetscInt r = 0; r < plugin.naux; r++) {
    PetscInt *n = aux_rows[r].of ? &form->naux_mode : &form->naux_flow;
    form->stabiliser[0].stage.off[r] = r == 2 ? -1 : (int)*n;
    if (r != 2) *n += sizes[aux_rows[r].shape];
  }
  form->naux = form->naux_flow + form->nmodes * form->naux_mode;
}

static void check_row(Setup *s, const PetscScalar *aux, PetscInt r, PetscInt offset, PetscInt normal)
{
  PetscInt dim = s->space->dim, sizes[4] = {1, dim, dim * dim, s->space->ntens};
  for (PetscInt i = 0; i < s->space->nlocal; i++)
    for (PetscInt c = 0; c < sizes[aux_rows[r].shape]; c++) {
      double got = aux[i * s->form->naux + offset + c];
      int on = s->space->x[i * dim + normal] == 0;
      expect(got == !(on && odd(aux_rows[r].shape, dim, c, normal)), "%dD row %s component %d on the plane (%d): %g",
             (int)dim, aux_rows[r].name, (int)c, on, got);
    }
}

/* A scalar, a vector and a gradient of the flow, a tensor and a vector of each of two modes, 1 before. */
static PetscErrorCode auxiliary(const char *mesh, const char *label, PetscInt normal)
{
  Setup s;
  RhxFormStabiliser kept;
  PetscScalar *aux;
  char options[1024];
  PetscInt nkept, naux;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(
      options, sizeof(options),
      "%s -bc_%s_type symmetry -physics newtonian,oldroydb -physics_oldroydb_modes 2 -stabiliser split_oss", mesh,
      label));
  PetscCall(setup_create(options, NULL, &s));
  nkept = s.form->nstabilisers;
  kept = s.form->stabiliser[0];
  use_plugin(s.form);
  PetscCall(RhxBoundarySetUp(s.bc));
  naux = s.form->naux;
  PetscCall(PetscMalloc1(s.space->nlocal * naux, &aux));
  for (PetscInt i = 0; i < s.space->nlocal * naux; i++) aux[i] = 1;
  PetscCall(RhxBoundaryImposeAuxiliary(s.bc, aux));
  for (PetscInt r = 0; r < plugin.naux; r++) {
    PetscInt offset = s.form->stabiliser[0].stage.off[r];
    if (offset < 0) continue;
    if (!aux_rows[r].of) check_row(&s, aux, r, offset, normal);
    for (PetscInt k = 0; aux_rows[r].of && k < 2; k++)
      check_row(&s, aux, r, s.form->naux_flow + k * s.form->naux_mode + offset, normal);
  }
  PetscCall(PetscFree(aux));
  s.form->nstabilisers = nkept;
  s.form->stabiliser[0] = kept;
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void turn(PetscInt dim, PetscScalar *x)
{
  double a = x[0], c = cos(0.3), s = sin(0.3);
  (void)dim;
  x[0] = c * a - s * x[1];
  x[1] = s * a + c * x[1];
}

/* A Newtonian flow with a plane of normal (-sin 0.3, cos 0.3): u keeps its tangential part. */
static PetscErrorCode oblique(void)
{
  const double n[2] = {-sin(0.3), cos(0.3)}, out = (n[0] + n[1]) * UNTOUCHED;
  Setup s;
  PetscInt found = 0;

  PetscFunctionBegin;
  PetscCall(setup_imposed("-mesh_box_faces 4,4 -bc_left_type inlet -bc_left_velocity 1,0 -bc_bottom_type symmetry "
                          "-bc_right_type outlet -bc_top_type wall "
                          "-physics newtonian",
                          turn, 0, &s));
  for (PetscInt i = 0; i < s.space->nowned; i++) {
    const PetscReal *x = s.space->x + 2 * i;
    const PetscScalar *v = s.x + i * s.space->bs;
    double height = n[0] * x[0] + n[1] * x[1], along = n[1] * x[0] - n[0] * x[1];
    if (height > 1e-9 || along < 1e-9) continue;
    found++;
    expect(near(v[0], UNTOUCHED - out * n[0], 1e-13) && near(v[1], UNTOUCHED - out * n[1], 1e-13),
           "oblique plane: (%g, %g)", v[0], v[1]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  expect(found == 4, "%d nodes on the oblique plane, expected 4", (int)found);
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void skew(PetscInt dim, PetscScalar *x)
{
  (void)dim;
  x[0] += 0.5 * x[1];
}

/* Two planes at an acute angle: nothing moves where they meet, and along each only its tangential part. */
static PetscErrorCode acute(void)
{
  const double n[2] = {2 / sqrt(5), -1 / sqrt(5)}, out = (n[0] + n[1]) * UNTOUCHED;
  Setup s;

  PetscFunctionBegin;
  PetscCall(setup_imposed("-mesh_box_faces 4,4 -bc_left_type symmetry -bc_bottom_type symmetry -bc_right_type outlet "
                          "-bc_top_type wall -physics newtonian",
                          skew, 0, &s));
  for (PetscInt i = 0; i < s.space->nowned; i++) {
    const PetscReal *x = s.space->x + 2 * i;
    const PetscScalar *v = s.x + i * s.space->bs;
    PetscBool left = (PetscBool)(PetscAbsReal(x[0] - 0.5 * x[1]) < 1e-12), bottom = (PetscBool)(x[1] == 0);
    if (left && bottom) expect(PetscAbsReal(v[0]) + PetscAbsReal(v[1]) < 1e-13, "corner: (%g, %g)", v[0], v[1]);
    if (left && !bottom && x[1] < 1)
      expect(near(v[0], UNTOUCHED - out * n[0], 1e-13) && near(v[1], UNTOUCHED - out * n[1], 1e-13),
             "plane of a skewed box: (%g, %g)", v[0], v[1]);
  }
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(test_begin(&argc, &argv));
  PetscCall(planes());
  PetscCall(auxiliary("-mesh_box_faces 4,4 -bc_left_type wall -bc_top_type wall -bc_right_type wall", "bottom", 1));
  PetscCall(auxiliary("-mesh_box_faces 3,3,3 -bc_right_type wall -bc_top_type wall -bc_bottom_type wall -bc_front_type "
                      "wall -bc_back_type wall",
                      "left", 0));
  PetscCall(oblique());
  PetscCall(acute());
  return test_end();
}
