#include "diagnostics/loops_impl.h"
#include "kernels/geometry.h"
#include "petsc_compat.h"
#include "space/face.h"
#include <math.h>

/* Numbers sent of an edge: both nodes, its label, kind; flow out, and all that moves along it, for rounding. */
enum { EDGE = 4, FLOW = 2 };
enum { PASSED, WALL, TIGHT }; /* kinds of labels */
#define ROUNDING 1e-12        /* of what moves: flow through walls that is none */
#define OPEN 0.5              /* of what passes a line: net flow of a source within it */

/* ---- The lines, made once ---- */

static PetscErrorCode own_edge(RhxSpace space, const RhxFaceGroup *g, PetscInt f, PetscReal edge[2])
{
  const PetscReal *x = g->x + (f / RHX_LANES) * g->nn * 2 * RHX_LANES + f % RHX_LANES;
  PetscInt node[2];
  double n[3], along[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) node[k] = RhxFaceParentNode(g, f, g->fnode[k]);
  PetscCall(ISLocalToGlobalMappingApply(space->l2g, 2, node, node));
  for (int i = 0; i < 2; i++) along[i] = x[(g->fnode[1] * 2 + i) * RHX_LANES] - x[(g->fnode[0] * 2 + i) * RHX_LANES];
  (void)RhxFaceMeshNormal(g, 2, f, 0, n);
  const int turned = along[1] * n[0] - along[0] * n[1] < 0;
  edge[0] = (PetscReal)node[turned];
  edge[1] = (PetscReal)node[!turned];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt count_own(RhxSpace space)
{
  PetscInt n = 0;

  for (PetscInt l = 0; l < space->nlabels; l++)
    for (PetscInt k = 0; k < space->faces[l].ngroups; k++) n += space->faces[l].group[k].n;
  return n;
}

/* all[n][EDGE] */
static PetscErrorCode gather_edges(RhxForm form, RhxBoundary bc, RhxLoops *loops, PetscReal **all)
{
  const RhxSpace space = form->space;
  PetscReal *mine;
  PetscInt i = 0, n;
  PetscBool tight, wall;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(EDGE * count_own(space), &mine));
  for (PetscInt l = 0; l < space->nlabels; l++) {
    PetscCall(RhxBoundaryIsTight(bc, space->faces[l].label, &tight, &wall));
    for (PetscInt k = 0; k < space->faces[l].ngroups; k++)
      for (PetscInt f = 0; f < space->faces[l].group[k].n; f++, i++) {
        PetscCall(own_edge(space, space->faces[l].group + k, f, mine + EDGE * i));
        mine[EDGE * i + 2] = (PetscReal)l;
        mine[EDGE * i + 3] = tight ? TIGHT : wall ? WALL : PASSED;
      }
  }
  PetscCall(RhxGatherReals(form->comm, EDGE * i, mine, &n, all));
  PetscCall(PetscFree(mine));
  loops->n = n / EDGE;
  PetscCall(PetscMalloc2(2 * loops->n, &loops->end, loops->n, &loops->tight));
  for (PetscInt e = 0; e < loops->n; e++)
    for (int k = 0; k < 2; k++) loops->end[2 * e + k] = (PetscInt)(*all)[EDGE * e + k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At the corner of a wall its node can move with another label: what that carries through the wall's last edge is none. */
static PetscErrorCode find_tight(RhxLoops *loops, const PetscReal *all)
{
  PetscInt *label; /* of a node: -1 not met, -2 several */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(loops->nnodes, &label));
  for (PetscInt i = 0; i < loops->nnodes; i++) label[i] = -1;
  for (PetscInt i = 0; i < 2 * loops->n; i++) {
    const PetscInt of = (PetscInt)all[EDGE * (i / 2) + 2], node = loops->end[i];
    label[node] = label[node] == -1 || label[node] == of ? of : -2;
  }
  for (PetscInt e = 0; e < loops->n; e++) {
    const int kind = (int)all[EDGE * e + 3];
    const int corner = label[loops->end[2 * e]] == -2 || label[loops->end[2 * e + 1]] == -2;
    loops->tight[e] = kind == TIGHT || (kind == WALL && corner) ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscCall(PetscFree(label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* node, and end in places there */
static PetscErrorCode number_nodes(RhxLoops *loops)
{
  PetscInt n = 2 * loops->n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &loops->node));
  PetscCall(PetscArraycpy(loops->node, loops->end, n));
  PetscCall(PetscSortRemoveDupsInt(&n, loops->node));
  loops->nnodes = n;
  for (PetscInt i = 0; i < 2 * loops->n; i++) PetscCall(PetscFindInt(loops->end[i], n, loops->node, &loops->end[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ends of edges by node, at[first[i]] ... of node i. */
static PetscErrorCode list_ends(const RhxLoops *loops, PetscInt **first, PetscInt **at)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc2(loops->nnodes + 2, first, 2 * loops->n, at));
  for (PetscInt i = 0; i < 2 * loops->n; i++) (*first)[loops->end[i] + 2]++;
  for (PetscInt i = 0; i < loops->nnodes; i++) (*first)[i + 2] += (*first)[i + 1];
  for (PetscInt i = 0; i < 2 * loops->n; i++) (*at)[(*first)[loops->end[i] + 1]++] = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt *first, *at;   /* of list_ends */
  PetscInt n[2], *end[2]; /* ends to step from: of edges that nothing passes, of others */
} Walk;

static void reach(RhxLoops *loops, Walk *w, PetscInt node, PetscInt loop)
{
  loops->loop[node] = loop;
  for (PetscInt i = w->first[node]; i < w->first[node + 1]; i++) {
    const int open = !loops->tight[w->at[i] / 2];
    w->end[open][w->n[open]++] = w->at[i];
  }
}

/* Every node once, all that nothing passes from a node before the rest: such edges have one value, whatever others lack. */
static PetscErrorCode walk(RhxLoops *loops)
{
  Walk w = {0};
  PetscInt steps = 0;

  PetscFunctionBegin;
  PetscCall(list_ends(loops, &w.first, &w.at));
  PetscCall(PetscMalloc2(2 * loops->n, &w.end[0], 2 * loops->n, &w.end[1]));
  PetscCall(PetscMalloc2(loops->nnodes, &loops->loop, loops->nnodes, &loops->way));
  for (PetscInt i = 0; i < loops->nnodes; i++) loops->loop[i] = -1;
  for (PetscInt i = 0; i < loops->nnodes; i++) {
    if (loops->loop[i] >= 0) continue;
    reach(loops, &w, i, loops->nloops);
    while (w.n[0] || w.n[1]) {
      const int open = !w.n[0];
      const PetscInt from = w.end[open][--w.n[open]], to = loops->end[from ^ 1];
      if (loops->loop[to] >= 0) continue;
      loops->way[steps++] = from;
      reach(loops, &w, to, loops->nloops);
    }
    loops->nloops++;
  }
  PetscCall(PetscFree2(w.end[0], w.end[1]));
  PetscCall(PetscFree2(w.first, w.at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLoopsCreate(RhxForm form, RhxBoundary bc, RhxLoops *loops)
{
  PetscReal *all;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(loops, 1));
  PetscCall(gather_edges(form, bc, loops, &all));
  PetscCall(number_nodes(loops));
  PetscCall(find_tight(loops, all));
  PetscCall(PetscFree(all));
  PetscCall(walk(loops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLoopsDestroy(RhxLoops *loops)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(loops->node));
  PetscCall(PetscFree2(loops->end, loops->tight));
  PetscCall(PetscFree2(loops->loop, loops->way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The flow across them ---- */

static void own_flow(RhxSpace space, const RhxFaceGroup *g, PetscInt f, const PetscScalar *x, PetscReal flow[FLOW])
{
  const PetscInt first = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  const double around = space->axisymmetric ? RHX_TWO_PI : 1;

  flow[0] = flow[1] = 0;
  for (PetscInt q = 0; q < g->nfq; q++) {
    double n[3];
    const double area = RhxFaceNormal(g, 2, f, q, n);
    for (PetscInt k = 0; k < g->nfn; k++) {
      const PetscScalar *u = x + (size_t)RhxFaceParentNode(g, f, g->fnode[k]) * space->bs + first;
      const double N = g->N[q * g->nn + g->fnode[k]];
      flow[0] += N * (u[0] * n[0] + u[1] * n[1]) / around;
      flow[1] += N * (fabs(u[0]) + fabs(u[1])) * area / around;
    }
  }
}

static PetscErrorCode gather_flows(const RhxLoops *loops, RhxForm form, const PetscScalar *x, PetscReal **flow)
{
  const RhxSpace space = form->space;
  PetscReal *mine;
  PetscInt i = 0, n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(FLOW * count_own(space), &mine));
  for (PetscInt l = 0; l < space->nlabels; l++)
    for (PetscInt k = 0; k < space->faces[l].ngroups; k++)
      for (PetscInt f = 0; f < space->faces[l].group[k].n; f++)
        own_flow(space, space->faces[l].group + k, f, x, mine + FLOW * i++);
  PetscCall(RhxGatherReals(form->comm, FLOW * i, mine, &n, flow));
  PetscCall(PetscFree(mine));
  for (PetscInt e = 0; e < loops->n; e++)
    if (loops->tight[e]) (*flow)[FLOW * e] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The flows of each line as they would be if as much flowed in as out. */
static PetscErrorCode close_lines(const RhxLoops *loops, PetscReal *flow, PetscBool *closed)
{
  double(*sum)[3]; /* net flow, what passes, what moves */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(loops->nloops, &sum));
  for (PetscInt e = 0; e < loops->n; e++) {
    double *s = sum[loops->loop[loops->end[2 * e]]];
    s[0] += flow[FLOW * e];
    s[1] += fabs(flow[FLOW * e]);
    s[2] += flow[FLOW * e + 1];
  }
  *closed = PETSC_TRUE;
  for (PetscInt k = 0; k < loops->nloops; k++) {
    sum[k][0] = fabs(sum[k][1]) <= ROUNDING * sum[k][2] ? 0 : sum[k][0] / sum[k][1];
    if (!(fabs(sum[k][0]) < OPEN)) *closed = PETSC_FALSE;
  }
  for (PetscInt e = 0; e < loops->n; e++) {
    const double lack = sum[loops->loop[loops->end[2 * e]]][0];
    flow[FLOW * e] *= flow[FLOW * e] > 0 ? 1 - lack : 1 + lack;
  }
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLoopsFollow(const RhxLoops *loops, RhxForm form, const PetscScalar *x, double *psi, PetscBool *closed)
{
  PetscReal *flow;

  PetscFunctionBegin;
  PetscCall(gather_flows(loops, form, x, &flow));
  PetscCall(close_lines(loops, flow, closed));
  PetscCall(PetscArrayzero(psi, loops->nnodes));
  for (PetscInt i = 0; i < loops->nnodes - loops->nloops; i++) {
    const PetscInt from = loops->way[i];
    psi[loops->end[from ^ 1]] = psi[loops->end[from]] + (from % 2 ? -1 : 1) * flow[FLOW * (from / 2)];
  }
  PetscCall(PetscFree(flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}
