/* Laws at a point through plain arrays; pointlaw.c is compiled for each dimension and tensor size, as double and complex. */
#ifndef RHX_POINTLAW_H
#define RHX_POINTLAW_H
#include <rheoplex/plugin.h>

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
} RhxPointLaw;

const RhxPointLaw *RhxPointLawGet(int dim, int ntens, int kind); /* RHX_KIND_DOUBLE or RHX_KIND_COMPLEX */
#endif
