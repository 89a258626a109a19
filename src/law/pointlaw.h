/* Laws at a point through plain arrays; pointlaw.c is compiled for each dimension and tensor size, as double and complex. */
#ifndef RHX_POINTLAW_H
#define RHX_POINTLAW_H
#include <math.h>
#include <petscsys.h>
#include <rheoplex/plugin.h>
#include <string.h>

/* A NaN that operations keep (IEEE 754, 6.2.3), unlike those that they make. */
static inline double RhxPointUnknown(void)
{
  double v;
  memset(&v, 0xff, sizeof(v));
  return v;
}

static inline int RhxPointIsUnknown(double v)
{
  unsigned long long bits;
  memcpy(&bits, &v, sizeof(bits));
  return isnan(v) && bits << 13; /* neither the sign nor the quiet bit */
}

/* What is known of the flow at a node; x and u have the law's dimension. Borrows c. */
typedef struct {
  double rho, convection, p, eta_s, shift[2], x[3], u[3];
  int polymer; /* whether there is any */
  int n, first;
  const double *c;       /* values of n fields, the plugin's own from `first` on */
  const double *L, *tau; /* [dim][dim], [ntens] of all modes, borrowed, and u_r/r; NULL: not known */
  double hoop;
  double unknown; /* what gradients, rates and all else are taken for: RhxPointUnknown(), or a number of their size */
} RhxPointNode;

/* L: velocity gradient row by row; c: ntens components. */
typedef struct {
  void (*viscosity)(const RhxPlugin *law, const void *par, const double *L, double *eta_s);
  void (*properties)(const RhxPlugin *law, const void *par, const double *L, const double *c,
                     double prop[3]); /* eta_p, lambda, modulus */
  void (*stress)(const RhxPlugin *law, const void *par, const double *L, const double *c, double *tau);
  /* Local steady state: f = rate(c) - L c - c L^T with L - slip D for L, and the column df = d f / d c_direction (complex
   * kind only). */
  void (*balance)(const RhxPlugin *law, const void *par, double slip, const double *L, const double *c, int direction,
                  double *f, double *df);
  void (*exponential)(const double *s, double *c); /* c = exp(s) */
  /* The column dtau = d stress/d c_direction (complex kind only). */
  void (*stress_slope)(const RhxPlugin *law, const void *par, const double *L, const double *c, int direction,
                       double *dtau);
  void (*rate)(const RhxPlugin *law, const void *par, const double *L, const double *c, double *r);
  /* Components that rate and stress set, counted to the last one: more than ntens where they write beyond it. (double) */
  void (*count_set)(const RhxPlugin *law, const void *par, const double *L, const double *c, int set[2]);
  /* Multiplies factor[2] by what a plugin of scalar fields shifts laws by, times and the solvent's viscosity. c: values of n fields,
   * the plugin's own from `first` on. (double) */
  void (*shift)(const RhxPlugin *plugin, const void *par, double rho, int n, int first, const double *c,
                double factor[2]);
  /* Of a plugin's field `number` at values c as above; NaN: it reads more. (double) */
  double (*diffusivity)(const RhxPlugin *plugin, const void *par, double rho, int n, int first, const double *c,
                        int number);
  /* Its source, or its diffusivity, at a node. (double) */
  double (*of_node)(const RhxPlugin *plugin, const void *par, const RhxPointNode *node, int number, int is_source);
  /* What the field's source gains by a unit of work of stresses, at values c as above; NaN: it reads more of the flow. (double) */
  double (*warming)(const RhxPlugin *plugin, const void *par, double rho, int n, int first, const double *c,
                    int number);
  /* Do a stabiliser's terms and projections of a mode read nothing of the flow but geometry, time, u and grad u? (double) */
  int (*modes_apart)(const RhxPlugin *stabiliser, const void *par, const RhxStage *st, unsigned aux_needed);
} RhxPointLaw;

const RhxPointLaw *RhxPointLawGet(int dim, int ntens,
                                  int kind); /* 2D with 6: that of space; RHX_KIND_DOUBLE or RHX_KIND_COMPLEX */

/* One mode of a law with what it needs. Borrowed. */
typedef struct {
  const RhxPlugin *law;
  const void *par;
  double slip; /* Gordon-Schowalter xi */
  int dim, ntens;
} RhxPointMode;

/* Local steady state. c: in, the steady state at *at times L (at rest: the identity, 0); out, that at the largest *at <= 1
 * that was reached; 1 if there is a steady state at L on the branch of rest. */
PetscErrorCode RhxPointSteady(const RhxPointMode *mode, const double *L, double *at, double *c);
/* Is it positive definite, but for what Newton's method leaves? */
PetscBool RhxPointIsPositive(const double *c, int ntens);
/* A step dt of dc/dt = (L c + c L^T - rate(c))/a, a what a shift makes times longer by, L a-fold, by collocation: L[places][dim][dim] and a[places]
 * are those of its beginning and of the stages, at the shares RhxPointStage of dt. c[places][ntens]: before it, and, found, at the stages, of
 * which the last is its end. *error: of the cubic through the places, over sqrt(c_ii c_jj), to which the end is far closer; infinite: there is
 * no step, nothing is set. */
#define RHX_POINT_STAGES 3
#define RHX_POINT_PLACES (1 + RHX_POINT_STAGES)
extern const double RhxPointStage[RHX_POINT_STAGES];
void RhxPointTransient(const RhxPointMode *mode, const double *L, const double *a, double dt, double *c, double *error);
/* Growth rate, 1/s, with which dc/dt = L c + c L^T - rate(c) leads away from the steady state next to c, if it does and one is within `near`
 * of the largest component; else 0. */
PetscErrorCode RhxPointGrowth(const RhxPointMode *mode, const double *L, const double *c, double near, double *growth);
/* Storage and loss modulus of a mode in shear of small amplitude at an angular frequency, Pa. */
PetscErrorCode RhxPointModuli(const RhxPointMode *mode, double frequency, double *storage, double *loss);
#endif
