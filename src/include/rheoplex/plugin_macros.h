/* From tables that a plugin's file defines as X-macros to its parameter struct, option rows, operations and descriptor.
 *
 *   #define RHX_PARAMETERS(ROW)                                                                 (every plugin)
 *     ROW(REAL, theta, "1", RHX_IN, 0, 1, "1", "help")          name, default, bound, lower, upper, unit, help
 *     ROW(MODE_REAL, lambda, "1", RHX_GT, 0, 0, "s", "help")    the same, one value a mode
 *     ROW(REAL_OR, tau, "steady", "steady|transient", RHX_GE, 0, 0, "s", "help")   names are stored as RHX_NAMED(k)
 *     ROW(INT, n, "1", RHX_GE, 1, 0, "help")   ROW(BOOL, b, "false", "help")   ROW(CHOICE, c, "one", "one|two", "help")
 *     ROW(FIELD, heat, "temperature", "help")  of scalar fields: a field of any plugin by its name; sc[par->heat] is there
 *   RHX_DECLARE_PARAMETERS();      gives RhxParams
 *
 *   #define RHX_FIELDS(ROW)                                                                     (scalar fields)
 *     ROW(dye, "1", RHX_GE, 0, 0, "0", "natural", "given", "help")   name, unit, bound, lower, upper, initial formula,
 *                                                                    condition of walls, of inlets, help
 *   #define RHX_OPERATIONS(OP) OP(diffusivity) OP(source) OP(reaction) OP(shift) which functions the file has
 *   RHX_DECLARE_SCALARS();         gives field_<name>
 *
 *   #define RHX_PARTS(PART) PART(momentum, RHX_PROVIDES_MOMENTUM, "help")      (stabilisers; may be empty, as the next)
 *   #define RHX_AUX(ROW)    ROW(grad_p, RHX_AUX_VECTOR, 0, "help")             name, shape, of what (0: flow, 1: mode, 2: scalar), help
 *   #define RHX_STAGES(OP)  OP(add_flow) OP(project)                           which functions the file has
 *   RHX_DECLARE_STABILISER();      gives part_<name>, aux_<name>
 *
 * Functions have the names of the operations in plugin.h and take const RhxParams *: a viscous law viscosity; a polymeric
 * one properties, rate, stress; scalar fields those of RHX_OPERATIONS; a stabiliser those of RHX_STAGES and needs. The last line is RHX_VISCOUS_LAW, ... */
#ifndef RHX_PLUGIN_MACROS_H
#define RHX_PLUGIN_MACROS_H

