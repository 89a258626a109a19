/* Geometry of a label: normal, flatness, and the line or circle on which a parabola stands. */
#include "kernels/geometry.h"
#include "boundary/duct_impl.h"
#include "boundary/gap_impl.h"
#include "boundary/profile_impl.h"
#include "plugin/doing.h"
#include "space/face.h"

#define ROUND 1e-3 /* of the radius: what is a circle to the developed flow */

void RhxFacePoint(const RhxFaceGroup *g, PetscInt dim, PetscInt group, PetscInt q, PetscInt lane, PetscReal x[3],
                  PetscReal normal[3])
{
  PetscReal J[3][3] = {{0}}, T[2][3] = {{0}}, outward[3] = {0}, leaving = 0;

  for (PetscInt d = 0; d < dim; d++) {
    x[d] = 0;
    for (PetscInt a = 0; a < g->nn; a++) {
      PetscReal xa = g->x[((group * g->nn + a) * dim + d) * RHX_LANES + lane];
      x[d] += g->N[q * g->nn + a] * xa;
      outward[d] -= xa / g->nn;
      for (PetscInt k = 0; k < dim; k++) J[d][k] += xa * g->dN[(q * g->nn + a) * dim + k];
    }
    outward[d] += x[d];
    for (PetscInt s = 0; s < dim - 1; s++)
      for (PetscInt k = 0; k < dim; k++) T[s][d] += J[d][k] * g->tangent[s * dim + k];
  }
  rhx_normal((int)dim, T[0], T[1], normal);
  for (PetscInt d = 0; d < dim; d++) leaving += normal[d] * outward[d];
  if (leaving < 0)
    for (PetscInt d = 0; d < dim; d++) normal[d] = -normal[d];
}

static PetscReal dot(PetscInt dim, const PetscReal *a, const PetscReal *b)
{
  PetscReal s = 0;
  for (PetscInt d = 0; d < dim; d++) s += a[d] * b[d];
  return s;
}

static PetscReal normalise(PetscInt dim, PetscReal *a)
{
  PetscReal length = PetscSqrtReal(dot(dim, a, a));
  if (length > 0)
    for (PetscInt d = 0; d < dim; d++) a[d] /= length;
  return length;
}

/* Calls once per quadrature point of this rank's faces: sums (pass 0) or largest bends (pass 1). */
static void face_pass(const RhxFaces *faces, PetscInt dim, PetscInt pass, RhxLabelGeometry *geo)
{
  static const PetscReal reference[3] = {1, 0.7548776662, 0.5698402910}; /* in no plane that a user draws */
  PetscReal x[3], n[3];

  for (PetscInt i = 0; i < faces->ngroups; i++) {
    const RhxFaceGroup *g = &faces->group[i];
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt q = 0; q < g->nfq; q++) {
        PetscReal bend = 0, plane_bend = 0, area, sign;
        RhxFacePoint(g, dim, f / RHX_LANES, q, f % RHX_LANES, x, n);
        area = normalise(dim, n) * g->w[q];
        sign = dot(dim, n, reference) < 0 ? -1 : 1;
        if (pass == 0) {
          geo->length += area;
          geo->area += area * RhxFaceSwept(g, f, q);
        }
        for (PetscInt d = 0; d < dim; d++) {
          if (pass == 0) {
            geo->normal[d] += area * n[d];
            geo->plane[d] += area * sign * n[d];
          } else {
            bend = PetscMax(bend, PetscAbsReal(n[d] - geo->normal[d]));
            plane_bend = PetscMax(plane_bend, PetscAbsReal(sign * n[d] - geo->plane[d]));
          }
        }
        geo->bend = PetscMax(geo->bend, bend);
        geo->plane_bend = PetscMax(geo->plane_bend, plane_bend);
      }
  }
}

