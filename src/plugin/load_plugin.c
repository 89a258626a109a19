/* load-plugin <file.so>: opens a plugin and reads its descriptor as the loader does; exit code 42 unless that crashes. */
#include <dlfcn.h>
#include <rheoplex/plugin.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  const RhxAbi ours = RHX_ABI;
  RhxPluginFn fn;
  const RhxPlugin *p;
  volatile size_t seen = 0;
  void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!handle) _exit(42); /* the loader says why */
  *(void **)&fn = dlsym(handle, "rhx_plugin");
  p = fn ? fn() : NULL;
  if (p && p->abi.size == ours.size && p->size == sizeof(*p) && p->abi.row_size == ours.row_size) {
    seen += p->name ? strlen(p->name) : 0;
    for (int r = 0; r < p->nrows; r++) seen += p->rows[r].name ? strlen(p->rows[r].name) : 0;
  }
  _exit(42);
}