/* ---- Pointwise ---- */
#define RHX_PART_ON(st, name) (((st)->parts >> part_##name) & 1u) /* is that part on? */
#define RHX_AUX_AT(q, st, name) \
  ((q)->aux + (st)->off[aux_##name]) /* its components; q: RhxPoint, RhxMode or RhxScalar */

#define RHX_NAMED(k) (-1.0 - (k)) /* the k-th named value of a REAL_OR row, from 0 */
/* ---- The parameter struct ---- */
#define RHX_SLOT(kind, ...) RHX_SLOT_##kind(__VA_ARGS__)
#define RHX_SLOT_REAL(name, ...) double name;
#define RHX_SLOT_MODE_REAL(name, ...) double name;
#define RHX_SLOT_REAL_OR(name, ...) double name;
#define RHX_SLOT_INT(name, ...) int name;
#define RHX_SLOT_BOOL(name, ...) int name;
#define RHX_SLOT_CHOICE(name, ...) int name;
#define RHX_SLOT_FIELD(name, ...) int name;
#define RHX_CASE_FIELD "<field>" /* choices of such a row */
#define RHX_ROW_ENUM(kind, ...) RHX_ROW_ENUM_(__VA_ARGS__)
#define RHX_ROW_ENUM_(name, ...) rhx_row_##name,
#define RHX_PART_ENUM(name, flags, help) part_##name,
#define RHX_AUX_ENUM(name, shape, of, help) aux_##name,
#define RHX_FIELD_ENUM_(name, unit, bound, lower, upper, initial, wall, inlet, help) field_##name,

#define RHX_PARAMETER_STRUCT                   \
  typedef struct {                             \
    RHX_PARAMETERS(RHX_SLOT)                   \
    int rhx_end; /* a struct is never empty */ \
  } RhxParams;                                 \
  enum { RHX_PARAMETERS(RHX_ROW_ENUM) rhx_row_end }

#define RHX_STABILISER_ENUMS                      \
  enum { RHX_PARTS(RHX_PART_ENUM) rhx_part_end }; \
  enum { RHX_AUX(RHX_AUX_ENUM) rhx_aux_end }

#define RHX_FIELD_ENUM enum { RHX_FIELDS(RHX_FIELD_ENUM_) rhx_field_end }

#define RHX_NO_SLIP (-1)
#define RHX_SLIP_ROW(name) rhx_row_##name

/* ---- One variant: its operations in a hidden table ---- */

#define RHX_PASTE_(a, b, c, d) a##_##b##_##c##_##d
#define RHX_PASTE(a, b, c, d) RHX_PASTE_(a, b, c, d)
#define RHX_HIDDEN __attribute__((visibility("hidden")))
#define RHX_VARIANT_OPS RHX_PASTE(rhx_ops, RHX_DIM, RHX_NTENS, RHX_KIND)

#include <rheoplex/plugin_calls.h>
#define RHX_CALL(op) RHX_CALL_##op
/* Of operations of which a file has some, in any order. */
#ifdef __cplusplus
#define RHX_CALL_SET(op) ops.op = rhx_call_##op;
#define RHX_SOME_OPS(Ops, LIST)                \
  static constexpr Ops rhx_some_ops()          \
  {                                            \
    Ops ops = {};                              \
    LIST(RHX_CALL_SET)                         \
    return ops;                                \
  }                                            \
  extern RHX_HIDDEN const Ops RHX_VARIANT_OPS; \
  const Ops RHX_VARIANT_OPS = rhx_some_ops()
#else
#define RHX_CALL_SET(op) .op = rhx_call_##op,
#define RHX_SOME_OPS(Ops, LIST)                \
  extern RHX_HIDDEN const Ops RHX_VARIANT_OPS; \
  const Ops RHX_VARIANT_OPS = {LIST(RHX_CALL_SET)}
#endif

/* ---- What a plugin's file writes ---- */

#if defined(RHX_DESCRIPTOR)
#include <rheoplex/plugin_descriptor.h>
#else
#define RHX_DECLARE_PARAMETERS() RHX_PARAMETER_STRUCT
#define RHX_DECLARE_STABILISER() RHX_STABILISER_ENUMS
#define RHX_DECLARE_SCALARS() RHX_FIELD_ENUM
#if defined(RHX_VARIANT)
#define RHX_VISCOUS_LAW(name, help, source)                                          \
  static void rhx_call_viscosity(const void *par, const RhxKin *kin, RhxReal *eta_s) \
  {                                                                                  \
    viscosity((const RhxParams *)par, kin, eta_s);                                   \
  }                                                                                  \
  extern RHX_HIDDEN const RhxViscousOps RHX_VARIANT_OPS;                             \
  const RhxViscousOps RHX_VARIANT_OPS = {rhx_call_viscosity}
#define RHX_POLYMERIC_LAW(name, help, source, flags, slip)                                              \
  static void rhx_call_properties(const void *par, const RhxKin *kin, const RhxReal *c, RhxProps *prop) \
  {                                                                                                     \
    properties((const RhxParams *)par, kin, c, prop);                                                   \
  }                                                                                                     \
  static void rhx_call_rate(const void *par, const RhxKin *kin, const RhxReal *c, RhxReal *r)           \
  {                                                                                                     \
    rate((const RhxParams *)par, kin, c, r);                                                            \
  }                                                                                                     \
  static void rhx_call_stress(const void *par, const RhxKin *kin, const RhxReal *c, RhxReal *tau)       \
  {                                                                                                     \
    stress((const RhxParams *)par, kin, c, tau);                                                        \
  }                                                                                                     \
  extern RHX_HIDDEN const RhxPolymericOps RHX_VARIANT_OPS;                                              \
  const RhxPolymericOps RHX_VARIANT_OPS = {rhx_call_properties, rhx_call_rate, rhx_call_stress}
#define RHX_STABILISER_PLUGIN(name, help, source, flags) \
  RHX_STAGES(RHX_CALL)                                   \
  RHX_SOME_OPS(RhxStabiliserOps, RHX_STAGES)
#define RHX_SCALAR_PLUGIN(name, help, source, flags) \
  RHX_OPERATIONS(RHX_CALL)                           \
  RHX_SOME_OPS(RhxScalarOps, RHX_OPERATIONS)
#else /* a test or the device includes the functions */
#define RHX_VISCOUS_LAW(name, help, source) struct rhx_plugin_end
#define RHX_POLYMERIC_LAW(name, help, source, flags, slip) struct rhx_plugin_end
#define RHX_STABILISER_PLUGIN(name, help, source, flags) struct rhx_plugin_end
#define RHX_SCALAR_PLUGIN(name, help, source, flags) struct rhx_plugin_end
#endif
#endif

#endif
