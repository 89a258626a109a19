/* Each law against closed forms in steady shear, start-up of shear and steady elongation, in 2D, 2D with zz and 3D. */
#include "closed.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include <math.h>
#include <stdlib.h>

static int failures;

static void near(const char *law, const char *what, double got, double expected)
{
  double error = fabs(got - expected) / fmax(1.0, fabs(expected));
  int good = error <= 1e-11;
  printf("%s %-10s %-44s %.15g (%.1e)\n", good ? "ok    " : "FAILED", law, what, got, error);
  failures += !good;
}

static PetscErrorCode find_law(const char *name, Law *law)
{
  char prefix[256], *par;
  PetscFunctionBegin;
  PetscCall(RhxPluginFind(PETSC_COMM_SELF, RHX_POLYMERIC, name, &law->plugin));
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "physics_%s_", name));
  PetscCall(PetscMalloc1(law->plugin->param_size, &par));
  PetscCall(
      RhxRowsRead(PETSC_COMM_SELF, prefix, law->plugin->nrows, law->plugin->rows, 1, law->plugin->param_size, par));
  law->par = par;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void check_newtonian(const PointLaw *point, Law law, double eta)
{
  near("newtonian", "viscosity in shear", point->viscosity(law, SHEAR, 3.0), eta);
  near("newtonian", "viscosity at rest", point->viscosity(law, SHEAR, 0.0), eta);
  near("newtonian", "viscosity in planar elongation", point->viscosity(law, PLANAR_ELONGATION, 2.0), eta);
}

static void oldroyd_shear(const PointLaw *point, Law law, double eta, double lambda, double zz)
{
  double g = 2.5, wi = lambda * g, t = 0.7 * lambda, e = exp(-t / lambda);
  Tensor rest = {1, 1, zz, 0}, steady = {1 + 2 * wi * wi, 1, zz, wi}, tau, c;
  near("oldroydb", "steady shear: balance", point->balance(law, SHEAR, g, steady, &tau), 0.0);
  near("oldroydb", "steady shear: tau_xy", tau.xy, eta * g);
  near("oldroydb", "steady shear: N1", tau.xx - tau.yy, 2 * eta * lambda * g * g);
  near("oldroydb", "steady shear: N2", tau.yy - (zz > 0 ? tau.zz : 0), 0.0);
  c = point->evolve(law, SHEAR, g, rest, t, 4000, &tau);
  near("oldroydb", "start-up of shear: c_xx", c.xx, 1 + 2 * wi * wi * (1 - e * (1 + t / lambda)));
  near("oldroydb", "start-up of shear: tau_xy", tau.xy, eta * g * (1 - e));
  near("oldroydb", "start-up of shear: c_zz", c.zz, zz);
}

static void oldroyd_elongation(const PointLaw *point, Law law, double eta, double lambda, double zz, int dim)
{
  double g = 0.3 / lambda, wi = 0.3;
  Tensor planar = {1 / (1 - 2 * wi), 1 / (1 + 2 * wi), zz, 0},
         uniaxial = {1 / (1 - 2 * wi), 1 / (1 + wi), 1 / (1 + wi), 0}, tau;
  near("oldroydb", "planar elongation: balance", point->balance(law, PLANAR_ELONGATION, g, planar, &tau), 0.0);
  near("oldroydb", "planar elongation: viscosity", (tau.xx - tau.yy) / g, 4 * eta / (1 - 4 * wi * wi));
  if (dim < 3) return;
  near("oldroydb", "uniaxial elongation: balance", point->balance(law, UNIAXIAL_ELONGATION, g, uniaxial, &tau), 0.0);
  near("oldroydb", "uniaxial elongation: viscosity", (tau.xx - tau.yy) / g, 3 * eta / ((1 - 2 * wi) * (1 + wi)));
}

int main(int argc, char **argv)
{
  static const struct {
    const PointLaw *point;
    int dim;
    double zz;
  } size[] = {{&closed_2_3_0, 2, 0.0}, {&closed_2_4_0, 2, 1.0}, {&closed_3_6_0, 3, 1.0}};
  Law newtonian, oldroydb;
  PetscFunctionBeginUser;
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 2;
  PetscCall(PetscOptionsInsertString(
      NULL, "-physics_newtonian_viscosity 0.8 -physics_oldroydb_viscosity 1.7 -physics_oldroydb_lambda 0.6"));
  PetscCall(RhxPluginsLoad(PETSC_COMM_SELF));
  PetscCall(find_law("newtonian", &newtonian));
  PetscCall(find_law("oldroydb", &oldroydb));
  for (int k = 0; k < 3; k++) {
    check_newtonian(size[k].point, newtonian, 0.8);
    oldroyd_shear(size[k].point, oldroydb, 1.7, 0.6, size[k].zz);
    oldroyd_elongation(size[k].point, oldroydb, 1.7, 0.6, size[k].zz, size[k].dim);
  }
  PetscCall(PetscFree(newtonian.par));
  PetscCall(PetscFree(oldroydb.par));
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}