/* Limits of v[n] over all ranks. */
static PetscErrorCode limits(MPI_Comm comm, PetscInt n, const PetscReal *v, PetscReal *low, PetscReal *high)
{
  PetscReal m[2] = {PETSC_MAX_REAL, PETSC_MAX_REAL};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    m[0] = PetscMin(m[0], v[i]);
    m[1] = PetscMin(m[1], -v[i]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, m, 2, MPIU_REAL, MPIU_MIN, comm));
  *low = m[0];
  *high = -m[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Position of the label's nodes along e: v[nnodes]. */
static void along(RhxSpace space, const RhxFaces *faces, const PetscReal *e, PetscReal *v)
{
  for (PetscInt i = 0; i < faces->nnodes; i++) v[i] = dot(space->dim, space->x + faces->node[i] * space->dim, e);
}

PetscErrorCode RhxConditionSetUpGeometry(RhxBoundary bc, RhxCondition *c)
{
  RhxLabelGeometry *geo = &c->geo;
  PetscInt dim = bc->space->dim;
  PetscReal sums[8], bends[2], low, high, *v;

  PetscFunctionBegin;
  face_pass(c->faces, dim, 0, geo);
  sums[0] = geo->area;
  sums[7] = geo->length;
  for (PetscInt d = 0; d < 3; d++) sums[1 + d] = geo->normal[d], sums[4 + d] = geo->plane[d];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 8, MPIU_REAL, MPIU_SUM, bc->comm));
  geo->area = sums[0];
  geo->length = sums[7];
  for (PetscInt d = 0; d < 3; d++) geo->normal[d] = sums[1 + d], geo->plane[d] = sums[4 + d];
  normalise(dim, geo->normal);
  normalise(dim, geo->plane);
  face_pass(c->faces, dim, 1, geo);
  bends[0] = geo->bend;
  bends[1] = geo->plane_bend;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bends, 2, MPIU_REAL, MPIU_MAX, bc->comm));
  geo->bend = bends[0];
  geo->plane_bend = bends[1];
  PetscCall(PetscMalloc1(c->faces->nnodes, &v));
  for (PetscInt d = 0; d < dim; d++) {
    PetscReal e[3] = {0, 0, 0};
    e[d] = 1;
    along(bc->space, c->faces, e, v);
    PetscCall(limits(bc->comm, c->faces->nnodes, v, &low, &high));
    geo->lower[d] = low;
    geo->upper[d] = high;
    geo->extent = PetscMax(geo->extent, high - low);
  }
  PetscCall(PetscFree(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool has_no_shear(unsigned role)
{
  return (PetscBool)((role & RHX_TYPE_SYMMETRY) || ((role & RHX_TYPE_NORMAL) && !(role & RHX_TYPE_TRACTION)));
}

/* Flags of the other labels that hold a node. */
static unsigned role_beside(RhxBoundary bc, const RhxCondition *c, PetscInt node)
{
  unsigned role = 0;

  for (PetscInt k = 0; k < bc->ncond; k++)
    for (PetscInt i = 0; i < bc->cond[k].faces->nnodes && &bc->cond[k] != c; i++)
      if (bc->cond[k].faces->node[i] == node) role |= bc->cond[k].type->flags;
  return role;
}

PetscErrorCode RhxConditionCountShared(RhxBoundary bc, const RhxCondition *c, PetscInt *shared)
{
  PetscBool *mine;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->space->nowned + 1, &mine));
  for (PetscInt i = 0; i < c->faces->nnodes; i++) mine[c->faces->node[i]] = PETSC_TRUE;
  for (PetscInt k = 0; k < bc->ncond; k++)
    for (PetscInt i = 0; i < bc->cond[k].faces->nnodes; i++) shared[k] += mine[bc->cond[k].faces->node[i]] ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, shared, (PetscMPIInt)bc->ncond, MPIU_INT, MPI_SUM, bc->comm));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "(beside it: 'wall', an outlet)": the labels that share nodes with c; where the one that is meant as its wall is none, it is seen there. Collective. */
