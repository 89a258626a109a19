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
 * of second order in the force): t is the mean over a face's such nodes of (r + push)/area, r the reaction, push the integral of N p n. What
 * the parts of all walls (labels but planes and outlets) leave of the reaction is divided among them by their areas there. From a symmetry
 * plane there is only normal traction: the rest of the reaction is kept. All of it is linear in reactions and pressure, with weights that the
 * geometry gives: these are found once, from the force and moment backwards. */
typedef struct {
  double area[4], product[4][4][3]; /* integrals of N_a and N_a N_b n over a face */
} Product;

typedef struct {
  RhxSpace space;
  const RhxFaces *own;
  PetscScalar *labels; /* [nlocal] labels that hold the node */
  PetscScalar *area;   /* [nlocal] integral of N over the label at hand, */
  PetscScalar
      *place; /* [nlocal][dim] and of N times where the node is for the face: periodic images are joined in one node */
  PetscScalar *plane;         /* [nlocal][dim] normal of the symmetry planes */
  PetscScalar *walls, *whole; /* [nlocal] walls that hold the node; area of all that meet the label */
  PetscBool wall;             /* is the label one? */
  PetscInt *meets;            /* [nlabels] 1: another wall that meets it */
  Product **product;          /* [nlabels][faces] of the label and these */
} Shares;

