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
 * of second order in the force). From a symmetry plane there is only normal traction: the rest of the reaction is kept. */
typedef struct {
  RhxSpace space;
  PetscInt velocity, pressure; /* their offsets in a block */
  PetscScalar *r, *x;          /* [nodes of the label's faces][bs] reactions, state */
  PetscScalar *labels;         /* [nlocal] labels that hold the node */
  PetscScalar *area, *push;    /* [nlocal], [nlocal][dim] integrals of N and N p n over the label */
  PetscScalar *part;           /* [nlocal][dim] at shared nodes: the label's part */
  PetscScalar *plane;          /* [nlocal][dim] normal of the symmetry planes */
} Shares;

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
  for (PetscInt k = 0; k < faces->ngroups; k++)
    for (PetscInt f = 0; f < faces->group[k].n; f++, at += faces->group[k].nfn) {
      const RhxFaceGroup *g = faces->group + k;
      integrate(s, g, f, at, area, push);
      for (PetscInt a = 0; a < g->nfn; a++) {
        const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
        s->area[i] += area[a];
        for (PetscInt d = 0; d < dim; d++) s->push[i * dim + d] += push[a][d];
      }
    }
  PetscCall(RhxHaloReduceBegin(halo, MPIU_SCALAR, 1, MPIU_SUM, s->area));
  PetscCall(RhxHaloReduceBegin(halo, MPIU_SCALAR, dim, MPIU_SUM, s->push));
  PetscCall(RhxHaloReduceEnd(halo, MPIU_SCALAR, 1, MPIU_SUM, s->area));
  PetscCall(RhxHaloReduceEnd(halo, MPIU_SCALAR, dim, MPIU_SUM, s->push));
  PetscCall(RhxHaloBegin(halo, MPIU_SCALAR, 1, s->area));
  PetscCall(RhxHaloBegin(halo, MPIU_SCALAR, dim, s->push));
  PetscCall(RhxHaloEnd(halo, MPIU_SCALAR, 1, s->area));
  PetscCall(RhxHaloEnd(halo, MPIU_SCALAR, dim, s->push));
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

static PetscErrorCode part_shared(Shares *s, const RhxFaces *faces)
{
  const PetscInt dim = s->space->dim, *at = faces->at;
  double area[4], push[4][3], t[3];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < faces->ngroups; k++)
    for (PetscInt f = 0; f < faces->group[k].n; f++, at += faces->group[k].nfn) {
      const RhxFaceGroup *g = faces->group + k;
      face_traction(s, g, f, at, t);
      integrate(s, g, f, at, area, push);
      for (PetscInt a = 0; a < g->nfn; a++)
        for (PetscInt d = 0; d < dim; d++)
          s->part[RhxFaceParentNode(g, f, g->fnode[a]) * dim + d] += area[a] * t[d] - push[a][d];
    }
  PetscCall(RhxSpaceReduce(s->space, dim, s->part));
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

/* The label's part of the reaction r of a node that it holds. */
static void part_of_reaction(const Shares *s, PetscInt node, const PetscScalar *r, double v[3])
{
  const PetscInt dim = s->space->dim;
  const PetscScalar *part = s->part + node * dim, *m = s->plane + node * dim;
  double across = 0, size = 0;

  for (PetscInt d = 0; d < dim; d++) {
    across += m[d] * (r[d] - part[d]);
    size += m[d] * m[d];
  }
  for (PetscInt d = 0; d < dim; d++)
    if (s->labels[node] < 2)
      v[d] = r[d];
    else
      v[d] = s->labels[node] < 3 && size > 0 ? r[d] - m[d] * across / size : part[d];
}

/* Force and its moment at a node, of what the wall feels; r: its reaction. */
static void add_node(const Shares *s, PetscInt node, const PetscScalar *r, const double centre[3], double sum[6])
{
  const PetscInt dim = s->space->dim;
  double v[3] = {0}, arm[3] = {0};

  part_of_reaction(s, node, r, v);
  for (PetscInt d = 0; d < dim; d++) arm[d] = s->space->x[node * dim + d] - centre[d];
  for (int d = 0; d < 3; d++) {
    sum[d] -= v[d];
    sum[3 + d] -= arm[(d + 1) % 3] * v[(d + 2) % 3] - arm[(d + 2) % 3] * v[(d + 1) % 3];
  }
}

