/* Checks of a law at a point: see lawcheck.h. Every comparison is written so that NaN fails. */
#include "law/lawcheck.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include <math.h>

#define MAX_TENS 6
#define STATES 4      /* random states */
#define CLOSE 1e-7    /* of what has to be equal but for rounding */
#define RESPONSE 1e-2 /* of properties against small motions */
#define SMALL 1e-4    /* shear rate of these times lambda, where L itself is small */
#define FARTHEST 1024 /* tr(c - I) up to which a law has to be finite, */
#define BEYOND 1e30   /* unless it relaxes so many times faster than 1/lambda: nothing stretches it there */

typedef struct {
  const RhxLawCase *lc;
  const RhxPointLaw *point;
  RhxPointMode mode;
  double rest[3]; /* properties at rest */
  unsigned long long seed;
  PetscBool linear; /* stress = G (c - I) at every state so far */
  PetscBool far;    /* values of states far from rest: a NaN is no member that was never set */
  char message[1024];
} Check;

static const char *const property_names[] = {"eta_p", "lambda", "modulus"};
static const char *const property_units[] = {"Pa s", "s", "Pa"};

static const char *component_name(int ntens, int k)
{
  static const char *const names[3][MAX_TENS] = {
      {"xx", "yy", "xy"}, {"xx", "yy", "zz", "xy"}, {"xx", "yy", "zz", "yz", "xz", "xy"}};
  return names[ntens == 3 ? 0 : ntens == 4 ? 1 : 2][k];
}

/* Keeps the first fault. */
PETSC_ATTRIBUTE_FORMAT(4, 5)
static void fault(Check *ck, const char *member, double got, const char *format, ...)
{
  const RhxLawCase *lc = ck->lc;
  char expected[256], number[32];
  va_list list;
  if (ck->message[0]) return;
  va_start(list, format);
  vsnprintf(expected, sizeof(expected), format, list);
  va_end(list);
  snprintf(number, sizeof(number), "%g", got);
  if (isnan(got)) snprintf(number, sizeof(number), ck->far ? "nan" : "nan (never set?)");
  snprintf(ck->message, sizeof(ck->message),
           "Law '%s' fails a check (%dD, %d components, mode %d): %s: got %s, expected %s", lc->law->name, lc->dim,
           lc->ntens, (int)lc->mode, member, number, expected);
}

/* ---- States: L row by row, components of c ---- */

static double uniform(Check *ck) /* in [-1, 1): a linear congruence, the same on every machine */
{
  ck->seed = ck->seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(ck->seed >> 11) * 0x1p-52 - 1.0;
}

static void identity(const RhxLawCase *lc, double *c)
{
  for (int k = 0; k < lc->ntens; k++) c[k] = k < (lc->ntens == 3 ? 2 : 3);
}

static void shear(double rate, double *L)
{
  for (int i = 0; i < 9; i++) L[i] = 0.0;
  L[1] = rate;
}

/* A velocity gradient without trace, its components up to `rate`. */
static void random_gradient(Check *ck, double rate, double *L)
{
  const int dim = ck->lc->dim;
  double trace = 0.0;
  for (int i = 0; i < dim * dim; i++) L[i] = rate * uniform(ck);
  for (int i = 0; i < dim; i++) trace += L[(dim + 1) * i] / dim;
  for (int i = 0; i < dim; i++) L[(dim + 1) * i] -= trace;
}

/* A conformation that the law itself has at L; where there is none (extension), at a smaller L, well below the last that has
 * one; near rest where it has none at all. */
static PetscErrorCode reachable(Check *ck, double *L, double *c)
{
  const RhxLawCase *lc = ck->lc;
  double at = 0.0;
  PetscFunctionBegin;
  identity(lc, c);
  PetscCall(RhxPointSteady(&ck->mode, L, &at, c));
  if (at > 0.0 && at < 1.0) {
    for (int i = 0; i < lc->dim * lc->dim; i++) L[i] *= 0.5 * at;
    at = 0.0;
    identity(lc, c);
    PetscCall(RhxPointSteady(&ck->mode, L, &at, c));
  }
  for (int k = 0; at == 0.0 && k < lc->ntens; k++) c[k] += 0.02 * uniform(ck);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rotations ---- */

static void random_rotation(Check *ck, double Q[9])
{
  const int dim = ck->lc->dim;
  double q[4], norm = 0.0;
  for (int i = 0; i < 4; i++) {
    q[i] = uniform(ck) + (i == 0);
    if (dim == 2 && (i == 1 || i == 2)) q[i] = 0.0;
    norm += q[i] * q[i];
  }
  for (int i = 0; i < 4; i++) q[i] /= sqrt(norm);
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      const int k = 3 - i - j; /* of an off-diagonal element: the third axis, and its sign */
      const double sign = (j - i + 3) % 3 == 1 ? -1.0 : 1.0;
      Q[dim * i + j] = i == j ? 2.0 * (q[0] * q[0] + q[1 + i] * q[1 + i]) - 1.0
                              : 2.0 * (q[1 + i] * q[1 + j] + sign * q[0] * q[1 + k]);
    }
}