static PetscErrorCode create_shares(Shares *s)
{
  const size_t n = s->space->nlocal, dim = s->space->dim;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(n, &s->labels, n, &s->area, n * dim, &s->place, n * dim, &s->plane));
  PetscCall(PetscCalloc4(n, &s->walls, n, &s->whole, s->space->nlabels, &s->meets, s->space->nlabels, &s->product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_shares(Shares *s)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->space->nlabels; k++) PetscCall(PetscFree(s->product[k]));
  PetscCall(PetscFree4(s->labels, s->area, s->place, s->plane));
  PetscCall(PetscFree4(s->walls, s->whole, s->meets, s->product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which labels hold the nodes, and which walls meet this one. */
static PetscErrorCode find_walls(Shares *s, RhxBoundary bc)
{
  const RhxSpace space = s->space;
  const RhxFaces *const own = s->own;
  PetscScalar *held = s->area; /* zeros until then */

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

static void integrate(const RhxFaceGroup *g, PetscInt dim, PetscInt f, Product *p)
{
  memset(p, 0, sizeof *p);
  for (PetscInt q = 0; q < g->nfq; q++) {
    const PetscReal *N = g->N + q * g->nn;
    double n[3], size = RhxFaceNormal(g, dim, f, q, n);
    for (PetscInt a = 0; a < g->nfn; a++) {
      p->area[a] += N[g->fnode[a]] * size;
      for (PetscInt b = 0; b < g->nfn; b++)
        for (int d = 0; d < 3; d++) p->product[a][b][d] += N[g->fnode[a]] * N[g->fnode[b]] * n[d];
    }
  }
}

/* Of the label and the walls that meet it. */
static PetscErrorCode find_products(Shares *s)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->space->nlabels; k++) {
    const RhxFaces *faces = s->space->faces + k;
    PetscInt n = 0;
    if (!s->meets[k] && faces != s->own) continue;
    for (PetscInt i = 0; i < faces->ngroups; i++) n += faces->group[i].n;
    PetscCall(PetscMalloc1(n, &s->product[k]));
    n = 0;
    for (PetscInt i = 0; i < faces->ngroups; i++)
      for (PetscInt f = 0; f < faces->group[i].n; f++)
        integrate(&faces->group[i], s->space->dim, f, &s->product[k][n++]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Areas, and places, of the nodes of a label. */
static PetscErrorCode integrate_label(Shares *s, const RhxFaces *faces)
{
  const PetscInt dim = s->space->dim;
  const Product *p = s->product[faces - s->space->faces];

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(s->area, s->space->nlocal));
  PetscCall(PetscArrayzero(s->place, s->space->nlocal * dim));
  for (const RhxFaceGroup *g = faces->group; g < faces->group + faces->ngroups; g++)
    for (PetscInt f = 0; f < g->n; f++, p++)
      for (PetscInt a = 0; a < g->nfn; a++) {
        const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
        s->area[i] += p->area[a];
        for (PetscInt d = 0; d < dim; d++)
          s->place[i * dim + d] +=
              p->area[a] * g->x[((f / RHX_LANES * g->nn + g->fnode[a]) * dim + d) * RHX_LANES + f % RHX_LANES];
      }
  PetscCall(RhxSpaceReduce(s->space, dim, s->place));
  PetscCall(RhxSpaceReduce(s->space, 1, s->area));
  PetscCall(RhxSpaceGlobalToLocal(s->space, 1, s->area, s->area));
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

/* Of reactions, pushes, the label's part and that of each wall that meets it at shared nodes, pressures; with swirl the same of what is along
 * theta. */
typedef struct {
  PetscScalar *r, *push, *part, *parts; /* [nlocal][dim] */
  PetscScalar *x, *turn, *mine, *each;  /* [nlocal] pressures; reactions along theta, the label's part, that of each */
} Weights;

static PetscErrorCode create_weights(RhxSpace space, Weights *w)
{
  const size_t n = space->nlocal, dim = space->dim;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n * dim, &w->r, n * dim, &w->push, n * dim, &w->part, n * dim, &w->parts));
  PetscCall(PetscMalloc4(n, &w->x, n, &w->turn, n, &w->mine, n, &w->each));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_weights(Weights *w)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(w->r, w->push, w->part, w->parts));
  PetscCall(PetscFree4(w->x, w->turn, w->mine, w->each));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode clear_weights(RhxSpace space, Weights *w)
{
  const size_t n = space->nlocal, dim = space->dim;

  PetscFunctionBegin;
  for (PetscScalar **v = (PetscScalar *[]){w->r, w->part, w->parts, NULL}; *v; v++)
    PetscCall(PetscArrayzero(*v, n * dim));
  for (PetscScalar **v = (PetscScalar *[]){w->x, w->turn, w->mine, w->each, NULL}; *v; v++)
    PetscCall(PetscArrayzero(*v, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The label's part of a node's reaction, weighted with q: r of a node that is its alone; else part + share rest, rest what the parts leave of r
 * without that along planes; part + rest at a plane; part. */
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

/* Of f.force + m.moment of what the wall feels, minus the reactions. */
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

/* Of the moment about the axis of what the wall feels along theta: planes and outlets have no part of it. */
static void weigh_turn(const Shares *s, PetscInt node, Weights *w)
{
  const double q = -s->space->x[2 * node + 1], share = share_of_rest(s, node);

  if (!(s->walls[node] > 1)) {
    w->turn[node] += q;
    return;
  }
  w->mine[node] += q;
  if (share < 0) return;
  w->turn[node] += share * q;
  w->mine[node] -= share * q;
  w->each[node] -= share * q;
}

/* From parts to the tractions of a face's nodes that are the label's alone; those without area are on the axis. */
static void weigh_traction(const Shares *s, const RhxFaceGroup *g, PetscInt f, const Product *p, Weights *w)
{
  const PetscInt dim = s->space->dim;
  double t[3] = {0};
  PetscInt n = 0;

  for (PetscInt a = 0; a < g->nfn; a++) {
    const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
    n += s->labels[i] < 2 && s->area[i] > 0;
    for (PetscInt d = 0; d < dim; d++) t[d] += p->area[a] * w->part[i * dim + d];
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

/* The same along theta, to nodes that no other wall holds. */
static void weigh_face_turn(const Shares *s, const RhxFaceGroup *g, PetscInt f, const Product *p, Weights *w)
{
  double t = 0;
  PetscInt n = 0;

  for (PetscInt a = 0; a < g->nfn; a++) {
    const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
    n += !(s->walls[i] > 1) && s->area[i] > 0;
    t += p->area[a] * w->mine[i];
  }
  for (PetscInt a = 0; a < g->nfn; a++) {
    const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
    if (!(s->walls[i] > 1) && s->area[i] > 0) w->turn[i] += t / (n * s->area[i]);
  }
}

/* Of the integrals of N p n in pushes and, less, in parts. */
static void weigh_pressure(const Shares *s, const RhxFaceGroup *g, PetscInt f, const Product *p, Weights *w)
{
  const PetscInt dim = s->space->dim;

  for (PetscInt a = 0; a < g->nfn; a++) {
    const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
    for (PetscInt b = 0; b < g->nfn; b++)
      for (PetscInt d = 0; d < dim; d++)
        w->x[RhxFaceParentNode(g, f, g->fnode[b])] +=
            (w->push[i * dim + d] - w->part[i * dim + d]) * p->product[a][b][d];
  }
}

typedef void (*WeighFn)(const Shares *s, const RhxFaceGroup *g, PetscInt f, const Product *p, Weights *w);
static void weigh_faces(const Shares *s, const RhxFaces *faces, WeighFn weigh, Weights *w)
{
  const Product *p = s->product[faces - s->space->faces];

  for (const RhxFaceGroup *g = faces->group; g < faces->group + faces->ngroups; g++)
    for (PetscInt f = 0; f < g->n; f++, p++) weigh(s, g, f, p, w);
}

/* Of the parts of a label, from w->part and w->mine. */
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
  weigh_faces(s, faces, weigh_face_turn, w);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin_shares(Shares *s, RhxBoundary bc)
{
  PetscFunctionBegin;
  PetscCall(create_shares(s));
  PetscCall(find_walls(s, bc));
  PetscCall(find_products(s));
  for (PetscInt k = 0; k < s->space->nlabels; k++) {
    if (!s->meets[k] && s->space->faces + k != s->own) continue;
    PetscCall(integrate_label(s, s->space->faces + k));
    for (PetscInt i = 0; i < s->space->nlocal; i++) s->whole[i] += s->area[i];
  }
  PetscCall(find_planes(s, bc, s->own->label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w of f.force + m.moment, or, turns, of the moment about the axis by swirl; on every rank's own copies of nodes, whose sums they are. */
static PetscErrorCode weigh_parts(Shares *s, const double centre[3], const double f[3], const double m[3],
                                  PetscBool turns, Weights *w)
{
  const RhxSpace space = s->space;
  const PetscInt dim = space->dim;

  PetscFunctionBegin;
  PetscCall(clear_weights(space, w));
  PetscCall(integrate_label(s, s->own));
  for (PetscInt i = 0; i < s->own->nnodes; i++)
    if (turns)
      weigh_turn(s, s->own->node[i], w);
    else
      weigh_node(s, s->own->node[i], centre, f, m, w);
  PetscCall(RhxSpaceGlobalToLocal(space, dim, w->part, w->part));
  PetscCall(RhxSpaceGlobalToLocal(space, dim, w->parts, w->parts));
  PetscCall(RhxSpaceGlobalToLocal(space, 1, w->mine, w->mine));
  PetscCall(RhxSpaceGlobalToLocal(space, 1, w->each, w->each));
  PetscCall(weigh_label(s, s->own, w));
  PetscCall(PetscArraycpy(w->part, w->parts, space->nlocal * dim));
  PetscCall(PetscArraycpy(w->mine, w->each, space->nlocal));
  for (PetscInt k = 0; k < space->nlabels; k++)
    if (s->meets[k]) PetscCall(weigh_label(s, space->faces + k, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts of the state that are summed up: reactions, with swirl that along theta too, and pressures. */
enum { REACTION, PRESSURE, NPARTS };

struct RhxLabelForce_s {
  RhxForm form;
  RhxBoundary bc;
  int n;                  /* 3: force alone; 6 */
  IS nodes[NPARTS];       /* NULL: no velocity is given, no force */
  PetscInt count[NPARTS]; /* of them */
  PetscInt width;         /* of reactions: dim, with swirl one more */
  double *weight[NPARTS]; /* [n][nodes][width], [n][nodes] */
};

static PetscErrorCode keep_weights(RhxLabelForce force, int component, Weights *w)
{
  const RhxSpace space = force->form->space;
  const PetscInt dim = space->dim, *node;
  double *to = force->weight[REACTION] + (size_t)component * force->count[REACTION] * force->width;

  PetscFunctionBegin;
  PetscCall(RhxSpaceReduce(space, dim, w->r));
  PetscCall(RhxSpaceReduce(space, 1, w->x));
  PetscCall(RhxSpaceReduce(space, 1, w->turn));
  PetscCall(ISGetIndices(force->nodes[REACTION], &node));
  for (PetscInt i = 0; i < force->count[REACTION]; i++) {
    for (PetscInt d = 0; d < dim; d++) *to++ = w->r[node[i] * dim + d];
    if (force->width > dim) *to++ = w->turn[node[i]];
  }
  PetscCall(ISRestoreIndices(force->nodes[REACTION], &node));
  to = force->weight[PRESSURE] + (size_t)component * force->count[PRESSURE];
  PetscCall(ISGetIndices(force->nodes[PRESSURE], &node));
  for (PetscInt i = 0; i < force->count[PRESSURE]; i++) to[i] = w->x[node[i]];
  PetscCall(ISRestoreIndices(force->nodes[PRESSURE], &node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_given(RhxBoundary bc, const char *label, MPI_Comm comm, PetscBool *is)
{
  const PetscInt *node;
  PetscInt given;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetVelocityNodes(bc, label, &given, &node));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &given, 1, MPIU_INT, MPI_MAX, comm));
  *is = (PetscBool)(given > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLabelForceCreate(RhxForm form, RhxBoundary bc, const char *label, const double centre[3],
                                   PetscBool torque, RhxLabelForce *force)
{
  Shares s = {.space = form->space};
  PetscBool given;
  Weights w;

  PetscFunctionBegin;
  PetscCall(PetscNew(force));
  (*force)->form = form;
  (*force)->bc = bc;
  (*force)->n = torque ? 6 : 3;
  (*force)->width = form->space->dim + (form->swirl < 0 ? 0 : 1);
  PetscCall(is_given(bc, label, form->comm, &given));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < NPARTS; k++) { /* pressures push on nodes whose tractions parts are made of */
    PetscCall(RhxListBeside(form->space, 1, &label, k == PRESSURE ? 2 : 1, &(*force)->nodes[k]));
    PetscCall(ISGetLocalSize((*force)->nodes[k], &(*force)->count[k]));
    PetscCall(PetscMalloc1((size_t)(*force)->n * (*force)->count[k] * (k == PRESSURE ? 1 : (*force)->width),
                           &(*force)->weight[k]));
  }
  PetscCall(RhxSpaceGetFaces(form->space, label, &s.own));
  PetscCall(begin_shares(&s, bc));
  PetscCall(create_weights(form->space, &w));
  for (int c = 0; c < (*force)->n; c++) {
    double along[6] = {0};
    along[c] = 1;
    PetscCall(weigh_parts(&s, centre, along, along + 3, (PetscBool)(c == 5 && form->swirl >= 0), &w));
    PetscCall(keep_weights(*force, c, &w));
  }
  PetscCall(destroy_weights(&w));
  PetscCall(destroy_shares(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLabelForceDestroy(RhxLabelForce *force)
{
  PetscFunctionBegin;
  if (!*force) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < NPARTS; k++) {
    PetscCall(ISDestroy(&(*force)->nodes[k]));
    PetscCall(PetscFree((*force)->weight[k]));
  }
  PetscCall(PetscFree(*force));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum[n] += weights over values[nodes][bs] from `first` of a block on, n of them, with swirl that along theta behind them. */
static void add_part(const struct RhxLabelForce_s *force, int part, PetscInt first, PetscInt n,
                     const PetscScalar *value, double *sum)
{
  const PetscInt bs = force->form->space->bs, width = part == PRESSURE ? 1 : force->width;
  const double *weight = force->weight[part];

  for (int c = 0; c < force->n; c++)
    for (PetscInt i = 0; i < force->count[part]; i++, weight += width) {
      const PetscScalar *v = value + (size_t)i * bs;
      for (PetscInt d = 0; d < n; d++) sum[c] += weight[d] * v[first + d];
      if (width > n) sum[c] += weight[n] * v[force->form->first_scalar + force->form->swirl];
    }
}

PetscErrorCode RhxLabelForceEvaluate(RhxLabelForce force, TS ts, double f[3], double torque[3])
{
  const RhxSpace space = force->form->space;
  PetscScalar *value[NPARTS];
  double sum[6] = {0};

  PetscFunctionBegin;
  for (int d = 0; d < 3; d++) f[d] = torque[d] = 0;
  if (!force->nodes[REACTION]) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < NPARTS; k++) PetscCall(PetscMalloc1((size_t)force->count[k] * space->bs, &value[k]));
  PetscCall(RhxWallReactions(ts, space, force->bc, NULL, force->nodes[REACTION], value[REACTION]));
  PetscCall(RhxSchemeFetchState(ts, force->nodes[PRESSURE], value[PRESSURE]));
  add_part(force, REACTION, RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY), space->dim, value[REACTION], sum);
  add_part(force, PRESSURE, RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE), 1, value[PRESSURE], sum);
  for (int k = 0; k < NPARTS; k++) PetscCall(PetscFree(value[k]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, force->n, MPI_DOUBLE, MPI_SUM, force->form->comm));
  for (int d = 0; d < 3; d++) {
    f[d] = sum[d];
    torque[d] = sum[3 + d];
  }
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
  Shares s = {.space = space};
  PetscBool given;
  Weights w;

  PetscFunctionBegin;
  PetscCall(is_given(bc, label, form->comm, &given));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSpaceGetFaces(space, label, &s.own));
  PetscCall(begin_shares(&s, bc));
  PetscCall(create_weights(space, &w));
  PetscCall(weigh_parts(&s, centre, f, m, PETSC_FALSE, &w));
  PetscCall(RhxGradientAdd(space, RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY), space->dim, w.r, reactions));
  PetscCall(RhxGradientAdd(space, RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE), 1, w.x, x));
  PetscCall(destroy_weights(&w));
  PetscCall(destroy_shares(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
