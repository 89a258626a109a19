/* Looks at a plugin before the process opens it: what is cut short or crashes is refused with a sentence. */
#ifndef RHX_INSPECT_IMPL_H
#define RHX_INSPECT_IMPL_H
#include <rheoplex/plugin.h>
#include <stddef.h>

/* One rank. message: "" or why the file cannot be loaded. Its size is compared with what its ELF header says; a plugin from
 * outside of the installed folder is opened in a child process first (load-plugin beside the plugins' folder). */
void RhxPluginInspect(const char *file, size_t size, char *message);
/* message: "" or which of the plugin's parameters cannot be: a name that core has, a name twice, a slot outside. */
void RhxPluginCheckRows(const char *file, const RhxPlugin *plugin, size_t size, char *message);
#endif
