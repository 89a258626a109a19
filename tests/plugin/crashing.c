/* A plugin that ends the process that loads it; WHERE it does, HOW. */
#define RHX_KIND RHX_KIND_LANES
#include <rheoplex/plugin.h>
#include <signal.h>
#include <stdlib.h>

#define IN_CONSTRUCTOR 1
#define IN_ENTRY 2

__attribute__((visibility("default"))) const RhxPlugin *rhx_plugin(void);

__attribute__((constructor)) static void begin(void)
{
  if (WHERE == IN_CONSTRUCTOR) HOW;
}

const RhxPlugin *rhx_plugin(void)
{
  if (WHERE == IN_ENTRY) HOW;
  return NULL;
}
