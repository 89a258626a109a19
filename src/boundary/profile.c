/* Velocity and velocity gradient of a condition, and the law's steady state in it. */
#include "boundary/duct_impl.h"
#include "boundary/gap_impl.h"
#include "boundary/profile_impl.h"
#include "boundary/shift_impl.h"
#include "boundary/types/outlet.h"
#include "form/relaxation.h"

PetscReal RhxRamp(double t, double ramp)
{
  if (t >= ramp || !(ramp > 0)) return 1;
  return t <= 0 ? 0 : 0.5 * (1 - PetscCosReal(PETSC_PI * t / ramp));
}

void RhxBoundaryPlace(RhxBoundary bc, const PetscReal *x, char *text, size_t size)
{
  if (bc->space->dim == 2)
    snprintf(text, size, "(%g, %g)", x[0], x[1]);
  else
    snprintf(text, size, "(%g, %g, %g)", x[0], x[1], x[2]);
}

PetscErrorCode RhxBoundaryFormula(RhxBoundary bc, RhxFormula f, double t, PetscInt n, const PetscReal *x,
                                  PetscInt stride, PetscReal *values)
{
  PetscInt dim = bc->space->dim;
  const char *option, *text;
  char place[128];

  PetscFunctionBegin;
  PetscCall(RhxFormulaEvaluateStrided(f, t, n, dim, x, stride, values));
  for (PetscInt i = 0; i < n; i++) {
    if (bc->failure[0] || !PetscIsInfOrNanReal(values[i * stride])) continue;
    RhxBoundaryPlace(bc, x + i * dim, place, sizeof(place));
    PetscCall(RhxFormulaGetText(f, &option, &text));
    snprintf(bc->failure, sizeof(bc->failure), "-%s: formula \"%s\" gives %g at %s, t = %g; expected a finite number",
             option, text, values[i * stride], place, t); /* PetscSNPrintf writes 1 as "1." */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryRaise(RhxBoundary bc)
{
  struct {
    double value;
    int rank;
  } worst;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(bc->comm, &rank));
  worst.value = bc->failure[0] ? bc->failure_value : PETSC_MAX_REAL;
  worst.rank = rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MINLOC, bc->comm));
  if (worst.value == PETSC_MAX_REAL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(bc->failure, sizeof(bc->failure), MPI_CHAR, worst.rank, bc->comm));
  SETERRQ(bc->comm, PETSC_ERR_ARG_WRONG, "%s", bc->failure);
}

void RhxBoundaryNotPositive(RhxBoundary bc, const char *where, PetscInt mode, double least)
{
  const RhxFormMode *m = &bc->form->mode[mode];

  if (bc->failure[0]) return;
  bc->failure_value = least;
  snprintf(bc->failure, sizeof(bc->failure),
           "%s, law '%s', mode %d: the conformation tensor%s is not positive definite: got smallest eigenvalue %g, "
           "expected above 0",
           where, m->law->name, (int)m->number, bc->form->representation == RHX_STRESS ? " I + stress/G" : "", least);
}

