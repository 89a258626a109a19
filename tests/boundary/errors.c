/* Each wrong condition is refused on every rank with a message that says got, expected and which option. */
#include "common.h"

#define BOX "-mesh_box_faces 4,4 "
#define WALLS BOX "-bc_left_type wall -bc_right_type wall -bc_bottom_type wall "
#define CHANNEL BOX "-bc_right_type outlet -bc_bottom_type wall -bc_top_type wall -bc_left_type inlet "
#define POLYMER " -physics newtonian,oldroydb "

static PetscErrorCode act(Setup *s, double t)
{
  PetscFunctionBegin;
  PetscCall(RhxBoundarySetUp(s->bc));
  PetscCall(RhxBoundarySetTime(s->bc, t));
  PetscCall(RhxBoundaryInitialState(s->bc, t, PETSC_TRUE, s->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef void (*change_fn)(Setup *s);

static PetscErrorCode refused_after(const char *options, move_fn move, change_fn change, const char *word1,
                                    const char *word2, const char *word3)
{
  Setup s;
  PetscErrorCode code;
  char *message = NULL;

  PetscFunctionBegin;
  PetscCall(setup_create(options, move, &s));
  if (change) change(&s);
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = act(&s, 1);
  PetscCall(PetscPopErrorHandler());
  expect(code != 0, "accepted: %s", options);
  if (code) (void)PetscErrorMessage(code, NULL, &message);
  if (message)
    expect(strstr(message, word1) && strstr(message, word2) && strstr(message, word3),
           "message \"%s\"\n  lacks one of \"%s\", \"%s\", \"%s\"", message, word1, word2, word3);
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refused(const char *options, move_fn move, const char *word1, const char *word2,
                              const char *word3)
{
  PetscFunctionBegin;
  PetscCall(refused_after(options, move, NULL, word1, word2, word3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void take_labels(Setup *s) { s->mesh->unlabelled = 3; }

/* A face of each label becomes the one of the label after it, where both are on this rank. */
static void share_face(Setup *s)
{
  for (PetscInt l = 1; l < s->space->nlabels; l++)
    if (s->space->faces[l].ngroups && s->space->faces[l - 1].ngroups)
      s->space->faces[l - 1].group[0].face[0] = s->space->faces[l].group[0].face[0];
}

static void bend(PetscInt dim, PetscScalar *x)
{
  (void)dim;
  if (x[0] == 0) x[0] = 0.1 * x[1] * x[1];
}

static PetscErrorCode labels(void)
{
  PetscFunctionBegin;
  PetscCall(refused(WALLS, NULL, "'top' has 4 faces and no condition", "-bc_top_type", "left (4 faces, wall)"));
  PetscCall(refused(WALLS "-bc_top_type wall -bc_lid_type wall", NULL, "-bc_lid_type", "0 boundary faces",
                    "top (4 faces, wall)"));
  PetscCall(
      refused(WALLS "-bc_top_type wall,inlet", NULL, "-bc_top_type", "two conditions", "top (4 faces, wall,inlet)"));
  PetscCall(refused(WALLS "-bc_top_type movingwall", NULL, "-bc_top_type", "did you mean 'moving_wall'", "symmetry"));
  PetscCall(refused_after(WALLS "-bc_top_type wall", NULL, take_labels, "3 boundary faces without a label",
                          "expected every", "top (4 faces, wall)"));
  PetscCall(refused_after(WALLS "-bc_top_type wall", NULL, share_face, "under two labels", "expected one",
                          "top (4 faces, wall)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode options(void)
{
  PetscFunctionBegin;
  PetscCall(refused(WALLS "-bc_top_type wall -bc_top_velocity 1,0", NULL, "-bc_top_velocity", "wall does not take",
                    "expected"));
  PetscCall(refused(WALLS "-bc_top_type moving_wall", NULL, "label 'top' has the type moving_wall without a velocity",
                    "-bc_top_velocity", "u,v"));
  PetscCall(refused(WALLS "-bc_top_type moving_wall -bc_top_velocity 1,0,0", NULL, "-bc_top_velocity", "got 3",
                    "expected 2 (u,v)"));
  PetscCall(
      refused(WALLS "-bc_top_type moving_wall -bc_top_velocity 1,2*", NULL, "-bc_top_velocity", "1,2*", "column 5"));
  PetscCall(refused(WALLS "-bc_top_type moving_wall -bc_top_velocity 1/(t-1),0", NULL, "-bc_top_velocity", "gives inf",
                    "t = 1"));
  PetscCall(refused(CHANNEL, NULL, "'left' is an inlet without", "-bc_left_velocity", "-bc_left_mean_velocity"));
  PetscCall(
      refused(CHANNEL "-bc_left_profile parabolic", NULL, "-bc_left_profile", "neither", "-bc_left_maximum_velocity"));
  PetscCall(refused(CHANNEL "-bc_left_velocity 1,0 -bc_left_mean_velocity 1", NULL, "-bc_left_mean_velocity",
                    "-bc_left_profile parabolic", "formula"));
  PetscCall(refused(CHANNEL "-bc_left_velocity 1,0 -bc_right_polymer developed -bc_right_pressure_at nodes" POLYMER,
                    NULL, "got the pressure at nodes", "-bc_right_pressure_at traction", "-bc_right_flow_rate"));
  PetscCall(refused(CHANNEL "-bc_left_velocity 1,0 -bc_right_polymer free" POLYMER, NULL, "-bc_right_polymer", "'free'",
                    "zero"));
  PetscCall(refused(CHANNEL "-bc_left_velocity 1,0 -bc_right_polymer zero -bc_left_polymer formula" POLYMER, NULL,
                    "-bc_left_polymer", "-bc_left_stress", "expected"));
  PetscCall(refused(CHANNEL
                    "-bc_left_velocity 1,0 -bc_right_polymer zero -bc_left_polymer formula -bc_left_stress 1,2" POLYMER,
                    NULL, "-bc_left_stress", "got 2", "xx,yy,xy"));
  PetscCall(refused(CHANNEL "-bc_left_velocity x/t,0 -bc_right_polymer zero -form_source_stress 1,2,3", NULL,
                    "-form_source_stress", "without polymer", "-form"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refused on one node only, so on one rank. */
static PetscErrorCode one_rank(void)
{
  PetscFunctionBegin;
  PetscCall(refused(WALLS "-bc_top_type wall -polymer_variable logconf -initial_conformation 1-x*y,1,0" POLYMER, NULL,
                    "-initial_conformation at (1, 1)", "no logarithm", "expected above 0"));
  PetscCall(refused(WALLS "-bc_top_type wall -initial_velocity 1/(2-x-y),0", NULL, "-initial_velocity", "inf at (1, 1)",
                    "finite"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode geometry(void)
{
  PetscFunctionBegin;
  PetscCall(refused(CHANNEL "-bc_left_profile parabolic -bc_left_mean_velocity 1", bend, "-bc_left_profile", "length",
                    "straight"));
  PetscCall(refused(BOX "-bc_left_type symmetry -bc_right_type wall -bc_top_type wall -bc_bottom_type wall", bend,
                    "-bc_left_type", "differ", "plane"));
  PetscCall(refused("-mesh_box_faces 3,3,3 -bc_left_type inlet -bc_left_profile parabolic -bc_left_mean_velocity 1 "
                    "-bc_right_type outlet -bc_top_type wall "
                    "-bc_bottom_type wall -bc_front_type wall -bc_back_type wall",
                    NULL, "-bc_left_profile", "circle", "-bc_left_velocity"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(test_begin(&argc, &argv));
  PetscCall(labels());
  PetscCall(options());
  PetscCall(one_rank());
  PetscCall(geometry());
  return test_end();
}
