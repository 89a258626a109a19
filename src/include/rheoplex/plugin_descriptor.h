/* The descriptor of a plugin, from its tables. Compiled as the 3D lane variant, whose sizes are those of the ABI. */
#ifndef RHX_PLUGIN_DESCRIPTOR_H
#define RHX_PLUGIN_DESCRIPTOR_H
#include <rheoplex/count.h>

#define RHX_ROW(kind, ...) RHX_ROW_##kind(__VA_ARGS__)
#define RHX_ROW_(name, kind, per_mode, value, bound, lower, upper, choices, unit, help) \
  {#name, kind, per_mode, __builtin_offsetof(RhxParams, name), value, bound, lower, upper, choices, unit, help},
#define RHX_ROW_REAL(name, value, bound, lower, upper, unit, help) \
  RHX_ROW_(name, RHX_REAL, 0, value, bound, lower, upper, 0, unit, help)
#define RHX_ROW_MODE_REAL(name, value, bound, lower, upper, unit, help) \
  RHX_ROW_(name, RHX_REAL, 1, value, bound, lower, upper, 0, unit, help)
#define RHX_ROW_REAL_OR(name, value, choices, bound, lower, upper, unit, help) \
  RHX_ROW_(name, RHX_REAL, 0, value, bound, lower, upper, choices, unit, help)
#define RHX_ROW_INT(name, value, bound, lower, upper, help) \
  RHX_ROW_(name, RHX_INT, 0, value, bound, lower, upper, 0, "1", help)
#define RHX_ROW_BOOL(name, value, help) RHX_ROW_(name, RHX_BOOL, 0, value, RHX_ANY, 0, 0, 0, "1", help)
#define RHX_ROW_CHOICE(name, value, choices, help) \
  RHX_ROW_(name, RHX_CHOICE, 0, value, RHX_ANY, 0, 0, choices, "1", help)
#define RHX_ROW_FIELD(name, value, help) RHX_ROW_(name, RHX_CHOICE, 0, value, RHX_ANY, 0, 0, RHX_CASE_FIELD, "1", help)
#define RHX_PART_ROW(name, flags, help) {#name, help, flags},
#define RHX_AUX_ROW(name, shape, of, help) {#name, shape, (RhxAuxOwner)(of), help},
#define RHX_SCALAR_ROW(name, unit, bound, lower, upper, initial, wall, inlet, help) \
  {#name, unit, bound, lower, upper, initial, wall, inlet, help},

#define RHX_PARAMETER_ROWS \
  static const RhxRow rhx_rows[] = {RHX_PARAMETERS(RHX_ROW){0, RHX_REAL, 0, 0, 0, RHX_ANY, 0, 0, 0, 0, 0}}
#define RHX_STABILISER_ROWS                                              \
  static const RhxPart rhx_parts[] = {RHX_PARTS(RHX_PART_ROW){0, 0, 0}}; \
  static const RhxAuxRow rhx_aux[] = {RHX_AUX(RHX_AUX_ROW){0, RHX_AUX_SCALAR, RHX_OF_FLOW, 0}}
#define RHX_FIELD_ROWS \
  static const RhxScalarRow rhx_fields[] = {RHX_FIELDS(RHX_SCALAR_ROW){0, 0, RHX_ANY, 0, 0, 0, 0, 0, 0}}

#define RHX_EXTERN_VARIANTS(Ops)                                                                               \
  extern RHX_HIDDEN const Ops rhx_ops_2_3_0, rhx_ops_2_3_1, rhx_ops_2_3_2, rhx_ops_2_4_0, rhx_ops_2_4_1,       \
      rhx_ops_2_4_2, rhx_ops_3_6_0, rhx_ops_3_6_1, rhx_ops_3_6_2, rhx_ops_2_6_0, rhx_ops_2_6_1, rhx_ops_2_6_2, \
      rhx_ops_2_3_4, rhx_ops_2_4_4, rhx_ops_3_6_4, rhx_ops_2_6_4
#define RHX_ALL_VARIANTS                                                                                            \
  {                                                                                                                 \
    &rhx_ops_2_3_0, &rhx_ops_2_3_1, &rhx_ops_2_3_2, &rhx_ops_2_4_0, &rhx_ops_2_4_1, &rhx_ops_2_4_2, &rhx_ops_3_6_0, \
        &rhx_ops_3_6_1, &rhx_ops_3_6_2, &rhx_ops_2_6_0, &rhx_ops_2_6_1, &rhx_ops_2_6_2                              \
  }
#define RHX_COUNT_VARIANTS                                         \
  {                                                                \
    &rhx_ops_2_3_4, &rhx_ops_2_4_4, &rhx_ops_3_6_4, &rhx_ops_2_6_4 \
  }
#ifdef RHX_WITH_DUALS /* they are linked */
#define RHX_EXTERN_DUALS(Ops) extern RHX_HIDDEN const Ops rhx_ops_2_3_5, rhx_ops_2_4_5, rhx_ops_3_6_5, rhx_ops_2_6_5
#define RHX_DUAL_VARIANTS                                          \
  {                                                                \
    &rhx_ops_2_3_5, &rhx_ops_2_4_5, &rhx_ops_3_6_5, &rhx_ops_2_6_5 \
  }
#else
#define RHX_EXTERN_DUALS(Ops) struct rhx_plugin_end
#define RHX_DUAL_VARIANTS \
  {                       \
    0                     \
  }
#endif
#define RHX_EXPORT_DESCRIPTOR(Ops, kind_, name_, help_, source_, flags_, slip_, nparts_, parts_, naux_, aux_, needs_, \
                              nscalars_, scalars_)                                                                    \
  RHX_EXTERN_VARIANTS(Ops);                                                                                           \
  RHX_EXTERN_DUALS(Ops);                                                                                              \
  static const RhxPlugin rhx_descriptor = {RHX_ABI,                                                                   \
                                           sizeof(RhxPlugin),                                                         \
                                           kind_,                                                                     \
                                           name_,                                                                     \
                                           help_,                                                                     \
                                           source_,                                                                   \
                                           flags_,                                                                    \
                                           sizeof(RhxParams),                                                         \
                                           rhx_row_end,                                                               \
                                           rhx_rows,                                                                  \
                                           slip_,                                                                     \
                                           nparts_,                                                                   \
                                           parts_,                                                                    \
                                           naux_,                                                                     \
                                           aux_,                                                                      \
                                           needs_,                                                                    \
                                           RHX_ALL_VARIANTS,                                                          \
                                           RHX_SOURCE_NAME,                                                           \
                                           RHX_COUNT_VARIANTS,                                                        \
                                           RHX_DUAL_VARIANTS,                                                         \
                                           &rhx_flops,                                                                \
                                           nscalars_,                                                                 \
                                           scalars_};                                                                 \
  __attribute__((visibility("default"))) const RhxPlugin *rhx_plugin(void);                                           \
  const RhxPlugin *rhx_plugin(void) { return &rhx_descriptor; }                                                       \
  struct rhx_plugin_end

/* ---- What a plugin's file writes ---- */

#define RHX_DECLARE_PARAMETERS() \
  RHX_PARAMETER_STRUCT;          \
  RHX_PARAMETER_ROWS
#define RHX_DECLARE_STABILISER() \
  RHX_STABILISER_ENUMS;          \
  RHX_STABILISER_ROWS
#define RHX_DECLARE_SCALARS() \
  RHX_FIELD_ENUM;             \
  RHX_FIELD_ROWS
#define RHX_VISCOUS_LAW(name, help, source) \
  RHX_EXPORT_DESCRIPTOR(RhxViscousOps, RHX_VISCOUS, name, help, source, 0, RHX_NO_SLIP, 0, 0, 0, 0, 0, 0, 0)
#define RHX_POLYMERIC_LAW(name, help, source, flags, slip) \
  RHX_EXPORT_DESCRIPTOR(RhxPolymericOps, RHX_POLYMERIC, name, help, source, flags, slip, 0, 0, 0, 0, 0, 0, 0)
#define RHX_STABILISER_PLUGIN(name, help, source, flags)                                                           \
  static unsigned rhx_call_needs(const void *par, unsigned parts) { return needs((const RhxParams *)par, parts); } \
  RHX_EXPORT_DESCRIPTOR(RhxStabiliserOps, RHX_STABILISER, name, help, source, flags, RHX_NO_SLIP, rhx_part_end,    \
                        rhx_parts, rhx_aux_end, rhx_aux, rhx_call_needs, 0, 0)
#define RHX_SCALAR_PLUGIN(name, help, source, flags)                                                      \
  RHX_EXPORT_DESCRIPTOR(RhxScalarOps, RHX_SCALARS, name, help, source, flags, RHX_NO_SLIP, 0, 0, 0, 0, 0, \
                        rhx_field_end, rhx_fields)

#endif
