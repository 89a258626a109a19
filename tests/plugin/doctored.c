/* A plugin whose descriptor says MEMBER of the ABI block one too large. */
#define RHX_KIND RHX_KIND_LANES
#include <rheoplex/plugin.h>

__attribute__((visibility("default"))) const RhxPlugin *rhx_plugin(void);

const RhxPlugin *rhx_plugin(void)
{
  static const RhxAbi abi = RHX_ABI;
  static RhxPlugin plugin;
  plugin.abi = abi;
  plugin.size = sizeof(plugin);
  plugin.name = "doctored";
  plugin.abi.MEMBER++;
  return &plugin;
}
