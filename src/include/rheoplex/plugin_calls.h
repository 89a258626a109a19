/* Part of plugin_macros.h: RHX_CALL_<operation>, the function of a variant's table that calls the one of the plugin's file. */
#ifndef RHX_PLUGIN_CALLS_H
#define RHX_PLUGIN_CALLS_H

#define RHX_CALL_kinematics                                                          \
  static void rhx_call_kinematics(const void *par, const RhxStage *st, RhxPoint *pt) \
  {                                                                                  \
    kinematics((const RhxParams *)par, st, pt);                                      \
  }
#define RHX_CALL_add_flow                                                          \
  static void rhx_call_add_flow(const void *par, const RhxStage *st, RhxPoint *pt) \
  {                                                                                \
    add_flow((const RhxParams *)par, st, pt);                                      \
  }
#define RHX_CALL_add_mode                                                                             \
  static void rhx_call_add_mode(const void *par, const RhxStage *st, const RhxPoint *pt, RhxMode *md) \
  {                                                                                                   \
    add_mode((const RhxParams *)par, st, pt, md);                                                     \
  }
#define RHX_CALL_project                                                                                       \
  static void rhx_call_project(const void *par, const RhxStage *st, int row, const RhxPoint *pt, RhxReal *out) \
  {                                                                                                            \
    project((const RhxParams *)par, st, row, pt, out);                                                         \
  }
#define RHX_CALL_project_mode                                                                         \
  static void rhx_call_project_mode(const void *par, const RhxStage *st, int row, const RhxPoint *pt, \
                                    const RhxMode *md, RhxReal *out)                                  \
  {                                                                                                   \
    project_mode((const RhxParams *)par, st, row, pt, md, out);                                       \
  }
#define RHX_CALL_pressure_tau                                                                              \
  static void rhx_call_pressure_tau(const void *par, const RhxStage *st, const RhxPoint *pt, RhxReal *tau) \
  {                                                                                                        \
    pressure_tau((const RhxParams *)par, st, pt, tau);                                                     \
  }
#define RHX_CALL_diffusion                                                                                  \
  static void rhx_call_diffusion(const void *par, const RhxStage *st, const RhxPoint *pt, RhxDiffusion *df) \
  {                                                                                                         \
    diffusion((const RhxParams *)par, st, pt, df);                                                          \
  }
#define RHX_CALL_add_scalar                                                                               \
  static void rhx_call_add_scalar(const void *par, const RhxStage *st, const RhxPoint *pt, RhxScalar *sc) \
  {                                                                                                       \
    add_scalar((const RhxParams *)par, st, pt, sc);                                                       \
  }
#define RHX_CALL_project_scalar                                                                         \
  static void rhx_call_project_scalar(const void *par, const RhxStage *st, int row, const RhxPoint *pt, \
                                      const RhxScalar *sc, RhxReal *out)                                \
  {                                                                                                     \
    project_scalar((const RhxParams *)par, st, row, pt, sc, out);                                       \
  }
#define RHX_CALL_diffusivity                                                                                    \
  static void rhx_call_diffusivity(const void *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *D) \
  {                                                                                                             \
    diffusivity((const RhxParams *)par, pt, sc, k, D);                                                          \
  }
#define RHX_CALL_source                                                                                    \
  static void rhx_call_source(const void *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *s) \
  {                                                                                                        \
    source((const RhxParams *)par, pt, sc, k, s);                                                          \
  }
#define RHX_CALL_reaction                                                                                    \
  static void rhx_call_reaction(const void *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *r) \
  {                                                                                                          \
    reaction((const RhxParams *)par, pt, sc, k, r);                                                          \
  }
#define RHX_CALL_shift                                                                                \
  static void rhx_call_shift(const void *par, const RhxPoint *pt, const RhxScalar *sc, RhxShift *out) \
  {                                                                                                   \
    shift((const RhxParams *)par, pt, sc, out);                                                       \
  }

#endif
