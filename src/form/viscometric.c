/* Conformations of steady simple shear L = g d (x) n, d.n = 0, between the rates at which the law was asked: those are powers of RATIO, whatever
 * was asked first, and between them each component is the polynomial in log g through the PLACES nearest ones. */
#include "form/inside_impl.h"
#include "form/shear_impl.h"
#include "form/viscometric_impl.h"
#include "petsc_compat.h"
#include <math.h>

#define RATIO 1.05   /* of rates that follow each other */
#define PLACES 8     /* on which a polynomial stands */
#define SMOOTH 1e-10 /* between a law's component and its polynomial, relative */
#define NOISE 1e-13  /* of the largest component: rounding of either */
#define MORE 256     /* rates that a table grows by */

typedef enum { UNKNOWN, GOOD, BAD } Known;

struct _RhxViscometric {
  PetscInt first, n; /* power of RATIO of the first rate; rates */
  double (*part)[RHX_SHEAR_PARTS];
  unsigned char *rate, *interval; /* Known: the state at a rate, the polynomial from there to the next */
};

/* Room for the powers from `low` to below `high`. */
static PetscErrorCode make_room(struct _RhxViscometric *v, PetscInt low, PetscInt high)
{
  struct _RhxViscometric wide = {0};

  PetscFunctionBegin;
  if (v->n && low >= v->first && high <= v->first + v->n) PetscFunctionReturn(PETSC_SUCCESS);
  wide.first = (v->n ? PetscMin(v->first, low) : low) - MORE;
  wide.n = (v->n ? PetscMax(v->first + v->n, high) : high) + MORE - wide.first;
  PetscCall(PetscCalloc3(wide.n, &wide.part, wide.n, &wide.rate, wide.n, &wide.interval));
  if (v->n) {
    const PetscInt at = v->first - wide.first;
    PetscCall(PetscArraycpy(wide.part + at, v->part, v->n));
    PetscCall(PetscArraycpy(wide.rate + at, v->rate, v->n));
    PetscCall(PetscArraycpy(wide.interval + at, v->interval, v->n));
  }
  PetscCall(PetscFree3(v->part, v->rate, v->interval));
  *v = wide;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parts of a law's own steady state, of flow along x and shear along y; good: there is one. */
static PetscErrorCode ask(const RhxPointMode *law, double g, double part[RHX_SHEAR_PARTS], PetscBool *good)
{
  const int nt = law->ntens;
  const double L[9] = {0.0, g};
  double c[6] = {1.0, 1.0, nt > 3}, at = 0.0;

  PetscFunctionBegin;
  PetscCall(RhxPointSteady(law, L, &at, c));
  *good = (PetscBool)(at >= 1.0);
  part[0] = c[0];
  part[1] = c[1];
  part[2] = nt > 3 ? c[2] : 1.0;
  part[3] = c[rhx_tensor_index(law->dim, nt, 0, 1)];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The polynomial at the share s of the interval from rate k of the table to the next. */
static void interpolate(const struct _RhxViscometric *v, PetscInt k, double s, double part[RHX_SHEAR_PARTS])
{
  static const double over[PLACES] = {-1.0 / 5040, 1.0 / 720, -1.0 / 240, 1.0 / 144,
                                      -1.0 / 144,  1.0 / 240, -1.0 / 720, 1.0 / 5040}; /* over products of (j - m) */
  double below[PLACES] = {1.0}, above[PLACES];

  above[PLACES - 1] = 1.0;
  for (int j = 1; j < PLACES; j++) below[j] = below[j - 1] * (s + PLACES / 2 - j);
  for (int j = PLACES - 2; j >= 0; j--) above[j] = above[j + 1] * (s + PLACES / 2 - 2 - j);
  for (int i = 0; i < RHX_SHEAR_PARTS; i++) part[i] = 0.0;
  for (int j = 0; j < PLACES; j++) {
    const double weight = below[j] * above[j] * over[j];
    for (int i = 0; i < RHX_SHEAR_PARTS; i++) part[i] += weight * v->part[k - PLACES / 2 + 1 + j][i];
  }
}

/* Asks the law at the rates of an interval, and in its middle, whether the polynomial is what it says there. Along the axes: in another frame
 * rounding is that of the largest component, and laws are told apart from objective ones when they are loaded. */
static PetscErrorCode look(struct _RhxViscometric *v, const RhxPointMode *law, PetscInt k)
{
  double here[RHX_SHEAR_PARTS], there[RHX_SHEAR_PARTS], most = 0.0;
  PetscBool good;

  PetscFunctionBegin;
  v->interval[k] = BAD;
  for (PetscInt j = k - PLACES / 2 + 1; j <= k + PLACES / 2; j++) {
    if (v->rate[j] == UNKNOWN) {
      PetscCall(ask(law, pow(RATIO, (double)(v->first + j)), v->part[j], &good));
      v->rate[j] = good ? GOOD : BAD;
    }
    if (v->rate[j] == BAD) PetscFunctionReturn(PETSC_SUCCESS);
  }
  interpolate(v, k, 0.5, here);
  PetscCall(ask(law, pow(RATIO, v->first + k + 0.5), there, &good));
  for (int i = 0; i < RHX_SHEAR_PARTS; i++) most = fmax(most, fabs(there[i]));
  for (int i = 0; i < RHX_SHEAR_PARTS; i++)
    good = (PetscBool)(good && fabs(here[i] - there[i]) <= SMOOTH * fabs(there[i]) + NOISE * most);
  if (good) v->interval[k] = GOOD;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormViscometric(RhxForm form, PetscInt mode, const RhxPointMode *law, const double *L, double *c,
                                  double *logc, PetscBool *found)
{
  struct _RhxViscometric *v;
  double power, part[RHX_SHEAR_PARTS], of[RHX_SHEAR_PARTS];
  RhxShear shear;
  PetscInt k;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  if (!RhxShearFind(law->dim, L, &shear)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!form->in->viscometric) PetscCall(PetscCalloc1(form->nmodes, &form->in->viscometric));
  v = &form->in->viscometric[mode];
  power = log(shear.g) / log(RATIO);
  k = (PetscInt)floor(power);
  PetscCall(make_room(v, k - PLACES, k + PLACES));
  k -= v->first;
  if (v->interval[k] == UNKNOWN) PetscCall(look(v, law, k));
  if (v->interval[k] == BAD) PetscFunctionReturn(PETSC_SUCCESS);
  interpolate(v, k, power - floor(power), part);
  if (logc && !RhxShearLogarithm(part, of)) PetscFunctionReturn(PETSC_SUCCESS);
  RhxShearTurn(&shear, law->dim, law->ntens, part, c);
  if (logc) RhxShearTurn(&shear, law->dim, law->ntens, of, logc);
  *found = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormForgetShear(RhxForm form)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(&form->in->flow_curve, sizeof(form->in->flow_curve)));
  for (PetscInt m = 0; form->in->viscometric && m < form->nmodes; m++) {
    struct _RhxViscometric *v = &form->in->viscometric[m];
    PetscCall(PetscFree3(v->part, v->rate, v->interval));
  }
  PetscCall(PetscFree(form->in->viscometric));
  PetscFunctionReturn(PETSC_SUCCESS);
}