/* With swirl: whether another label than a plane of symmetry or an outlet holds the node besides. */
static PetscErrorCode count_walls(Shares *s, RhxBoundary bc)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(s->labels, s->space->nlocal));
  for (PetscInt k = 0; k < s->space->nlabels; k++) {
    PetscBool plane, open;
    PetscCall(RhxBoundaryIsPlane(bc, s->space->faces[k].label, &plane, &open));
    if (plane || open) continue;
    for (PetscInt i = 0; i < s->space->faces[k].nnodes; i++) s->labels[s->space->faces[k].node[i]]++;
  }
  PetscCall(RhxSpaceGlobalToLocal(s->space, 1, s->labels, s->labels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moment about the axis of what the wall feels along theta. Nodes that other walls hold too have the mean traction of the face's
 * others. at: of u_theta in a block. After add_parts. */
static PetscErrorCode add_swirl(Shares *s, RhxBoundary bc, const RhxFaces *faces, PetscInt at, double *torque)
{
  const PetscInt bs = s->space->bs, *place = faces->at;
  PetscScalar *part;
  double sum = 0;

  PetscFunctionBegin;
  PetscCall(count_walls(s, bc));
  PetscCall(PetscCalloc1(s->space->nlocal, &part));
  for (PetscInt k = 0; k < faces->ngroups; k++)
    for (PetscInt f = 0; f < faces->group[k].n; f++, place += faces->group[k].nfn) {
      const RhxFaceGroup *g = faces->group + k;
      double area[4], push[4][3], t = 0;
      PetscInt n = 0;
      integrate(s, g, f, place, area, push);
      for (PetscInt a = 0; a < g->nfn; a++) {
        const PetscInt i = RhxFaceParentNode(g, f, g->fnode[a]);
        if (s->labels[i] > 1 || !(s->area[i] > 0)) continue;
        t += s->r[(size_t)place[a] * bs + at] / s->area[i];
        n++;
      }
      for (PetscInt a = 0; n && a < g->nfn; a++) part[RhxFaceParentNode(g, f, g->fnode[a])] += area[a] * t / n;
    }
  PetscCall(RhxSpaceReduce(s->space, 1, part));
  for (PetscInt i = 0; i < faces->nnodes; i++) {
    const PetscInt node = faces->node[i];
    sum -= s->space->x[2 * node + 1] * (s->labels[node] > 1 ? part[node] : s->r[(size_t)i * bs + at]);
  }
  PetscCallMPI(MPI_Allreduce(&sum, torque, 1, MPI_DOUBLE, MPI_SUM, s->space->comm));
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_parts(Shares *s, RhxBoundary bc, const RhxFaces *faces, const double centre[3], double sum[6])
{
  PetscFunctionBegin;
  PetscCall(RhxLabelCount(s->space, s->labels));
  PetscCall(integrate_label(s, faces));
  PetscCall(part_shared(s, faces));
  PetscCall(find_planes(s, bc, faces->label));
  for (PetscInt i = 0; i < faces->nnodes; i++)
    add_node(s, faces->node[i], s->r + (size_t)i * s->space->bs + s->velocity, centre, sum);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 6, MPI_DOUBLE, MPI_SUM, s->space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxForces(TS ts, RhxForm form, RhxBoundary bc, const char *label, const double centre[3],
                         double force[3], double torque[3])
{
  const size_t n = form->space->nlocal, bs = form->space->bs, dim = form->space->dim;
  Shares s = {.space = form->space,
              .velocity = RhxFieldsStart(form->space->fields, RHX_GROUP_VELOCITY),
              .pressure = RhxFieldsStart(form->space->fields, RHX_GROUP_PRESSURE)};
  const RhxFaces *faces;
  const PetscInt *node;
  PetscInt given, listed;
  double sum[6] = {0};

  PetscFunctionBegin;
  for (int d = 0; d < 3; d++) force[d] = torque[d] = 0;
  PetscCall(RhxBoundaryGetVelocityNodes(bc, label, &given, &node));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &given, 1, MPIU_INT, MPI_MAX, form->comm));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSpaceGetFaces(form->space, label, &faces));
  PetscCall(ISGetLocalSize(faces->nodes, &listed));
  PetscCall(PetscMalloc2(listed * bs, &s.r, listed * bs, &s.x));
  PetscCall(PetscCalloc5(n, &s.labels, n, &s.area, n * dim, &s.push, n * dim, &s.part, n * dim, &s.plane));
  PetscCall(RhxWallReactions(ts, form->space, bc, label, faces->nodes, s.r));
  PetscCall(RhxSchemeFetchState(ts, faces->nodes, s.x));
  PetscCall(add_parts(&s, bc, faces, centre, sum));
  for (int d = 0; d < 3; d++) {
    force[d] = sum[d];
    torque[d] = sum[3 + d];
  }
  if (form->swirl >= 0) PetscCall(add_swirl(&s, bc, faces, form->first_scalar + form->swirl, &torque[2]));
  PetscCall(PetscFree2(s.r, s.x));
  PetscCall(PetscFree5(s.labels, s.area, s.push, s.part, s.plane));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The derivative: what was summed above is linear in reactions and pressure, so the same sums transposed ---- */

/* Derivatives with respect to what `Shares` holds. */
typedef struct {
  PetscScalar *r, *push, *part, *x; /* [nlocal][dim] reactions, push, part; [nlocal] pressure */
} Weights;

/* Of part_of_reaction with q, that of its result. */
static void weigh_reaction(const Shares *s, PetscInt node, const double q[3], Weights *w)
{
  const PetscInt dim = s->space->dim;
  const PetscScalar *m = s->plane + node * dim;
  PetscScalar *r = w->r + node * dim, *part = w->part + node * dim;
  double across = 0, size = 0;

  for (PetscInt d = 0; d < dim; d++) {
    across += m[d] * q[d];
    size += m[d] * m[d];
  }
  for (PetscInt d = 0; d < dim; d++)
    if (s->labels[node] < 2) {
      r[d] += q[d];
    } else if (s->labels[node] < 3 && size > 0) {
      r[d] += q[d] - m[d] * across / size;
      part[d] += m[d] * across / size;
    } else {
      part[d] += q[d];
    }
}

/* Of add_node. */
static void weigh_node(const Shares *s, PetscInt node, const double centre[3], const double f[3], const double m[3],
                       Weights *w)
{
  double q[3] = {-f[0], -f[1], -f[2]}, arm[3] = {0};

  for (PetscInt d = 0; d < s->space->dim; d++) arm[d] = s->space->x[node * s->space->dim + d] - centre[d];
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

/* What add_parts does, backwards; s->x: zeros. */
static PetscErrorCode weigh_parts(Shares *s, RhxBoundary bc, const RhxFaces *faces, const double centre[3],
                                  const double f[3], const double m[3], Weights *w)
{
  const PetscInt dim = s->space->dim;

  PetscFunctionBegin;
  PetscCall(RhxLabelCount(s->space, s->labels));
  PetscCall(integrate_label(s, faces));
  PetscCall(find_planes(s, bc, faces->label));
  for (PetscInt i = 0; i < faces->nnodes; i++) weigh_node(s, faces->node[i], centre, f, m, w);
  PetscCall(RhxSpaceGlobalToLocal(s->space, dim, w->part, w->part));
  weigh_faces(s, faces, weigh_traction, w);
  PetscCall(RhxSpaceReduce(s->space, dim, w->push));
  PetscCall(RhxSpaceGlobalToLocal(s->space, dim, w->push, w->push));
  weigh_faces(s, faces, weigh_pressure, w);
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
              .pressure = RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE)};
  Weights w;
  const RhxFaces *faces;
  const PetscInt *node;
  PetscInt given, listed;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetVelocityNodes(bc, label, &given, &node));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &given, 1, MPIU_INT, MPI_MAX, form->comm));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSpaceGetFaces(space, label, &faces));
  PetscCall(ISGetLocalSize(faces->nodes, &listed));
  PetscCall(PetscCalloc5(n, &s.labels, n, &s.area, n * dim, &s.push, n * dim, &s.plane, listed * space->bs, &s.x));
  PetscCall(PetscCalloc4(n * dim, &w.r, n * dim, &w.push, n * dim, &w.part, n, &w.x));
  PetscCall(weigh_parts(&s, bc, faces, centre, f, m, &w));
  PetscCall(RhxGradientAdd(space, s.velocity, space->dim, w.r, reactions));
  PetscCall(RhxGradientAdd(space, s.pressure, 1, w.x, x));
  PetscCall(PetscFree5(s.labels, s.area, s.push, s.plane, s.x));
  PetscCall(PetscFree4(w.r, w.push, w.part, w.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