static PetscErrorCode name_neighbours(RhxBoundary bc, const RhxCondition *c, size_t size, char *text)
{
  PetscInt *shared;
  size_t used = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->ncond, &shared));
  PetscCall(RhxConditionCountShared(bc, c, shared));
  snprintf(text, size, "(beside it: ");
  for (PetscInt k = 0; k < bc->ncond && (used = strlen(text)) < size; k++)
    if (shared[k] && &bc->cond[k] != c)
      snprintf(text + used, size - used, "%s'%s', type %s", text[used - 1] == ' ' ? "" : "; ", bc->cond[k].label,
               bc->cond[k].type->entry.name);
  if ((used = strlen(text)) < size) snprintf(text + used, size - used, ")");
  PetscCall(PetscFree(shared));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do the label's nodes within 1e-6 extent of `end` along the tangent lie on a plane of symmetry or free slip? Else they are on a wall. */
static PetscErrorCode end_on_symmetry(RhxBoundary bc, RhxCondition *c, const PetscReal *v, PetscReal end, PetscBool *on)
{
  const unsigned walls = RHX_TYPE_NO_SLIP | RHX_TYPE_NORMAL | RHX_TYPE_SYMMETRY;
  int flag[3] = {0, 0, 0}; /* without shear; of a wall or such a plane; of another open label */
  char beside[512];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->faces->nnodes; i++) {
    unsigned role;
    if (!(PetscAbsReal(v[i] - end) < 1e-6 * c->geo.extent)) continue;
    role = role_beside(bc, c, c->faces->node[i]);
    flag[0] |= has_no_shear(role);
    flag[1] |= (role & walls) != 0;
    flag[2] |= (role & (RHX_TYPE_OPEN | RHX_TYPE_INWARD)) != 0;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, flag, 3, MPI_INT, MPI_MAX, bc->comm));
  *on = (PetscBool)flag[0];
  if (flag[1] || !flag[2]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(name_neighbours(bc, c, sizeof(beside), beside));
  PetscCall(PetscFPrintf(
      bc->comm, PETSC_STDERR,
      "rheoplex: warning: -bc_%s_profile %s: got a label with an end at another inlet or outlet %s: the profile is 0 "
      "there, as at a wall; expected ends on walls, or one on a plane of symmetry or free slip, or -bc_%s_velocity by "
      "formula\n",
      c->label, RhxProfileName(c), beside, c->label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Centre and half width between the ends of a straight label; an end on a symmetry plane is the centre. alike: the wall with the friction of
 * all that slip, or NULL. */
static PetscErrorCode profile_line(RhxBoundary bc, RhxCondition *c, const RhxCondition *alike)
{
  RhxLabelGeometry *geo = &c->geo;
  PetscReal tangent[2] = {-geo->normal[1], geo->normal[0]}, *v, low, high, centre, level, offset[2], ends[2][2];
  PetscBool on[2];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->faces->nnodes, &v));
  along(bc->space, c->faces, tangent, v);
  PetscCall(limits(bc->comm, c->faces->nnodes, v, &low, &high));
  PetscCall(end_on_symmetry(bc, c, v, low, &on[0]));
  PetscCall(end_on_symmetry(bc, c, v, high, &on[1]));
  along(bc->space, c->faces, geo->normal, v);
  PetscCall(limits(bc->comm, c->faces->nnodes, v, &offset[0], &offset[1]));
  PetscCall(PetscFree(v));
  PetscCheck(PetscAbsReal(geo->length - (high - low)) <= 1e-6 * geo->length &&
                 offset[1] - offset[0] <= 1e-6 * geo->length,
             bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_profile %s: got a label of length %g whose ends are %g apart, expected one straight piece",
             c->label, RhxProfileName(c), (double)geo->length, (double)(high - low));
  PetscCheck(
      !on[0] || !on[1], bc->comm, PETSC_ERR_ARG_WRONG,
      "-bc_%s_profile %s: got a label with both ends on planes of symmetry or free slip, expected a wall at one end",
      c->label, RhxProfileName(c));
  geo->half = on[0] || on[1] ? high - low : 0.5 * (high - low);
  centre = on[0] ? low : on[1] ? high : 0.5 * (low + high);
  level = 0.5 * (offset[0] + offset[1]);
  for (PetscInt d = 0; d < 2; d++) geo->centre[d] = centre * tangent[d] + level * geo->normal[d];
  for (PetscInt d = 0; d < 4; d++)
    ends[d / 2][d % 2] = (d / 2 ? high : low) * tangent[d % 2] + level * geo->normal[d % 2];
  if (c->opt->profile == RHX_PROFILE_DEVELOPED) PetscCall(RhxGapFind(c, alike, ends, on, &c->gap));
  if (c->gap) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
      !bc->space->axisymmetric || (PetscAbsReal(geo->centre[1]) <= 1e-6 * geo->half &&
                                   PetscAbsReal(geo->normal[1]) <= 1e-6 && (on[0] || on[1])),
      bc->comm, PETSC_ERR_ARG_WRONG,
      "-bc_%s_profile %s: got a label between radii %g and %g in axisymmetric flow (-form_axisymmetric), "
      "expected one along the radius, from the axis to a wall, or between two walls with -bc_%s_profile developed; "
      "for others give -bc_%s_velocity by formula or -bc_%s_profile file",
      c->label, RhxProfileName(c), (double)PetscMin(ends[0][1], ends[1][1]), (double)PetscMax(ends[0][1], ends[1][1]),
      c->label, c->label, c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxPlaneAxes(const PetscReal n[3], PetscReal e[2][3])
{
  PetscInt m = 0;
  for (PetscInt d = 1; d < 3; d++)
    if (PetscAbsReal(n[d]) < PetscAbsReal(n[m])) m = d;
  for (PetscInt d = 0; d < 3; d++) e[0][d] = (d == m) - n[m] * n[d];
  normalise(3, e[0]);
  for (PetscInt d = 0; d < 3; d++) e[1][d] = n[(d + 1) % 3] * e[0][(d + 2) % 3] - n[(d + 2) % 3] * e[0][(d + 1) % 3];
}

static PetscReal det3(PetscReal a[3][3]) { return rhx_determinant(3, (const PetscReal(*)[3])a); }

/* Least-squares circle |p|^2 = 2 a p_1 + 2 b p_2 + c, p from the nodes' mean in units of the extent, through the nodes
 * that the label shares with walls: centre and radius in the plane's coordinates. radius 0: there is none. */
static PetscErrorCode fit_circle(RhxBoundary bc, RhxCondition *c, const PetscReal e[2][3], PetscReal *nrim,
                                 PetscReal centre[2], PetscReal *radius)
{
  PetscReal mean[3] = {0}, sums[13] = {0}, fit[3], A[3][3], B[3][3], det, square;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->faces->nnodes; i++) {
    for (PetscInt s = 0; s < 2; s++) mean[s] += dot(3, bc->space->x + c->faces->node[i] * 3, e[s]);
    mean[2] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mean, 3, MPIU_REAL, MPIU_SUM, bc->comm));
  for (PetscInt s = 0; s < 2; s++) mean[s] /= mean[2];
  for (PetscInt i = 0; i < c->faces->nnodes; i++) {
    const PetscReal *x = bc->space->x + c->faces->node[i] * 3;
    PetscReal p[3] = {(dot(3, x, e[0]) - mean[0]) / c->geo.extent, (dot(3, x, e[1]) - mean[1]) / c->geo.extent, 1};
    if (!(bc->role[c->faces->node[i]] & RHX_TYPE_NO_SLIP)) continue;
    sums[12] += 1;
    for (PetscInt j = 0; j < 3; j++) {
      for (PetscInt k = 0; k < 3; k++) sums[3 * j + k] += p[j] * p[k];
      sums[9 + j] += p[j] * (p[0] * p[0] + p[1] * p[1]);
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 13, MPIU_REAL, MPIU_SUM, bc->comm));
  *nrim = sums[12];
  *radius = 0;
  PetscCall(PetscArraycpy(&A[0][0], sums, 9));
  det = det3(A);
  if (!(det > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt j = 0; j < 3; j++) {
    PetscCall(PetscArraycpy(&B[0][0], sums, 9));
    for (PetscInt k = 0; k < 3; k++) B[k][j] = sums[9 + k];
    fit[j] = det3(B) / det * (j < 2 ? 0.5 : 1);
  }
  square = fit[2] + fit[0] * fit[0] + fit[1] * fit[1];
  if (square > 0) *radius = PetscSqrtReal(square) * c->geo.extent;
  for (PetscInt s = 0; s < 2; s++) centre[s] = mean[s] + fit[s] * c->geo.extent;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The circle of the nodes on walls; misfit: how far these are from it, the others outside it. */
static PetscErrorCode find_circle(RhxBoundary bc, RhxCondition *c, PetscReal *nrim, PetscReal *misfit)
{
  RhxLabelGeometry *geo = &c->geo;
  PetscReal e[2][3], centre[2] = {0, 0}, level = dot(3, geo->centre, geo->normal);

  PetscFunctionBegin;
  RhxPlaneAxes(geo->normal, e);
  PetscCall(fit_circle(bc, c, e, nrim, centre, &geo->half));
  *misfit = 0;
  for (PetscInt i = 0; i < c->faces->nnodes; i++) {
    const PetscReal *x = bc->space->x + c->faces->node[i] * 3;
    PetscReal r = PetscSqrtReal(PetscSqr(dot(3, x, e[0]) - centre[0]) + PetscSqr(dot(3, x, e[1]) - centre[1]));
    PetscBool rim = (PetscBool)((bc->role[c->faces->node[i]] & RHX_TYPE_NO_SLIP) != 0);
    *misfit = PetscMax(*misfit, rim ? PetscAbsReal(r - geo->half) : r - geo->half);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, misfit, 1, MPIU_REAL, MPIU_MAX, bc->comm));
  for (PetscInt d = 0; d < 3; d++) geo->centre[d] = centre[0] * e[0][d] + centre[1] * e[1][d] + level * geo->normal[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A label in one plane; centre: somewhere there. */
static PetscErrorCode check_plane(RhxBoundary bc, RhxCondition *c)
{
  RhxLabelGeometry *geo = &c->geo;
  PetscReal low, high, *v;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->faces->nnodes, &v));
  along(bc->space, c->faces, geo->normal, v);
  PetscCall(limits(bc->comm, c->faces->nnodes, v, &low, &high));
  PetscCall(PetscFree(v));
  PetscCheck(geo->bend <= 1e-6 && high - low <= 1e-6 * geo->extent, bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_profile %s: got a curved label (normals differ by %g, places along them by %g), expected a plane "
             "one",
             c->label, RhxProfileName(c), (double)geo->bend, (double)(high - low));
  for (PetscInt d = 0; d < 3; d++) geo->centre[d] = 0.5 * (low + high) * geo->normal[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode profile_circle(RhxBoundary bc, RhxCondition *c)
{
  PetscReal nrim = 0, misfit = 0;
  char got[128], beside[512]; /* PETSc writes 0 as "0." */

  PetscFunctionBegin;
  PetscCall(check_plane(bc, c));
  PetscCall(find_circle(bc, c, &nrim, &misfit));
  if (nrim >= 3 && c->geo.half > 0 && misfit <= 0.02 * c->geo.half) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(name_neighbours(bc, c, sizeof(beside), beside));
  snprintf(got, sizeof(got), "%d nodes on walls that miss a circle of radius %g by up to %g", (int)nrim, c->geo.half,
           misfit);
  SETERRQ(bc->comm, PETSC_ERR_ARG_WRONG,
          "-bc_%s_profile %s: got a label with %s %s; expected a circle ended by walls; give -bc_%s_profile developed, "
          "or -bc_%s_velocity by formula",
          c->label, RhxProfileName(c), nrim > 0 ? got : "no node on a wall without slip", beside, c->label, c->label);
}

/* Are the planes of symmetry at the rim through the centre? */
static PetscBool symmetric_circle(const RhxCondition *c)
{
  const RhxSection s = c->section;
  PetscReal centre[2] = {0, 0};

  for (PetscInt k = 0; k < 2; k++)
    for (PetscInt d = 0; d < 3; d++) centre[k] += (c->geo.centre[d] - s->origin[d]) * s->axis[k][d];
  for (PetscInt i = 0; i < s->nrim; i++) {
    const PetscReal *x = s->edge + 4 * i, p[2] = {x[0] - centre[0], x[1] - centre[1]},
                    t[2] = {x[2] - x[0], x[3] - x[1]};
    if (s->flags[s->rim[2 * i]] & s->flags[s->rim[2 * i + 1]] & RHX_TYPE_NO_SLIP) continue;
    if (PetscAbsReal(p[0] * t[1] - p[1] * t[0]) > ROUND * c->geo.half * PetscSqrtReal(t[0] * t[0] + t[1] * t[1]))
      return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Every edge of the rim is on a wall, those with slip only where there is a rim, or where the flow has no shear. */
static PetscErrorCode check_rim(RhxBoundary bc, const RhxCondition *c, RhxRim rim)
{
  const RhxSection s = c->section;
  PetscInt walls = 0, moving = 0;
  PetscBool rubs = PETSC_FALSE;

  PetscFunctionBegin;
  if (rim) PetscCall(RhxRimRubs(rim, &rubs));
  for (PetscInt i = 0; i < s->nrim; i++) {
    const unsigned both = s->flags[s->rim[2 * i]] & s->flags[s->rim[2 * i + 1]];
    PetscReal x[3];
    char place[128], beside[512];
    for (PetscInt d = 0; d < 3; d++) {
      x[d] = s->origin[d];
      for (PetscInt k = 0; k < 2; k++) x[d] += 0.5 * (s->edge[4 * i + k] + s->edge[4 * i + 2 + k]) * s->axis[k][d];
    }
    RhxBoundaryPlace(bc, x, place, sizeof(place));
    if ((both & RHX_TYPE_NO_SLIP) || has_no_shear(both) || (rim && s->slip[i] >= 0)) continue;
    PetscCall(name_neighbours(bc, c, sizeof(beside), beside));
    SETERRQ(bc->comm, PETSC_ERR_ARG_WRONG,
            "-bc_%s_profile %s: got a label with an edge of its rim, at %s, that is neither on a wall without "
            "slip nor on a plane of symmetry or free slip %s; expected no other edges",
            c->label, RhxProfileName(c), place, beside);
  }
  for (PetscInt i = 0; i < s->nnodes; i++) {
    if (s->flags[i] & RHX_TYPE_NO_SLIP)
      walls++;
    else
      moving++;
  }
  PetscCheck(
      (walls || rubs) && moving, bc->comm, PETSC_ERR_ARG_WRONG,
      "-bc_%s_profile %s: got a label with %d nodes on walls without slip and %d others, expected others, and a wall "
      "without slip or with friction",
      c->label, RhxProfileName(c), (int)walls, (int)moving);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the label a circle, or a part of it up to planes of symmetry? */
static PetscErrorCode is_circle(RhxBoundary bc, RhxCondition *c, PetscBool *is)
{
  PetscReal nrim = 0, misfit = 0;

  PetscFunctionBegin;
  PetscCall(find_circle(bc, c, &nrim, &misfit));
  *is = (PetscBool)(nrim >= 3 && c->geo.half > 0 && misfit <= ROUND * c->geo.half && symmetric_circle(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Over a circle of walls at rest by its radius, over any other shape by a solve on the faces. */
static PetscErrorCode profile_section(RhxBoundary bc, RhxCondition *c)
{
  PetscBool rubs = PETSC_FALSE, circle = PETSC_FALSE;
  RhxRim rim = NULL;

  PetscFunctionBegin;
  PetscCall(check_plane(bc, c));
  PetscCall(RhxSectionCreate(bc, c, &c->section));
  if (c->opt->profile == RHX_PROFILE_DEVELOPED) PetscCall(RhxRimCreate(c, c->section, &rim));
  PetscCall(check_rim(bc, c, rim));
  if (rim) PetscCall(RhxRimRubs(rim, &rubs));
  if (!rubs && !(rim && RhxRimMoves(rim))) PetscCall(is_circle(bc, c, &circle));
  if (circle) {
    PetscCall(RhxRimDestroy(&rim));
    PetscCall(RhxSectionDestroy(&c->section));
  } else if (rim) {
    PetscCall(RhxRimTell(rim));
    PetscCall(RhxDuctCreate(bc->form, c->section, rim, &c->duct));
  } else {
    PetscCall(RhxConditionSetUpWomersley(c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* share[nlocal]: integral of the node's function over this rank's faces of the label, zero at nodes of walls that the profile has at rest. */
static PetscErrorCode node_shares(RhxBoundary bc, const RhxCondition *c, PetscReal *share)
{
  const PetscInt dim = bc->space->dim;
  PetscScalar *moves;
  PetscReal x[3], n[3];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->space->nlocal, &moves));
  for (PetscInt i = 0; i < c->faces->nnodes; i++)
    moves[c->faces->node[i]] = (bc->role[c->faces->node[i]] & RHX_TYPE_NO_SLIP) && !c->gap ? 0 : 1;
  for (PetscInt i = 0; i < bc->along.n; i++) { /* less what would pass walls beside it */
    const PetscInt j = (bc->along.node[i] - c->v.start) / dim;
    PetscReal part = 0;
    if (bc->along.node[i] < c->v.start || j >= c->v.n) continue;
    for (PetscInt d = 0; d < dim; d++) part += bc->along.normal[i * dim + d] * c->geo.normal[d];
    moves[c->v.node[j]] -= moves[c->v.node[j]] > 0 ? part * part : 0;
  }
  PetscCall(RhxSpaceGlobalToLocal(bc->space, 1, moves, moves));
  for (PetscInt k = 0; k < c->faces->ngroups; k++) {
    const RhxFaceGroup *g = &c->faces->group[k];
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt q = 0; q < g->nfq; q++) {
        RhxFacePoint(g, bc->space->dim, f / RHX_LANES, q, f % RHX_LANES, x, n);
        const PetscReal area = normalise(bc->space->dim, n) * g->w[q] * RhxFaceSwept(g, f, q);
        for (PetscInt a = 0; a < g->nfn; a++) {
          const PetscInt node = RhxFaceParentNode(g, f, g->fnode[a]);
          share[node] += area * g->N[q * g->nn + g->fnode[a]] * moves[node];
        }
      }
  }
  PetscCall(PetscFree(moves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes that carry the profile, and the flux that they have of the parabola 1 - (r/half)^2. */
static PetscErrorCode profile_nodes(RhxBoundary bc, RhxCondition *c)
{
  RhxLabelGeometry *geo = &c->geo;
  PetscReal *share, *nodes, *all;
  PetscInt n = 0, nall;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(bc->space->nlocal, &share, 2 * bc->space->nlocal, &nodes));
  PetscCall(node_shares(bc, c, share));
  for (PetscInt i = 0; i < bc->space->nlocal; i++) {
    if (share[i] == 0) continue;
    nodes[2 * n] = c->gap ? RhxGapPlace(c->gap, bc->space->x + i * 2)
                          : RhxFromMiddle(c, bc->space->dim, bc->space->x + i * bc->space->dim, NULL);
    nodes[2 * n++ + 1] = share[i];
  }
  PetscCall(RhxGatherReals(bc->comm, 2 * n, nodes, &nall, &all));
  geo->nshares = nall / 2;
  PetscCall(PetscMalloc2(geo->nshares, &geo->distance, geo->nshares, &geo->share));
  for (PetscInt i = 0; i < geo->nshares; i++) {
    geo->distance[i] = all[2 * i];
    geo->share[i] = all[2 * i + 1];
  }
  PetscCall(PetscFree(all));
  for (PetscInt i = 0; i < geo->nshares; i++) geo->flux += geo->share[i] * (1 - PetscSqr(geo->distance[i] / geo->half));
  PetscCall(PetscFree2(share, nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Profiles are those between walls at rest, without slip or with that of `wall`: at others the flow behind the label is another one. Collective. */
static PetscErrorCode warn_of_walls(RhxBoundary bc, const RhxCondition *c, const RhxCondition *wall)
{
  PetscInt *shared;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->ncond, &shared));
  PetscCall(RhxConditionCountShared(bc, c, shared));
  for (PetscInt k = 0; k < bc->ncond; k++) {
    const RhxConditionType *type = bc->cond[k].type;
    if (!shared[k] || &bc->cond[k] == c || !strcmp(type->entry.name, "wall")) continue;
    if (RhxGapHas(c->gap, &bc->cond[k]) || RhxDuctHas(c->duct, &bc->cond[k])) continue;
    if (RhxConditionSlips(&bc->cond[k]) ? wall != NULL : !(type->flags & RHX_TYPE_NO_SLIP)) continue;
    PetscCall(PetscFPrintf(
        bc->comm, PETSC_STDERR,
        "rheoplex: warning: -bc_%s_profile %s: got a label that ends on '%s', type %s: the profile is that between "
        "walls at rest without slip; expected -bc_%s_velocity by formula or -bc_%s_profile file where that wall moves "
        "or slips\n",
        c->label, RhxProfileName(c), bc->cond[k].label, type->entry.name, c->label, c->label));
  }
  PetscCall(PetscFree(shared));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionSetUpProfile(RhxBoundary bc, RhxCondition *c)
{
  const int profile = c->opt->profile;
  RhxCondition *wall = NULL;

  PetscFunctionBegin;
  if (profile == RHX_PROFILE_FORMULA) PetscFunctionReturn(PETSC_SUCCESS);
  RhxDoing("finding the profile of '%s'", c->label);
  if (profile == RHX_PROFILE_FILE) {
    PetscCall(check_plane(bc, c));
    PetscCall(RhxSectionCreate(bc, c, &c->section));
    PetscCall(RhxConditionReadPoints(bc, c));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (profile == RHX_PROFILE_DEVELOPED && bc->space->dim == 2) PetscCall(RhxSlidingFind(c, &wall));
  if (bc->space->dim == 2) PetscCall(profile_line(bc, c, wall));
  if (wall && !c->gap && wall->type->changes && wall->type->changes(wall, 0, PETSC_INFINITY))
    c->velocity_time = PETSC_TRUE;
  if (bc->space->dim == 3 && profile == RHX_PROFILE_PARABOLIC)
    PetscCall(profile_circle(bc, c));
  else if (bc->space->dim == 3)
    PetscCall(profile_section(bc, c));
  if (profile != RHX_PROFILE_PARABOLIC) PetscCall(warn_of_walls(bc, c, wall));
  if (c->section) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(profile_nodes(bc, c));
  if (c->gap)
    RhxGapSetNodes(c->gap, c->geo.nshares, c->geo.distance, c->geo.share);
  else if (profile == RHX_PROFILE_DEVELOPED)
    PetscCall(
        RhxDevelopedCreate(bc->form, c->geo.half, c->geo.nshares, c->geo.distance, c->geo.share, wall, &c->developed));
  if (profile == RHX_PROFILE_WOMERSLEY) PetscCall(RhxConditionSetUpWomersley(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
