/* The velocity of points of a file at the nodes of a plane label: along a line between the two neighbours; over a plane by the value of the
 * linear function that fits the nearest NEAREST points with weights ((1 - d/D)/d)^2, d the distance, D that of the last: linear fields are exact,
 * and so is the value of a point at its place. */
#include "boundary/csv.h"
#include "boundary/profile_impl.h"
#include "boundary/section_impl.h"

enum { NEAREST = 10 };
#define OFF_PLANE 0.01 /* of the label's extent */
#define WIDE 10.0      /* times the label's extent: points of another unit */
#define FAR 2.0        /* times the distance of neighbouring points */

typedef struct {
  PetscInt dim, n;
  PetscReal *x;        /* [n][2] in the plane */
  const double *value; /* [n][dim] behind the coordinates in rows of 2 dim; borrowed */
} Cloud;

static PetscReal away(const PetscReal *a, const PetscReal *b)
{
  return PetscSqrtReal(PetscSqr(a[0] - b[0]) + PetscSqr(a[1] - b[1]));
}

/* The up to `most` points nearest to x in the order of their distances d; returns their number. */
static PetscInt nearest(const Cloud *p, const PetscReal x[2], PetscInt most, PetscInt *which, PetscReal *d)
{
  PetscInt n = 0;

  for (PetscInt i = 0; i < p->n; i++) {
    const PetscReal distance = away(p->x + 2 * i, x);
    PetscInt k = n < most ? n++ : most;
    if (k == most && distance >= d[most - 1]) continue;
    if (k == most) k--;
    for (; k > 0 && d[k - 1] > distance; k--) {
      d[k] = d[k - 1];
      which[k] = which[k - 1];
    }
    d[k] = distance;
    which[k] = i;
  }
  return n;
}