PetscErrorCode RhxBoundaryEvaluateWaveform(RhxBoundary bc, RhxWaveform waveform, double t, PetscReal *value)
{
  PetscFunctionBegin;
  PetscCall(RhxWaveformEvaluate(waveform, t, value));
  if (!bc->failure[0] && PetscIsInfOrNanReal(*value))
    PetscCall(RhxWaveformExplain(waveform, t, *value, bc->failure, sizeof(bc->failure)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* U_max of the parabola at full speed. */
static PetscErrorCode parabola_maximum(RhxBoundary bc, const RhxCondition *c, double t, PetscReal *maximum)
{
  PetscFunctionBegin;
  *maximum = c->opt->maximum_velocity >= 0
                 ? c->opt->maximum_velocity
                 : c->opt->mean_velocity * (bc->space->dim == 2 && !bc->space->axisymmetric ? 1.5 : 2);
  if (!c->flow_rate) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryEvaluateWaveform(bc, c->flow_rate, t, maximum));
  *maximum /= c->geo.flux;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The developed flow at t, times sign. */
static PetscErrorCode solve_developed(RhxBoundary bc, RhxCondition *c, double t, PetscReal factor, PetscReal *sign)
{
  const PetscBool middle = (PetscBool)(c->opt->maximum_velocity >= 0);
  PetscReal a, aim = middle ? c->opt->maximum_velocity : c->opt->mean_velocity * c->geo.area;

  PetscFunctionBegin;
  if (c->flow_rate) PetscCall(RhxBoundaryEvaluateWaveform(bc, c->flow_rate, t, &aim));
  aim *= factor;
  if (RhxOutletIsArriving(c)) aim = RhxOutletGetArriving(c, t);
  *sign = aim < 0 ? -1 : 1;
  if (PetscIsInfOrNanReal(aim)) aim = 0;     /* noted */
  PetscCall(RhxConditionGetShift(c, t, &a)); /* of laws whose times are a-fold the flow is that of a-fold speed */
  if (c->gap) {                              /* walls that move have a direction of their own, here and in a duct */
    PetscCall(RhxGapMove(c->gap, t, a));
    PetscCall(RhxGapSolve(c->gap, a * aim, middle));
    *sign = 1;
  } else if (c->duct) {
    PetscCall(RhxDuctMove(c->duct, t, a));
    PetscCall(RhxDuctSolve(c->duct, a * aim, middle));
    *sign = 1;
  } else {
    RhxDevelopedMove(c->developed, t, a);
    PetscCall(RhxDevelopedSolve(c->developed, a * PetscAbsReal(aim), middle));
  }
  *sign /= a;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define HARMONICS 32 /* of a Womersley flow, the mean among them */

/* Complex kinematic viscosities of the harmonics of a period. */
static PetscErrorCode viscosities(const RhxCondition *c, double period, double complex nu[HARMONICS])
{
  const RhxForm form = c->bc->form;
  const char *law;
  double eta[2];

  PetscFunctionBegin;
  PetscCall(RhxFormFindNonlinearInShear(form, &law));
  PetscCheck(
      !law, c->bc->comm, PETSC_ERR_ARG_INCOMP,
      "-bc_%s_profile womersley: got the law '%s', whose shear stress is not linear in the shear rate, expected "
      "a constant viscosity, and modes whose stress in shear is linear; profile developed is the steady one of any law",
      c->label, law);
  for (int k = 0; k < HARMONICS; k++) {
    PetscCall(RhxFormComplexViscosity(form, 2 * PETSC_PI * k / period, eta));
    nu[k] = (eta[0] + eta[1] * _Complex_I) / form->rho;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_period(const RhxCondition *c, double *period)
{
  double most = 0, jump = 0;

  PetscFunctionBegin;
  PetscCheck(!RhxWaveformIsOnce(c->flow_rate), c->bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_profile womersley: got rows that are taken once (-bc_%s_flow_rate_rows once), expected those of a "
             "period",
             c->label, c->label);
  PetscCall(RhxWaveformGetPeriod(c->flow_rate, period));
  PetscCheck((*period > 0) != (c->opt->period > 0), c->bc->comm, PETSC_ERR_ARG_WRONG,
             *period > 0 ? "-bc_%s_period: got it with rows of a period, expected it with a formula alone"
                         : "-bc_%s_profile womersley: expected the period of its flow rate's formula, -bc_%s_period",
             c->label, c->label);
  if (*period > 0) PetscFunctionReturn(PETSC_SUCCESS);
  *period = c->opt->period;
  for (int i = 0; i < 8; i++) {
    double q[2];
    for (int k = 0; k < 2; k++) PetscCall(RhxWaveformEvaluate(c->flow_rate, (0.137 * i + k) * *period, &q[k]));
    most = PetscMax(most, PetscAbsReal(q[0]));
    jump = PetscMax(jump, PetscAbsReal(q[1] - q[0]));
  }
  PetscCheck(jump <= 1e-6 * most, c->bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_flow_rate: got \"%s\", which is not the same a period (-bc_%s_period) later", c->label,
             c->opt->flow_rate, c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionSetUpWomersley(RhxCondition *c)
{
  const RhxLabelGeometry *geo = &c->geo;
  double complex nu[HARMONICS];
  double period, q[2 * HARMONICS];

  PetscFunctionBegin;
  PetscCall(find_period(c, &period));
  PetscCall(viscosities(c, period, nu));
  for (int j = 0; j < 2 * HARMONICS; j++)
    PetscCall(RhxWaveformEvaluate(c->flow_rate, j * period / (2 * HARMONICS), &q[j]));
  if (c->section) {
    PetscCall(RhxWomersleyCreateOver(c->section, nu, period, HARMONICS, q, &c->womersley));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxWomersleyCreate(c->bc->space->axisymmetric ? 3 : c->bc->space->dim, geo->half, nu, period, HARMONICS, q,
                               geo->nshares, geo->distance, geo->share, &c->womersley));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal RhxFromMiddle(const RhxCondition *c, PetscInt dim, const PetscReal *x, PetscReal *way)
{
  PetscReal r[3], along = 0, square = 0;

  for (PetscInt d = 0; d < dim; d++) {
    r[d] = x[d] - c->geo.centre[d];
    along += r[d] * c->geo.normal[d];
  }
  for (PetscInt d = 0; d < dim; d++) {
    r[d] -= along * c->geo.normal[d];
    square += r[d] * r[d];
    if (way) way[d] = r[d];
  }
  return PetscSqrtReal(square);
}

/* u of a Womersley flow along the normal, and L. */
static PetscErrorCode pulsate(RhxBoundary bc, const RhxCondition *c, double t, PetscReal factor, PetscInt n,
                              const PetscReal *x, PetscReal *u, PetscReal *L)
{
  const PetscInt dim = bc->space->dim;
  const PetscReal sign = c->type->flags & RHX_TYPE_INWARD ? -factor : factor;
  PetscReal rate = 0, *r, *way, *U, *slope;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryEvaluateWaveform(bc, c->flow_rate, t, &rate));
  PetscCall(PetscMalloc4(n, &r, 3 * n, &way, n, &U, n, &slope));
  for (PetscInt i = 0; i < n; i++) r[i] = RhxFromMiddle(c, dim, x + i * dim, way + 3 * i);
  PetscCall(RhxWomersleyVelocity(c->womersley, t, rate, n, r, U, L ? slope : NULL));
  for (PetscInt i = 0; i < n * dim; i++) {
    const PetscReal direction = sign * c->geo.normal[i % dim];
    if (u) u[i] = direction * U[i / dim];
    for (PetscInt b = 0; b < dim && L; b++) L[i * dim + b] = direction * slope[i / dim] * way[3 * (i / dim) + b];
  }
  PetscCall(PetscFree4(r, way, U, slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* U(r), against the outward normal on inlets and along it on outlets; u = U d, L = d (x) grad U. Parabola: U_max (1 - r^2/half^2);
 * developed flow: as solved for, times `maximum`. */
static void straight_flow(RhxBoundary bc, const RhxCondition *c, PetscReal maximum, PetscInt n, const PetscReal *x,
                          PetscReal *u, PetscReal *L)
{
  const RhxLabelGeometry *geo = &c->geo;
  PetscInt dim = bc->space->dim;
  PetscReal sign = c->type->flags & RHX_TYPE_INWARD ? -1 : 1, square = geo->half * geo->half;

  for (PetscInt i = 0; i < n; i++) {
    PetscReal r[3], U, over; /* over: dU/dr / r */
    const PetscReal distance = RhxFromMiddle(c, dim, x + i * dim, r);
    if (c->developed) {
      RhxDevelopedVelocity(c->developed, distance, &U, &over);
    } else {
      U = 1 - distance * distance / square;
      over = -2 / square;
    }
    for (PetscInt a = 0; a < dim; a++) {
      PetscReal direction = sign * maximum * geo->normal[a];
      if (u) u[i * dim + a] = direction * U;
      if (!L) continue;
      for (PetscInt b = 0; b < dim; b++) L[(i * dim + a) * dim + b] = direction * over * r[b];
    }
  }
}

/* A flow over the label's faces of the velocities w at its nodes, `sign` times, inward on inlets and outward on outlets. */
static PetscErrorCode section_flow(const RhxCondition *c, PetscReal sign, const PetscReal *w, PetscInt n,
                                   const PetscReal *x, PetscReal *u, PetscReal *L)
{
  const RhxSectionPlace *place;
  PetscReal U, gradient[1][3];

  PetscFunctionBegin;
  PetscCall(RhxSectionLocate(c->section, n, x, &place));
  for (PetscInt i = 0; i < n; i++) {
    RhxSectionEvaluate(c->section, place + i, 1, w, &U, L ? gradient : NULL);
    for (PetscInt a = 0; a < 3; a++) {
      const PetscReal direction = (c->type->flags & RHX_TYPE_INWARD ? -sign : sign) * c->geo.normal[a];
      if (u) u[i * 3 + a] = direction * U;
      for (PetscInt b = 0; b < 3 && L; b++) L[(i * 3 + a) * 3 + b] = direction * gradient[0][b];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A Womersley flow over them. */
static PetscErrorCode pulsate_over(RhxBoundary bc, const RhxCondition *c, double t, PetscReal factor, PetscInt n,
                                   const PetscReal *x, PetscReal *u, PetscReal *L)
{
  PetscReal rate = 0, *w;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryEvaluateWaveform(bc, c->flow_rate, t, &rate));
  PetscCall(PetscMalloc1(c->section->nnodes, &w));
  PetscCall(RhxWomersleyVelocity(c->womersley, t, rate, 0, NULL, w, NULL));
  PetscCall(section_flow(c, factor, w, n, x, u, L));
  PetscCall(PetscFree(w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A developed flow between two walls, times `factor`. */
static void gap_flow(const RhxCondition *c, PetscReal factor, PetscInt n, const PetscReal *x, PetscReal *u,
                     PetscReal *L)
{
  PetscReal U, gradient[2];

  for (PetscInt i = 0; i < n; i++) {
    RhxGapVelocity(c->gap, x + 2 * i, &U, gradient);
    for (PetscInt a = 0; a < 2; a++) {
      const PetscReal direction = (c->type->flags & RHX_TYPE_INWARD ? -factor : factor) * c->geo.normal[a];
      if (u) u[i * 2 + a] = direction * U;
      for (PetscInt b = 0; b < 2 && L; b++) L[(i * 2 + a) * 2 + b] = direction * gradient[b];
    }
  }
}

/* The velocity of a file's points, with a flow rate that of it. */
static PetscErrorCode sampled_flow(RhxBoundary bc, const RhxCondition *c, double t, PetscReal factor, PetscInt n,
                                   const PetscReal *x, PetscReal *u, PetscReal *L)
{
  const PetscInt dim = bc->space->dim;
  const RhxSectionPlace *place;
  PetscReal v[3], gradient[3][3], rate;

  PetscFunctionBegin;
  if (c->flow_rate) {
    PetscCall(RhxBoundaryEvaluateWaveform(bc, c->flow_rate, t, &rate));
    factor *= rate / c->geo.flux;
  }
  PetscCall(RhxSectionLocate(c->section, n, x, &place));
  for (PetscInt i = 0; i < n; i++) {
    RhxSectionEvaluate(c->section, place + i, dim, c->sampled, v, L ? gradient : NULL);
    for (PetscInt a = 0; a < dim; a++) {
      if (u) u[i * dim + a] = factor * v[a];
      for (PetscInt b = 0; b < dim && L; b++) L[(i * dim + a) * dim + b] = factor * gradient[a][b];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* That of the whole label by rows. */
static PetscErrorCode moved(RhxBoundary bc, const RhxCondition *c, double t, PetscReal factor, PetscInt n, PetscReal *u,
                            PetscReal *L)
{
  const PetscInt dim = bc->space->dim;
  PetscReal v[3];

  PetscFunctionBegin;
  PetscCall(RhxBoundaryEvaluateWaveform(bc, c->motion, t, v));
  for (PetscInt i = 0; u && i < n * dim; i++) u[i] = factor * v[i % dim];
  if (L) PetscCall(PetscArrayzero(L, n * dim * dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L_ij = d u_i / d x_j of the formulas by sixth-order central differences. */
static PetscErrorCode formula_gradient(RhxBoundary bc, RhxCondition *c, double t, PetscReal factor, PetscInt n,
                                       const PetscReal *x, PetscReal *L)
{
  static const PetscReal weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  const PetscReal h = 2e-3 * c->geo.extent;
  PetscInt dim = bc->space->dim;
  PetscReal *shifted, *value;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n * dim, &shifted, n, &value));
  PetscCall(PetscArrayzero(L, n * dim * dim));
  for (PetscInt j = 0; j < dim; j++)
    for (PetscInt m = -3; m <= 3; m++) {
      if (m == 0) continue;
      PetscCall(PetscArraycpy(shifted, x, n * dim));
      for (PetscInt i = 0; i < n; i++) shifted[i * dim + j] += m * h;
      for (PetscInt a = 0; a < dim; a++) {
        PetscReal w = factor * (m > 0 ? weight[m - 1] : -weight[-m - 1]) / h;
        PetscCall(RhxBoundaryFormula(bc, c->velocity[a], t, n, shifted, 1, value));
        for (PetscInt i = 0; i < n; i++) L[(i * dim + a) * dim + j] += w * value[i];
      }
    }
  PetscCall(PetscFree2(shifted, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define ROUNDED 1e-9 /* of the velocity along the axis: a radial one of a file that is none */

/* The law's steady state is asked for with the gradient in the half plane, without u_r/r. */
static PetscErrorCode expect_no_hoop(RhxBoundary bc, RhxCondition *c, double t, PetscInt n, const PetscReal *x)
{
  const RhxSectionPlace *place = NULL;
  PetscReal *radial, v[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &radial));
  if (c->motion) PetscCall(RhxBoundaryEvaluateWaveform(bc, c->motion, t, v));
  for (PetscInt i = 0; c->motion && i < n; i++) radial[i] = v[1];
  if (!c->sampled && !c->motion) PetscCall(RhxBoundaryFormula(bc, c->velocity[1], t, n, x, 1, radial));
  if (c->sampled) PetscCall(RhxSectionLocate(c->section, n, x, &place));
  for (PetscInt i = 0; c->sampled && i < n; i++) {
    RhxSectionEvaluate(c->section, place + i, 2, c->sampled, v, NULL);
    radial[i] = PetscAbsReal(v[1]) > ROUNDED * PetscAbsReal(v[0]) ? v[1] : 0;
  }
  for (PetscInt i = 0; i < n; i++)
    if (radial[i] != 0 && !bc->failure[0])
      snprintf(bc->failure, sizeof(bc->failure),
               "-bc_%s_polymer developed: got a radial velocity %g in axisymmetric flow (-form_axisymmetric), expected "
               "none, or -bc_%s_polymer formula, rest or free",
               c->label, (double)radial[i], c->label);
  PetscCall(PetscFree(radial));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionProfile(RhxBoundary bc, RhxCondition *c, double t, PetscInt n, const PetscReal *x,
                                   PetscReal *u, PetscReal *L)
{
  PetscReal factor = RhxRamp(t, c->opt->ramp);
  PetscInt dim = bc->space->dim;

  PetscFunctionBegin;
  if (c->womersley) {
    PetscCall(c->section ? pulsate_over(bc, c, t, factor, n, x, u, L) : pulsate(bc, c, t, factor, n, x, u, L));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (c->sampled) {
    PetscCall(sampled_flow(bc, c, t, factor, n, x, u, L));
    if (L && bc->space->axisymmetric) PetscCall(expect_no_hoop(bc, c, t, n, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (c->duct || c->gap) {
    const PetscReal *w;
    PetscReal sign;
    PetscCall(solve_developed(bc, c, t, factor, &sign));
    if (c->gap) {
      gap_flow(c, sign, n, x, u, L);
    } else {
      RhxDuctGetVelocity(c->duct, &w);
      PetscCall(section_flow(c, sign, w, n, x, u, L));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (c->opt->profile != RHX_PROFILE_FORMULA) {
    PetscReal maximum;
    if (c->developed)
      PetscCall(solve_developed(bc, c, t, factor, &maximum));
    else
      PetscCall(parabola_maximum(bc, c, t, &maximum));
    straight_flow(bc, c, c->developed ? maximum : factor * maximum, n, x, u, L);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (c->motion) {
    PetscCall(moved(bc, c, t, factor, n, u, L));
    if (L && bc->space->axisymmetric) PetscCall(expect_no_hoop(bc, c, t, n, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (u && !c->velocity[0]) PetscCall(PetscArrayzero(u, n * dim));
  if (!c->velocity[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt a = 0; u && a < dim; a++) {
    PetscCall(RhxBoundaryFormula(bc, c->velocity[a], t, n, x, dim, u + a));
    for (PetscInt i = 0; i < n; i++) u[i * dim + a] *= factor;
  }
  if (L) PetscCall(formula_gradient(bc, c, t, factor, n, x, L));
  if (L && bc->space->axisymmetric) PetscCall(expect_no_hoop(bc, c, t, n, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionProfileSwirl(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u)
{
  PetscReal factor;

  PetscFunctionBegin;
  PetscCall(solve_developed(c->bc, c, t, RhxRamp(t, c->opt->ramp), &factor));
  for (PetscInt i = 0; i < n; i++) u[i] = factor * RhxGapSwirl(c->gap, x + 2 * i);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryNote(RhxBoundary bc, PetscErrorCode ierr, const char *what, const PetscReal *x)
{
  char place[128], *why = NULL;

  PetscFunctionBegin;
  RhxBoundaryPlace(bc, x, place, sizeof(place));
  PetscCall(PetscErrorMessage(ierr, NULL, &why));
  PetscCall(PetscSNPrintf(bc->failure, sizeof(bc->failure), "%s at %s: %s", what, place, why ? why : "failed"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Node of the largest shear rate. */
static PetscInt fastest(PetscInt dim, PetscInt n, const PetscReal *L, double *rate)
{
  PetscInt which = 0;

  *rate = 0;
  for (PetscInt i = 0; i < n; i++) {
    PetscReal square = 0;
    for (PetscInt a = 0; a < dim; a++)
      for (PetscInt b = 0; b < dim; b++)
        square += 0.5 * PetscSqr(L[(i * dim + a) * dim + b] + L[(i * dim + b) * dim + a]);
    if (square > *rate) {
      *rate = square;
      which = i;
    }
  }
  *rate = PetscSqrtReal(*rate);
  return which;
}

PetscErrorCode RhxBoundaryDeveloped(RhxBoundary bc, PetscInt n, const PetscReal *x, const PetscReal *L, PetscReal *s,
                                    PetscReal *tau)
{
  PetscInt dim = bc->space->dim, ntens = bc->space->ntens, nmodes = bc->form->nmodes;
  PetscReal rate;
  PetscErrorCode ierr = PETSC_SUCCESS;
  PetscInt fast;

  PetscFunctionBegin;
  if (bc->failure[0]) n = 0;                                       /* the gradient may not be finite */
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL)); /* raised on all ranks by RhxBoundaryRaise */
  fast = fastest(dim, n, L, &rate);
  ierr = RhxFormCheckFlowCurve(bc->form, rate);
  if (ierr) PetscCall(RhxBoundaryNote(bc, ierr, "developed flow", x + fast * dim));
  for (PetscInt i = 0; i < n && !ierr; i++)
    for (PetscInt k = 0; k < nmodes && !ierr; k++) {
      PetscInt at = (i * nmodes + k) * ntens;
      ierr = RhxFormDeveloped(bc->form, k, L + i * dim * dim, s ? s + at : NULL, tau ? tau + at : NULL);
      if (ierr) PetscCall(RhxBoundaryNote(bc, ierr, "developed polymer stress", x + i * dim));
    }
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}
