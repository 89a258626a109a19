/* Laws at a point: see pointlaw.h. Compiled with RHX_DIM, RHX_NTENS and RHX_KIND set. */
#include "law/pointlaw.h"
#include "plugin/registry.h"
#include <math.h>
#include <rheoplex/logconf.h>
#include <string.h>

#define DIM RHX_DIM
#define NTENS RHX_NTENS
#define NAME_(a, b, c, d, e, f) a##b##c##d##e##f
#define NAME(a, b, c, d, e, f) NAME_(a, b, c, d, e, f)

static const void *ops_of(const RhxPlugin *law) { return law->variant[RhxVariantIndex(DIM, NTENS, RHX_KIND)]; }

static void kinematics(const double *L, RhxKin *kin)
{
  for (int k = 0; k < NTENS; k++) kin->D[k] = RHX_ZERO;
  for (int i = 0; i < DIM; i++)
    for (int j = i; j < DIM; j++) kin->D[rhx_ij(i, j)] = RHX_CONST(0.5 * (L[i * DIM + j] + L[j * DIM + i]));
  kin->shear_rate = RHX_SQRT(2.0 * rhx_double_dot(kin->D, kin->D) + RHX_TINY);
}

static void promote(const double *a, RhxReal *b)
{
  for (int k = 0; k < NTENS; k++) b[k] = RHX_CONST(a[k]);
}

/* Outputs begin as NaN: what a law does not set is seen. */
static void poison(int n, RhxReal *a)
{
  for (int k = 0; k < n; k++) a[k] = RHX_CONST(__builtin_nan(""));
}

static void law_viscosity(const RhxPlugin *law, const void *par, const double *L, double *eta_s)
{
  RhxKin kin;
  RhxReal eta;
  kinematics(L, &kin);
  poison(1, &eta);
  ((const RhxViscousOps *)ops_of(law))->viscosity(par, &kin, &eta);
  *eta_s = rhx_value(eta);
}

static void law_properties(const RhxPlugin *law, const void *par, const double *L, const double *c, double prop[3])
{
  RhxKin kin;
  RhxReal cr[NTENS];
  RhxProps p;
  kinematics(L, &kin);
  promote(c, cr);
  poison(1, &p.eta_p);
  poison(1, &p.lambda);
  poison(1, &p.modulus);
  ((const RhxPolymericOps *)ops_of(law))->properties(par, &kin, cr, &p);
  prop[0] = rhx_value(p.eta_p);
  prop[1] = rhx_value(p.lambda);
  prop[2] = rhx_value(p.modulus);
}

static void law_stress(const RhxPlugin *law, const void *par, const double *L, const double *c, double *tau)
{
  RhxKin kin;
  RhxReal cr[NTENS], t[NTENS];
  kinematics(L, &kin);
  promote(c, cr);
  poison(NTENS, t);
  ((const RhxPolymericOps *)ops_of(law))->stress(par, &kin, cr, t);
  for (int k = 0; k < NTENS; k++) tau[k] = rhx_value(t[k]);
}

static void law_rate(const RhxPlugin *law, const void *par, const double *L, const double *c, double *rate)
{
  RhxKin kin;
  RhxReal cr[NTENS], r[NTENS];
  kinematics(L, &kin);
  promote(c, cr);
  poison(NTENS, r);
  ((const RhxPolymericOps *)ops_of(law))->rate(par, &kin, cr, r);
  for (int k = 0; k < NTENS; k++) rate[k] = rhx_value(r[k]);
}

#define BEYOND 9 /* components behind the last one that are watched */

static int count_set(const RhxReal *a)
{
  int n = NTENS + BEYOND;

  while (n > 0 && isnan(rhx_value(a[n - 1]))) n--;
  return n;
}

static void law_count_set(const RhxPlugin *law, const void *par, const double *L, const double *c, int set[2])
{
  const RhxPolymericOps *ops = (const RhxPolymericOps *)ops_of(law);
  RhxKin kin;
  RhxReal cr[NTENS + BEYOND], a[NTENS + BEYOND];

  kinematics(L, &kin);
  for (int k = 0; k < NTENS + BEYOND; k++) cr[k] = RHX_CONST(1.0);
  promote(c, cr);
  poison(NTENS + BEYOND, a);
  ops->rate(par, &kin, cr, a);
  set[0] = count_set(a);
  poison(NTENS + BEYOND, a);
  ops->stress(par, &kin, cr, a);
  set[1] = count_set(a);
}

