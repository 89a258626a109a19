#include "space/locate.h"
#include "kernels/geometry.h"
#include "petsc_compat.h"
#include "space/locate_impl.h"
#include <math.h>

#define ROUND 1e-8 /* of reference coordinates: such a point is in the element */

/* Elements by the squares (cubes) of a grid over the rank's part of the domain that their boxes touch. */
typedef struct {
  PetscInt dim, n[3], total;
  PetscReal low[3], size[3]; /* corner, width of a square */
  PetscInt *start, *entry;   /* [total + 1]; elements, numbered through all types */
} Bins;

const RhxElement *RhxSpaceCorners(RhxSpace space, PetscInt number, PetscReal x[RHX_MAX_NODES][3], PetscInt *node)
{
  PetscInt t = 0;

  while (number >= space->cells[t].n) number -= space->cells[t++].n;
  for (PetscInt a = 0; a < space->cells[t].nn; a++) {
    const RhxCells *c = &space->cells[t];
    const PetscInt lane = number % RHX_LANES, at = (number / RHX_LANES) * c->nn + a;
    for (PetscInt d = 0; d < space->dim; d++) x[a][d] = c->x[(at * space->dim + d) * RHX_LANES + lane];
    if (node) node[a] = c->conn[at * RHX_LANES + lane];
  }
  return &space->element[t];
}

static void box_of(const RhxElement *e, PetscReal x[RHX_MAX_NODES][3], PetscReal low[3], PetscReal high[3])
{
  PetscReal size = 0;

  for (PetscInt d = 0; d < e->dim; d++) {
    low[d] = high[d] = x[0][d];
    for (PetscInt a = 1; a < e->nn; a++) {
      low[d] = PetscMin(low[d], x[a][d]);
      high[d] = PetscMax(high[d], x[a][d]);
    }
    size = PetscMax(size, high[d] - low[d]);
  }
  for (PetscInt d = 0; d < e->dim; d++) {
    low[d] -= 1e-6 * size;
    high[d] += 1e-6 * size;
  }
}

static PetscInt square(const Bins *b, PetscInt d, PetscReal x)
{
  const PetscReal k = PetscFloorReal((x - b->low[d]) / b->size[d]);
  return k < 0 ? 0 : k >= b->n[d] ? b->n[d] - 1 : (PetscInt)k;
}

/* The range of squares of an element. */
static void squares(RhxSpace space, const Bins *b, PetscInt e, PetscInt from[3], PetscInt to[3])
{
  PetscReal x[RHX_MAX_NODES][3], low[3], high[3];

  box_of(RhxSpaceCorners(space, e, x, NULL), x, low, high);
  for (PetscInt d = 0; d < 3; d++) {
    from[d] = d < b->dim ? square(b, d, low[d]) : 0;
    to[d] = d < b->dim ? square(b, d, high[d]) : 0;
  }
}

/* Counts (fill false) or enters the elements. */
static void sweep(RhxSpace space, Bins *b, PetscInt nelements, PetscBool fill)
{
  PetscInt from[3], to[3];

  for (PetscInt e = 0; e < nelements; e++) {
    squares(space, b, e, from, to);
    for (PetscInt k = from[2]; k <= to[2]; k++)
      for (PetscInt j = from[1]; j <= to[1]; j++)
        for (PetscInt i = from[0]; i <= to[0]; i++) {
          const PetscInt s = (k * b->n[1] + j) * b->n[0] + i;
          if (fill)
            b->entry[b->start[s]++] = e;
          else
            b->start[s + 1]++;
        }
  }
}

