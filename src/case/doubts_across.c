/* Pressures of outlets beside a second normal stress difference. */
#include "boundary/across.h"
#include "boundary/scalar.h"
#include "case/impl.h"
#include "form/relaxation.h"
#include "form/scalars.h"
#include "petsc_compat.h"

#define ALONG 0.02   /* of the shear stress: with .04 the velocity at an outlet is off by 1 to 2 % */
#define HARDLY 0.005 /* of a factor */
#define UPSTREAM "pressures taken further upstream"

/* shifted: the developed stress of an outlet is then refused (src/form/ask.c). */
static void advise(const RhxAcross *a, PetscBool shifted, const char *label, size_t size, char *text)
{
  if (shifted)
    snprintf(text, size, UPSTREAM);
  else if (!a->developed)
    snprintf(text, size, "-bc_%s_polymer developed, which gives it in the plane and in tubes, or " UPSTREAM, label);
  else if (a->fits)
    snprintf(text, size, "-bc_%s_pressure_means mean, or " UPSTREAM, label);
  else
    snprintf(text, size,
             UPSTREAM ", or a formula of it with -bc_%s_pressure_means local: -bc_%s_polymer developed gives none over "
                      "a section that is neither straight nor a circle",
             label, label);
}

static PetscErrorCode tell(RhxCase rc, const RhxAcross *a, const char *label, const char *got)
{
  char expected[768];

  PetscFunctionBegin;
  if (a->gives)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: -bc_%s_pressure: got a formula that differs over '%s', to which "
                           "-bc_%s_polymer developed adds the pressure of a second normal stress difference (%s); "
                           "expected -bc_%s_pressure_means local where the formula holds that already, or mean where "
                           "it does not\n",
                           label, label, label, got, label));
  else if (a->mean)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: -bc_%s_pressure_means: got mean over a section that is neither straight "
                           "nor a circle, to which nothing is added of the pressure of a second normal stress "
                           "difference (%s); expected local, with a formula of all of the pressure, or " UPSTREAM "\n",
                           label, got));
  else {
    advise(a, (PetscBool)((rc->form->coupled & RHX_SHIFTS) != 0), label, sizeof(expected), expected);
    PetscCall(
        PetscFPrintf(rc->comm, PETSC_STDERR,
                     "rheoplex: warning: '%s' gives a pressure that is the same all over it, beside a fluid whose "
                     "stress along the velocity's gradient is %s (a second normal stress difference), which the "
                     "pressure of developed flow follows: the flow is another one within a width before it; "
                     "expected %s\n",
                     label, got, expected));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The larger stress along the gradient over the shear stress, at the rate of the case, of laws that the fields of the label shift: by the least and by the
 * greatest of what it gives, or, where it gives none, by those that the run begins with. */
static PetscErrorCode cross_stress(RhxCase rc, const char *label, double t, double end, double *ratio, double *factor)
{
  const RhxForm form = rc->form;
  PetscReal fields[2][RHX_MAX_SCALARS], range[2], shift[2];
  PetscBool gives;
  double one;

  PetscFunctionBegin;
  *ratio = 0.0;
  *factor = 1.0;
  for (PetscInt k = 0; k < form->nscalars; k++) {
    fields[0][k] = fields[1][k] = form->scalar[k].usual;
    PetscCall(RhxBoundaryGivesScalar(rc->bc, label, k, &gives));
    if (gives) PetscCall(RhxBoundaryScalarRange(rc->bc, label, k, t, end, range, &gives));
    for (int i = 0; i < 2 && gives; i++) fields[i][k] = range[i];
  }
  for (int i = 0; i < 2; i++) {
    PetscCall(RhxFormShift(form, fields[i], shift));
    PetscCall(RhxFormCrossStress(form, rc->option.velocity / rc->option.length, shift, &one));
    if (!(PetscAbsReal(one) > *ratio)) continue;
    *ratio = PetscAbsReal(one);
    *factor = shift[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Developed flow has p - tau along the gradient constant over its section, an outlet p: the last width of the flow turns. A formula that
 * differs over the label may hold that already. */
PetscErrorCode RhxCaseDoubtAcross_Private(RhxCase rc, const char *label, double t, PetscBool steady)
{
  const double end = steady ? PETSC_MAX_REAL : RhxCaseLookUntil_Private(rc, t); /* steady: a continuation in t */
  PetscBool doubted;
  char got[128], shifted[48] = "";
  double ratio, factor;
  RhxAcross a;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryLookAcross(rc->bc, label, t, end, &a));
  PetscCall(cross_stress(rc, label, t, steady ? t : end, &ratio, &factor));
  doubted = (PetscBool)(a.gives ? a.varies && !a.mean : !a.varies || a.mean);
  if (!doubted || !(ratio > ALONG)) PetscFunctionReturn(PETSC_SUCCESS);
  if (PetscAbsReal(factor - 1.0) > HARDLY) snprintf(shifted, sizeof(shifted), " by laws shifted %.3g-fold", factor);
  snprintf(got, sizeof(got), "%.2g of the shear stress at %.3g 1/s%s", ratio, rc->option.velocity / rc->option.length,
           shifted);
  PetscCall(tell(rc, &a, label, got));
  PetscFunctionReturn(PETSC_SUCCESS);
}
