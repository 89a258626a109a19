#include "form/implicit_impl.h"
#include "form/scalars.h"
#include "kernels/pass.h"
#include "law/pointlaw.h"
#include <math.h>

#define SAFE 1.5

static PetscBool viscosity_varies(RhxForm form)
{
  const RhxSpace sp = form->space;
  const RhxPointLaw *point = RhxPointLawGet((int)sp->dim, (int)sp->ntens, RHX_KIND_DOUBLE);
  double first = 0.0;
  if (!form->viscous) return PETSC_FALSE;
  for (int decade = -6; decade <= 6; decade++) {
    double L[9] = {0}, eta;
    L[1] = pow(10.0, decade);
    point->viscosity(form->viscous, form->viscous_par, L, &eta);
    if (decade == -6) first = eta;
    if (!(PetscAbsReal(eta - first) <= 1e-12 * first)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Do fields shift the laws, at values from a tenth of the first ones to ten times these? */
static PetscBool is_shifted(RhxForm form)
{
  double fields[RHX_MAX_SCALARS], factor[2];
  for (PetscInt k = 0; k < form->nscalars && (form->coupled & RHX_SHIFTS); k++)
    for (int i = -16; i <= 16; i++) {
      for (PetscInt l = 0; l < form->nscalars; l++)
        fields[l] = form->scalar[l].usual == form->scalar[l].usual ? form->scalar[l].usual : form->scalar[l].set.scale;
      fields[k] = (fields[k] != 0.0 ? fields[k] : form->scalar[k].set.scale) * pow(10.0, i / 16.0);
      if (RhxFormShift(form, fields, factor) || factor[0] != 1.0 || factor[1] != 1.0) return PETSC_TRUE;
    }
  return PETSC_FALSE;
}

/* What is of the extrapolated velocity acts with a stiffness k of the form beside the a that is solved for; in the limit of
 * large steps a z^2 + k (2 z - 1) = 0 asks for k <= a/3. Transposed gradients make k up to a on boundaries with their
 * traction, and where the viscosity varies, as scalar fields that shift it do; the change of a viscosity that rises as the rate to the power n - 1, n - 1 times a.
 * With half of a taken from both to the other side k <= a and n <= 2 are stable. */
double RhxFormImplicitViscosity(RhxForm form)
{
  if (is_shifted(form)) return SAFE;
  for (PetscInt k = 0; k < form->nface_terms; k++)
    if (form->face_term[k].form != RHX_FACE_GRADIENT) return SAFE;
  return viscosity_varies(form) ? SAFE : 1.0;
}
