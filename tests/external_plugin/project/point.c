/* The laws without a mesh: point <giesekus.so> <thinning.so>. c_zz relaxes as the closed form says, and steady shear has
 * the stress of Giesekus' closed form (plus the solvent's). */
#define RHX_DIM 2
#define RHX_NTENS 4
#include <dlfcn.h>
#include <math.h>
#include <rheoplex/rheoplex.h>
#include <stdio.h>

enum { XX, YY, ZZ, XY, VARIANT = 3 }; /* 2D, four components, double */

typedef struct {
  double viscosity, lambda, alpha;
} Giesekus;

typedef struct {
  double zero, infinite, k;
} Thinning;

static int failures;

static void near(const char *what, double got, double expected)
{
  int good = fabs(got - expected) <= 1e-10 * fmax(1.0, fabs(expected));
  printf("%s %-36s %.15g, expected %.15g\n", good ? "ok    " : "FAILED", what, got, expected);
  failures += !good;
}

static const void *load(const char *file, const char *name)
{
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  RhxPluginFn fn = NULL;
  if (handle) *(void **)&fn = dlsym(handle, "rhx_plugin");
  if (!fn || strcmp(fn()->name, name)) {
    printf("FAILED %s: %s\n", file, handle ? "another name" : dlerror());
    return NULL;
  }
  near("it has derivatives of lanes", fn()->dual[VARIANT / 3] != NULL, 1.0);
  return fn()->variant[VARIANT];
}

static void shear_kinematics(double rate, RhxKin *kin)
{
  for (int k = 0; k < RHX_NTENS; k++) kin->D[k] = 0.0;
  kin->D[XY] = 0.5 * rate;
  kin->shear_rate = rate;
}

static void derivative(const RhxPolymericOps *op, const Giesekus *par, double rate, const double *c, double *out)
{
  const double L[2][2] = {{0.0, rate}, {0.0, 0.0}};
  double r[RHX_NTENS];
  RhxKin kin;
  shear_kinematics(rate, &kin);
  rhx_stretch(&L[0][0], c, out);
  op->rate(par, &kin, c, r);
  for (int k = 0; k < RHX_NTENS; k++) out[k] -= r[k];
}

/* n steps of the classical Runge-Kutta method */
static void evolve(const RhxPolymericOps *op, const Giesekus *par, double rate, double t, int n, double *c)
{
  static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
  double h = t / n;
  for (int step = 0; step < n; step++) {
    double k[RHX_NTENS] = {0}, a[RHX_NTENS], sum[RHX_NTENS] = {0};
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < RHX_NTENS; i++) a[i] = c[i] + node[s] * h * k[i];
      derivative(op, par, rate, a, k);
      for (int i = 0; i < RHX_NTENS; i++) sum[i] += weight[s] * k[i];
    }
    for (int i = 0; i < RHX_NTENS; i++) c[i] += h / 6.0 * sum[i];
  }
}

static void relaxation(const RhxPolymericOps *op)
{
  Giesekus par = {1.4, 0.8, 0.3};
  double e0 = 2.0, t = 1.1, E = exp(-t / par.lambda), c[RHX_NTENS] = {1.0, 1.0, 1.0 + e0, 0.0};
  evolve(op, &par, 0.0, t, 2000, c);
  near("c_zz relaxes", c[ZZ] - 1.0, e0 * E / (1.0 + par.alpha * e0 * (1.0 - E)));
}

static void steady_shear(const RhxPolymericOps *op)
{
  Giesekus par = {1.4, 0.8, 0.3};
  double rate = 2.5, wi = par.lambda * rate, a = par.alpha, G = par.viscosity / par.lambda;
  double b = 8 * a * (1 - a) * wi * wi, L = sqrt((sqrt(1 + 2 * b) - 1) / b), f = (1 - L) / (1 + (1 - 2 * a) * L);
  double c[RHX_NTENS] = {1.0, 1.0, 1.0, 0.0}, tau[RHX_NTENS];
  RhxKin kin;
  shear_kinematics(rate, &kin);
  evolve(op, &par, rate, 40.0 * par.lambda, 40000, c);
  op->stress(&par, &kin, c, tau);
  near("tau_xy in steady shear", tau[XY], par.viscosity * rate * (1 - f) * (1 - f) / (1 + (1 - 2 * a) * f));
  near("N1", tau[XX] - tau[YY], 2 * G * f * (1 - a * f) / (a * (1 - f)));
  near("N2", tau[YY] - tau[ZZ], -G * f);
}

static void solvent(const RhxViscousOps *op)
{
  Thinning par = {1.0, 0.1, 2.0};
  double eta;
  RhxKin kin;
  shear_kinematics(1.5, &kin);
  op->viscosity(&par, &kin, &eta);
  near("solvent viscosity", eta, 0.1 + 0.9 / sqrt(10.0));
}

int main(int argc, char **argv)
{
  const void *giesekus, *thinning;
  PetscBool up;
  int none = 1;
  char **program = argv;
  if (argc != 3 || RhxInitialize(&none, &program, NULL)) return 2;
  PetscInitialized(&up);
  giesekus = load(argv[1], "outside_giesekus");
  thinning = load(argv[2], "outside_thinning");
  if (!up || !giesekus || !thinning) return 1;
  relaxation(giesekus);
  steady_shear(giesekus);
  solvent(thinning);
  return RhxFinalize() || failures;
}
