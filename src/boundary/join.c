#include "boundary/join_impl.h"
#include "petsc_compat.h"

/* Second derivatives z[n] of the periodic spline through v: h_(i-1) z_(i-1) + 2 (h_(i-1) + h_i) z_i + h_i z_(i+1) = 6 (s_i - s_(i-1)), s the
 * slopes of the chords; the corners of the matrix by the formula of Sherman and Morrison. */
static void solve_periodic(PetscInt n, const double *t, const double *v, double *d, double *z, double *m)
{
  const double corner = t[n] - t[n - 1]; /* h_(n-1), between nodes n - 1 and 0 */
  const double gamma = -2 * (corner + t[1] - t[0]);

  for (PetscInt i = 0; i < n; i++) {
    const PetscInt before = i ? i - 1 : n - 1;
    const double h = t[i + 1] - t[i], hb = t[before + 1] - t[before];
    d[i] = 2 * (h + hb);
    m[i] = 6 * ((v[i + 1] - v[i]) / h - (v[before + 1] - v[before]) / hb);
    z[i] = 0;
  }
  d[0] -= gamma;
  d[n - 1] -= corner * corner / gamma;
  z[0] = gamma;
  z[n - 1] = corner;
  for (PetscInt i = 1; i < n; i++) {
    const double h = t[i] - t[i - 1], f = h / d[i - 1];
    d[i] -= f * h;
    m[i] -= f * m[i - 1];
    z[i] -= f * z[i - 1];
  }
  for (PetscInt i = n - 1; i >= 0; i--) {
    const double h = i < n - 1 ? t[i + 1] - t[i] : 0;
    m[i] = (m[i] - (i < n - 1 ? h * m[i + 1] : 0)) / d[i];
    z[i] = (z[i] - (i < n - 1 ? h * z[i + 1] : 0)) / d[i];
  }
  const double factor = (m[0] + corner / gamma * m[n - 1]) / (1 + z[0] + corner / gamma * z[n - 1]);
  for (PetscInt i = 0; i < n; i++) m[i] -= factor * z[i];
  m[n] = m[0];
}

/* Of the spline without slope at both ends: the same equations, with no interval and no chord beyond. */
static void solve_clamped(PetscInt n, const double *t, const double *v, double *d, double *m)
{
  double hb = 0, sb = 0;

  for (PetscInt i = 0; i <= n; i++) {
    const double h = i < n ? t[i + 1] - t[i] : 0, s = i < n ? (v[i + 1] - v[i]) / h : 0, f = i ? hb / d[i - 1] : 0;
    d[i] = 2 * (hb + h) - f * hb;
    m[i] = 6 * (s - sb) - (i ? f * m[i - 1] : 0);
    hb = h;
    sb = s;
  }
  for (PetscInt i = n; i >= 0; i--) m[i] = (m[i] - (i < n ? (t[i + 1] - t[i]) * m[i + 1] : 0)) / d[i];
}

static PetscErrorCode join_cubic(PetscBool once, PetscInt n, const double *t, const double *v, double *m)
{
  double *d, *z, *all;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n + 1, &d, n + 1, &z, n + 1, &all));
  if (once)
    solve_clamped(n, t, v, d, all);
  else
    solve_periodic(n, t, v, d, z, all);
  for (PetscInt i = 0; i < 2 * n; i++) m[i] = all[(i + 1) / 2];
  PetscCall(PetscFree3(d, z, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Between chords of slopes sb and s over hb and h (Fritsch and Butland (1984)); within the bound of Fritsch and Carlson (1980), 3 of each. */
static double monotone_slope(double hb, double sb, double h, double s)
{
  const double wb = 2 * h + hb, w = h + 2 * hb;
  return (sb > 0 && s > 0) || (sb < 0 && s < 0) ? (wb + w) / (wb / sb + w / s) : 0;
}

/* Second derivatives of the cubics of Hermite. */
static void join_monotone(PetscBool once, PetscInt n, const double *t, const double *v, double *m)
{
  const double last = t[n] - t[n - 1], first = t[1] - t[0];
  const double end = once ? 0 : monotone_slope(last, (v[n] - v[n - 1]) / last, first, (v[1] - v[0]) / first);
  double left = end;

  for (PetscInt i = 0; i < n; i++) {
    const double h = t[i + 1] - t[i], s = (v[i + 1] - v[i]) / h, next = i < n - 1 ? t[i + 2] - t[i + 1] : 0;
    const double right = i < n - 1 ? monotone_slope(h, s, next, (v[i + 2] - v[i + 1]) / next) : end;
    m[2 * i] = (6 * s - 4 * left - 2 * right) / h;
    m[2 * i + 1] = (2 * left + 4 * right - 6 * s) / h;
    left = right;
  }
}

PetscErrorCode RhxJoinRows(int how, PetscBool once, PetscInt n, const double *t, const double *v, double *m)
{
  PetscFunctionBegin;
  if (how == RHX_JOIN_CUBIC)
    PetscCall(join_cubic(once, n, t, v, m));
  else if (how == RHX_JOIN_MONOTONE)
    join_monotone(once, n, t, v, m);
  else
    PetscCall(PetscArrayzero(m, 2 * n));
  PetscFunctionReturn(PETSC_SUCCESS);
}
