/* A law from the velocity gradient and the conformation on, along a direction: value and, of the complex kind, derivative. */
#ifndef TANGENTPOINT_H
#define TANGENTPOINT_H
#include <rheoplex/plugin.h>

enum { NOUT = 1 + 3 + 2 * 6 }; /* viscosity | eta_p, lambda, modulus, rate, stress */

/* L + x dL, c + x dc at x = 0 */
typedef void (*LawAtFn)(const RhxPlugin *law, const void *par, const double *L, const double *dL, const double *c,
                        const double *dc, double *out, double *derivative);
#define LAW_AT(d, t, k) law_at_##d##_##t##_##k
#define DECLARE_LAW_AT(d, t, k)                                                                         \
  void LAW_AT(d, t, k)(const RhxPlugin *, const void *, const double *, const double *, const double *, \
                       const double *, double *, double *)
DECLARE_LAW_AT(2, 3, 0);
DECLARE_LAW_AT(2, 4, 0);
DECLARE_LAW_AT(3, 6, 0);
DECLARE_LAW_AT(2, 3, 2);
DECLARE_LAW_AT(2, 4, 2);
DECLARE_LAW_AT(3, 6, 2);
#endif