/* B = Q A Q^T */
static void turn(int dim, const double *Q, const double *A, double *B)
{
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      B[dim * i + j] = 0.0;
      for (int k = 0; k < dim; k++)
        for (int l = 0; l < dim; l++) B[dim * i + j] += Q[dim * i + k] * A[dim * k + l] * Q[dim * j + l];
    }
}

static void turn_tensor(const RhxLawCase *lc, const double *Q, const double *a, double *b)
{
  double A[9] = {0}, B[9];
  for (int i = 0; i < lc->dim; i++)
    for (int j = 0; j < lc->dim; j++) A[lc->dim * i + j] = a[rhx_tensor_index(lc->dim, lc->ntens, i, j)];
  turn(lc->dim, Q, A, B);
  if (lc->ntens == 4) b[2] = a[2];
  for (int i = 0; i < lc->dim; i++)
    for (int j = i; j < lc->dim; j++) b[rhx_tensor_index(lc->dim, lc->ntens, i, j)] = B[lc->dim * i + j];
}

static double largest(int n, const double *a)
{
  double m = 0.0;
  for (int k = 0; k < n; k++) m = PetscMax(m, fabs(a[k]));
  return m;
}

/* ---- Viscous laws ---- */

static void check_viscosity(Check *ck)
{
  const RhxLawCase *lc = ck->lc;
  for (int decade = -7; decade <= 6; decade++) {
    double L[9], eta;
    char member[64];
    const double rate = decade < -6 ? 0.0 : pow(10.0, decade);
    shear(rate, L);
    ck->point->viscosity(lc->law, lc->par, L, &eta);
    snprintf(member, sizeof(member), "viscosity at the shear rate %g 1/s", rate);
    if (!(eta > 0.0) || isinf(eta)) fault(ck, member, eta, "a finite number above 0 (Pa s)");
  }
}

static void check_viscosity_frame(Check *ck)
{
  const RhxLawCase *lc = ck->lc;
  for (int s = 0; s < STATES; s++) {
    double L[9], turned[9], Q[9], eta, other;
    random_gradient(ck, pow(10.0, s - 2.0), L);
    random_rotation(ck, Q);
    turn(lc->dim, Q, L, turned);
    ck->point->viscosity(lc->law, lc->par, L, &eta);
    ck->point->viscosity(lc->law, lc->par, turned, &other);
    if (!(fabs(other - eta) <= CLOSE * fabs(eta)))
      fault(ck, "viscosity in a turned frame", other, "%g Pa s, that before the turn (frame indifference)", eta);
  }
}

/* ---- Polymeric laws ---- */

static void check_positive(Check *ck, const double *L, const double *c, const char *where, double *prop)
{
  const RhxLawCase *lc = ck->lc;
  ck->point->properties(lc->law, lc->par, L, c, prop);
  for (int k = 0; k < 3; k++) {
    char member[128];
    snprintf(member, sizeof(member), "%s of properties %s", property_names[k], where);
    if (!(prop[k] > 0.0) || isinf(prop[k]))
      fault(ck, member, prop[k], "a finite number above 0 (%s)", property_units[k]);
  }
}

/* Before all others, which a law that writes beyond its tensors would spoil. */
static void check_size(Check *ck)
{
  const RhxLawCase *lc = ck->lc;
  const double L[9] = {0};
  double c[MAX_TENS];
  int set[2];
  identity(lc, c);
  ck->point->count_set(lc->law, lc->par, L, c, set);
  for (int k = 0; k < 2; k++)
    if (set[k] > lc->ntens)
      fault(ck, k ? "number of components that stress sets" : "number of components that rate sets", set[k],
            "at most %d (k < RHX_NTENS)", lc->ntens);
}

