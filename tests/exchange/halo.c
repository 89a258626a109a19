/* Halos on the host against what the owners have: ghosts, sums and least values of several widths and types, two under way at
 * once. */
#include "exchange/host/halo.h"
#include "graph.h"
#include <stdio.h>

static int failures;

typedef struct {
  PetscInt nown, n; /* own entries; with the gap and the ghosts */
  PetscSFNode ghost[MOST];
  RhxHalo halo;
} Graph;

static void expect_none(const char *what, PetscInt width, int wrong)
{
  if (wrong) fprintf(stderr, "rank %d: %s, width %d: %d values are wrong\n", rank, what, (int)width, wrong);
  failures += wrong;
}

static void put(const Graph *g, PetscInt width, int turn, PetscScalar *v)
{
  for (PetscInt i = 0; i < g->n * width; i++) v[i] = i / width < g->nown ? value(rank, i / width, i % width, turn) : -1;
}

/* Own entries as they were, the gap untouched, ghosts as their owners have them. */
static void check_ghosts(const char *what, const Graph *g, PetscInt width, int turn, const PetscScalar *v)
{
  int wrong = 0;
  for (PetscInt i = 0; i < g->n * width; i++) {
    const PetscInt e = i / width, c = i % width, k = e - g->nown - GAP;
    const double expected = e < g->nown ? value(rank, e, c, turn)
                            : k < 0     ? -1
                                        : value((PetscMPIInt)g->ghost[k].rank, g->ghost[k].index, c, turn);
    wrong += !(PetscRealPart(v[i]) == expected);
  }
  expect_none(what, width, wrong);
}

static void check_sums(const Graph *g, PetscInt width, const PetscScalar *v)
{
  int wrong = 0;
  for (PetscInt i = 0; i < g->nown * width; i++) {
    const double own = value(rank, i / width, i % width, 0);
    double expected = own;
    for (PetscMPIInt r = 0; r < size; r++) expected += needs(r, rank, i / width) ? own : 0;
    wrong += !(PetscRealPart(v[i]) == expected);
  }
  expect_none("sums", width, wrong);
}

static PetscErrorCode check_widths(const Graph *g)
{
  const PetscInt width[] = {1, 3, 40, 3};
  PetscScalar *a, *b;
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(g->n * 40, &a, g->n * 40, &b));
  for (int k = 0; k < 4; k++) {
    put(g, width[k], k, a);
    put(g, 2, 7, b);
    PetscCall(RhxHaloBegin(g->halo, MPIU_SCALAR, width[k], a));
    PetscCall(RhxHaloBegin(g->halo, MPIU_SCALAR, 2, b));
    PetscCall(RhxHaloEnd(g->halo, MPIU_SCALAR, width[k], a));
    PetscCall(RhxHaloEnd(g->halo, MPIU_SCALAR, 2, b));
    check_ghosts("ghosts", g, width[k], k, a);
    check_ghosts("ghosts of a second halo under way", g, 2, 7, b);
    put(g, width[k], 0, a);
    PetscCall(RhxHaloGhosts(g->halo, MPIU_SCALAR, width[k], a));
    PetscCall(RhxHaloReduce(g->halo, MPIU_SCALAR, width[k], MPIU_SUM, a));
    check_sums(g, width[k], a);
  }
  PetscCall(PetscFree2(a, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of numbers: an owner gets the lowest rank that has the entry. */
static PetscErrorCode check_least(const Graph *g)
{
  PetscInt *v;
  int wrong = 0;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * g->n, &v));
  for (PetscInt i = 0; i < 2 * g->n; i++) v[i] = rank - i % 2 * 100;
  PetscCall(RhxHaloReduce(g->halo, MPIU_INT, 2, MPI_MIN, v));
  for (PetscInt i = 0; i < 2 * g->nown; i++) {
    PetscInt least = rank;
    for (PetscMPIInt r = 0; r < rank; r++)
      if (needs(r, rank, i / 2)) least = PetscMin(least, r);
    wrong += v[i] != least - i % 2 * 100;
  }
  expect_none("least", 2, wrong);
  PetscCall(PetscFree(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_all(void)
{
  Graph g = {0};
  PetscInt nghosts;
  PetscSF sf;
  PetscFunctionBegin;
  PetscCall(make_sf(PETSC_TRUE, &g.nown, &nghosts, g.ghost, &sf));
  g.n = g.nown + GAP + nghosts;
  PetscCall(RhxHaloCreate(sf, &g.halo));
  PetscCall(PetscSFDestroy(&sf));
  PetscCall(check_widths(&g));
  PetscCall(check_least(&g));
  PetscCall(RhxHaloDestroy(&g.halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  PetscCall(PetscInitialize(&argc, &args, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(check_all());
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}
