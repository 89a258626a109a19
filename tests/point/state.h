/* All that pointwise functions read and write, as one list of numbers: the same for every kind of RhxReal.
 * The metric is g = J^T J, the conformation I + c1. Included by evaluate.c (C kinds) and dual.cpp. */
#ifndef STATE_H
#define STATE_H
#include "number.h"

#define MAX_NUMBERS 600
typedef struct {
  const char *name;
  int count;                 /* numbers */
  double mass, length, time; /* dimension */
  int positive;              /* never zero or negative */
} Field;

typedef struct {
  const RhxPlugin *plugin; /* the descriptor, or NULL for a source compiled with the test */
  const void *par;
  RhxStage stage;
  RhxAuxOwner of[RHX_MAX_AUX]; /* of the auxiliary rows */
  double t, dt, rho, convection;
} Setting;

/* in[numbers][RHX_NLANES], direction[numbers]; out like in, derivative (complex, dual, lanes with one) too: along the direction */
typedef void (*EvaluateFn)(const Setting *set, const double *in, const double *direction, double *out,
                           double *derivative);
typedef int (*FieldsFn)(int output, Field *list);

typedef struct {
  RhxPoint pt;
  RhxMode md;
  RhxKin kin;
  RhxReal J[RHX_DIM][RHX_DIM], c1[RHX_NTENS];
  RhxReal aux[RHX_MAX_AUX_COMPONENTS], projected[RHX_MAX_AUX_COMPONENTS];
  RhxReal tau1, diffused, supplied, reacted, eta_s, rate[RHX_NTENS], stress[RHX_NTENS];
  RhxProps prop;
  RhxDiffusion df;
  RhxScalar sc;
} State;

/* member, mass, length, time, positive */
#define INPUTS(F)                  \
  F(pt.x, 0, 1, 0, 0)              \
  F(J, 0, -1, 0, 0)                \
  F(pt.ih2, 0, -2, 0, 1)           \
  F(pt.u, 0, 1, -1, 0)             \
  F(pt.ut, 0, 1, -2, 0)            \
  F(pt.gu, 0, 0, -1, 0)            \
  F(pt.L, 0, 0, -1, 0)             \
  F(pt.p, 1, -1, -2, 0)            \
  F(pt.gp, 1, -2, -2, 0)           \
  F(pt.eta_s, 1, -1, -1, 1)        \
  F(pt.eta_p, 1, -1, -1, 1)        \
  F(pt.tau, 1, -1, -2, 0)          \
  F(pt.div_tau, 1, -2, -2, 0)      \
  F(pt.conv, 0, 1, -2, 0)          \
  F(pt.rm, 1, -2, -2, 0)           \
  F(pt.rc, 0, 0, -1, 0)            \
  F(md.s, 0, 0, 0, 0)              \
  F(md.st, 0, 0, -1, 0)            \
  F(md.gs, 0, -1, 0, 0)            \
  F(md.conv, 0, 0, -1, 0)          \
  F(md.tau, 1, -1, -2, 0)          \
  F(md.prop.eta_p, 1, -1, -1, 1)   \
  F(md.prop.lambda, 0, 0, 1, 1)    \
  F(md.prop.modulus, 1, -1, -2, 1) \
  F(md.rs, 0, 0, -1, 0)            \
  F(sc.c, 0, 0, 0, 0)              \
  F(sc.gc, 0, -1, 0, 0)            \
  F(sc.conv, 0, 0, -1, 0)          \
  F(sc.D, 0, 2, -1, 1)             \
  F(sc.reaction, 0, 0, -1, 1)      \
  F(sc.rs, 0, 0, -1, 0)            \
  F(kin.D, 0, 0, -1, 0)            \
  F(kin.shear_rate, 0, 0, -1, 1)   \
  F(c1, 0, 0, 0, 0)                \
  F(aux, 0, 0, 0, 0)