/* Solves the symmetric A a = b of m unknowns by elimination; FALSE: singular. */
static PetscBool eliminate(PetscInt m, PetscReal A[3][3], PetscReal b[3])
{
  const PetscReal whole = A[0][0];

  for (PetscInt k = 0; k < m; k++) {
    if (!(A[k][k] > 1e-10 * whole)) return PETSC_FALSE;
    for (PetscInt i = k + 1; i < m; i++) {
      const PetscReal f = A[i][k] / A[k][k];
      for (PetscInt j = k; j < m; j++) A[i][j] -= f * A[k][j];
      b[i] -= f * b[k];
    }
  }
  for (PetscInt k = m - 1; k >= 0; k--) {
    for (PetscInt j = k + 1; j < m; j++) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return PETSC_TRUE;
}

/* v[dim] at x by the points `which` at the distances d. */
static void interpolate(const Cloud *p, const PetscReal x[2], PetscInt n, const PetscInt *which, const PetscReal *d,
                        PetscReal *v)
{
  const PetscReal size = d[n - 1] * 1.01;

  for (PetscInt a = 0; a < p->dim; a++) {
    PetscReal A[3][3] = {{0}}, b[3] = {0}, mean = 0, whole = 0;
    for (PetscInt i = 0; i < n; i++) {
      const double value = p->value[2 * p->dim * which[i] + p->dim + a];
      const PetscReal w = PetscSqr((1 - d[i] / size) / (d[i] / size)), *at = p->x + 2 * which[i];
      const PetscReal t[3] = {1, (at[0] - x[0]) / size, (at[1] - x[1]) / size};
      for (PetscInt k = 0; k < 3; k++) {
        for (PetscInt j = 0; j < 3; j++) A[k][j] += w * t[k] * t[j];
        b[k] += w * t[k] * value;
      }
      mean += w * value;
      whole += w;
    }
    v[a] = eliminate(3, A, b) ? b[0] : mean / whole;
  }
}

/* v[dim] at x between the points before and behind it along a line. */
static void between(const Cloud *p, PetscReal x, PetscReal *v)
{
  PetscInt low = -1, high = -1;

  for (PetscInt i = 0; i < p->n; i++) {
    const PetscReal at = p->x[2 * i];
    if (at <= x && (low < 0 || at > p->x[2 * low])) low = i;
    if (at >= x && (high < 0 || at < p->x[2 * high])) high = i;
  }
  low = low < 0 ? high : low;
  high = high < 0 ? low : high;
  for (PetscInt a = 0; a < p->dim; a++) {
    const PetscReal width = p->x[2 * high] - p->x[2 * low], s = width > 0 ? (x - p->x[2 * low]) / width : 0;
    const double *value = p->value + p->dim + a;
    v[a] = (1 - s) * value[2 * p->dim * low] + s * value[2 * p->dim * high];
  }
}

/* Points in the plane, none twice. */
static PetscErrorCode place_points(RhxBoundary bc, const RhxCondition *c, const RhxCsv *csv, Cloud *p)
{
  const RhxSection s = c->section;
  const PetscInt dim = p->dim;

  PetscFunctionBegin;
  PetscCheck(csv->n > dim, bc->comm, PETSC_ERR_USER_INPUT,
             "-bc_%s_profile_file: %s: got %d points, expected at least %d", c->label, c->opt->profile_file,
             (int)csv->n, (int)dim + 1);
  for (PetscInt i = 0; i < p->n; i++) {
    const double *x = csv->value + 2 * dim * i;
    PetscReal off = 0;
    for (PetscInt d = 0; d < dim; d++) off += (x[d] - s->origin[d]) * c->geo.normal[d];
    PetscCheck(PetscAbsReal(off) <= OFF_PLANE * c->geo.extent, bc->comm, PETSC_ERR_USER_INPUT,
               "-bc_%s_profile_file: %s: line %d: got a point %g m off the plane of the label, expected at most %g m",
               c->label, c->opt->profile_file, csv->line[i], (double)PetscAbsReal(off),
               (double)(OFF_PLANE * c->geo.extent));
    for (PetscInt k = 0; k < 2; k++) {
      p->x[2 * i + k] = 0;
      for (PetscInt d = 0; d < dim && k < dim - 1; d++) p->x[2 * i + k] += (x[d] - s->origin[d]) * s->axis[k][d];
    }
  }
  for (PetscInt i = 0; i < p->n; i++) {
    PetscInt which[2];
    PetscReal d[2];
    (void)nearest(p, p->x + 2 * i, 2, which, d);
    PetscCheck(d[1] > 1e-9 * c->geo.extent, bc->comm, PETSC_ERR_USER_INPUT,
               "-bc_%s_profile_file: %s: line %d: got the place of line %d again, expected every point once", c->label,
               c->opt->profile_file, csv->line[PetscMax(which[0], which[1])], csv->line[PetscMin(which[0], which[1])]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points in the unit of the mesh's file, beside a -mesh_scale, are a thousand labels wide: told once for a label. */
static PetscErrorCode warn_of_unit(RhxBoundary bc, const RhxCondition *c, const Cloud *p)
{
  PetscReal wide = 0;
  char text[2][32];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < p->dim - 1; k++) {
    PetscReal low = PETSC_INFINITY, high = PETSC_NINFINITY;
    for (PetscInt i = 0; i < p->n; i++) {
      low = PetscMin(low, p->x[2 * i + k]);
      high = PetscMax(high, p->x[2 * i + k]);
    }
    wide = PetscMax(wide, high - low);
  }
  if (!(wide > WIDE * c->geo.extent)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text[0], sizeof(text[0]), "%.3g", wide);
  snprintf(text[1], sizeof(text[1]), "%.3g", c->geo.extent);
  PetscCall(PetscFPrintf(bc->comm, PETSC_STDERR,
                         "rheoplex: warning: -bc_%s_profile_file: %s: got points over %s m, expected about the %s m of "
                         "the label, after -mesh_scale: are they in metres?\n",
                         c->label, c->opt->profile_file, text[0], text[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A node may be FAR times as far from its nearest point as this one is from its neighbours. */
static PetscErrorCode check_node(RhxBoundary bc, const RhxCondition *c, const Cloud *p, PetscInt node, PetscInt point,
                                 PetscReal distance)
{
  const RhxSection s = c->section;
  PetscInt which[4];
  PetscReal d[4], x[3];
  const PetscInt n = nearest(p, p->x + 2 * point, p->dim + 1, which, d);
  char place[128];

  PetscFunctionBegin;
  for (PetscInt a = 0; a < p->dim; a++)
    x[a] = s->origin[a] + s->x[2 * node] * s->axis[0][a] + s->x[2 * node + 1] * s->axis[1][a];
  RhxBoundaryPlace(bc, x, place, sizeof(place));
  PetscCheck(distance <= FAR * d[n - 1], bc->comm, PETSC_ERR_USER_INPUT,
             "-bc_%s_profile_file: %s: got no point nearer than %g m to the node at %s, where points are %g m apart; "
             "expected points all over the label",
             c->label, c->opt->profile_file, (double)distance, place, (double)d[n - 1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sample(RhxBoundary bc, RhxCondition *c, const Cloud *p)
{
  const RhxSection s = c->section;
  PetscInt which[NEAREST];
  PetscReal d[NEAREST];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->nnodes; i++) {
    PetscReal *v = c->sampled + p->dim * i;
    if (s->flags[i] & RHX_TYPE_NO_SLIP) continue;
    const PetscInt n = nearest(p, s->x + 2 * i, NEAREST, which, d);
    PetscCall(check_node(bc, c, p, i, which[0], d[0]));
    if (d[0] <= 1e-9 * c->geo.extent)
      PetscCall(PetscArraycpy(v, p->value + 2 * p->dim * which[0] + p->dim, p->dim));
    else if (p->dim == 2)
      between(p, s->x[2 * i], v);
    else
      interpolate(p, s->x + 2 * i, n, which, d, v);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flux into the domain of what the nodes have. */
static void measure(RhxCondition *c)
{
  const RhxSection s = c->section;
  PetscReal N[4], dN[4][2], area;

  c->geo.flux = 0;
  for (PetscInt f = 0; f < s->nfaces; f++)
    for (PetscInt q = 0; RhxSectionPoint(s, f, q, N, dN, &area); q++)
      for (PetscInt a = 0; a < RhxSectionCorners(s, f); a++)
        for (PetscInt d = 0; d < s->dim; d++)
          c->geo.flux -= area * N[a] * c->geo.normal[d] * c->sampled[s->dim * s->node[4 * f + a] + d];
}

static PetscErrorCode use_points(RhxBoundary bc, RhxCondition *c, const RhxCsv *csv, Cloud *p)
{
  PetscReal most = 0;

  PetscFunctionBegin;
  PetscCall(place_points(bc, c, csv, p));
  PetscCall(warn_of_unit(bc, c, p));
  PetscCall(sample(bc, c, p));
  measure(c);
  for (PetscInt i = 0; i < c->section->nnodes * p->dim; i++) most = PetscMax(most, PetscAbsReal(c->sampled[i]));
  PetscCheck(!c->flow_rate || c->geo.flux > 1e-6 * most * c->geo.area, bc->comm, PETSC_ERR_USER_INPUT,
             "-bc_%s_profile_file: %s: got points that bring %g m^%d/s into the domain, expected inflow, which "
             "-bc_%s_flow_rate scales",
             c->label, c->opt->profile_file, (double)c->geo.flux, (int)p->dim, c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionReadPoints(RhxBoundary bc, RhxCondition *c)
{
  const PetscInt dim = bc->space->dim;
  RhxCsv csv = {0};
  Cloud p = {.dim = dim};
  PetscErrorCode ierr;
  char option[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_profile_file", c->label));
  PetscCall(RhxCsvRead(bc->comm, option, c->opt->profile_file, dim == 2 ? "x,y,u,v" : "x,y,z,u,v,w", &csv));
  p.n = csv.n;
  p.value = csv.value;
  PetscCall(PetscMalloc1(2 * csv.n + 2, &p.x));
  PetscCall(PetscCalloc1(c->section->nnodes * dim, &c->sampled));
  ierr = use_points(bc, c, &csv, &p);
  PetscCall(PetscFree(p.x));
  PetscCall(RhxCsvFree(&csv));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
