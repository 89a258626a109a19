/* The same bits on several ranks, whichever of them comes first: the pressure's matrix, Newton's matrix with the
 * inertia and those of the projections, made again and again while the ranks sleep in another order before each, or are stopped here and there. Some node is of
 * three ranks, for two sums of two numbers are the same in any order. */
#include "../device/matrix_setup.h"
#include "form/host/tangent.h"
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#define TIMES 24    /* of Newton's matrices */
#define MANY 200    /* Laplacians, before whose messages ranks wait for each other: naps before are in vain */
#define NAP 2000000 /* ns between ranks */
#if defined(PETSC_HAVE_PTSCOTCH) || defined(PETSC_HAVE_PARMETIS)
#define RANKS 3 /* of some node; */
#else
#define RANKS 2 /* PETSc's own parts may be strips */
#endif

static const char flat[] =
    "-mesh_box_faces 11,10 -mesh_box_cell mixed -mesh_box_jitter 0.2 -physics newtonian,oldroydb "
    "-stabiliser split_oss -polymer_variable stress";
static const char solid[] = "-mesh_box_faces 6,6,6 -mesh_box_lower 0 -mesh_box_upper 1 -mesh_box_jitter 0.2 "
                            "-physics newtonian"; /* many sums of three ranks */

/* Each rank for its share of time k: all orders of three ranks in turn. */
static PetscErrorCode nap(int k)
{
  static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  struct timespec t = {0};
  PetscMPIInt rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  t.tv_nsec = NAP * order[k % 6][rank % 3];
  nanosleep(&t, NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void stop(int number)
{
  const struct timespec t = {.tv_nsec = NAP / 2};
  (void)number;
  nanosleep(&t, NULL);
}

/* Stops each rank every so often, in a rhythm of its own; or no longer. */
static PetscErrorCode stop_often(PetscBool often)
{
  const struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
  struct itimerval timer = {.it_interval = {0}, .it_value = {0}};
  PetscMPIInt rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (often) timer.it_interval.tv_usec = timer.it_value.tv_usec = 1300 + 370 * rank;
  if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &timer, NULL))
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SYS, "No timer");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ranks that have the nodes of the mesh: the most at one. */
static PetscErrorCode most_ranks(RhxSpace sp, int *most)
{
  PetscScalar *n;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sp->nlocal, &n));
  for (PetscInt i = 0; i < sp->nlocal; i++) n[i] = 1.0;
  PetscCall(RhxSpaceReduce(sp, 1, n));
  *most = 0;
  for (PetscInt i = 0; i < sp->nowned; i++) *most = PetscMax(*most, (int)n[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscFree(n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts a matrix that differs from the first, which is kept. */
static PetscErrorCode compare(Mat A, Mat *kept, int *others)
{
  PetscBool same;
  PetscFunctionBegin;
  if (!*kept) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, kept));
  PetscCall(MatEqual(A, *kept, &same));
  *others += !same;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_laplacian(Setup *s)
{
  Mat kept = NULL;
  int others = 0;
  PetscFunctionBegin;
  PetscCall(stop_often(PETSC_TRUE));
  for (int k = 0; k < MANY; k++) {
    Mat K;
    PetscCall(RhxFormCreateLaplacian(s->form, &K));
    PetscCall(compare(K, &kept, &others));
    PetscCall(MatDestroy(&K));
  }
  PetscCall(stop_often(PETSC_FALSE));
  expect(!others, "%d of %d Laplacians differ from the first", others, MANY);
  PetscCall(MatDestroy(&kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every sixth is a new one, into which the entries go for the first time. */
static PetscErrorCode check_tangent(Setup *s)
{
  static const char *const name[] = {"tangents", "tangents by projections", "projections' tangents"};
  const RhxTangentPoint at = {.x = s->x, .aux = s->aux, .xdot = s->xdot, .shift = 0.6};
  const RhxAuxiliaryPart whole = RhxFormWholeAuxiliary(s->form);
  Mat matrix[3] = {NULL}, kept[3] = {NULL};
  int others[3] = {0};
  PetscFunctionBegin;
  for (int k = 0; k < TIMES; k++) {
    for (int m = 0; m < 3 && k % 6 == 0; m++) PetscCall(MatDestroy(&matrix[m]));
    if (k % 6 == 0) PetscCall(RhxFormCreateBlockMatrix(s->form, &matrix[0]));
    if (k % 6 == 0) PetscCall(RhxFormCreateAuxiliaryMatrices(s->form, &whole, &matrix[1], &matrix[2]));
    PetscCall(nap(k));
    PetscCall(RhxFormTangentMatrix(s->form, &at, matrix[0]));
    PetscCall(nap(k / 2));
    PetscCall(RhxFormTangentAuxiliary(s->form, &at, &whole, matrix[1], matrix[2]));
    for (int m = 0; m < 3; m++) PetscCall(compare(matrix[m], &kept[m], &others[m]));
  }
  for (int m = 0; m < 3; m++) {
    expect(!others[m], "%d of %d %s differ from the first", others[m], TIMES, name[m]);
    PetscCall(MatDestroy(&matrix[m]));
    PetscCall(MatDestroy(&kept[m]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(const char *options, PetscErrorCode (*matrices)(Setup *))
{
  Setup s;
  int most;
  PetscFunctionBegin;
  PetscCall(setup_create(options, &s));
  PetscCall(setup_state(&s, 0.0));
  PetscCall(most_ranks(s.space, &most));
  expect(most >= RANKS, "%s: a node is of at most %d ranks, expected %d", options, most, RANKS);
  PetscCall(matrices(&s));
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(setup_begin(&argc, &argv));
  PetscCall(check(solid, check_laplacian));
  PetscCall(check(flat, check_tangent));
  return setup_end();
}
