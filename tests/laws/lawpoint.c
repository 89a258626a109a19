/* The laws chosen by -physics at points given on standard input, one a line: dim ntens L[dim^2] c[ntens]. Prints a line:
 * viscosity of the viscous law (0 without), then for each mode the rate of c in a homogeneous flow, the stress, the rate of
 * the stress, eta_p, lambda, modulus. */
#include "form/form.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include "plugin/registry.h"

static int read_numbers(int n, double *x)
{
  for (int k = 0; k < n; k++)
    if (scanf("%lf", &x[k]) != 1) return 0;
  return 1;
}

static void print_numbers(int n, const double *x)
{
  for (int k = 0; k < n; k++) printf(" %.17g", x[k]);
}

static void print_mode(const RhxFormMode *fm, int dim, int nt, const double *L, const double *c)
{
  const RhxPointLaw *point = RhxPointLawGet(dim, nt, RHX_KIND_DOUBLE),
                    *slope = RhxPointLawGet(dim, nt, RHX_KIND_COMPLEX);
  double f[6], df[6], tau[6], dtau[6], rate[6] = {0}, prop[3];
  for (int k = 0; k < nt; k++) {
    slope->balance(fm->law, fm->par, fm->slip, L, c, k, f, df);
    slope->stress_slope(fm->law, fm->par, L, c, k, dtau);
    for (int i = 0; i < nt; i++) rate[i] -= dtau[i] * f[k];
  }
  point->balance(fm->law, fm->par, fm->slip, L, c, 0, f, df);
  for (int k = 0; k < nt; k++) f[k] = -f[k];
  point->stress(fm->law, fm->par, L, c, tau);
  point->properties(fm->law, fm->par, L, c, prop);
  print_numbers(nt, f);
  print_numbers(nt, tau);
  print_numbers(nt, rate);
  print_numbers(3, prop);
}

static PetscErrorCode answer(void)
{
  RhxForm form;
  int dim, nt;
  PetscFunctionBegin;
  PetscCall(RhxFormRegisterOptions());
  PetscCall(RhxPluginsLoad(PETSC_COMM_WORLD));
  PetscCall(RhxFormCreate(PETSC_COMM_WORLD, &form));
  PetscCall(RhxFormSetFromOptions(form));
  while (scanf("%d %d", &dim, &nt) == 2) {
    double L[9], c[6], eta = 0.0;
    PetscCheck(read_numbers(dim * dim, L) && read_numbers(nt, c), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "Line too short");
    if (form->viscous) RhxPointLawGet(dim, nt, RHX_KIND_DOUBLE)->viscosity(form->viscous, form->viscous_par, L, &eta);
    printf("%.17g", eta);
    for (PetscInt m = 0; m < form->nmodes; m++) print_mode(&form->mode[m], dim, nt, L, c);
    printf("\n");
  }
  PetscCall(RhxFormDestroy(&form));
  PetscCall(RhxPluginsUnload());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  if (PetscInitialize(&argc, &args, NULL, NULL)) return 2;
  if (answer()) return 1;
  return PetscFinalize() ? 2 : 0;
}
