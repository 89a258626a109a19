/* Folders from which a case may load plugins: the user's own list. */
#ifndef RHX_ALLOW_IMPL_H
#define RHX_ALLOW_IMPL_H
#include <stddef.h>

/* Does the file lie in the folder itself? path: as realpath gives it. */
int RhxPluginIsIn(const char *path, const char *folder);
/* Does the list allow the folder of the file? `list`: name of the list; `fault`: why it is not read, or "". */
int RhxPluginIsListed(const char *path, char *list, size_t list_size, const char **fault);
#endif
