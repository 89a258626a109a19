/* Laws without elements: nodal stress and conformation, viscosities, the local steady state of a law. */
#include "form/form.h"
#include "form/law_impl.h"
#include "form/relaxation.h"
#include "form/scalars.h"
#include "form/transient.h"
#include "form/viscometric_impl.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include "plugin/registry.h"
#include <math.h>
#include <petscblaslapack.h>

#define MAX_TENS 6

static PetscInt law_dimension(RhxForm form) { return form->space->ntens == 6 ? 3 : form->space->dim; }

static const RhxPointLaw *point_law(RhxForm form, int kind)
{
  return RhxPointLawGet((int)form->space->dim, (int)form->space->ntens, kind);
}

static void identity(RhxForm form, double *c)
{
  const PetscInt nt = form->space->ntens, ndiag = nt == 3 ? 2 : 3;
  for (PetscInt k = 0; k < nt; k++) c[k] = k < ndiag ? 1.0 : 0.0;
}

PetscErrorCode RhxFormModulus(RhxForm form, PetscInt mode, double *scale)
{
  const double L[9] = {0};
  double c[MAX_TENS], prop[3];
  PetscFunctionBegin;
  *scale = 1.0;
  if (form->representation == RHX_STRESS) {
    identity(form, c);
    point_law(form, RHX_KIND_DOUBLE)->properties(form->mode[mode].law, form->mode[mode].par, L, c, prop);
    *scale = prop[2];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormCheckLogarithm(RhxForm form)
{
  const char *law = NULL;
  PetscFunctionBegin;
  if (form->representation == RHX_LOGCONF) PetscCall(RhxFormFindUncommuting(form, &law));
  PetscCheck(
      !law, form->comm, PETSC_ERR_ARG_INCOMP,
      "Law '%s' has a rate that does not commute with the conformation, as a slip that is written there with D: got "
      "-polymer_variable logconf, whose equation leaves that part out, expected conformation, or stress of a "
      "linear spring (or a slip by RHX_SLIP_ROW)",
      law);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormRest(RhxForm form, PetscInt mode, double *s)
{
  PetscFunctionBegin;
  (void)mode;
  identity(form, s);
  if (form->representation != RHX_CONFORMATION) PetscCall(PetscArrayzero(s, form->space->ntens));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conformation of one mode from its unknown. */
static void conformation(RhxForm form, PetscInt mode, const RhxPointLaw *point, const PetscScalar *s, double *c)
{
  const PetscInt nt = form->space->ntens;
  if (form->representation == RHX_LOGCONF)
    point->exponential(s, c);
  else if (form->representation == RHX_STRESS) {
    identity(form, c);
    for (PetscInt k = 0; k < nt; k++) c[k] += s[k] / form->scale[mode];
  } else
    for (PetscInt k = 0; k < nt; k++) c[k] = s[k];
}

PetscErrorCode RhxFormConformation(RhxForm form, PetscInt mode, PetscInt n, const PetscScalar *x, PetscScalar *c)
{
  const RhxSpace sp = form->space;
  const PetscInt off = RhxFieldsGet(sp->fields, RHX_GROUP_MODES, mode)->offset;
  const RhxPointLaw *point = point_law(form, RHX_KIND_DOUBLE);
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++)
    conformation(form, mode, point, x + (size_t)i * sp->bs + off, c + (size_t)i * sp->ntens);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormPolymerStress(RhxForm form, PetscInt mode, PetscInt n, const PetscScalar *x, PetscScalar *tau)
{
  const RhxSpace sp = form->space;
  const PetscInt off = RhxFieldsGet(sp->fields, RHX_GROUP_MODES, mode)->offset, nt = sp->ntens;
  const RhxPointLaw *point = point_law(form, RHX_KIND_DOUBLE);
  const double L[9] = {0};
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    const PetscScalar *s = x + (size_t)i * sp->bs + off;
    double c[MAX_TENS];
    if (form->representation == RHX_STRESS)
      PetscCall(PetscArraycpy(tau + (size_t)i * nt, s, nt));
    else {
      conformation(form, mode, point, s, c);
      point->stress(form->mode[mode].law, form->mode[mode].par, L, c, tau + (size_t)i * nt);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormViscosity(RhxForm form, double *eta_s, double *eta_p)
{
  const RhxPointLaw *point = point_law(form, RHX_KIND_DOUBLE);
  const double L[9] = {0};
  double c[MAX_TENS], prop[3], shift[2];
  PetscFunctionBegin;
  PetscCall(RhxFormUsualShift(form, shift));
  *eta_s = *eta_p = 0.0;
  if (form->viscous) point->viscosity(form->viscous, form->viscous_par, L, eta_s);
  *eta_s *= shift[0] * shift[1];
  identity(form, c);
  for (PetscInt m = 0; m < form->nmodes; m++) {
    point->properties(form->mode[m].law, form->mode[m].par, L, c, prop);
    *eta_p += shift[0] * prop[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Eigenvalues w of c in the plane or in space, ascending, and in A its eigenvectors; false: c is not finite. */
static PetscBool eigen(RhxForm form, const double *c, double *A, double *w)
{
  const PetscInt dim = law_dimension(form), nt = form->space->ntens;
  double work[32];
  PetscBLASInt n = (PetscBLASInt)dim, lwork = 32, info;
  for (PetscInt k = 0; k < nt; k++)
    if (PetscIsInfOrNanReal(c[k])) return PETSC_FALSE;
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) A[i * dim + j] = c[rhx_tensor_index(dim, nt, i, j)];
  LAPACKsyev_("V", "U", &n, A, &n, w, work, &lwork, &info);
  return (PetscBool)!info;
}

PetscErrorCode RhxFormSmallestEigenvalue(RhxForm form, PetscInt mode, const PetscScalar *s, double *smallest)
{
  double c[MAX_TENS], A[9], w[3] = {NAN, NAN, NAN};
  PetscFunctionBegin;
  conformation(form, mode, point_law(form, RHX_KIND_DOUBLE), s, c);
  (void)eigen(form, c, A, w);
  *smallest = form->space->ntens == 4 && c[2] < w[0] ? c[2] : w[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormLogarithm(RhxForm form, const double *c, double *s)
{
  const PetscInt dim = law_dimension(form), nt = form->space->ntens;
  double A[9], w[3] = {NAN, NAN, NAN};
  PetscFunctionBegin;
  PetscCheck(eigen(form, c, A, w) && w[0] > 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "The conformation tensor has no logarithm: got smallest eigenvalue %g, expected above 0", w[0]);
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = i; j < dim; j++) {
      double v = 0.0;
      for (PetscInt k = 0; k < dim; k++) v += A[k * dim + i] * PetscLogReal(w[k]) * A[k * dim + j];
      s[rhx_tensor_index(dim, nt, i, j)] = v;
    }
  if (nt == 4) s[2] = PetscLogReal(c[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormUnknown(RhxForm form, PetscInt mode, const double *c, double *s)
{
  const PetscInt nt = form->space->ntens, ndiag = nt == 3 ? 2 : 3;
  PetscFunctionBegin;
  if (form->representation == RHX_LOGCONF)
    PetscCall(RhxFormLogarithm(form, c, s));
  else
    for (PetscInt k = 0; k < nt; k++)
      s[k] = form->representation == RHX_STRESS ? form->scale[mode] * (c[k] - (k < ndiag)) : c[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

const double *RhxFormWholeGradient(RhxForm form, PetscInt n, const double *plane, double *whole)
{
  if (law_dimension(form) == form->space->dim) return plane;
  for (PetscInt i = 0; i < n; i++, plane += 4, whole += 9) {
    for (PetscInt k = 0; k < 9; k++) whole[k] = 0.0;
    for (PetscInt k = 0; k < 4; k++) whole[k / 2 * 3 + k % 2] = plane[k];
  }
  return whole - 9 * n;
}

RhxPointMode RhxFormPointMode(RhxForm form, PetscInt mode)
{
  const RhxFormMode *fm = &form->mode[mode];
  return (RhxPointMode){fm->law, fm->par, fm->slip, (int)law_dimension(form), (int)form->space->ntens};
}

/* c of the whole gradient L, from rest. */
static PetscErrorCode solve_steady(RhxForm form, PetscInt mode, const RhxPointMode *pm, const double *L, double *c)
{
  double at = 0.0, g = 0.0;
  PetscFunctionBegin;
  identity(form, c);
  PetscCall(RhxPointSteady(pm, L, &at, c));
  for (PetscInt i = 0; i < pm->dim * pm->dim; i++) g = PetscMax(g, PetscAbsReal(L[i]));
  PetscCheck(!(at < 1.0), PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "Law '%s', mode %" PetscInt_FMT ", has no steady state at the profile's velocity gradient: got %g 1/s, "
             "expected below about %g 1/s (developed polymer stress)",
             pm->law->name, form->mode[mode].number, g, g * at);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormSteady(RhxForm form, PetscInt mode, const double *plane, double *c)
{
  const RhxPointMode pm = RhxFormPointMode(form, mode);
  double whole[9];
  const double *L = RhxFormWholeGradient(form, 1, plane, whole);
  PetscBool found;
  PetscFunctionBegin;
  PetscCall(RhxFormViscometric(form, mode, &pm, L, c, NULL, &found));
  if (!found) PetscCall(solve_steady(form, mode, &pm, L, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeveloped(RhxForm form, PetscInt mode, const double *plane, double *s, double *tau)
{
  const RhxPointMode pm = RhxFormPointMode(form, mode);
  const PetscBool logarithm = (PetscBool)(s && form->representation == RHX_LOGCONF);
  double c[MAX_TENS], whole[9], of[MAX_TENS];
  const double *L = RhxFormWholeGradient(form, 1, plane, whole);
  PetscBool found;
  PetscFunctionBegin;
  PetscCall(RhxFormViscometric(form, mode, &pm, L, c, logarithm ? s : NULL, &found));
  if (!found) PetscCall(solve_steady(form, mode, &pm, L, c));
  if (!tau) tau = of;
  point_law(form, RHX_KIND_DOUBLE)->stress(form->mode[mode].law, form->mode[mode].par, L, c, tau);
  if (s && form->representation == RHX_STRESS)
    PetscCall(PetscArraycpy(s, tau, form->space->ntens));
  else if (s && !(logarithm && found))
    PetscCall(RhxFormUnknown(form, mode, c, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormGrowth(RhxForm form, PetscInt mode, PetscInt m, const double *L, const PetscScalar *c,
                             double near, double *growth)
{
  const RhxFormMode *fm = &form->mode[mode];
  const PetscInt nt = form->space->ntens;
  const RhxPointMode pm = {fm->law, fm->par, fm->slip, (int)m, m == 3 ? 6 : (int)nt};
  double tensor[MAX_TENS] = {0.0};
  PetscFunctionBegin;
  for (PetscInt k = 0; k < nt; k++) tensor[pm.ntens > nt && k == 3 ? 5 : k] = c[k]; /* xy of four in six */
  PetscCall(RhxPointGrowth(&pm, L, tensor, near, growth));
  PetscFunctionReturn(PETSC_SUCCESS);
}