static PetscErrorCode make_bins(RhxSpace space, Bins *b)
{
  PetscReal high[3] = {0}, x[RHX_MAX_NODES][3], low[3], top[3];
  PetscInt nelements = 0;

  PetscFunctionBegin;
  for (PetscInt t = 0; t < space->ntypes; t++) nelements += space->cells[t].n;
  b->dim = space->dim;
  b->total = 1;
  for (PetscInt e = 0; e < nelements; e++) {
    box_of(RhxSpaceCorners(space, e, x, NULL), x, low, top);
    for (PetscInt d = 0; d < b->dim; d++) {
      b->low[d] = e ? PetscMin(b->low[d], low[d]) : low[d];
      high[d] = e ? PetscMax(high[d], top[d]) : top[d];
    }
  }
  for (PetscInt d = 0; d < 3; d++) {
    b->n[d] = d < b->dim ? 1 + (PetscInt)PetscPowReal((PetscReal)nelements, 1.0 / b->dim) : 1;
    b->size[d] = PetscMax((high[d] - b->low[d]) / b->n[d], PETSC_SMALL);
    b->total *= b->n[d];
  }
  PetscCall(PetscCalloc1(b->total + 2, &b->start));
  b->start++; /* counts of a square stand behind it while they are made: see sweep */
  sweep(space, b, nelements, PETSC_FALSE);
  for (PetscInt s = 0; s < b->total; s++) b->start[s + 1] += b->start[s];
  PetscCall(PetscMalloc1(b->start[b->total], &b->entry));
  sweep(space, b, nelements, PETSC_TRUE);
  b->start--;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal RhxElementLocate(const RhxElement *e, PetscReal x[RHX_MAX_NODES][3], const PetscReal *p, PetscReal *N)
{
  const PetscBool simplex = (PetscBool)(e->nn == e->dim + 1);
  PetscReal xi[3] = {0}, dN[RHX_MAX_NODES * 3], out = 0, sum = 0;

  for (PetscInt d = 0; simplex && d < e->dim; d++) xi[d] = 0.25;
  for (int it = 0; it < 30; it++) {
    double J[3][3] = {{0}}, Ji[3][3], step = 0;
    PetscReal r[3] = {0};

    RhxElementEvaluate(e, xi, N, dN);
    for (PetscInt i = 0; i < e->dim; i++) {
      r[i] = p[i];
      for (PetscInt a = 0; a < e->nn; a++) {
        r[i] -= N[a] * x[a][i];
        for (PetscInt j = 0; j < e->dim; j++) J[i][j] += x[a][i] * dN[a * e->dim + j];
      }
    }
    (void)rhx_invert((int)e->dim, J, Ji);
    for (PetscInt i = 0; i < e->dim; i++) {
      PetscReal s = 0;
      for (PetscInt j = 0; j < e->dim; j++) s += Ji[i][j] * r[j];
      xi[i] = PetscMax(-3, PetscMin(3, xi[i] + s));
      step = PetscMax(step, PetscAbsReal(s));
    }
    if (step < 1e-14) break;
  }
  RhxElementEvaluate(e, xi, N, dN);
  for (PetscInt d = 0; d < e->dim; d++) {
    out = PetscMax(out, simplex ? -xi[d] : PetscAbsReal(xi[d]) - 1);
    sum += xi[d];
  }
  return simplex ? PetscMax(out, sum - 1) : out;
}

/* The element of this rank that holds p, or -1; its nodes and shape functions. */
static PetscInt find(RhxSpace space, const Bins *b, const PetscReal *p, PetscInt *node, PetscReal *N, PetscInt *nn)
{
  PetscInt s = 0;

  for (PetscInt d = b->dim - 1; d >= 0; d--) {
    if (p[d] < b->low[d] || p[d] > b->low[d] + b->size[d] * b->n[d]) return -1;
    s = s * b->n[d] + square(b, d, p[d]);
  }
  for (PetscInt k = b->start[s]; k < b->start[s + 1]; k++) {
    PetscReal x[RHX_MAX_NODES][3], low[3], high[3];
    const RhxElement *e = RhxSpaceCorners(space, b->entry[k], x, node);
    PetscBool in = PETSC_TRUE;

    box_of(e, x, low, high);
    for (PetscInt d = 0; d < b->dim; d++)
      if (p[d] < low[d] || p[d] > high[d]) in = PETSC_FALSE;
    if (!in || !(RhxElementLocate(e, x, p, N) <= ROUND)) continue;
    *nn = e->nn;
    return b->entry[k];
  }
  return -1;
}

typedef struct {
  double value;
  int rank;
} Least; /* as MPI_DOUBLE_INT */

/* Square of the distance of a point to this rank's nearest node; best: that node, -1: the rank has none. */
static double nearest_here(RhxSpace space, const PetscReal *x, PetscInt *best)
{
  double least = PETSC_INFINITY;

  *best = -1;
  for (PetscInt i = 0; i < space->nowned; i++) {
    double s = 0;
    for (PetscInt d = 0; d < space->dim; d++) s += PetscSqr(space->x[i * space->dim + d] - x[d]);
    if (!(s < least)) continue;
    least = s;
    *best = i;
  }
  return least;
}

/* Nearest node of any rank to the points that are not found. */
static PetscErrorCode find_near(RhxSpace space, const PetscReal *x, RhxPlaces *places)
{
  const PetscInt dim = space->dim;
  PetscInt n = 0, *best;
  PetscMPIInt rank;
  Least *least;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(space->comm, &rank));
  PetscCall(PetscMalloc2(places->n, &best, places->n, &least));
  for (PetscInt k = 0; k < places->n; k++)
    if (!places->found[k]) {
      least[n].value = nearest_here(space, x + k * dim, &best[n]);
      least[n++].rank = rank;
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, least, (PetscMPIInt)n, MPI_DOUBLE_INT, MPI_MINLOC, space->comm));
  n = 0;
  for (PetscInt k = 0; k < places->n; k++) {
    if (places->found[k]) continue;
    for (PetscInt d = 0; d < dim && least[n].rank == rank && best[n] >= 0; d++)
      places->near[k][d] = space->x[best[n] * dim + d];
    n++;
  }
  if (n)
    PetscCallMPI(
        MPI_Allreduce(MPI_IN_PLACE, places->near, (PetscMPIInt)(3 * places->n), MPIU_REAL, MPI_SUM, space->comm));
  PetscCall(PetscFree2(best, least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Keeps those of the points found here that no lower rank has. */
static PetscErrorCode share(RhxSpace space, RhxPlaces *places)
{
  PetscMPIInt rank, size, *owner;
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(space->comm, &rank));
  PetscCallMPI(MPI_Comm_size(space->comm, &size));
  PetscCall(PetscMalloc1(places->n, &owner));
  for (PetscInt k = 0; k < places->n; k++) owner[k] = size;
  for (PetscInt i = 0; i < places->nmine; i++) owner[places->point[i]] = rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, owner, (PetscMPIInt)places->n, MPI_INT, MPI_MIN, space->comm));
  for (PetscInt k = 0; k < places->n; k++) places->found[k] = (PetscBool)(owner[k] < size);
  for (PetscInt i = 0; i < places->nmine; i++) {
    if (owner[places->point[i]] != rank) continue;
    places->point[n] = places->point[i];
    places->nn[n] = places->nn[i];
    PetscCall(PetscArraymove(places->node + 8 * n, places->node + 8 * i, 8));
    PetscCall(PetscArraymove(places->N + 8 * n, places->N + 8 * i, 8));
    n++;
  }
  places->nmine = n;
  PetscCall(PetscFree(owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceLocate(RhxSpace space, PetscInt n, const PetscReal *x, RhxPlaces **out)
{
  RhxPlaces *places;
  Bins bins = {0};

  PetscFunctionBegin;
  PetscCall(PetscNew(&places));
  places->n = n;
  PetscCall(PetscCalloc2(n, &places->found, n, &places->near));
  PetscCall(PetscCalloc4(n, &places->point, n, &places->nn, 8 * n, &places->node, 8 * n, &places->N));
  PetscCall(make_bins(space, &bins));
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt i = places->nmine;
    if (find(space, &bins, x + k * space->dim, places->node + 8 * i, places->N + 8 * i, &places->nn[i]) < 0) continue;
    places->point[places->nmine++] = k;
  }
  PetscCall(PetscFree(bins.start));
  PetscCall(PetscFree(bins.entry));
  PetscCall(share(space, places));
  PetscCall(find_near(space, x, places));
  *out = places;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPlacesDestroy(RhxPlaces **places)
{
  PetscFunctionBegin;
  if (!*places) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2((*places)->found, (*places)->near));
  PetscCall(PetscFree4((*places)->point, (*places)->nn, (*places)->node, (*places)->N));
  PetscCall(PetscFree(*places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPlacesInterpolate(RhxSpace space, const RhxPlaces *places, PetscInt components, const double *values,
                                    double *out)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(out, places->n * components));
  for (PetscInt i = 0; i < places->nmine; i++)
    for (PetscInt a = 0; a < places->nn[i]; a++)
      for (PetscInt c = 0; c < components; c++)
        out[places->point[i] * components + c] +=
            places->N[8 * i + a] * values[(size_t)places->node[8 * i + a] * components + c];
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, out, (PetscMPIInt)(places->n * components), MPI_DOUBLE, MPI_SUM, space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
