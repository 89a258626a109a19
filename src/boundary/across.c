/* The pressure of developed flow over its section, which balances the stress along the gradient of the velocity:
 *   slit            p(y) = p_0 + tau_yy - <tau_yy>
 *   tube, annulus   dp/dr = dtau_rr/dr + (tau_rr - tau_tt)/r
 * <> the mean over the section (by 2 pi r in tubes), of which p_0 is that of p. I(r) = int_a^r (tau_rr - tau_tt)/s ds has the mean
 * int_a^b (tau_rr - tau_tt)/r (b^2 - r^2) dr/(b^2 - a^2). Of laws without a stress along the gradient it is p_0, to the bit. A p_0 that differs
 * over the section, such as by weight, keeps that. */
#include "boundary/across.h"
#include "boundary/across_impl.h"
#include "boundary/profile_impl.h"
#include "boundary/times_impl.h"
#include "boundary/types/outlet.h"

#define PANELS 24
#define POINTS 4      /* of Gauss's rule in each */
#define NONE 1e-10    /* of the largest stress, where it is largest: rounding of the law's steady state */
#define STRAIGHT 1e-6 /* of the length */
#define DIFFERS 1e-9  /* of the largest pressure of a label: rounding of a formula */

static const double away[POINTS] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526},
                    weight[POINTS] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538};

/* A line across the section: places from low to high, radii in a ring; unit vectors along it and round the axis. */
typedef struct {
  PetscBool ring;
  PetscReal low, high, from[3], across[3], round[3];
} Line;

/* What depends on the flow, at ends and points of panels. */
typedef struct {
  double end[PANELS + 1], rise[PANELS + 1]; /* I, of a ring */
  double hoop[PANELS][POINTS];              /* (tau_rr - tau_tt)/r, of a ring */
  double mean;                              /* of tau_mm + I */
  PetscBool none;
} Section;

/* A straight label in the plane between the corners of its bounding box. */
static PetscBool lay_straight(const RhxCondition *c, Line *line)
{
  const RhxLabelGeometry *geo = &c->geo;
  const PetscBool ring = c->bc->space->axisymmetric;
  const PetscReal sign = geo->normal[0] < 0 ? -1 : 1, along[2] = {-sign * geo->normal[1], sign * geo->normal[0]};
  PetscReal length = 0;

  *line = (Line){.ring = ring};
  for (PetscInt d = 0; d < 2; d++) {
    line->across[d] = along[d];
    line->from[d] = along[d] < 0 ? geo->upper[d] : geo->lower[d];
    length += PetscSqr(geo->upper[d] - geo->lower[d]);
  }
  length = PetscSqrtReal(length);
  line->low = ring ? line->from[1] : 0;
  line->high = line->low + length;
  return (PetscBool)(geo->bend <= RHX_FLAT && PetscAbsReal(length - geo->length) <= STRAIGHT * length &&
                     !(ring && PetscAbsReal(geo->normal[1]) > RHX_FLAT));
}

/* A circle on which the profile is one of the radius. */
static PetscBool lay_circle(const RhxCondition *c, Line *line)
{
  const RhxLabelGeometry *geo = &c->geo;
  PetscReal e[2][3];

  if (c->section || !(geo->half > 0)) return PETSC_FALSE;
  RhxPlaneAxes(geo->normal, e);
  *line = (Line){.ring = PETSC_TRUE, .high = geo->half};
  for (PetscInt d = 0; d < 3; d++) {
    line->from[d] = geo->centre[d];
    line->across[d] = e[0][d];
    line->round[d] = e[1][d];
  }
  return PETSC_TRUE;
}

static PetscBool lay_line(const RhxCondition *c, Line *line)
{
  return c->bc->space->dim == 2 ? lay_straight(c, line) : lay_circle(c, line);
}

PetscBool RhxConditionGivesAcross(const RhxCondition *c)
{
  Line line;
  return (PetscBool)(c->bc->form->nmodes && c->type->traction == RhxOutletTraction &&
                     c->opt->polymer == RHX_POLYMER_DEVELOPED && c->opt->pressure_means != RHX_MEANS_LOCAL &&
                     lay_line(c, &line));
}

/* e.tau.e of all modes, and the largest component. */
static double component(RhxBoundary bc, const PetscReal *stress, const PetscReal *e, double *largest)
{
  const PetscInt dim = bc->space->dim, ntens = bc->space->ntens;
  double sum = 0;

  for (PetscInt k = 0; k < bc->form->nmodes; k++, stress += ntens) {
    for (PetscInt a = 0; a < dim; a++)
      for (PetscInt b = 0; b < dim; b++)
        sum += e[a] * e[b] * stress[rhx_tensor_index((int)dim, (int)ntens, (int)a, (int)b)];
    for (PetscInt a = 0; a < ntens && largest; a++) *largest = PetscMax(*largest, PetscAbsReal(stress[a]));
  }
  return sum;
}

