/* A plugin of another ABI: its elements come in lanes of another number. */
#include <rheoplex/plugin.h>

static const RhxPlugin plugin = {
    .abi = {.size = sizeof(RhxAbi),
            .major = RHX_ABI_MAJOR,
            .minor = RHX_ABI_MINOR,
            .scalar_size = 8,
            .int_size = RHX_INT_SIZE,
            .lanes = RHX_LANES + 1,
            .isa = RHX_ISA,
            .row_size = sizeof(RhxRow),
            .point_size = sizeof(RhxPoint),
            .mode_size = sizeof(RhxMode),
            .stage_size = sizeof(RhxStage),
            .field_size = sizeof(RhxScalar)},
    .size = sizeof(RhxPlugin),
    .kind = RHX_VISCOUS,
    .name = "foreign",
    .help = "made for another processor",
};

__attribute__((visibility("default"))) const RhxPlugin *rhx_plugin(void) { return &plugin; }
