#include "diagnostics/diagnostics.h"
#include "diagnostics/gradient_impl.h"
#include "petsc_compat.h"
#include "space/face.h"
#include <string.h>

PetscErrorCode RhxLabelCount(RhxSpace space, PetscScalar *count)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(count, space->nlocal));
  for (PetscInt k = 0; k < space->nlabels; k++)
    for (PetscInt i = 0; i < space->faces[k].nnodes; i++) count[space->faces[k].node[i]]++;
  PetscCall(RhxSpaceGlobalToLocal(space, 1, count, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The reaction of a node that other labels share holds their traction too. The label's own part is the integral of N (t - p n)
 * over its faces, with the nodal pressure and the viscous traction t of the neighbours that are the label's alone (an error
 * of second order in the force). What the parts of all walls (labels but planes and outlets) leave of the reaction is divided among
 * them by their areas there. From a symmetry plane there is only normal traction: the rest of the reaction is kept. */
typedef struct {
  RhxSpace space;
  PetscInt velocity, pressure; /* their offsets in a block */
  PetscScalar *r, *x;          /* [nodes of the label's faces][bs] reactions, state */
  PetscScalar *labels;         /* [nlocal] labels that hold the node */
  PetscScalar *area, *push;    /* [nlocal], [nlocal][dim] integrals of N and N p n over the label, */
  PetscScalar *place; /* and of N times where the node is for the face: periodic images are joined in one node */
  PetscScalar *part;  /* [nlocal][dim] at shared nodes: the label's part */
  PetscScalar *plane; /* [nlocal][dim] normal of the symmetry planes */
  PetscInt swirl;     /* of u_theta in a block, or -1 */
  PetscScalar *turn;  /* [nlocal] the label's part of its reaction */
  PetscScalar *walls, *whole; /* [nlocal] walls that hold the node; area of all that meet the label */
  PetscScalar *parts, *turns; /* [nlocal][dim], [nlocal] sums of part and turn over these */
  PetscBool wall;             /* is the label one? */
  PetscInt *meets;            /* [nlabels] 1: another wall that meets it */
} Shares;

static PetscErrorCode create_shares(Shares *s)
{
  const size_t n = s->space->nlocal, dim = s->space->dim;

  PetscFunctionBegin;
  PetscCall(PetscCalloc5(n, &s->labels, n, &s->area, n * dim, &s->push, n * dim, &s->part, n * dim, &s->plane));
  PetscCall(PetscCalloc1(n * dim, &s->place));
  PetscCall(PetscCalloc6(n, &s->turn, n, &s->walls, n, &s->whole, n * dim, &s->parts, n, &s->turns, s->space->nlabels,
                         &s->meets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_shares(Shares *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->place));
  PetscCall(PetscFree5(s->labels, s->area, s->push, s->part, s->plane));
  PetscCall(PetscFree6(s->turn, s->walls, s->whole, s->parts, s->turns, s->meets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which labels hold the nodes, and which walls meet this one. */
static PetscErrorCode find_walls(Shares *s, RhxBoundary bc, const RhxFaces *own)
{
  const RhxSpace space = s->space;
  PetscScalar *held = s->turns; /* zeros until then */

  PetscFunctionBegin;
  PetscCall(RhxLabelCount(space, s->labels));
  for (PetscInt i = 0; i < own->nnodes; i++) held[own->node[i]] = 1;
  for (PetscInt k = 0; k < space->nlabels; k++) {
    const RhxFaces *faces = space->faces + k;
    PetscBool plane, open;
    PetscCall(RhxBoundaryIsPlane(bc, faces->label, &plane, &open));
    if (plane || open) continue;
    if (faces == own) s->wall = PETSC_TRUE;
    for (PetscInt i = 0; i < faces->nnodes; i++) {
      s->walls[faces->node[i]]++;
      if (faces != own && held[faces->node[i]] > 0) s->meets[k] = 1;
    }
  }
  PetscCall(PetscArrayzero(held, space->nlocal));
  PetscCall(RhxSpaceGlobalToLocal(space, 1, s->walls, s->walls));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, s->meets, (PetscMPIInt)space->nlabels, MPIU_INT, MPI_MAX, space->comm));
  if (!s->wall) PetscCall(PetscArrayzero(s->meets, space->nlabels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Integrals of N_a and N_a N_b n over a face. */
static void integrate_products(const Shares *s, const RhxFaceGroup *g, PetscInt f, double area[4],
                               double product[4][4][3])
{
  memset(area, 0, 4 * sizeof *area);
  memset(product, 0, 4 * sizeof *product);
  for (PetscInt q = 0; q < g->nfq; q++) {
    const PetscReal *N = g->N + q * g->nn;
    double n[3], size = RhxFaceNormal(g, s->space->dim, f, q, n);
    for (PetscInt a = 0; a < g->nfn; a++) {
      area[a] += N[g->fnode[a]] * size;
      for (PetscInt b = 0; b < g->nfn; b++)
        for (int d = 0; d < 3; d++) product[a][b][d] += N[g->fnode[a]] * N[g->fnode[b]] * n[d];
    }
  }
}

/* Integrals of N and N p n over a face, by its nodes, which are at those places. */
static void integrate(const Shares *s, const RhxFaceGroup *g, PetscInt f, const PetscInt *at, double area[4],
                      double push[4][3])
{
  double product[4][4][3];
  integrate_products(s, g, f, area, product);
  memset(push, 0, 4 * sizeof *push);
  for (PetscInt a = 0; a < g->nfn; a++)
    for (PetscInt b = 0; b < g->nfn; b++)
      for (int d = 0; d < 3; d++) push[a][d] += product[a][b][d] * s->x[(size_t)at[b] * s->space->bs + s->pressure];
}

static PetscErrorCode integrate_label(Shares *s, const RhxFaces *faces)
{
  const PetscInt dim = s->space->dim, *at = faces->at;
  const RhxHalo halo = s->space->halo;
  double area[4], push[4][3];

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(s->area, s->space->nlocal));
  PetscCall(PetscArrayzero(s->push, s->space->nlocal * dim));
  PetscCall(PetscArrayzero(s->place, s->space->nlocal * dim));
  for (PetscInt k = 0; k < faces->ngroups; k++)
    for (PetscInt f = 0; f < faces->group[k].n; f++, at += faces->group[k].nfn) {
      const RhxFaceGroup *g = faces->group + k;
      integrate(s, g, f, at, area, push);
      for (PetscInt a = 0; a < g->nfn; a++) {
        const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
        s->area[i] += area[a];
        for (PetscInt d = 0; d < dim; d++) {
          s->push[i * dim + d] += push[a][d];
          s->place[i * dim + d] +=
              area[a] * g->x[((f / RHX_LANES * g->nn + g->fnode[a]) * dim + d) * RHX_LANES + f % RHX_LANES];
        }
      }
    }
  PetscCall(RhxSpaceReduce(s->space, dim, s->place));
  PetscCall(RhxHaloReduceBegin(halo, MPIU_SCALAR, 1, MPIU_SUM, s->area));
  PetscCall(RhxHaloReduceBegin(halo, MPIU_SCALAR, dim, MPIU_SUM, s->push));
  PetscCall(RhxHaloReduceEnd(halo, MPIU_SCALAR, 1, MPIU_SUM, s->area));
  PetscCall(RhxHaloReduceEnd(halo, MPIU_SCALAR, dim, MPIU_SUM, s->push));
  PetscCall(RhxHaloBegin(halo, MPIU_SCALAR, 1, s->area));
  PetscCall(RhxHaloBegin(halo, MPIU_SCALAR, dim, s->push));
  PetscCall(RhxHaloEnd(halo, MPIU_SCALAR, 1, s->area));
  PetscCall(RhxHaloEnd(halo, MPIU_SCALAR, dim, s->push));
  for (PetscInt i = 0; i < s->space->nlocal; i++) s->whole[i] += s->area[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mean viscous traction of the face's nodes that are the label's alone. */
static void face_traction(const Shares *s, const RhxFaceGroup *g, PetscInt f, const PetscInt *at, double t[3])
{
  const PetscInt dim = s->space->dim;
  PetscInt n = 0;

  t[0] = t[1] = t[2] = 0;
  for (PetscInt a = 0; a < g->nfn; a++) {
    const size_t i = RhxFaceParentNode(g, f, g->fnode[a]);
    if (s->labels[i] > 1 || !(s->area[i] > 0)) continue; /* without area: on the axis */
    n++;
    for (PetscInt d = 0; d < dim; d++)
      t[d] += (s->r[(size_t)at[a] * s->space->bs + s->velocity + d] + s->push[i * dim + d]) / s->area[i];
  }
  for (PetscInt d = 0; n && d < dim; d++) t[d] /= n;
}

/* Mean azimuthal traction of the face's nodes that no other wall holds. */
static double face_turn(const Shares *s, const RhxFaceGroup *g, PetscInt f, const PetscInt *at)
{
  double t = 0;
  PetscInt n = 0;

  for (PetscInt a = 0; s->swirl >= 0 && a < g->nfn; a++) {
    const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
    if (s->walls[i] > 1 || !(s->area[i] > 0)) continue;
    t += s->r[(size_t)at[a] * s->space->bs + s->swirl] / s->area[i];
    n++;
  }
  return n ? t / n : 0;
}

static PetscErrorCode part_shared(Shares *s, const RhxFaces *faces)
{
  const PetscInt dim = s->space->dim, *at = faces->at;
  double area[4], push[4][3], t[3];

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(s->part, s->space->nlocal * dim));
  PetscCall(PetscArrayzero(s->turn, s->space->nlocal));
  for (PetscInt k = 0; k < faces->ngroups; k++)
    for (PetscInt f = 0; f < faces->group[k].n; f++, at += faces->group[k].nfn) {
      const RhxFaceGroup *g = faces->group + k;
      face_traction(s, g, f, at, t);
      integrate(s, g, f, at, area, push);
      for (PetscInt a = 0; a < g->nfn; a++) {
        const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
        for (PetscInt d = 0; d < dim; d++) s->part[i * dim + d] += area[a] * t[d] - push[a][d];
        s->turn[i] += area[a] * face_turn(s, g, f, at);
      }
    }
  PetscCall(RhxSpaceReduce(s->space, dim, s->part));
  PetscCall(RhxSpaceReduce(s->space, 1, s->turn));
  for (PetscInt i = 0; i < s->space->nlocal * dim; i++) s->parts[i] += s->part[i];
  for (PetscInt i = 0; i < s->space->nlocal; i++) s->turns[i] += s->turn[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_planes(Shares *s, RhxBoundary bc, const char *label)
{
  const PetscInt dim = s->space->dim;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < s->space->nlabels; l++) {
    const RhxFaces *faces = s->space->faces + l;
    PetscBool plane, open;
    PetscCall(RhxBoundaryIsPlane(bc, faces->label, &plane, &open));
    if (!plane || !strcmp(faces->label, label)) continue;
    for (PetscInt k = 0; k < faces->ngroups; k++)
      for (PetscInt f = 0; f < faces->group[k].n; f++)
        for (PetscInt a = 0; a < faces->group[k].nfn; a++) {
          const RhxFaceGroup *g = faces->group + k;
          double n[3];
          RhxFaceMeshNormal(g, dim, f, 0, n);
          for (PetscInt d = 0; d < dim; d++) s->plane[RhxFaceParentNode(g, f, g->fnode[a]) * dim + d] += n[d];
        }
  }
  PetscCall(RhxSpaceReduce(s->space, dim, s->plane));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The label's share, by area, of what the parts leave at a node where walls meet; -1 elsewhere. */
static double share_of_rest(const Shares *s, PetscInt node)
{
  return s->wall && s->walls[node] > 1 && s->whole[node] > 0 ? s->area[node] / s->whole[node] : -1;
}

/* v less its part along m. */
static void take_across(PetscInt dim, const PetscScalar *m, double *v)
{
  double across = 0, size = 0;

  for (PetscInt d = 0; d < dim; d++) {
    across += m[d] * v[d];
    size += m[d] * m[d];
  }
  for (PetscInt d = 0; size > 0 && d < dim; d++) v[d] -= m[d] * across / size;
}

/* Does one plane of symmetry alone hold the node besides the label? */
static PetscBool at_plane(const Shares *s, PetscInt node)
{
  const PetscScalar *m = s->plane + node * s->space->dim;
  double size = 0;

  for (PetscInt d = 0; d < s->space->dim; d++) size += m[d] * m[d];
  return (PetscBool)(s->labels[node] < 3 && size > 0);
}

/* The label's part of the reaction r of a node that it holds. */
static void part_of_reaction(const Shares *s, PetscInt node, const PetscScalar *r, double v[3])
{
  const PetscInt dim = s->space->dim;
  const PetscScalar *part = s->part + node * dim, *m = s->plane + node * dim;
  const double share = share_of_rest(s, node);
  double rest[3] = {0};

  for (PetscInt d = 0; d < dim; d++) rest[d] = r[d] - (share < 0 ? part[d] : s->parts[node * dim + d]);
  take_across(dim, m, rest);
  for (PetscInt d = 0; d < dim; d++)
    if (s->labels[node] < 2)
      v[d] = r[d];
    else
      v[d] = part[d] + (share >= 0 ? share * rest[d] : at_plane(s, node) ? rest[d] : 0);
}

/* From the centre to where the node is, of periodic images to the middle of their parts of the label. */
static void find_arm(const Shares *s, PetscInt node, const double centre[3], double arm[3])
{
  const PetscInt dim = s->space->dim;

  for (PetscInt d = 0; d < 3; d++) arm[d] = 0;
  for (PetscInt d = 0; d < dim; d++) {
    const PetscReal at = s->area[node] > 0 ? s->place[node * dim + d] / s->area[node] : s->space->x[node * dim + d];
    arm[d] = at - centre[d];
  }
}

/* Force and its moment at a node, of what the wall feels; r: its reaction. */
static void add_node(const Shares *s, PetscInt node, const PetscScalar *r, const double centre[3], double sum[6])
{
  double v[3] = {0}, arm[3];

  part_of_reaction(s, node, r, v);
  find_arm(s, node, centre, arm);
  for (int d = 0; d < 3; d++) {
    sum[d] -= v[d];
    sum[3 + d] -= arm[(d + 1) % 3] * v[(d + 2) % 3] - arm[(d + 2) % 3] * v[(d + 1) % 3];
  }
}

/* Moment about the axis of what the wall feels along theta: planes and outlets have no part of it. */
static PetscErrorCode add_swirl(const Shares *s, const RhxFaces *faces, double *torque)
{
  double sum = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < faces->nnodes; i++) {
    const PetscInt node = faces->node[i];
    const double r = s->r[(size_t)i * s->space->bs + s->swirl], share = share_of_rest(s, node);
    double v = s->walls[node] > 1 ? s->turn[node] : r;
    if (share >= 0) v += share * (r - s->turns[node]);
    sum -= s->space->x[2 * node + 1] * v;
  }
  PetscCallMPI(MPI_Allreduce(&sum, torque, 1, MPI_DOUBLE, MPI_SUM, s->space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds what the label holds to area, part and their sums; s->r is that of its nodes, to be freed. */
static PetscErrorCode add_label(Shares *s, TS ts, RhxBoundary bc, const RhxFaces *faces)
{
  const PetscInt bs = s->space->bs;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(faces->nodes, &n));
  PetscCall(PetscMalloc2(n * bs, &s->r, n * bs, &s->x));
  PetscCall(RhxWallReactions(ts, s->space, bc, NULL, faces->nodes, s->r));
  PetscCall(RhxSchemeFetchState(ts, faces->nodes, s->x));
  PetscCall(integrate_label(s, faces));
  PetscCall(part_shared(s, faces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The label's own last. */
static PetscErrorCode add_parts(Shares *s, TS ts, RhxBoundary bc, const RhxFaces *faces, const double centre[3],
                                double sum[6])
{
  PetscFunctionBegin;
  PetscCall(find_walls(s, bc, faces));
  for (PetscInt k = 0; k < s->space->nlabels; k++) {
    if (!s->meets[k]) continue;
    PetscCall(add_label(s, ts, bc, s->space->faces + k));
    PetscCall(PetscFree2(s->r, s->x));
  }
  PetscCall(add_label(s, ts, bc, faces));
  PetscCall(find_planes(s, bc, faces->label));
  for (PetscInt i = 0; i < faces->nnodes; i++)
    add_node(s, faces->node[i], s->r + (size_t)i * s->space->bs + s->velocity, centre, sum);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 6, MPI_DOUBLE, MPI_SUM, s->space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxForces(TS ts, RhxForm form, RhxBoundary bc, const char *label, const double centre[3],
                         double force[3], double torque[3])
{
  Shares s = {.space = form->space,
              .velocity = RhxFieldsStart(form->space->fields, RHX_GROUP_VELOCITY),
              .pressure = RhxFieldsStart(form->space->fields, RHX_GROUP_PRESSURE),
              .swirl = form->swirl < 0 ? -1 : form->first_scalar + form->swirl};
  const RhxFaces *faces;
  const PetscInt *node;
  PetscInt given;
  double sum[6] = {0};

  PetscFunctionBegin;
  for (int d = 0; d < 3; d++) force[d] = torque[d] = 0;
  PetscCall(RhxBoundaryGetVelocityNodes(bc, label, &given, &node));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &given, 1, MPIU_INT, MPI_MAX, form->comm));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSpaceGetFaces(form->space, label, &faces));
  PetscCall(create_shares(&s));
  PetscCall(add_parts(&s, ts, bc, faces, centre, sum));
  for (int d = 0; d < 3; d++) {
    force[d] = sum[d];
    torque[d] = sum[3 + d];
  }
  if (s.swirl >= 0) PetscCall(add_swirl(&s, faces, &torque[2]));
  PetscCall(PetscFree2(s.r, s.x));
  PetscCall(destroy_shares(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The derivative: what was summed above is linear in reactions and pressure, so the same sums transposed ---- */

/* Derivatives with respect to what `Shares` holds. */
typedef struct {
  PetscScalar *r, *push, *part, *x; /* [nlocal][dim] reactions, push, part; [nlocal] pressure */
  PetscScalar *parts;               /* [nlocal][dim] that of each of the walls that meet the label */
} Weights;

/* Of part_of_reaction with q, that of its result. */
static void weigh_reaction(const Shares *s, PetscInt node, const double q[3], Weights *w)
{
  const PetscInt dim = s->space->dim;
  const double share = share_of_rest(s, node);
  PetscScalar *r = w->r + node * dim, *part = w->part + node * dim, *parts = w->parts + node * dim;
  double rest[3] = {q[0], q[1], q[2]};

  take_across(dim, s->plane + node * dim, rest);
  for (PetscInt d = 0; d < dim; d++)
    if (s->labels[node] < 2) {
      r[d] += q[d];
    } else if (share >= 0) {
      r[d] += share * rest[d];
      part[d] += q[d] - share * rest[d];
      parts[d] -= share * rest[d];
    } else {
      r[d] += at_plane(s, node) ? rest[d] : 0;
      part[d] += at_plane(s, node) ? q[d] - rest[d] : q[d];
    }
}

/* Of add_node. */
static void weigh_node(const Shares *s, PetscInt node, const double centre[3], const double f[3], const double m[3],
                       Weights *w)
{
  double q[3] = {-f[0], -f[1], -f[2]}, arm[3];

  find_arm(s, node, centre, arm);
  for (int d = 0; d < 3; d++) {
    q[(d + 2) % 3] -= m[d] * arm[(d + 1) % 3];
    q[(d + 1) % 3] += m[d] * arm[(d + 2) % 3];
  }
  weigh_reaction(s, node, q, w);
}

/* Of face_traction times the areas of part_shared. */
static void weigh_traction(const Shares *s, const RhxFaceGroup *g, PetscInt f, Weights *w)
{
  const PetscInt dim = s->space->dim;
  double area[4], product[4][4][3], t[3] = {0};
  PetscInt n = 0;

  integrate_products(s, g, f, area, product);
  for (PetscInt a = 0; a < g->nfn; a++) {
    const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
    n += s->labels[i] < 2 && s->area[i] > 0;
    for (PetscInt d = 0; d < dim; d++) t[d] += area[a] * w->part[i * dim + d];
  }
  for (PetscInt a = 0; a < g->nfn; a++) {
    const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
    if (s->labels[i] > 1 || !(s->area[i] > 0)) continue;
    for (PetscInt d = 0; d < dim; d++) {
      w->r[i * dim + d] += t[d] / (n * s->area[i]);
      w->push[i * dim + d] += t[d] / (n * s->area[i]);
    }
  }
}

/* Of the integrals of N p n in integrate_label and, less, in part_shared. */
static void weigh_pressure(const Shares *s, const RhxFaceGroup *g, PetscInt f, Weights *w)
{
  const PetscInt dim = s->space->dim;
  double area[4], product[4][4][3];

  integrate_products(s, g, f, area, product);
  for (PetscInt a = 0; a < g->nfn; a++) {
    const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
    for (PetscInt b = 0; b < g->nfn; b++)
      for (PetscInt d = 0; d < dim; d++)
        w->x[RhxFaceParentNode(g, f, g->fnode[b])] += (w->push[i * dim + d] - w->part[i * dim + d]) * product[a][b][d];
  }
}

typedef void (*WeighFn)(const Shares *s, const RhxFaceGroup *g, PetscInt f, Weights *w);
static void weigh_faces(const Shares *s, const RhxFaces *faces, WeighFn weigh, Weights *w)
{
  for (const RhxFaceGroup *g = faces->group; g < faces->group + faces->ngroups; g++)
    for (PetscInt f = 0; f < g->n; f++) weigh(s, g, f, w);
}

/* What add_label does, backwards, from w->part; s->x: zeros. */
static PetscErrorCode weigh_label(Shares *s, const RhxFaces *faces, Weights *w)
{
  const PetscInt dim = s->space->dim;

  PetscFunctionBegin;
  PetscCall(integrate_label(s, faces));
  PetscCall(PetscArrayzero(w->push, s->space->nlocal * dim));
  weigh_faces(s, faces, weigh_traction, w);
  PetscCall(RhxSpaceReduce(s->space, dim, w->push));
  PetscCall(RhxSpaceGlobalToLocal(s->space, dim, w->push, w->push));
  weigh_faces(s, faces, weigh_pressure, w);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What add_parts does, backwards. */
static PetscErrorCode weigh_parts(Shares *s, RhxBoundary bc, const RhxFaces *faces, const double centre[3],
                                  const double f[3], const double m[3], Weights *w)
{
  const PetscInt dim = s->space->dim;

  PetscFunctionBegin;
  PetscCall(find_walls(s, bc, faces));
  for (PetscInt k = 0; k < s->space->nlabels; k++)
    if (s->meets[k]) PetscCall(integrate_label(s, s->space->faces + k));
  PetscCall(integrate_label(s, faces));
  PetscCall(find_planes(s, bc, faces->label));
  for (PetscInt i = 0; i < faces->nnodes; i++) weigh_node(s, faces->node[i], centre, f, m, w);
  PetscCall(RhxSpaceGlobalToLocal(s->space, dim, w->part, w->part));
  PetscCall(RhxSpaceGlobalToLocal(s->space, dim, w->parts, w->parts));
  PetscCall(weigh_label(s, faces, w));
  PetscCall(PetscArraycpy(w->part, w->parts, s->space->nlocal * dim));
  for (PetscInt k = 0; k < s->space->nlabels; k++)
    if (s->meets[k]) PetscCall(weigh_label(s, s->space->faces + k, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxForcesHaveGradient(RhxForm form, RhxBoundary bc)
{
  return (PetscBool)(form->swirl < 0 && !RhxBoundaryHasTangents(bc));
}

PetscErrorCode RhxForcesGradient(RhxForm form, RhxBoundary bc, const char *label, const double centre[3],
                                 const double f[3], const double m[3], Vec x, Vec reactions)
{
  const RhxSpace space = form->space;
  const size_t n = space->nlocal, dim = space->dim;
  Shares s = {.space = space,
              .velocity = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY),
              .pressure = RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE),
              .swirl = -1};
  Weights w;
  const RhxFaces *faces;
  const PetscInt *node;
  PetscInt given;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetVelocityNodes(bc, label, &given, &node));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &given, 1, MPIU_INT, MPI_MAX, form->comm));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSpaceGetFaces(space, label, &faces));
  PetscCall(create_shares(&s));
  PetscCall(PetscCalloc1(n * space->bs, &s.x));
  PetscCall(PetscCalloc5(n * dim, &w.r, n * dim, &w.push, n * dim, &w.part, n, &w.x, n * dim, &w.parts));
  PetscCall(weigh_parts(&s, bc, faces, centre, f, m, &w));
  PetscCall(RhxGradientAdd(space, s.velocity, space->dim, w.r, reactions));
  PetscCall(RhxGradientAdd(space, s.pressure, 1, w.x, x));
  PetscCall(PetscFree(s.x));
  PetscCall(destroy_shares(&s));
  PetscCall(PetscFree5(w.r, w.push, w.part, w.x, w.parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