#define OUTPUTS(F)                  \
  F(pt.L, 0, 0, -1, 0)              \
  F(pt.f0u, 1, -2, -2, 0)           \
  F(pt.f1u, 1, -1, -2, 0)           \
  F(pt.f0p, 0, 0, -1, 0)            \
  F(pt.f1p, 0, 1, -1, 0)            \
  F(md.f0, 0, 0, -1, 0)             \
  F(md.f1, 0, 1, -1, 0)             \
  F(sc.f0, 0, 0, -1, 0)             \
  F(sc.f1, 0, 1, -1, 0)             \
  F(diffused, 0, 2, -1, 0)          \
  F(supplied, 0, 0, -1, 0)          \
  F(reacted, 0, 0, -1, 0)           \
  F(pt.shift.time, 0, 0, 0, 0)      \
  F(pt.shift.viscosity, 0, 0, 0, 0) \
  F(pt.shift.force, 1, -2, -2, 0)   \
  F(tau1, -1, 3, 1, 0)              \
  F(df.viscosity, 1, -1, -1, 0)     \
  F(df.bulk, 1, -1, -1, 0)          \
  F(df.upwind, 0, 0, 0, 0)          \
  F(eta_s, 1, -1, -1, 0)            \
  F(prop.eta_p, 1, -1, -1, 0)       \
  F(prop.lambda, 0, 0, 1, 0)        \
  F(prop.modulus, 1, -1, -2, 0)     \
  F(rate, 0, 0, -1, 0)              \
  F(stress, 1, -1, -2, 0)           \
  F(projected, 0, 0, 0, 0)

#define NUMBERS(member) ((int)(sizeof(member) / sizeof(RhxReal)))

static inline void state_load(const Setting *set, const double *in, const double *direction, State *e)
{
  int n = 0;
#define LOAD(member, M, L, T, positive)             \
  for (int k = 0; k < NUMBERS(e->member); k++, n++) \
    state_set((RhxReal *)&e->member + k, in + n * RHX_NLANES, direction[n]);
  INPUTS(LOAD)
#undef LOAD
#define CLEAR(member, M, L, T, positive) \
  for (int k = 0; k < NUMBERS(e->member); k++) ((RhxReal *)&e->member)[k] = RHX_ZERO;
  RhxReal L[RHX_DIM][RHX_DIM];
  for (int i = 0; i < RHX_DIM; i++)
    for (int j = 0; j < RHX_DIM; j++) L[i][j] = e->pt.L[i][j];
  OUTPUTS(CLEAR)
#undef CLEAR
  for (int i = 0; i < RHX_DIM; i++)
    for (int j = 0; j < RHX_DIM; j++) {
      e->pt.L[i][j] = L[i][j];
      e->pt.g[i][j] = RHX_ZERO;
      for (int k = 0; k < RHX_DIM; k++) e->pt.g[i][j] += e->J[k][i] * e->J[k][j];
    }
  for (int k = 0; k < RHX_NTENS; k++) e->md.c[k] = e->c1[k] + rhx_delta(k);
  e->pt.shift.time = e->pt.shift.viscosity = RHX_ZERO + 1.0;
  e->pt.t = set->t;
  e->pt.dt = set->dt;
  e->pt.rho = set->rho;
  e->pt.convection = set->convection;
  e->pt.aux = e->md.aux = e->sc.aux = e->aux;
}

static inline void state_store(const State *e, double *out, double *derivative)
{
  int n = 0;
#define STORE(member, M, L, T, positive)            \
  for (int k = 0; k < NUMBERS(e->member); k++, n++) \
    state_get(((const RhxReal *)&e->member)[k], out + n * RHX_NLANES, derivative + n * RHX_NLANES);
  OUTPUTS(STORE)
#undef STORE
}

static inline int state_fields(int output, Field *list)
{
  int n = 0;
  State *e = 0;
#define DESCRIBE(member, M, L, T, positive_) \
  list[n].name = #member;                    \
  list[n].count = NUMBERS(e->member);        \
  list[n].mass = M;                          \
  list[n].length = L;                        \
  list[n].time = T;                          \
  list[n++].positive = positive_;
  (void)e;
  if (output) {
    OUTPUTS(DESCRIBE)
  } else {
    INPUTS(DESCRIBE)
  }
#undef DESCRIBE
  return n;
}

#define NAMED_(a, b, c, d) a##_##b##_##c##_##d
#define NAMED(a, b, c, d) NAMED_(a, b, c, d)
#endif