static void check_rest(Check *ck)
{
  const RhxLawCase *lc = ck->lc;
  const double L[9] = {0};
  double c[MAX_TENS], r[MAX_TENS], tau[MAX_TENS];
  identity(lc, c);
  check_positive(ck, L, c, "at rest", ck->rest);
  ck->point->rate(lc->law, lc->par, L, c, r);
  ck->point->stress(lc->law, lc->par, L, c, tau);
  for (int k = 0; k < lc->ntens; k++) {
    char member[64];
    snprintf(member, sizeof(member), "%s of rate at rest, c = I", component_name(lc->ntens, k));
    if (!(fabs(r[k]) <= CLOSE / ck->rest[1])) fault(ck, member, r[k], "0 (1/s)");
    snprintf(member, sizeof(member), "%s of stress at rest, c = I", component_name(lc->ntens, k));
    if (!(fabs(tau[k]) <= CLOSE * ck->rest[2])) fault(ck, member, tau[k], "0 (Pa)");
  }
}

/* Properties in shear, with c = I and with the conformation that the law has there; its shear stress. */
static PetscErrorCode check_shear(Check *ck)
{
  const RhxLawCase *lc = ck->lc;
  double c[MAX_TENS], rest[MAX_TENS], from = 0.0;
  PetscBool steady = PETSC_TRUE;
  PetscFunctionBegin;
  identity(lc, rest);
  identity(lc, c);
  for (int decade = -4; decade <= 4 && !ck->message[0]; decade++) {
    const double rate = pow(10.0, decade) / ck->rest[1];
    double L[9], prop[3], tau[MAX_TENS], at = from / rate;
    char where[64], member[128];
    shear(rate, L);
    snprintf(where, sizeof(where), "at the shear rate %g 1/s", rate);
    check_positive(ck, L, rest, where, prop);
    if (steady && decade <= 1) PetscCall(RhxPointSteady(&ck->mode, L, &at, c));
    steady = (PetscBool)(at >= 1.0);
    if (!steady || decade > 1) continue;
    from = rate;
    snprintf(where, sizeof(where), "in steady shear at %g 1/s", rate);
    check_positive(ck, L, c, where, prop);
    ck->point->stress(lc->law, lc->par, L, c, tau);
    snprintf(member, sizeof(member), "xy of stress %s", where);
    if (!(tau[lc->ntens - 1] > 0.0)) fault(ck, member, tau[lc->ntens - 1], "above 0 (Pa)");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void check_spring(Check *ck, const double *L, const double *c)
{
  const RhxLawCase *lc = ck->lc;
  const PetscBool claimed = (PetscBool)((lc->law->flags & RHX_LINEAR_SPRING) != 0);
  double tau[MAX_TENS], rest[MAX_TENS], prop[3];
  identity(lc, rest);
  ck->point->stress(lc->law, lc->par, L, c, tau);
  ck->point->properties(lc->law, lc->par, L, c, prop);
  for (int k = 0; k < lc->ntens; k++) {
    const double spring = ck->rest[2] * (c[k] - rest[k]);
    char member[64];
    if (fabs(tau[k] - spring) <= CLOSE * ck->rest[2] * (1.0 + largest(lc->ntens, c))) continue;
    ck->linear = PETSC_FALSE;
    snprintf(member, sizeof(member), "%s of stress with RHX_LINEAR_SPRING", component_name(lc->ntens, k));
    if (claimed) fault(ck, member, tau[k], "%g Pa, the modulus of properties times (c - I)", spring);
  }
  if (claimed && !(fabs(prop[2] - ck->rest[2]) <= CLOSE * ck->rest[2]))
    fault(ck, "modulus of properties with RHX_LINEAR_SPRING", prop[2], "%g Pa, that at rest", ck->rest[2]);
}

/* d rate_xy/dg and d stress_xy/dg at c = I in a shear g: what a law makes of D itself. */
static void find_direct(const Check *ck, double *rate, double *stress)
{
  const RhxLawCase *lc = ck->lc;
  const double g = SMALL / ck->rest[1];
  const int xy = lc->ntens - 1;
  double L[9], c[MAX_TENS], r[2][MAX_TENS], tau[2][MAX_TENS];
  identity(lc, c);
  for (int k = 0; k < 2; k++) {
    shear(k ? g : -g, L);
    ck->point->rate(lc->law, lc->par, L, c, r[k]);
    ck->point->stress(lc->law, lc->par, L, c, tau[k]);
  }
  *rate = (r[1][xy] - r[0][xy]) / (2.0 * g);
  *stress = (tau[1][xy] - tau[0][xy]) / (2.0 * g);
}

/* Linear response: K = d rate_xy/d c_xy and S = d stress_xy/d c_xy at rest; lambda = 1/K, and eta_p = S (1 - xi - R)/K + T with the slopes R of
 * the rate and T of the stress in a shear at c = I. */
static void check_response(Check *ck)
{
  const RhxLawCase *lc = ck->lc;
  const RhxPointLaw *tangent = RhxPointLawGet(lc->dim, lc->ntens, RHX_KIND_COMPLEX);
  const double L[9] = {0};
  double c[MAX_TENS], r[MAX_TENS], K[MAX_TENS], S[MAX_TENS], seen[3], R, T;
  const int xy = lc->ntens - 1;
  identity(lc, c);
  find_direct(ck, &R, &T);
  tangent->balance(lc->law, lc->par, lc->slip, L, c, xy, r, K);
  tangent->stress_slope(lc->law, lc->par, L, c, xy, S);
  seen[0] = S[xy] * (1.0 - lc->slip - R) / K[xy] + T;
  seen[1] = 1.0 / K[xy];
  seen[2] = S[xy];
  for (int k = 2; k >= 0; k--) {
    static const char *const from[] = {"stress and rate", "rate", "stress"};
    char member[128];
    snprintf(member, sizeof(member), "%s of properties at rest", property_names[k]);
    if (!(isfinite(seen[k]) && fabs(ck->rest[k] - seen[k]) <= RESPONSE * fabs(seen[k])))
      fault(ck, member, ck->rest[k], "%g %s, that of small motions by %s (or the flag RHX_OTHER_RESPONSE)", seen[k],
            property_units[k], from[k]);
  }
}

/* In the plane, c_zz = 1 must stay so where it is not carried, and the plane must not see the difference to space. */
static void check_plane(Check *ck, const double *L, const double *c)
{
  const RhxLawCase *lc = ck->lc;
  const RhxPointLaw *space = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE);
  const double L3[9] = {L[0], L[1], 0, L[2], L[3], 0, 0, 0, 0}, c3[6] = {c[0], c[1], 1, 0, 0, c[2]};
  static const int of[3] = {0, 1, 5};
  double r[MAX_TENS], r3[MAX_TENS], tau[MAX_TENS], tau3[MAX_TENS];
  ck->point->rate(lc->law, lc->par, L, c, r);
  ck->point->stress(lc->law, lc->par, L, c, tau);
  space->rate(lc->law, lc->par, L3, c3, r3);
  space->stress(lc->law, lc->par, L3, c3, tau3);
  if (!(fabs(r3[2]) <= CLOSE * (largest(6, r3) + 1.0 / ck->rest[1])))
    fault(ck, "zz of rate in plane flow at c_zz = 1", r3[2], "0 (1/s), or the flag RHX_OUT_OF_PLANE");
  for (int k = 0; k < 3; k++) {
    char member[64];
    snprintf(member, sizeof(member), "%s of rate in plane flow without zz", component_name(3, k));
    if (!(fabs(r[k] - r3[of[k]]) <= CLOSE * (largest(6, r3) + 1.0 / ck->rest[1])))
      fault(ck, member, r[k], "%g 1/s as in space, or the flag RHX_OUT_OF_PLANE", r3[of[k]]);
    snprintf(member, sizeof(member), "%s of stress in plane flow without zz", component_name(3, k));
    if (!(fabs(tau[k] - tau3[of[k]]) <= CLOSE * (largest(6, tau3) + ck->rest[2])))
      fault(ck, member, tau[k], "%g Pa as in space, or the flag RHX_OUT_OF_PLANE", tau3[of[k]]);
  }
}

static void compare_turned(Check *ck, const char *what, const char *unit, const double *Q, double scale,
                           const double *before, const double *after)
{
  const RhxLawCase *lc = ck->lc;
  double expected[MAX_TENS];
  turn_tensor(lc, Q, before, expected);
  for (int k = 0; k < lc->ntens; k++) {
    char member[64];
    snprintf(member, sizeof(member), "%s of %s in a turned frame", component_name(lc->ntens, k), what);
    if (!(fabs(after[k] - expected[k]) <= CLOSE * (scale + largest(lc->ntens, before))))
      fault(ck, member, after[k], "%g %s, that before the turn, turned (frame indifference)", expected[k], unit);
  }
}

static void check_frame(Check *ck, const double *L, const double *c)
{
  const RhxLawCase *lc = ck->lc;
  double Q[9], LQ[9], cQ[MAX_TENS], a[MAX_TENS], b[MAX_TENS], prop[3], turned[3];
  random_rotation(ck, Q);
  turn(lc->dim, Q, L, LQ);
  turn_tensor(lc, Q, c, cQ);
  ck->point->rate(lc->law, lc->par, L, c, a);
  ck->point->rate(lc->law, lc->par, LQ, cQ, b);
  compare_turned(ck, "rate", "1/s", Q, 1.0 / ck->rest[1], a, b);
  ck->point->stress(lc->law, lc->par, L, c, a);
  ck->point->stress(lc->law, lc->par, LQ, cQ, b);
  compare_turned(ck, "stress", "Pa", Q, ck->rest[2], a, b);
  ck->point->properties(lc->law, lc->par, L, c, prop);
  ck->point->properties(lc->law, lc->par, LQ, cQ, turned);
  for (int k = 0; k < 3; k++) {
    char member[64];
    snprintf(member, sizeof(member), "%s of properties in a turned frame", property_names[k]);
    if (!(fabs(turned[k] - prop[k]) <= CLOSE * fabs(prop[k])))
      fault(ck, member, turned[k], "%g %s, that before the turn (frame indifference)", prop[k], property_units[k]);
  }
}

static PetscErrorCode check_polymeric(Check *ck)
{
  const RhxLawCase *lc = ck->lc;
  PetscFunctionBegin;
  if (!(lc->slip >= 0.0 && lc->slip < 1.0)) fault(ck, "Gordon-Schowalter slip", lc->slip, "at least 0 and below 1");
  check_size(ck);
  if (ck->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  check_rest(ck);
  if (!(lc->law->flags & RHX_OTHER_RESPONSE)) check_response(ck);
  if (!ck->message[0]) PetscCall(check_shear(ck));
  for (int s = 0; s < STATES && !ck->message[0]; s++) {
    double L[9], c[MAX_TENS];
    random_gradient(ck, 0.2 * (s + 1) / ck->rest[1], L);
    PetscCall(reachable(ck, L, c));
    check_spring(ck, L, c);
    if (lc->ntens == 3) check_plane(ck, L, c);
    check_frame(ck, L, c);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void expect_finite(Check *ck, double trace, const char *what, int n, const char *const *names, const double *v)
{
  for (int k = 0; k < n; k++) {
    char member[128];
    snprintf(member, sizeof(member), "%s of %s at tr c = %.3g", names ? names[k] : component_name(n, k), what, trace);
    if (!isfinite(v[k]))
      fault(ck, member, v[k],
            "a finite number up to tr c = %d, which a step may reach (RHX_MIN and RHX_MAX bound what a function is "
            "asked for)",
            FARTHEST);
  }
}

/* c = I + e n n, e = 1, 2, 4, ... */
static void check_stretched(Check *ck)
{
  const RhxLawCase *lc = ck->lc;
  double L[9], Q[9], e = 1.0;
  random_gradient(ck, 1.0 / ck->rest[1], L);
  random_rotation(ck, Q);
  for (PetscBool reached = PETSC_TRUE; reached && e <= FARTHEST; e *= 2.0) {
    double c[MAX_TENS], r[MAX_TENS], tau[MAX_TENS], prop[3];
    identity(lc, c);
    for (int i = 0; i < lc->dim; i++)
      for (int j = i; j < lc->dim; j++)
        c[rhx_tensor_index(lc->dim, lc->ntens, i, j)] += e * Q[lc->dim * i] * Q[lc->dim * j];
    ck->point->rate(lc->law, lc->par, L, c, r);
    ck->point->stress(lc->law, lc->par, L, c, tau);
    ck->point->properties(lc->law, lc->par, L, c, prop);
    expect_finite(ck, 3.0 + e, "rate", lc->ntens, NULL, r);
    expect_finite(ck, 3.0 + e, "stress", lc->ntens, NULL, tau);
    expect_finite(ck, 3.0 + e, "properties", 3, property_names, prop);
    reached = (PetscBool)(largest(lc->ntens, r) * ck->rest[1] <= BEYOND);
  }
}

PetscErrorCode RhxLawCheckFar(MPI_Comm comm, const RhxLawCase *lc)
{
  Check ck = {.lc = lc, .seed = 20210607, .far = PETSC_TRUE};
  const double L[9] = {0};
  double c[MAX_TENS];
  PetscFunctionBegin;
  if (lc->law->kind == RHX_VISCOUS) PetscFunctionReturn(PETSC_SUCCESS);
  ck.point = RhxPointLawGet(lc->dim, lc->ntens, RHX_KIND_DOUBLE);
  identity(lc, c);
  ck.point->properties(lc->law, lc->par, L, c, ck.rest);
  for (int s = 0; s < STATES && !ck.message[0]; s++) check_stretched(&ck);
  PetscCheck(!ck.message[0], comm, PETSC_ERR_USER_INPUT, "%s", ck.message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is a b - b a, of two symmetric tensors, nothing beside a? */
static PetscBool commute(const RhxLawCase *lc, const double *a, const double *b)
{
  for (int i = 0; i < lc->dim; i++)
    for (int j = 0; j < lc->dim; j++) {
      double sum = 0.0;
      for (int k = 0; k < lc->dim; k++) {
        const int ik = rhx_tensor_index(lc->dim, lc->ntens, i, k), kj = rhx_tensor_index(lc->dim, lc->ntens, k, j);
        sum += a[ik] * b[kj] - b[ik] * a[kj];
      }
      if (!(fabs(sum) <= CLOSE * largest(lc->ntens, a) * largest(lc->ntens, b))) return PETSC_FALSE;
    }
  return PETSC_TRUE;
}

PetscErrorCode RhxLawCommutes(const RhxLawCase *lc, PetscBool *commutes)
{
  Check ck = {.lc = lc, .seed = 20210607};
  const double rest[9] = {0};
  double c[MAX_TENS];
  PetscFunctionBegin;
  *commutes = PETSC_TRUE;
  ck.point = RhxPointLawGet(lc->dim, lc->ntens, RHX_KIND_DOUBLE);
  ck.mode = (RhxPointMode){lc->law, lc->par, lc->slip, lc->dim, lc->ntens};
  identity(lc, c);
  ck.point->properties(lc->law, lc->par, rest, c, ck.rest);
  for (int s = 0; s < STATES && *commutes; s++) {
    double L[9], r[MAX_TENS];
    random_gradient(&ck, 0.2 * (s + 1) / ck.rest[1], L);
    PetscCall(reachable(&ck, L, c));
    random_gradient(&ck, 0.2 * (s + 1) / ck.rest[1], L); /* of another direction than what has stretched c */
    ck.point->rate(lc->law, lc->par, L, c, r);
    *commutes = commute(lc, r, c);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLawCheck(MPI_Comm comm, const RhxLawCase *lc, size_t size, char *hint)
{
  Check ck = {.lc = lc, .seed = 20210607, .linear = PETSC_TRUE};
  const PetscBool claimed = (PetscBool)((lc->law->flags & RHX_LINEAR_SPRING) != 0);
  PetscFunctionBegin;
  ck.point = RhxPointLawGet(lc->dim, lc->ntens, RHX_KIND_DOUBLE);
  ck.mode = (RhxPointMode){lc->law, lc->par, lc->slip, lc->dim, lc->ntens};
  if (lc->law->kind == RHX_VISCOUS) {
    check_viscosity(&ck);
    check_viscosity_frame(&ck);
  } else
    PetscCall(check_polymeric(&ck));
  PetscCheck(!ck.message[0], comm, PETSC_ERR_USER_INPUT, "%s", ck.message);
  if (hint && lc->law->kind == RHX_POLYMERIC && ck.linear && !claimed)
    snprintf(hint, size,
             "stress = G (c - I) at every state that was tried: with the flag RHX_LINEAR_SPRING the stress "
             "can be the unknown");
  PetscFunctionReturn(PETSC_SUCCESS);
}
