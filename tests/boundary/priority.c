/* Corners and edges: velocity from the first of wall, moving wall, inlet, symmetry, outlet; inlet stress and outlet
 * pressure also on their end nodes; fixed and free pressure; nodes of a label. */
#include "common.h"

#define FLUID " -physics newtonian,oldroydb "

static PetscInt count_all(PetscInt n)
{
  MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  return n;
}

static void check_nodes(Setup *s, const char *label, PetscInt want)
{
  PetscInt n;
  const PetscInt *node;
  PetscCallAbort(PETSC_COMM_WORLD, RhxBoundaryGetVelocityNodes(s->bc, label, &n, &node));
  n = count_all(n);
  expect(n == want, "label %s gives the velocity of %d nodes, expected %d", label, (int)n, (int)want);
}

/* Watertight lid: its end nodes belong to the walls. */
static PetscErrorCode cavity(void)
{
  Setup s;
  PetscBool free;
  PetscInt bs;

  PetscFunctionBegin;
  PetscCall(setup_imposed("-mesh_box_faces 4,4 -bc_left_type wall -bc_right_type wall -bc_bottom_type wall "
                          "-bc_top_type moving_wall -bc_top_velocity 3,0" FLUID,
                          NULL, 0, &s));
  bs = s.space->bs;
  for (PetscInt i = 0; i < s.space->nowned; i++) {
    const PetscReal *x = s.space->x + 2 * i;
    PetscBool side = (PetscBool)(x[0] == 0 || x[0] == 1 || x[1] == 0), lid = (PetscBool)(x[1] == 1);
    double want = side ? 0 : lid ? 3 : UNTOUCHED;
    expect(s.x[i * bs] == want, "cavity u at (%g, %g) is %g, expected %g", x[0], x[1], s.x[i * bs], want);
    expect(s.x[i * bs + 2] == UNTOUCHED, "cavity p at (%g, %g) was given", x[0], x[1]);
    expect(s.x[i * bs + 3] == UNTOUCHED, "cavity stress at (%g, %g) was given", x[0], x[1]);
  }
  PetscCall(RhxBoundaryGetPressureNodes(s.bc, NULL, NULL, &free));
  expect(free, "the pressure of a cavity is not free");
  check_nodes(&s, "top", 3);
  check_nodes(&s, "bottom", 5);
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode channel(void)
{
  Setup s;
  PetscBool free;
  PetscInt bs, n;

  PetscFunctionBegin;
  PetscCall(setup_imposed("-mesh_box_faces 4,4 -bc_left_type inlet -bc_left_velocity 2,0 -bc_left_polymer formula "
                          "-bc_left_stress 1,2,1.5 -bc_right_type outlet -bc_right_pressure 5+y -bc_right_polymer zero "
                          "-bc_top_type symmetry -bc_bottom_type wall" FLUID,
                          NULL, 0, &s));
  bs = s.space->bs;
  for (PetscInt i = 0; i < s.space->nowned; i++) {
    const PetscReal *x = s.space->x + 2 * i;
    const PetscScalar *v = s.x + i * bs;
    PetscBool in = (PetscBool)(x[0] == 0), out = (PetscBool)(x[0] == 1), wall = (PetscBool)(x[1] == 0),
              top = (PetscBool)(x[1] == 1);
    double u = wall ? 0 : in ? 2 : UNTOUCHED, vy = wall || in || top ? 0 : UNTOUCHED;
    double p = out ? 5 + x[1] : UNTOUCHED, xx = in ? 1 : UNTOUCHED, xy = in ? 1.5 : top ? 0 : UNTOUCHED;
    expect(v[0] == u && v[1] == vy && v[2] == p && v[3] == xx && v[5] == xy,
           "channel at (%g, %g): %g %g %g %g %g, expected %g %g %g %g %g", x[0], x[1], v[0], v[1], v[2], v[3], v[5], u,
           vy, p, xx, xy);
  }
  PetscCall(RhxBoundaryGetPressureNodes(s.bc, &n, NULL, &free));
  expect(!free && count_all(n) == 5, "an outlet of 5 nodes fixes the pressure of %d", (int)count_all(n));
  check_nodes(&s, "left", 4);
  check_nodes(&s, "top", 4);
  check_nodes(&s, "right", 3);
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All five types on a box: the velocity of every node follows the order of the types. */
static PetscErrorCode box(void)
{
  Setup s;
  PetscInt bs;

  PetscFunctionBegin;
  PetscCall(setup_imposed("-mesh_box_faces 3,3,3 -bc_left_type inlet -bc_left_velocity 2,3,4 -bc_left_polymer rest "
                          "-bc_right_type outlet -bc_right_polymer zero -bc_front_type symmetry -bc_back_type wall "
                          "-bc_bottom_type wall -bc_top_type moving_wall -bc_top_velocity 1,0,x" FLUID,
                          NULL, 0, &s));
  bs = s.space->bs;
  for (PetscInt i = 0; i < s.space->nowned; i++) {
    const PetscReal *x = s.space->x + 3 * i;
    const PetscScalar *v = s.x + i * bs;
    int on[5] = {0};
    PetscReal want[3] = {UNTOUCHED, UNTOUCHED, UNTOUCHED};
    const char *labels[6] = {"left", "right", "bottom", "top", "front", "back"};
    static const int kind[6] = {2, 4, 0, 1, 3, 0}; /* wall, moving wall, inlet, symmetry, outlet */
    for (int l = 0; l < 6; l++) {
      const RhxFaces *faces;
      PetscCall(RhxSpaceGetFaces(s.space, labels[l], &faces));
      for (PetscInt j = 0; j < faces->nnodes; j++)
        if (faces->node[j] == i) on[kind[l]] = 1;
    }
    if (on[0])
      want[0] = want[1] = want[2] = 0;
    else if (on[1])
      want[0] = 1, want[1] = 0, want[2] = x[0];
    else if (on[2])
      want[0] = 2, want[1] = 3, want[2] = 4;
    for (int d = 0; d < 3; d++) {
      PetscBool normal =
          (PetscBool)(v[d] == 0 && want[d] == UNTOUCHED && on[3]); /* which direction is checked in symmetry.c */
      expect(v[d] == want[d] || normal, "box velocity %d at (%g, %g, %g) is %g, expected %g", d, x[0], x[1], x[2], v[d],
             want[d]);
    }
    expect((v[3] == 0) == (on[4] != 0), "box pressure at (%g, %g, %g) is %g", x[0], x[1], x[2], v[3]);
    expect((v[4] == 0) == (on[2] != 0), "box stress at (%g, %g, %g) is %g", x[0], x[1], x[2], v[4]);
  }
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(test_begin(&argc, &argv));
  PetscCall(cavity());
  PetscCall(channel());
  PetscCall(box());
  return test_end();
}
