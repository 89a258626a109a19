/* -eigen_critical: where a growth rate changes its sign, by the secant method. */
#include "app/eigen.h"
#include "petsc_compat.h"
#include <math.h>
#include <stdio.h>

#define MOST 20      /* values */
#define FURTHEST 2.0 /* of the last step: one beyond the values that were given, */
#define NEAREST 0.1  /* of the distance from a lower bound of the parameter at least */

typedef struct {
  char option[256];
  double from, to;
  RhxCaseParameter parameter;
} Range;

/* Growth rates of either sign, 1/s, and their values, the nearest to each other. */
typedef struct {
  PetscBool has[2];
  double p[2], f[2];
} Bracket;

static PetscErrorCode read_range(RhxCase rc, const char *text, Range *r)
{
  int used = 0;
  PetscFunctionBegin;
  PetscCheck(
      sscanf(text, "%255[^=]=%lf:%lf%n", r->option, &r->from, &r->to, &used) == 3 && !text[used] && isfinite(r->from) &&
          isfinite(r->to) && r->from != r->to,
      PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
      "-eigen_critical: got '%s', expected option=a:b with two values between which, or near which, the growth rate "
      "changes its sign, such as physics_newtonian_viscosity=0.02:0.025",
      text);
  PetscCall(RhxCaseGetParameter(rc, "-eigen_critical", r->option, RHX_LARGEST_MODE, &r->parameter));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppEigenCheckCritical(RhxCase rc, const RhxCritical *c)
{
  const RhxParameter *how;
  char takes[256];
  Range r;
  PetscFunctionBegin;
  PetscCall(read_range(rc, c->text, &r));
  how = &r.parameter.how;
  RhxRowDescribe(r.parameter.row, takes, sizeof(takes));
  for (PetscInt k = 0; k < 2 * how->n; k++) {
    const double end = k % 2 ? r.to : r.from, value = end * how->factor[k / 2];
    char of[64] = "";
    if (how->n > 1) snprintf(of, sizeof(of), ", with which mode %d has %g", (int)k / 2, value);
    PetscCheck(RhxRowHolds(r.parameter.row, value), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
               "-eigen_critical: got %s = %g%s, expected %s", r.option, end, of, takes);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What helps where Newton's method finds no state. The states of a bracket may be of two branches. */
static void advise(const Range *r, const Bracket *b, size_t size, char *text)
{
  const double *p = b->p, *f = b->f;
  snprintf(text, size, "a value nearer to that of the case");
  if (!b->has[0] || !b->has[1]) return;
  snprintf(
      text, size,
      "values of -eigen_critical beside the zero: growth rates are %.4g and %.4g (1/s) at %s = %.8g and %.8g, on a "
      "line between which 0 is at %.4g; but without symmetry, of the mesh too, a pitchfork leaves branches that do "
      "not meet, and no zero: try a mesh that is symmetric about the flow's axis, or the branch "
      "(-scheme_steady_continuation_type arclength)",
      f[0], f[1], r->option, p[0], p[1], p[0] - f[0] * (p[1] - p[0]) / (f[1] - f[0]));
}

/* What lies outside a bracket makes none that is narrower. */
static void note(Bracket *b, double p, double f)
{
  const int side = f > 0.0;
  const PetscBool both = (PetscBool)(b->has[0] && b->has[1]);
  if (both && !(p > fmin(b->p[0], b->p[1]) && p < fmax(b->p[0], b->p[1]))) return;
  if (!both && b->has[side] && fabs(f) >= fabs(b->f[side])) return;
  b->has[side] = PETSC_TRUE;
  b->p[side] = p;
  b->f[side] = f;
}

/* Of the eigenmodes near the shift the one that grows the fastest, told. */
static PetscErrorCode growth_at(const RhxCritical *c, const Range *r, double p, RhxSpectrum spectrum, Vec x,
                                RhxTable table, Bracket *bracket, double *growth)
{
  RhxEigenmode *mode;
  PetscInt found, best = 0;
  char problem[RHX_MESSAGE], rough[64] = "", hint[1024];
  PetscFunctionBegin;
  advise(r, bracket, sizeof(hint), hint);
  PetscCall(RhxSpectrumMove(spectrum, &r->parameter.how, p, hint, x));
  PetscCall(PetscMalloc1(c->number, &mode));
  PetscCall(RhxSpectrumSolve(spectrum, c->shift, c->number, c->most, &found, mode));
  PetscCheck(found, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED,
             "-eigen_critical: no eigenmode was found at %s = %g near the shift %g%+gi, expected a shift nearer to one "
             "(-eigen_shifts), or a larger -eigen_number",
             r->option, p, c->shift[0], c->shift[1]);
  for (PetscInt i = 1; i < found; i++)
    if (mode[i].value[0] > mode[best].value[0]) best = i;
  const double row[] = {p, mode[best].value[0], mode[best].value[1], mode[best].residual};
  *growth = row[1];
  note(bracket, p, *growth);
  if (mode[best].roughness > RHX_ROUGH)
    snprintf(rough, sizeof(rough), ", roughness %.2f: of the mesh", mode[best].roughness);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "critical: %s = %.10g: growth rate %.6g, frequency %.10g%s\n", r->option, p,
                        row[1], row[2], rough));
  PetscCall(RhxTableWrite(table, row, problem));
  PetscCheck(!problem[0], PETSC_COMM_WORLD, PETSC_ERR_FILE_WRITE, "%s", problem);
  for (PetscInt i = 0; i < found; i++) PetscCall(RhxEigenmodeDestroy(&mode[i]));
  PetscCall(PetscFree(mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On from two values towards the zero that they foresee, by twice their distance at most. */
static double go_on(const double p[2], double next)
{
  const double furthest = FURTHEST * fabs(p[1] - p[0]);
  return fabs(next - p[1]) > furthest ? p[1] + copysign(furthest, next - p[1]) : next;
}

/* May the parameter take a value after the last one, in every mode? Beyond those given it does not come near to a lower bound at once. */
static PetscBool is_possible(const Range *r, double last, double next)
{
  const RhxRow *row = r->parameter.row;
  const RhxParameter *how = &r->parameter.how;
  for (PetscInt k = 0; k < how->n; k++)
    if (!RhxRowHolds(row, next * how->factor[k])) return PETSC_FALSE;
  if (!how->n || (row->bound != RHX_GT && row->bound != RHX_GE) || next >= fmin(r->from, r->to)) return PETSC_TRUE;
  return (PetscBool)(next - row->lower >= NEAREST * (last - row->lower));
}

/* p[0] and p[1] with growth rates f, to p[1]. */
static PetscErrorCode secant(const RhxCritical *c, const Range *r, RhxSpectrum spectrum, Vec x, RhxTable table)
{
  const double width = fabs(r->to - r->from);
  double least = fmin(r->from, r->to) - width, most = fmax(r->from, r->to) + width;
  double p[2] = {r->from, r->to}, f[2], first[2];
  Bracket bracket = {{PETSC_FALSE, PETSC_FALSE}, {0.0}, {0.0}};
  PetscInt n = 2;
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) PetscCall(growth_at(c, r, p[k], spectrum, x, table, &bracket, &f[k]));
  for (int k = 0; k < 2; k++) first[k] = f[k];
  while (fabs(p[1] - p[0]) > c->tol * fabs(p[1])) {
    double next = p[1] - f[1] * (p[1] - p[0]) / (f[1] - f[0]);
    const PetscBool inside = (PetscBool)(next >= least && next <= most);
    const double far = inside ? next : go_on(p, next);
    PetscCheck(
        n < MOST && is_possible(r, p[1], far) && (inside || (fabs(f[1]) < fabs(f[0]) && fabs(next) <= PETSC_MAX_REAL)),
        PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED,
        "-eigen_critical: got growth rates %.4g and %.4g (1/s) at %s = %g and %g, and no zero among %" PetscInt_FMT
        " values (the next would be %g); expected two values about it, or a shift that is nearer to the eigenmode",
        first[0], first[1], r->option, r->from, r->to, n, next);
    next = far;
    least = fmin(least, next - width);
    most = fmax(most, next + width);
    p[0] = p[1];
    f[0] = f[1];
    p[1] = next;
    n++;
    PetscCall(growth_at(c, r, next, spectrum, x, table, &bracket, &f[1]));
    if (f[1] == 0.0) break;
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "critical value: %s = %.8g\n", r->option, p[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppEigenCritical(RhxCase rc, const RhxCritical *c, RhxSpectrum spectrum, Vec x)
{
  static const char *const columns[] = {"value", "growth_rate", "angular_frequency", "residual"};
  char file[PETSC_MAX_PATH_LEN];
  RhxTable table;
  Range r;
  PetscFunctionBegin;
  PetscCall(read_range(rc, c->text, &r));
  if (r.parameter.how.n > 1)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "critical: the value of %s is that of the largest of %" PetscInt_FMT
                          " modes; the others keep their ratios to it\n",
                          r.option, r.parameter.how.n));
  PetscCall(RhxCaseGetPath(rc, "_critical.csv", sizeof(file), file));
  PetscCall(RhxTableCreate(PETSC_COMM_WORLD, file, PETSC_FALSE, PETSC_STATIC_ARRAY_LENGTH(columns), columns, &table));
  PetscCall(secant(c, &r, spectrum, x, table));
  PetscCall(RhxTableClose(&table));
  PetscFunctionReturn(PETSC_SUCCESS);
}
