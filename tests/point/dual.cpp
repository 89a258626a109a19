// Runs a plugin's source, SOURCE, with dual numbers at a state: what the device's tangents are.
#include <cmath>

struct RhxReal {
  double v, d;
  RhxReal() = default;
  RhxReal(double value, double derivative = 0.0) : v(value), d(derivative) {}
};
inline RhxReal operator-(RhxReal a) { return {-a.v, -a.d}; }
inline RhxReal operator+(RhxReal a, RhxReal b) { return {a.v + b.v, a.d + b.d}; }
inline RhxReal operator-(RhxReal a, RhxReal b) { return {a.v - b.v, a.d - b.d}; }
inline RhxReal operator*(RhxReal a, RhxReal b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
inline RhxReal operator/(RhxReal a, RhxReal b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
inline RhxReal &operator+=(RhxReal &a, RhxReal b) { return a = a + b; }
inline RhxReal &operator-=(RhxReal &a, RhxReal b) { return a = a - b; }
inline RhxReal &operator*=(RhxReal &a, RhxReal b) { return a = a * b; }
inline RhxReal &operator/=(RhxReal &a, RhxReal b) { return a = a / b; }
inline double rhx_value(RhxReal x) { return x.v; }
inline RhxReal rhx_chain(RhxReal x, double f, double df) { return {f, df * x.d}; }

#define RHX_KIND 3
#include "state.h"

// The plugin's last line becomes the function that runs it.
#undef RHX_VISCOUS_LAW
#undef RHX_POLYMERIC_LAW
#undef RHX_STABILISER_PLUGIN
#undef RHX_SCALAR_PLUGIN
#define RHX_VISCOUS_LAW(name, help, source)                                  \
  static void run(const Setting *set, State *e)                              \
  {                                                                          \
    viscosity(static_cast<const RhxParams *>(set->par), &e->kin, &e->eta_s); \
  }                                                                          \
  struct rhx_plugin_end
#define RHX_POLYMERIC_LAW(name, help, source, flags, slip)           \
  static void run(const Setting *set, State *e)                      \
  {                                                                  \
    const RhxParams *par = static_cast<const RhxParams *>(set->par); \
    properties(par, &e->kin, e->md.c, &e->prop);                     \
    rate(par, &e->kin, e->md.c, e->rate);                            \
    stress(par, &e->kin, e->md.c, e->stress);                        \
  }                                                                  \
  struct rhx_plugin_end
#define RUN_kinematics kinematics(par, &set->stage, &e->pt);
#define RUN_add_flow add_flow(par, &set->stage, &e->pt);
#define RUN_add_mode add_mode(par, &set->stage, &e->pt, &e->md);
#define RUN_add_scalar add_scalar(par, &set->stage, &e->pt, &e->sc);
#define RUN_diffusivity diffusivity(par, &e->pt, &e->sc, 0, &e->diffused);
#define RUN_source source(par, &e->pt, &e->sc, 0, &e->supplied);
#define RUN_shift shift(par, &e->pt, &e->sc, &e->pt.shift);
#define RUN_reaction reaction(par, &e->pt, &e->sc, 0, &e->reacted);
#define RUN_pressure_tau pressure_tau(par, &set->stage, &e->pt, &e->tau1);
#define RUN_diffusion diffusion(par, &set->stage, &e->pt, &e->df);
#define RUN_project                                               \
  for (int row = 0; row < rhx_aux_end; row++)                     \
    if (set->stage.off[row] >= 0 && set->of[row] == RHX_OF_FLOW) \
      project(par, &set->stage, row, &e->pt, e->projected + set->stage.off[row]);
#define RUN_project_mode                                         \
  for (int row = 0; row < rhx_aux_end; row++)                    \
    if (set->stage.off[row] >= 0 && set->of[row] == RHX_OF_MODE) \
      project_mode(par, &set->stage, row, &e->pt, &e->md, e->projected + set->stage.off[row]);
#define RUN_project_scalar                                         \
  for (int row = 0; row < rhx_aux_end; row++)                      \
    if (set->stage.off[row] >= 0 && set->of[row] == RHX_OF_SCALAR) \
      project_scalar(par, &set->stage, row, &e->pt, &e->sc, e->projected + set->stage.off[row]);
#define RUN(op) RUN_##op
#define RHX_STABILISER_PLUGIN(name, help, source, flags)             \
  static void run(const Setting *set, State *e)                      \
  {                                                                  \
    const RhxParams *par = static_cast<const RhxParams *>(set->par); \
    RHX_STAGES(RUN)                                                  \
  }                                                                  \
  struct rhx_plugin_end

#define RHX_SCALAR_PLUGIN(name, help, source, flags)                 \
  static void run(const Setting *set, State *e)                      \
  {                                                                  \
    const RhxParams *par = static_cast<const RhxParams *>(set->par); \
    RHX_OPERATIONS(RUN)                                              \
  }                                                                  \
  struct rhx_plugin_end

#include SOURCE

extern "C" __attribute__((visibility("default"))) void
evaluate_dual(const Setting *set, const double *in, const double *direction, double *out, double *derivative)
{
  static State e;
  state_load(set, in, direction, &e);
  run(set, &e);
  state_store(&e, out, derivative);
}
