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

static PetscErrorCode auxiliary(const char *mesh, const char *label, PetscInt normal)
{
  Setup s;
  PetscScalar *aux;
  char options[1024];
  PetscInt naux, rows = 0;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(options, sizeof(options),
                          "%s -bc_%s_type symmetry -physics newtonian,oldroydb -stabiliser devss,split_oss", mesh,
                          label));
  PetscCall(setup_create(options, NULL, &s));
  PetscCall(RhxBoundarySetUp(s.bc));
  naux = s.form->naux;
  PetscCall(PetscMalloc1(s.space->nlocal * naux, &aux));
  for (PetscInt i = 0; i < s.space->nlocal * naux; i++) aux[i] = 1;
  PetscCall(RhxBoundaryImposeAuxiliary(s.bc, aux));
  for (PetscInt p = 0; p < s.form->nstabilisers; p++) {
    const RhxFormStabiliser *st = &s.form->stabiliser[p];
    for (PetscInt r = 0; r < st->plugin->naux; r++) {
      const RhxAuxRow *row = &st->plugin->aux[r];
      PetscInt dim = s.space->dim, sizes[4] = {1, dim, dim * dim, s.space->ntens};
      if (st->stage.off[r] < 0) continue;
      rows++;
      for (PetscInt i = 0; i < s.space->nlocal; i++)
        for (PetscInt c = 0; c < sizes[row->shape]; c++) {
          double got = aux[i * naux + (row->per_mode ? s.form->naux_flow : 0) + st->stage.off[r] + c];
          int on = s.space->x[i * dim + normal] == 0;
          expect(got == !(on && odd(row->shape, dim, c, normal)), "%s row %s component %d on the plane (%d): %g",
                 st->plugin->name, row->name, (int)c, on, got);
        }
    }
  }
  expect(rows >= 3, "%d auxiliary rows", (int)rows);
  PetscCall(PetscFree(aux));
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

int main(int argc, char **argv)
{
  PetscCall(test_begin(&argc, &argv));
  PetscCall(planes());
  PetscCall(auxiliary("-mesh_box_faces 4,4 -bc_left_type wall -bc_top_type wall -bc_right_type wall", "bottom", 1));
  PetscCall(auxiliary("-mesh_box_faces 3,3,3 -bc_right_type wall -bc_top_type wall -bc_bottom_type wall -bc_front_type "
                      "wall -bc_back_type wall",
                      "left", 0));
  PetscCall(oblique());
  return test_end();
}