/* Stress round the axis. */
static double hoop_of(RhxBoundary bc, const PetscReal *stress, const PetscReal *round)
{
  double sum = 0;

  if (bc->space->dim == 3) return component(bc, stress, round, NULL);
  for (PetscInt k = 0; k < bc->form->nmodes; k++) sum += stress[k * bc->space->ntens + 2];
  return sum;
}

/* Has the law a stress across where the flow is fastest? */
static PetscErrorCode has_stress(RhxCondition *c, const Line *line, PetscInt n, const PetscReal *x, const PetscReal *L,
                                 PetscBool *has)
{
  const RhxBoundary bc = c->bc;
  const PetscInt size = bc->space->dim * bc->space->dim;
  PetscReal *stress, most = 0;
  PetscInt fast = 0;
  double across, hoop, largest = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n * size; i++) {
    if (!(PetscAbsReal(L[i]) > most)) continue;
    most = PetscAbsReal(L[i]);
    fast = i / size;
  }
  PetscCall(PetscCalloc1(bc->form->nmodes * bc->space->ntens, &stress));
  PetscCall(RhxBoundaryDeveloped(bc, 1, x + fast * bc->space->dim, L + fast * size, NULL, stress));
  across = component(bc, stress, line->across, &largest);
  hoop = line->ring ? hoop_of(bc, stress, line->round) : 0;
  *has = (PetscBool)(PetscMax(PetscAbsReal(across), PetscAbsReal(hoop)) > NONE * largest);
  PetscCall(PetscFree(stress));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Panels are of one width, in an annulus of one ratio of radii. */
static double end_of(const Line *line, int k)
{
  const double part = (double)k / PANELS;
  if (line->ring && line->low > 0) return line->low * PetscPowReal(line->high / line->low, part);
  return line->low + part * (line->high - line->low);
}

static void sum_up(RhxBoundary bc, const Line *line, const PetscReal *stress, Section *s)
{
  const PetscInt width = bc->form->nmodes * bc->space->ntens;
  const double a = line->low, b = line->high, area = line->ring ? 0.5 * (b - a) * (b + a) : b - a;

  for (int k = 0; k < PANELS; k++) {
    const double half = 0.5 * (s->end[k + 1] - s->end[k]), middle = s->end[k] + half;
    s->rise[k + 1] = s->rise[k];
    for (int q = 0; q < POINTS; q++, stress += width) {
      const double r = middle + half * away[q], across = component(bc, stress, line->across, NULL);
      s->mean += half * weight[q] * across * (line->ring ? r : 1) / area;
      if (!line->ring) continue;
      s->hoop[k][q] = (across - hoop_of(bc, stress, line->round)) / r;
      s->rise[k + 1] += half * weight[q] * s->hoop[k][q];
      s->mean += half * weight[q] * s->hoop[k][q] * 0.5 * (b - r) * (b + r) / area;
    }
  }
}