static void law_balance(const RhxPlugin *law, const void *par, double slip, const double *L, const double *c,
                        int direction, double *f, double *df)
{
  RhxKin kin;
  RhxReal cr[NTENS], r[NTENS], up[NTENS], Ls[DIM * DIM];
  kinematics(L, &kin);
  promote(c, cr);
#if RHX_KIND == RHX_KIND_COMPLEX
  __imag__ cr[direction] = RHX_STEP;
#endif
  for (int i = 0; i < DIM; i++)
    for (int j = 0; j < DIM; j++) Ls[i * DIM + j] = L[i * DIM + j] - slip * kin.D[rhx_ij(i, j)];
  ((const RhxPolymericOps *)ops_of(law))->rate(par, &kin, cr, r);
  rhx_stretch(Ls, cr, up);
  for (int k = 0; k < NTENS; k++) {
    const RhxReal e = r[k] - up[k];
    f[k] = rhx_value(e);
#if RHX_KIND == RHX_KIND_COMPLEX
    df[k] = __imag__ e / RHX_STEP;
#endif
  }
  (void)direction;
  (void)df;
}

static void law_exponential(const double *s, double *c)
{
  RhxReal sr[NTENS];
  RhxLog lg;
  promote(s, sr);
  rhx_log_set(sr, &lg);
  for (int k = 0; k < NTENS; k++) c[k] = rhx_value(lg.c[k]);
}

static void law_stress_slope(const RhxPlugin *law, const void *par, const double *L, const double *c, int direction,
                             double *dtau)
{
#if RHX_KIND == RHX_KIND_COMPLEX
  RhxKin kin;
  RhxReal cr[NTENS], t[NTENS];
  kinematics(L, &kin);
  promote(c, cr);
  __imag__ cr[direction] = RHX_STEP;
  ((const RhxPolymericOps *)ops_of(law))->stress(par, &kin, cr, t);
  for (int k = 0; k < NTENS; k++) dtau[k] = __imag__ t[k] / RHX_STEP;
#else
  (void)law, (void)par, (void)L, (void)c, (void)direction, (void)dtau;
#endif
}

#if RHX_KIND == RHX_KIND_DOUBLE
/* What a mode's own pass has of the flow; the rest is NaN. */
#define MOST 16 /* fields */

static void fill(double with, size_t size, void *a)
{
  for (size_t k = 0; k < size / sizeof(double); k++) ((double *)a)[k] = with * (1.0 + 0.1 * (double)(k % 7));
}

/* Scalar fields of which values are known alone; the rest is `with`. */
static void scalars_of(double with, double rho, int n, const double *c, RhxScalar sc[MOST], RhxPoint *pt)
{
  static double aux[RHX_MAX_AUX_COMPONENTS];
  fill(with, sizeof(aux), aux);
  fill(with, sizeof(*pt), pt);
  fill(with, MOST * sizeof(*sc), sc);
  pt->aux = aux;
  pt->rho = rho;
  for (int k = 0; k < MOST; k++) sc[k].aux = aux;
  for (int k = 0; k < n && k < MOST; k++) sc[k].c = c[k];
}

static void shift(const RhxPlugin *plugin, const void *par, double rho, int n, int first, const double *c,
                  double factor[2])
{
  const RhxScalarOps *ops = ops_of(plugin);
  RhxScalar sc[MOST];
  RhxShift to = {factor[0], factor[1], {0.0}};
  RhxPoint pt;
  if (!ops->shift) return;
  scalars_of(RhxPointUnknown(), rho, n, c, sc, &pt);
  ops->shift(par, &pt, sc + first, &to);
  factor[0] = to.time;
  factor[1] = to.viscosity;
}

static double diffusivity(const RhxPlugin *plugin, const void *par, double rho, int n, int first, const double *c,
                          int number)
{
  const RhxScalarOps *ops = ops_of(plugin);
  RhxScalar sc[MOST];
  RhxPoint pt;
  double D = 0.0;
  scalars_of(RhxPointUnknown(), rho, n, c, sc, &pt);
  if (ops->diffusivity) ops->diffusivity(par, &pt, sc + first, number, &D);
  return D;
}

static double of_node(const RhxPlugin *plugin, const void *par, const RhxPointNode *nd, int number, int is_source)
{
  const RhxScalarOps *ops = ops_of(plugin);
  RhxScalar sc[MOST];
  RhxPoint pt;
  double v = 0.0;
  scalars_of(nd->unknown, nd->rho, nd->n, nd->c, sc, &pt);
  pt.convection = nd->convection;
  pt.p = nd->p;
  pt.eta_s = nd->eta_s;
  pt.shift.time = nd->shift[0];
  pt.shift.viscosity = nd->shift[1];
  for (int i = 0; i < DIM; i++) {
    pt.x[i] = nd->x[i];
    pt.u[i] = nd->u[i];
    if (!nd->polymer) pt.div_tau[i] = 0.0;
  }
  if (!nd->polymer) pt.eta_p = 0.0;
  for (int k = 0; k < NTENS && !nd->polymer; k++) pt.tau[k] = 0.0;
  for (int k = 0; k < NTENS && nd->tau; k++) pt.tau[k] = nd->tau[k];
  for (int k = 0; k < DIM * DIM && nd->L; k++) pt.L[k / DIM][k % DIM] = pt.gu[k / DIM][k % DIM] = nd->L[k];
  if (nd->L) pt.hoop = nd->hoop;
  if (is_source && ops->source) ops->source(par, &pt, sc + nd->first, number, &v);
  if (!is_source && ops->diffusivity) ops->diffusivity(par, &pt, sc + nd->first, number, &v);
  return v;
}

