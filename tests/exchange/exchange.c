/* Exchanges between devices against what the owners have: ghosts and sums of several widths and types, in a graph where the
 * messages join the stream, and values gathered of all ranks. Skipped without a device. */
#include "exchange/exchange.h"
#include "../device/common.h"
#include "graph.h"

typedef struct {
  PetscInt nown, nghosts, first;
  PetscSFNode ghost[MOST]; /* where its owner has it */
  RhxExchange exchange;
} Graph;

static RhxDevice device;

static PetscErrorCode make_graph(PetscBool numbered, Graph *g)
{
  PetscSF sf;
  PetscFunctionBegin;
  PetscCall(make_sf(numbered, &g->nown, &g->nghosts, g->ghost, &sf));
  g->first = g->nown + GAP;
  PetscCall(RhxExchangeCreate(device, sf, numbered ? 0 : g->first, &g->exchange));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put(const Graph *g, RhxExchangeType type, PetscInt width, int turn, void *v)
{
  const PetscInt n = (g->first + g->nghosts) * width;
  double *wide;
  float *narrow;
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &wide, n, &narrow));
  for (PetscInt i = 0; i < n; i++) wide[i] = i / width < g->nown ? value(rank, i / width, i % width, turn) : -1;
  for (PetscInt i = 0; i < n; i++) narrow[i] = (float)wide[i];
  if (type == RHX_EXCHANGE_FLOAT)
    PetscCall(RhxDeviceCopy(device, v, narrow, n * sizeof(float), RHX_COPY_TO_DEVICE));
  else
    PetscCall(RhxDeviceCopy(device, v, wide, n * sizeof(double), RHX_COPY_TO_DEVICE));
  PetscCall(PetscFree2(wide, narrow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries as doubles. */
static PetscErrorCode get(const Graph *g, RhxExchangeType type, PetscInt width, void *v, double *wide)
{
  const PetscInt n = (g->first + g->nghosts) * width;
  float *narrow;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &narrow));
  if (type == RHX_EXCHANGE_FLOAT) {
    PetscCall(RhxDeviceCopy(device, narrow, v, n * sizeof(float), RHX_COPY_TO_HOST));
    for (PetscInt i = 0; i < n; i++) wide[i] = narrow[i];
  } else
    PetscCall(RhxDeviceCopy(device, wide, v, n * sizeof(double), RHX_COPY_TO_HOST));
  PetscCall(PetscFree(narrow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Own entries as they were, the gap untouched, ghosts as their owners have them. */
static PetscErrorCode check_ghosts(const char *what, const Graph *g, RhxExchangeType type, PetscInt width, int turn,
                                   void *v)
{
  double *now;
  PetscInt wrong = 0;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1((g->first + g->nghosts) * width, &now));
  PetscCall(get(g, type, width, v, now));
  for (PetscInt i = 0; i < (g->first + g->nghosts) * width; i++) {
    const PetscInt e = i / width, c = i % width, k = e - g->first;
    const double expected = e < g->nown ? value(rank, e, c, turn)
                            : k < 0     ? -1
                                        : value((PetscMPIInt)g->ghost[k].rank, g->ghost[k].index, c, turn);
    wrong += !(now[i] == expected);
  }
  expect(!wrong, "%s, width %d, %s: %d values are wrong", what, (int)width,
         type == RHX_EXCHANGE_FLOAT ? "float" : "double", (int)wrong);
  PetscCall(PetscFree(now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_add(const Graph *g, PetscInt width, double *v)
{
  double *now;
  PetscInt wrong = 0;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1((g->first + g->nghosts) * width, &now));
  PetscCall(get(g, RHX_EXCHANGE_DOUBLE, width, v, now));
  for (PetscInt i = 0; i < g->nown * width; i++) {
    double expected = value(rank, i / width, i % width, 0);
    for (PetscMPIInt r = 0; r < size; r++)
      expected += needs(r, rank, i / width) ? value(rank, i / width, i % width, 0) : 0;
    wrong += !(now[i] == expected);
  }
  expect(!wrong, "sums, width %d: %d values are wrong", (int)width, (int)wrong);
  PetscCall(PetscFree(now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A recorded exchange takes the values of each launch: nothing in it waits for the host. */
static PetscErrorCode check_recorded(const Graph *g, PetscInt width, void *v)
{
  RhxDeviceGraph graph = NULL;
  PetscFunctionBegin;
  PetscCall(RhxDeviceGraphBegin(device));
  PetscCall(RhxExchangeGhosts(g->exchange, RHX_EXCHANGE_DOUBLE, width, v));
  PetscCall(RhxDeviceGraphEnd(device, &graph));
  for (int turn = 1; turn < 4; turn++) {
    PetscCall(put(g, RHX_EXCHANGE_DOUBLE, width, turn, v));
    PetscCall(RhxDeviceGraphLaunch(device, graph));
    PetscCall(check_ghosts("recorded", g, RHX_EXCHANGE_DOUBLE, width, turn, v));
  }
  PetscCall(RhxDeviceGraphDestroy(&graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_graph(PetscBool numbered, PetscBool on_stream)
{
  const PetscInt width[] = {1, 3, 17, 2}; /* the buffers grow, and are larger than needed */
  Graph g = {0};
  PetscFunctionBegin;
  PetscCall(make_graph(numbered, &g));
  for (int k = 0; k < 4; k++) {
    void *v;
    PetscCall(RhxDeviceMalloc(device, (g.first + g.nghosts) * width[k] * sizeof(double), "the test", &v));
    for (int type = RHX_EXCHANGE_FLOAT; type <= RHX_EXCHANGE_DOUBLE; type++) {
      PetscCall(put(&g, (RhxExchangeType)type, width[k], k, v));
      PetscCall(RhxExchangeGhosts(g.exchange, (RhxExchangeType)type, width[k], v));
      PetscCall(check_ghosts("ghosts", &g, (RhxExchangeType)type, width[k], k, v));
    }
    PetscCall(put(&g, RHX_EXCHANGE_DOUBLE, width[k], 0, v));
    PetscCall(RhxExchangeGhosts(g.exchange, RHX_EXCHANGE_DOUBLE, width[k], v));
    PetscCall(RhxExchangeAdd(g.exchange, width[k], v));
    PetscCall(check_add(&g, width[k], v));
    if (on_stream) PetscCall(check_recorded(&g, width[k], v));
    PetscCall(RhxDeviceFree(device, v));
  }
  PetscCall(RhxExchangeDestroy(&g.exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two graphs at once. */
static PetscErrorCode check_both(void)
{
  Graph a = {0}, b = {0};
  void *v[2];
  PetscFunctionBegin;
  PetscCall(make_graph(PETSC_FALSE, &a));
  PetscCall(make_graph(PETSC_TRUE, &b));
  const RhxExchange both[2] = {a.exchange, b.exchange};
  for (int k = 0; k < 2; k++) {
    PetscCall(RhxDeviceMalloc(device, (a.first + a.nghosts) * sizeof(float), "the test", &v[k]));
    PetscCall(put(&a, RHX_EXCHANGE_FLOAT, 1, k, v[k]));
  }
  PetscCall(RhxExchangeBegin(2, both, RHX_EXCHANGE_FLOAT, 1, v));
  PetscCall(RhxExchangeEnd(2, both, RHX_EXCHANGE_FLOAT, 1, v));
  for (int k = 0; k < 2; k++) {
    PetscCall(check_ghosts("two at once", &a, RHX_EXCHANGE_FLOAT, 1, k, v[k]));
    PetscCall(RhxDeviceFree(device, v[k]));
  }
  PetscCall(RhxExchangeDestroy(&a.exchange));
  PetscCall(RhxExchangeDestroy(&b.exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_gather(RhxLink link)
{
  PetscMPIInt count[16], first[16], total = 0;
  double all[MOST];
  void *array;
  PetscFunctionBegin;
  for (PetscMPIInt r = 0; r < size; r++) {
    first[r] = total;
    total += count[r] = r == 1 ? 0 : r + 3;
  }
  PetscCall(RhxLinkMalloc(link, total * sizeof(double), "the test", &array));
  for (PetscMPIInt i = 0; i < total; i++)
    all[i] = i >= first[rank] && i < first[rank] + count[rank] ? 100 * rank + i : -1;
  PetscCall(RhxDeviceCopy(device, array, all, total * sizeof(double), RHX_COPY_TO_DEVICE));
  PetscCall(RhxLinkGather(link, RHX_EXCHANGE_DOUBLE, count, first, array));
  PetscCall(RhxDeviceCopy(device, all, array, total * sizeof(double), RHX_COPY_TO_HOST));
  for (PetscMPIInt r = 0; r < size; r++)
    for (PetscMPIInt i = first[r]; i < first[r] + count[r]; i++)
      expect(all[i] == 100 * r + i, "gathered: value %d of rank %d is %g", i, r, all[i]);
  PetscCall(RhxLinkFree(link, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_all(void)
{
  const char *sentence;
  RhxLink link, same;
  PetscBool on;
  PetscFunctionBegin;
  PetscCall(RhxLinkGet(device, PETSC_COMM_WORLD, &link));
  PetscCall(RhxLinkGet(device, PETSC_COMM_WORLD, &same));
  expect(link == same, "a device and its ranks have one link");
  PetscCall(RhxLinkRestore(&same));
  PetscCall(RhxLinkIsOnStream(link, &on));
  PetscCall(RhxLinkDescribe(link, &sentence));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d ranks: %s\n", size, sentence));
  PetscCall(check_graph(PETSC_FALSE, on));
  PetscCall(check_graph(PETSC_TRUE, on));
  PetscCall(check_both());
  PetscCall(check_gather(link));
  PetscCall(RhxLinkRestore(&link));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  char folder[256];
  RhxDeviceState state;
  PetscCall(PetscInitialize(&argc, &args, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  if (state.availability != RHX_DEVICE_READY) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", state.sentence));
    PetscCall(PetscFinalize());
    return SKIP;
  }
  PetscCall(fresh_cache(folder));
  PetscCall(RhxDeviceOpen(PETSC_COMM_WORLD, &device));
  PetscCall(check_all());
  PetscCall(RhxDeviceClose(&device));
  PetscCall(remove_cache(folder));
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}
