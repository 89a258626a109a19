#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"
#include "space/face.h"
#include <math.h>
#include <string.h>

#define QUIET 1e-9     /* of the largest stress at the wall: what a residual leaves, */
#define ROUNDING 1e-13 /* and of the pressure */

/* ---- The state at the nodes ---- */

PetscErrorCode RhxWallReactions(TS ts, RhxSpace space, RhxBoundary bc, const char *label, IS nodes, PetscScalar *r)
{
  const PetscInt dim = space->dim, u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY), *node;
  PetscScalar *friction;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxSchemeFetchReactions(ts, nodes, r));
  if (!RhxBoundaryHasFriction(bc)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(space->nlocal * dim, &friction));
  PetscCall(RhxBoundaryAddFriction(bc, label, friction));
  PetscCall(ISGetLocalSize(nodes, &n));
  PetscCall(ISGetIndices(nodes, &node));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt d = 0; d < dim; d++) r[(size_t)i * space->bs + u + d] += friction[node[i] * dim + d];
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscCall(PetscFree(friction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A node as it travels; a struct of doubles only. turn: with swirl u_theta/r. */
typedef struct {
  double node, reaction[3], pressure, turn;
} Nodal;

/* The label's nodes of this rank, free with PetscFree. */
static PetscErrorCode local_nodes(TS ts, RhxForm form, RhxBoundary bc, const RhxFaces *faces, const PetscScalar *x,
                                  PetscInt *n, Nodal **nodal)
{
  const RhxSpace space = form->space;
  const PetscInt u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  const PetscInt p = RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE);
  const PetscInt swirl = form->swirl < 0 ? -1 : form->first_scalar + form->swirl, *node;
  PetscScalar *r;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(faces->nodes, n));
  PetscCall(PetscMalloc1((size_t)*n * space->bs, &r));
  PetscCall(PetscCalloc1(*n, nodal));
  PetscCall(RhxWallReactions(ts, space, bc, faces->label, faces->nodes, r));
  PetscCall(ISGetIndices(faces->nodes, &node));
  for (PetscInt i = 0; i < *n; i++) {
    Nodal *at = *nodal + i;
    at->node = space->natural[node[i]];
    at->pressure = x[(size_t)node[i] * space->bs + p];
    for (PetscInt d = 0; d < space->dim; d++) at->reaction[d] = r[(size_t)i * space->bs + u + d];
    if (swirl < 0) continue;
    const PetscReal radius = space->x[2 * node[i] + 1];
    at->reaction[2] = r[(size_t)i * space->bs + swirl];
    at->turn = radius > 0 ? x[(size_t)node[i] * space->bs + swirl] / radius : 0;
  }
  PetscCall(ISRestoreIndices(faces->nodes, &node));
  PetscCall(PetscFree(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_sent(RhxWallMesh *w, PetscInt n, const Nodal *nodal)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &w->sent));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(PetscFindInt((PetscInt)nodal[k].node, w->nnodes, w->number, &w->sent[k]));
    PetscCheck(w->sent[k] >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "node %d is not of the wall", (int)nodal[k].node);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adding the integral of N p n leaves the viscous part of the reaction, so that errors of the normal do not turn pressure into
 * shear. */
static PetscErrorCode set_nodes(RhxWallMesh *w, PetscInt n, const Nodal *nodal)
{
  Vec pressure, reaction;

  PetscFunctionBegin;
  if (!w->sent) PetscCall(find_sent(w, n, nodal));
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt i = w->sent[k];
    PetscCall(PetscArraycpy(w->reaction[i], nodal[k].reaction, 3));
    w->pressure[i] = nodal[k].pressure;
    w->turn[i] = nodal[k].turn;
  }
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, w->nnodes, w->pressure, &pressure));
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, 3 * w->nnodes, &w->reaction[0][0], &reaction));
  PetscCall(MatMultAdd(w->thrust, pressure, reaction, reaction));
  PetscCall(VecDestroy(&pressure));
  PetscCall(VecDestroy(&reaction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The result ---- */

/* Unit tangent of an entry along increasing arc length. */
static void tangent_of(const RhxWallMesh *w, PetscInt i, const double *step, double t[3])
{
  const double *n = w->e[i].normal;
  double sign = -n[1] * step[0] + n[0] * step[1] < 0 ? -1 : 1;

  t[0] = -sign * n[1];
  t[1] = sign * n[0];
  t[2] = 0;
}

/* The fluid's traction on the wall is minus sigma n; its tangential part is the wall shear stress. */
static void set_stress(const RhxWallMesh *w, double (*traction)[3], RhxWall *wall)
{
  for (PetscInt i = 0; i < w->nentries; i++) {
    const double *n = w->e[i].normal;
    double normal = 0;
    for (PetscInt d = 0; d < w->dim; d++) normal += traction[i][d] * n[d];
    for (PetscInt d = 0; d < w->dim; d++) {
      wall->wss[i * w->dim + d] = -(traction[i][d] - normal * n[d]);
      wall->x[i * w->dim + d] = w->x[w->e[i].node][d];
    }
    if (w->swirl) wall->wss_theta[i] = -traction[i][2];
    wall->s[i] = w->e[i].s;
    wall->part[i] = w->e[i].part;
    wall->pressure[i] = w->pressure[w->e[i].node];
  }
}

/* The shear rate is the tangential part of the velocity's slope. */
static void set_rate(const RhxWallMesh *w, double (*slope)[3], RhxWall *wall)
{
  for (PetscInt i = 0; i < w->nentries; i++) {
    const double *n = w->e[i].normal;
    double across = 0, square = 0;
    for (PetscInt d = 0; d < w->dim; d++) across += slope[i][d] * n[d];
    for (PetscInt d = 0; d < w->dim; d++) square += PetscSqr(slope[i][d] - across * n[d]);
    wall->shear[i] = sqrt(square);
  }
  for (PetscInt l = 0; l < w->nlinks; l++)
    for (int k = 0; k < 2; k++) {
      PetscInt i = w->link[l][k];
      double t[3];
      tangent_of(w, i, w->step[l], t);
      wall->shear[i] = slope[i][0] * t[0] + slope[i][1] * t[1];
    }
  for (PetscInt i = 0; w->swirl && i < w->nentries; i++) /* n.grad u_theta - n_r u_theta/r, n inwards */
    wall->shear[i] = hypot(wall->shear[i], slope[i][2] + w->e[i].normal[1] * w->turn[w->e[i].node]);
}

static PetscErrorCode find_rate(RhxForm form, RhxWallMesh *w, const PetscScalar *x, RhxWall *wall)
{
  double(*slope)[3];

  PetscFunctionBegin;
  if (!w->fit.made) PetscCall(RhxWallFitCreate(form, w));
  PetscCall(RhxWallSlopes(form, w, x, &slope));
  if (w->nfaces) {
    PetscCall(PetscMalloc1(w->nentries, &wall->shear));
    set_rate(w, slope, wall);
  }
  PetscCall(PetscFree(slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Wall shear stress along increasing arc length. */
static double along(const RhxWallMesh *w, const RhxWall *wall, PetscInt i, const double *step)
{
  double t[3];
  tangent_of(w, i, step, t);
  return wall->wss[2 * i] * t[0] + wall->wss[2 * i + 1] * t[1];
}

/* Stresses along the wall below this are rounding: of a flow that goes round the axis, or nowhere. */
static double noise_of(const RhxWall *wall)
{
  double stress = 0, pressure = 0;

  for (PetscInt i = 0; i < wall->n; i++) {
    stress = PetscMax(stress, hypot(wall->wss[2 * i], wall->wss[2 * i + 1]));
    if (wall->wss_theta) stress = PetscMax(stress, fabs(wall->wss_theta[i]));
    pressure = PetscMax(pressure, fabs(wall->pressure[i]));
  }
  return PetscMax(QUIET * stress, ROUNDING * pressure);
}

/* At an extrapolated end, such as a corner where the stress vanishes, the sign is that of an error. */
static PetscErrorCode find_crossings(const RhxWallMesh *w, RhxWall *wall)
{
  const double noise = noise_of(wall);

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(w->nlinks, &wall->sep, w->nlinks, &wall->reat));
  for (PetscInt l = 0; l < w->nlinks; l++) {
    const PetscInt i = w->link[l][0], j = w->link[l][1];
    const double a = along(w, wall, i, w->step[l]), b = along(w, wall, j, w->step[l]), f = a / (a - b);
    RhxWallPoint *at;
    if (w->e[i].end || w->e[j].end || !((a >= 0) != (b >= 0)) || !(fabs(a - b) > noise)) continue;
    at = a >= 0 ? wall->sep + wall->nsep++ : wall->reat + wall->nreat++;
    for (int d = 0; d < 2; d++) at->x[d] = wall->x[2 * i + d] + f * w->step[l][d];
    at->s = wall->s[i] + f * w->e[i].h;
    at->part = wall->part[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void find_abscissa(const RhxWallMesh *w, RhxWall *wall)
{
  wall->over_x = PETSC_TRUE;
  for (PetscInt l = 0; l < w->nlinks; l++)
    if (!(w->step[l][0] > 1e-6 * PetscAbsReal(w->step[l][1]))) wall->over_x = PETSC_FALSE;
}

static PetscErrorCode make_wall(const RhxWallMesh *w, RhxWall *wall)
{
  double(*traction)[3];
  PetscInt dim = w->dim;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(w->nentries, &traction));
  PetscCall(RhxWallSolve(w, traction));
  wall->n = w->nentries;
  PetscCall(PetscMalloc5(wall->n, &wall->s, wall->n * dim, &wall->x, wall->n * dim, &wall->wss, wall->n,
                         &wall->pressure, wall->n, &wall->part));
  if (w->swirl) PetscCall(PetscMalloc1(wall->n, &wall->wss_theta));
  set_stress(w, traction, wall);
  if (dim == 2) PetscCall(find_crossings(w, wall));
  if (dim == 2) find_abscissa(w, wall);
  PetscCall(PetscFree(traction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallCreate(TS ts, RhxForm form, RhxBoundary bc, RhxWallMesh *w, const PetscScalar *x, PetscBool rate,
                             RhxWall **wall)
{
  Nodal *mine, *all;
  PetscInt n, nall;

  PetscFunctionBegin;
  PetscCall(PetscNew(wall));
  (*wall)->comm = form->comm;
  (*wall)->surface = &w->surface;
  PetscCall(local_nodes(ts, form, bc, w->faces, x, &n, &mine));
  PetscCall(RhxWallGather(form->comm, n, sizeof(*mine), mine, &nall, &all));
  PetscCall(PetscFree(mine));
  if (w->nfaces) {
    PetscCall(set_nodes(w, nall, all));
    PetscCall(make_wall(w, *wall));
  }
  if (rate) PetscCall(find_rate(form, w, x, *wall));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallDestroy(RhxWall **wall)
{
  RhxWall *w = *wall;

  PetscFunctionBegin;
  if (!w) PetscFunctionReturn(PETSC_SUCCESS);
  if (w->s) PetscCall(PetscFree5(w->s, w->x, w->wss, w->pressure, w->part));
  PetscCall(PetscFree(w->shear));
  PetscCall(PetscFree(w->wss_theta));
  if (w->sep) PetscCall(PetscFree2(w->sep, w->reat));
  PetscCall(PetscFree(*wall));
  PetscFunctionReturn(PETSC_SUCCESS);
}
