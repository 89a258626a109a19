/* Every installed law: its complex tangent with respect to the velocity gradient and the conformation against differences
 * of fourth order, at random states, at equal eigenvalues, at c = I, and over twelve decades of the shear rate (both sides
 * of every series switch); at u = 0 finite, and zero for the viscosity. Arguments: options of laws, one set an argument. */
#include "../common/laws.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include "tangentpoint.h"
#include <math.h>
#include <stdlib.h>

static const struct {
  int dim, ntens;
  LawAtFn value, tangent;
} sizes[3] = {
    {2, 3, law_at_2_3_0, law_at_2_3_2}, {2, 4, law_at_2_4_0, law_at_2_4_2}, {3, 6, law_at_3_6_0, law_at_3_6_2}};

static int failures, checked;
static double worst;

static double uniform(void) { return 2.0 * rand() / RAND_MAX - 1.0; }

static void fail(const RhxPlugin *law, int s, int k, double rate, double a, double b)
{
  if (failures++ < 20)
    printf("FAILED %s, %d components, output %d, shear rate %g: complex %.12g, difference %.12g\n", law->name,
           sizes[s].ntens, k, rate, a, b);
}

/* Velocity gradient with a shear rate near the one given. */
static void random_gradient(int n, double rate, double *L)
{
  for (int i = 0; i < n; i++) L[i] = rate * (uniform() + (i == 1 ? 1.0 : 0.0));
}

/* which: 0, c = I; 1, equal eigenvalues; else random, positive definite by dominance. */
static void random_conformation(int which, int ntens, double *c)
{
  const int ndiag = ntens == 3 ? 2 : 3;
  for (int k = 0; k < ntens; k++) {
    const int diagonal = k < ndiag;
    c[k] = which == 0 ? diagonal : which == 1 ? 1.7 * diagonal : diagonal ? 2.0 + uniform() : 0.4 * uniform();
  }
}

static void shifted(const RhxPlugin *law, const void *par, int s, const double *L, const double *dL, const double *c,
                    const double *dc, double h, double *out)
{
  double Lh[9], ch[6], zero[9] = {0}, unused[NOUT];
  for (int i = 0; i < sizes[s].dim * sizes[s].dim; i++) Lh[i] = L[i] + h * dL[i];
  for (int k = 0; k < sizes[s].ntens; k++) ch[k] = c[k] + h * dc[k];
  sizes[s].value(law, par, Lh, zero, ch, zero, out, unused);
}

/* The step is relative: dL is of the size of L. */
static void check(const RhxPlugin *law, const void *par, int s, double rate, const double *L, const double *dL,
                  const double *c, const double *dc)
{
  const double h = 3e-4;
  double value[NOUT], d[NOUT], m2[NOUT], m1[NOUT], p1[NOUT], p2[NOUT];
  sizes[s].tangent(law, par, L, dL, c, dc, value, d);
  shifted(law, par, s, L, dL, c, dc, -2 * h, m2);
  shifted(law, par, s, L, dL, c, dc, -h, m1);
  shifted(law, par, s, L, dL, c, dc, h, p1);
  shifted(law, par, s, L, dL, c, dc, 2 * h, p2);
  for (int k = 0; k < NOUT; k++) {
    const double difference = (8 * (p1[k] - m1[k]) - (p2[k] - m2[k])) / (12 * h);
    const double err = fabs(d[k] - difference) / (fabs(value[k]) + fabs(d[k]) + 1e-30);
    worst = fmax(worst, err);
    checked++;
    if (!(err <= 1e-8)) fail(law, s, k, rate, d[k], difference);
  }
}

static void check_rest(const RhxPlugin *law, const void *par, int s)
{
  const double L[9] = {0};
  double dL[9], c[6], dc[6], zero[9] = {0}, value[NOUT], d[NOUT];
  for (int which = 0; which < 3; which++) {
    random_gradient(9, 1.0, dL);
    random_conformation(which, sizes[s].ntens, c);
    for (int k = 0; k < 6; k++) dc[k] = uniform();
    sizes[s].tangent(law, par, L, dL, c, zero, value, d);
    for (int k = 0; k < NOUT; k++)
      if (!(fabs(d[k]) <= 1e-10)) fail(law, s, k, 0.0, d[k], 0.0);
    check(law, par, s, 0.0, L, zero, c, dc);
  }
}

static void check_law(const RhxPlugin *law, const void *par)
{
  for (int s = 0; s < 3; s++) {
    check_rest(law, par, s);
    for (int i = 0; i < 120; i++) {
      const double rate = pow(10.0, -8.0 + i * 0.1 + 0.01 * uniform());
      double L[9], dL[9], c[6], dc[6];
      random_gradient(9, rate, L);
      random_gradient(9, rate, dL);
      random_conformation(i % 4, sizes[s].ntens, c);
      for (int k = 0; k < 6; k++) dc[k] = 0.5 * uniform();
      check(law, par, s, rate, L, dL, c, dc);
    }
  }
}

static PetscErrorCode check_all(const char *options)
{
  PetscInt n, laws = 0;
  PetscFunctionBegin;
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, TEST_LAW_PARAMETERS));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(RhxPluginsLoad(PETSC_COMM_SELF));
  PetscCall(RhxOptionsCheckKnown(PETSC_COMM_SELF));
  PetscCall(RhxPluginCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const RhxPlugin *law;
    char prefix[256], *par;
    PetscCall(RhxPluginGet(i, &law, NULL));
    if (law->kind == RHX_STABILISER || law->kind == RHX_SCALARS) continue;
    laws++;
    PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "physics_%s_", law->name));
    PetscCall(PetscMalloc1(law->param_size, &par));
    PetscCall(RhxRowsRead(PETSC_COMM_SELF, prefix, law->nrows, law->rows, 1, law->param_size, par));
    check_law(law, par);
    PetscCall(PetscFree(par));
  }
  if (laws < 13) failures++;
  printf("%d laws, %d derivatives [%s]: largest relative difference %.1e\n", (int)laws, checked, options, worst);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  int none = 1;
  char **start = argv;
  PetscFunctionBeginUser;
  if (PetscInitialize(&none, &start, NULL, NULL)) return 2;
  for (int a = 1; a < argc; a++) PetscCall(check_all(argv[a]));
  PetscCall(RhxPluginsUnload());
  PetscCall(PetscFinalize());
  return failures || !checked ? 1 : 0;
}
