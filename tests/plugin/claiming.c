/* The descriptor of a stabiliser of the pressure that says it is taken where the case names none; nothing calls its operations. */
#define RHX_KIND RHX_KIND_LANES
#include <rheoplex/plugin.h>

__attribute__((visibility("default"))) const RhxPlugin *rhx_plugin(void);

const RhxPlugin *rhx_plugin(void)
{
  static const RhxStabiliserOps ops = {0};
  static const RhxPart part = {"pressure", "of the pressure", RHX_PROVIDES_PRESSURE};
  static const RhxAuxRow row = {.name = "slope", .of = RHX_OF_MODE};
  static double flops;
  static const RhxPlugin plugin = {
      .abi = RHX_ABI,
      .size = sizeof(RhxPlugin),
      .kind = RHX_STABILISER,
      .name = "claiming",
      .help = "never called",
      .flags = CLAIM,
      .slip_row = RHX_NO_SLIP,
      .nparts = 1,
      .parts = &part,
      .naux = ROWS,
      .aux = &row,
      .variant = {&ops, &ops, &ops, &ops, &ops, &ops, &ops, &ops, &ops, &ops, &ops, &ops},
      .count = {&ops, &ops, &ops, &ops},
      .flops = &flops,
  };
  return &plugin;
}