static PetscErrorCode look(RhxCondition *c, const Line *line, double t, Section *s)
{
  const RhxBoundary bc = c->bc;
  const PetscInt dim = bc->space->dim, n = PANELS * POINTS;
  PetscReal *x, *L, *stress;
  PetscBool has = PETSC_FALSE;

  PetscFunctionBegin;
  *s = (Section){.none = PETSC_TRUE};
  PetscCall(PetscCalloc3(n * dim, &x, n * dim * dim, &L, n * bc->form->nmodes * bc->space->ntens, &stress));
  for (int k = 0; k <= PANELS; k++) s->end[k] = end_of(line, k);
  for (PetscInt i = 0; i < n; i++) {
    const double *end = s->end + i / POINTS, r = 0.5 * (end[0] + end[1] + (end[1] - end[0]) * away[i % POINTS]);
    for (PetscInt d = 0; d < dim; d++) x[i * dim + d] = line->from[d] + (r - line->low) * line->across[d];
  }
  PetscCall(RhxConditionProfile(bc, c, t, n, x, NULL, L));
  PetscCall(has_stress(c, line, n, x, L, &has));
  if (has) {
    PetscCall(RhxBoundaryDeveloped(bc, n, x, L, NULL, stress));
    sum_up(bc, line, stress, s);
    s->none = PETSC_FALSE;
  }
  PetscCall(PetscFree3(x, L, stress));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* I(r), by the cubic through the points of r's panel. */
static double rise_to(const Section *s, double r)
{
  static const double side = 0.5773502691896258;
  int k = 0;
  double half, middle, part, sum = 0;

  while (k < PANELS - 1 && r > s->end[k + 1]) k++;
  half = 0.5 * (s->end[k + 1] - s->end[k]);
  middle = s->end[k] + half;
  part = 0.5 * ((r - middle) / half + 1); /* of the panel, to r */
  for (int g = -1; g <= 1; g += 2) {      /* two points are exact for a cubic */
    const double at = part * (1 + g * side) - 1;
    for (int q = 0; q < POINTS; q++) {
      double basis = 1;
      for (int j = 0; j < POINTS; j++)
        if (j != q) basis *= (at - away[j]) / (away[q] - away[j]);
      sum += part * half * basis * s->hoop[k][q];
    }
  }
  return s->rise[k] + sum;
}

/* The place of x, and the direction across there. */
static double place(const RhxCondition *c, const Line *line, const PetscReal *x, PetscReal across[3])
{
  const PetscInt dim = c->bc->space->dim;
  double r = line->low;

  PetscArraycpy(across, line->across, 3);
  if (dim == 3) {
    r = RhxFromMiddle(c, dim, x, across);
    for (PetscInt d = 0; d < dim; d++) across[d] = r > 0 ? across[d] / r : line->across[d];
  } else {
    for (PetscInt d = 0; d < dim; d++) r += (x[d] - line->from[d]) * line->across[d];
  }
  return PetscMin(PetscMax(r, line->low), line->high);
}

PetscErrorCode RhxConditionAddAcross(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *p)
{
  const RhxBoundary bc = c->bc;
  const PetscInt dim = bc->space->dim, width = bc->form->nmodes * bc->space->ntens;
  PetscReal *L, *stress, across[3];
  Section s;
  Line line;

  PetscFunctionBegin;
  if (!n || !RhxConditionGivesAcross(c) || !lay_line(c, &line)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(look(c, &line, t, &s));
  if (s.none || bc->failure[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc2(n * dim * dim, &L, n * width, &stress));
  PetscCall(RhxConditionProfile(bc, c, t, n, x, NULL, L));
  PetscCall(RhxBoundaryDeveloped(bc, n, x, L, NULL, stress));
  for (PetscInt i = 0; i < n; i++) {
    const double r = place(c, &line, x + i * dim, across);
    p[i] += component(bc, stress + i * width, across, NULL) - s.mean + (line.ring ? rise_to(&s, r) : 0);
  }
  PetscCall(PetscFree2(L, stress));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the formula differ over the label at t? */
static PetscErrorCode differs(const RhxCondition *c, double t, PetscBool *varies)
{
  const PetscInt dim = c->bc->space->dim, n = c->faces->nnodes;
  PetscReal *x, *p, most[3] = {-PETSC_MAX_REAL, -PETSC_MAX_REAL, 0}; /* largest p, largest -p, largest size */

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n * dim, &x, n, &p));
  for (PetscInt i = 0; i < n; i++)
    PetscCall(PetscArraycpy(x + i * dim, c->bc->space->x + c->faces->node[i] * dim, dim));
  PetscCall(RhxFormulaEvaluate(c->pressure, t, n, dim, x, p));
  for (PetscInt i = 0; i < n; i++) {
    most[0] = PetscMax(most[0], p[i]);
    most[1] = PetscMax(most[1], -p[i]);
    most[2] = PetscMax(most[2], PetscAbsReal(p[i]));
  }
  PetscCall(PetscFree2(x, p));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 3, MPIU_REAL, MPIU_MAX, c->bc->comm));
  *varies = (PetscBool)(most[0] + most[1] > DIFFERS * most[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryLookAcross(RhxBoundary bc, const char *label, double begin, double end, RhxAcross *a)
{
  const RhxCondition *c = NULL;
  PetscBool place = PETSC_FALSE;
  Line line;

  PetscFunctionBegin;
  *a = (RhxAcross){.varies = PETSC_FALSE};
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (!strcmp(bc->cond[i].label, label)) c = &bc->cond[i];
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  a->developed = (PetscBool)(bc->form->nmodes && c->opt->polymer == RHX_POLYMER_DEVELOPED);
  a->fits = lay_line(c, &line);
  a->gives = RhxConditionGivesAcross(c);
  a->mean = (PetscBool)(c->opt->pressure_means == RHX_MEANS_MEAN);
  if (c->pressure) PetscCall(RhxFormulaDependsOnPlace(c->pressure, &place));
  for (int i = 0; i < RHX_LOOKS && place && !a->varies; i++)
    PetscCall(differs(c, PetscMin(begin + RhxLookTime(i), end), &a->varies));
  PetscFunctionReturn(PETSC_SUCCESS);
}
