/* Laws in time at a point. Where all gradients of a step are shear in one frame, as in a slit or a tube, a law of space is stepped with the four
 * components of the plane, which are all that such a flow leads to from a state that has no others. */
#include "form/transient.h"
#include "form/law_impl.h"
#include "form/shear_impl.h"
#include "petsc_compat.h"
#include <math.h>

#define SAME 1e-13 /* of the largest gradient: what is off the frame's shear, rounding */

void RhxFormGetPlaces(double place[RHX_FORM_PLACES])
{
  _Static_assert(RHX_FORM_PLACES == RHX_POINT_PLACES, "places of a step in time");
  for (int i = 0; i < RHX_FORM_PLACES; i++) place[i] = i ? RhxPointStage[i - 1] : 0.0;
}

/* The frame of the fastest of the gradients L[places][3][3] and the plane's[places][2][2] of all of them in it; false: they have none. */
static PetscBool find_frame(const double *L, RhxShear *shear, double plane[RHX_FORM_PLACES][4])
{
  RhxShear of[RHX_FORM_PLACES] = {{0}};
  int fastest = 0;

  for (int i = 0; i < RHX_FORM_PLACES; i++) {
    if (!RhxShearFind(3, L + 9 * i, &of[i])) of[i].g = 0.0;
    if (of[i].g > of[fastest].g) fastest = i;
  }
  *shear = of[fastest];
  if (!(shear->g > 0.0)) return PETSC_FALSE;
  for (int i = 0; i < RHX_FORM_PLACES; i++) {
    double rate = 0.0;
    for (int k = 0; k < 9; k++) rate += shear->d[k / 3] * L[9 * i + k] * shear->n[k % 3];
    for (int k = 0; k < 9; k++)
      if (!(fabs(L[9 * i + k] - rate * shear->d[k / 3] * shear->n[k % 3]) <= SAME * shear->g)) return PETSC_FALSE;
    plane[i][0] = plane[i][2] = plane[i][3] = 0.0;
    plane[i][1] = rate;
  }
  return PETSC_TRUE;
}

/* Unknowns from the parts of conformations. */
static PetscErrorCode unknown_of(RhxForm form, PetscInt mode, const RhxShear *shear, const double *part,
                                 const double *c, double *unknown)
{
  double of[RHX_SHEAR_PARTS];

  PetscFunctionBegin;
  if (form->representation == RHX_LOGCONF && RhxShearLogarithm(part, of))
    RhxShearTurn(shear, 3, 6, of, unknown);
  else
    PetscCall(RhxFormUnknown(form, mode, c, unknown));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *done: the step, or that there is none, is found. */
static PetscErrorCode step_in_frame(RhxForm form, PetscInt mode, const double *L, const double *a, double dt, double *c,
                                    double *unknown, double *error, PetscBool *done)
{
  RhxPointMode pm = RhxFormPointMode(form, mode);
  double plane[RHX_FORM_PLACES][4], of[RHX_FORM_PLACES][4], part[RHX_FORM_PLACES][RHX_SHEAR_PARTS];
  RhxShear shear;

  PetscFunctionBegin;
  *done = (PetscBool)(pm.ntens == 6 && find_frame(L, &shear, plane) && RhxShearParts(&shear, 3, 6, c, of[0]));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  pm.dim = 2;
  pm.ntens = RHX_SHEAR_PARTS;
  RhxPointTransient(&pm, plane[0], a, dt, of[0], error);
  if (!(*error < PETSC_INFINITY)) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < RHX_FORM_PLACES; i++) {
    PetscCall(PetscArraycpy(part[i], of[i], RHX_SHEAR_PARTS));
    RhxShearTurn(&shear, 3, 6, part[i], c + 6 * i);
    if (unknown) PetscCall(unknown_of(form, mode, &shear, part[i], c + 6 * i, unknown + 6 * i));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormTransient(RhxForm form, PetscInt mode, const double *plane, const double *a, double dt, double *c,
                                double *unknown, double *error)
{
  const RhxPointMode pm = RhxFormPointMode(form, mode);
  double whole[9 * RHX_FORM_PLACES];
  const double *L = RhxFormWholeGradient(form, RHX_FORM_PLACES, plane, whole);
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(step_in_frame(form, mode, L, a, dt, c, unknown, error, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  RhxPointTransient(&pm, L, a, dt, c, error);
  for (int i = 0; unknown && *error < PETSC_INFINITY && i < RHX_FORM_PLACES; i++)
    PetscCall(RhxFormUnknown(form, mode, c + pm.ntens * i, unknown + pm.ntens * i));
  PetscFunctionReturn(PETSC_SUCCESS);
}
