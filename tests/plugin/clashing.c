/* A descriptor whose parameters are FIRST and SECOND; nothing calls its operations. */
#define RHX_KIND RHX_KIND_LANES
#include <rheoplex/plugin.h>

__attribute__((visibility("default"))) const RhxPlugin *rhx_plugin(void);

typedef struct {
  double first, second;
} Parameters;

static const RhxRow rows[] = {
    {FIRST, RHX_REAL, 0, __builtin_offsetof(Parameters, first), "1", RHX_ANY, 0, 0, 0, "1", "first"},
    {SECOND, RHX_REAL, 0, __builtin_offsetof(Parameters, second), "1", RHX_ANY, 0, 0, 0, "1", "second"},
};

const RhxPlugin *rhx_plugin(void)
{
  static const RhxPolymericOps ops = {0, 0, 0};
  static double flops;
  static const RhxPlugin plugin = {
      .abi = RHX_ABI,
      .size = sizeof(RhxPlugin),
      .kind = RHX_POLYMERIC,
      .name = LAW,
      .help = "never called",
      .param_size = sizeof(Parameters),
      .nrows = 2,
      .rows = rows,
      .slip_row = RHX_NO_SLIP,
      .variant = {&ops, &ops, &ops, &ops, &ops, &ops, &ops, &ops, &ops, &ops, &ops, &ops},
      .count = {&ops, &ops, &ops, &ops},
      .flops = &flops,
  };
  return &plugin;
}