static double warming(const RhxPlugin *plugin, const void *par, double rho, int n, int first, const double *c,
                      int number)
{
  const RhxScalarOps *ops = ops_of(plugin);
  RhxScalar sc[MOST];
  RhxPoint pt;
  double s[2] = {0.0, 0.0};
  scalars_of(RhxPointUnknown(), rho, n, c, sc, &pt);
  for (int k = 0; k < NTENS; k++) pt.tau[k] = 0.0;
  for (int i = 0; i < DIM * DIM; i++) pt.L[i / DIM][i % DIM] = 0.0;
  for (int k = 0; k < 2; k++) { /* shear of 1/s and a stress of 1 Pa */
    pt.eta_s = pt.L[0][1] = k;
    if (ops->source) ops->source(par, &pt, sc + first, number, &s[k]);
  }
  return s[1] - s[0];
}

static void flow_of_mode(const RhxReal *aux, RhxPoint *pt)
{
  memset(pt, 0xff, sizeof(*pt));
  pt->t = 0.3;
  pt->dt = 0.01;
  pt->rho = 1.2;
  pt->convection = 1.0;
  pt->ih2 = 7.0;
  pt->aux = aux;
  for (int i = 0; i < DIM; i++) {
    pt->x[i] = 0.4 + i;
    pt->u[i] = pt->conv[i] = 0.6 + i;
    for (int j = 0; j < DIM; j++) {
      pt->g[i][j] = i == j ? 9.0 : 1.0;
      pt->gu[i][j] = pt->L[i][j] = 0.2 + i - j;
    }
  }
}

static void some_mode(const RhxReal *aux, RhxMode *md)
{
  memset(md, 0, sizeof(*md));
  md->aux = aux;
  md->prop = (RhxProps){1.1, 0.9, 1.3};
  for (int k = 0; k < NTENS; k++) {
    md->s[k] = md->c[k] = md->tau[k] = 0.5 + k;
    md->conv[k] = md->st[k] = md->rs[k] = 0.7;
    for (int i = 0; i < DIM; i++) md->gs[k][i] = 0.8 - i;
  }
}

static int modes_apart(const RhxPlugin *stabiliser, const void *par, const RhxStage *st, unsigned aux_needed)
{
  const RhxStabiliserOps *ops = ops_of(stabiliser);
  RhxReal nan[RHX_MAX_AUX_COMPONENTS], aux[RHX_MAX_AUX_COMPONENTS] = {0}, out[RHX_MAX_AUX_COMPONENTS] = {0}, sum = 0.0;
  RhxPoint pt;
  RhxMode md;
  poison(RHX_MAX_AUX_COMPONENTS, nan);
  flow_of_mode(nan, &pt);
  some_mode(aux, &md);
  if (ops->kinematics || stabiliser->flags & RHX_PROJECTS_LAW) return 0;
  if (ops->add_mode) ops->add_mode(par, st, &pt, &md);
  for (int row = 0; row < stabiliser->naux; row++)
    if (stabiliser->aux[row].of == RHX_OF_MODE && aux_needed & 1u << row && ops->project_mode)
      ops->project_mode(par, st, row, &pt, &md, out + st->off[row]);
  for (int k = 0; k < NTENS; k++) {
    sum += md.f0[k];
    for (int i = 0; i < DIM; i++) sum += md.f1[k][i];
  }
  for (int c = 0; c < RHX_MAX_AUX_COMPONENTS; c++) sum += out[c];
  return sum == sum;
}
#else
#define modes_apart NULL
#define shift NULL
#define diffusivity NULL
#define of_node NULL
#define warming NULL
#endif

extern const RhxPointLaw NAME(rhx_pointlaw_d, RHX_DIM, t, RHX_NTENS, k, RHX_KIND);
const RhxPointLaw NAME(rhx_pointlaw_d, RHX_DIM, t, RHX_NTENS, k, RHX_KIND) = {
    law_viscosity, law_properties, law_stress,  law_balance, law_exponential, law_stress_slope, law_rate,
    law_count_set, shift,          diffusivity, of_node,     warming,         modes_apart};
