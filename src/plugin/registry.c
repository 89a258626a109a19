/* Finds, opens and checks the plugins' shared objects. */
#define _GNU_SOURCE
#define RHX_KIND RHX_KIND_LANES /* the ABI's sizes are those of the 3D lane variant */
#include "plugin/registry.h"
#include "petsc_compat.h"
#include "plugin/agree.h"
#include "plugin/allow_impl.h"
#include "plugin/inspect_impl.h"
#include "plugin/option.h"
#include "plugin/scalars.h"
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE 2048

typedef struct {
  void *handle;
  const RhxPlugin *plugin; /* lives in the shared object */
  char *file;              /* owned */
  RhxOptionTable table;    /* registered; prefix and rows owned */
  RhxScalarTables scalars; /* of its fields */
} Loaded;

static struct {
  PetscInt n, size;
  Loaded **item;
  PetscBool done;
} loaded;

static PetscBool restricted; /* -plugin was set by a case */

typedef struct {
  char plugin[RHX_STRING_LENGTH];
} RegistryOptions;

static const RhxRow registry_rows[] = {
    {"plugin", RHX_STRING, 0, offsetof(RegistryOptions, plugin), "", RHX_ANY, 0, 0, NULL, "1",
     "shared objects of plugins, or folders of them, comma-separated (also searched: the folders of "
     "RHEOPLEX_PLUGIN_PATH); "
     "a case may name those of folders that the user allows (share/doc/trust.md)"},
};
static const RhxOptionTable registry_table = {"plugin", "", 1, registry_rows};

int RhxVariantIndex(int dim, int ntens, int kind)
{
  return 3 * (dim == 3 ? 2 : ntens == 6 ? 3 : ntens == 4 ? 1 : 0) + kind;
}

static PetscBool is_stabiliser(RhxPluginKind kind) { return kind == RHX_STABILISER ? PETSC_TRUE : PETSC_FALSE; }
static const char *kind_name(RhxPluginKind kind) { return is_stabiliser(kind) ? "stabiliser" : "physics"; }

/* ---- Files, on rank 0 ---- */

typedef struct {
  int n, size;
  char **path; /* absolute, each once */
} FileList;

static void add_file(FileList *list, const char *file, char message[MESSAGE])
{
  char *path = realpath(file, NULL);
  if (!path) {
    snprintf(message, MESSAGE, "No such plugin: got \"%.1000s\", expected a shared object (option -plugin)", file);
    return;
  }
  for (int i = 0; i < list->n; i++)
    if (strcmp(list->path[i], path) == 0) {
      free(path);
      return;
    }
  if (list->n == list->size) {
    list->size = 2 * list->size + 16;
    list->path = realloc(list->path, (size_t)list->size * sizeof(*list->path));
  }
  list->path[list->n++] = path;
}

static int is_shared_object(const struct dirent *entry)
{
  size_t n = strlen(entry->d_name);
  return n > 3 && strcmp(entry->d_name + n - 3, ".so") == 0;
}

/* Every *.so of a folder in alphabetical order; 0 if there is no such folder. */
static int add_folder(FileList *list, const char *folder, char message[MESSAGE])
{
  struct dirent **entry;
  char path[PATH_MAX + NAME_MAX + 2];
  int n = scandir(folder, &entry, is_shared_object, alphasort);
  if (n < 0) return 0;
  for (int i = 0; i < n; i++) {
    snprintf(path, sizeof(path), "%s/%s", folder, entry[i]->d_name);
    add_file(list, path, message);
    free(entry[i]);
  }
  free(entry);
  return 1;
}

/* Beside the library: installed <libdir>/rheoplex/plugins (k = 0), or that of the build tree (k = 1). */
static int own_folder(int k, char folder[PATH_MAX])
{
  static const char *const place[] = {"rheoplex/plugins", "../lib/rheoplex/plugins"};
  Dl_info info;
  if (!dladdr((void *)&registry_table, &info) || !info.dli_fname) return 0;
  const char *slash = strrchr(info.dli_fname, '/');
  int n = slash ? (int)(slash - info.dli_fname) : 0;
  snprintf(folder, PATH_MAX, "%.*s/%s", n, n ? info.dli_fname : ".", place[k]);
  return 1;
}

static void add_own_folder(FileList *list, char message[MESSAGE])
{
  char folder[PATH_MAX];
  for (int k = 0; k < 2; k++)
    if (own_folder(k, folder) && add_folder(list, folder, message)) return;
}

/* Does the program's own folder hold it, be it by a link? path: absolute, without links. */
static int is_own(const char *path)
{
  char folder[PATH_MAX], entry[2 * PATH_MAX], real[PATH_MAX];
  for (int k = 0; k < 2; k++) {
    if (!own_folder(k, folder)) continue;
    snprintf(entry, sizeof(entry), "%s%s", folder, strrchr(path, '/'));
    if (realpath(entry, real) && !strcmp(real, path)) return 1;
  }
  return 0;
}

static int is_in_environment(const char *path)
{
  const char *folders = getenv("RHEOPLEX_PLUGIN_PATH");
  char *copy = strdup(folders ? folders : ""), *rest = copy, real[PATH_MAX];
  int found = 0;
  for (char *folder; !found && (folder = strsep(&rest, ":"));)
    found = *folder && realpath(folder, real) && RhxPluginIsIn(path, real);
  free(copy);
  return found;
}

/* A case is data, what it names is code. path: absolute, without links. */
static void check_allowed(const char *path, char message[MESSAGE])
{
  char list[PATH_MAX], folder[PATH_MAX], real[PATH_MAX];
  const char *fault;
  for (int k = 0; k < 2; k++)
    if (own_folder(k, folder) && realpath(folder, real) && RhxPluginIsIn(path, real)) return;
  if (is_in_environment(path) || RhxPluginIsListed(path, list, sizeof(list), &fault)) return;
  snprintf(
      message, MESSAGE,
      "The case names the plugin %.600s, whose folder is not allowed: got code, expected data; give -plugin on the "
      "command line, or add the line %.*s to %.400s%s%s",
      path, (int)PetscMin(strrchr(path, '/') - path, 600), path, list, fault[0] ? ", which now " : "", fault);
}

static void add_named_files(FileList *list, const char *names, char message[MESSAGE])
{
  char *copy = strdup(names), *rest = copy;
  const int first = list->n;
  for (char *name; (name = strsep(&rest, ","));)
    if (*name && !add_folder(list, name, message)) add_file(list, name, message);
  for (int i = first; i < list->n && restricted && !message[0]; i++) check_allowed(list->path[i], message);
  free(copy);
}

static void add_environment(FileList *list, char message[MESSAGE])
{
  const char *folders = getenv("RHEOPLEX_PLUGIN_PATH");
  char *copy = strdup(folders ? folders : ""), *rest = copy;
  for (char *folder; (folder = strsep(&rest, ":"));)
    if (*folder && !add_folder(list, folder, message))
      snprintf(message, MESSAGE, "No such folder: got \"%.1000s\", expected folders of plugins (RHEOPLEX_PLUGIN_PATH)",
               folder);
  free(copy);
}

/* Sends rank 0's list to all. */
static PetscErrorCode share_list(MPI_Comm comm, FileList *list)
{
  int rank, n;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Bcast(&list->n, 1, MPI_INT, 0, comm));
  if (rank) list->path = calloc((size_t)list->n + 1, sizeof(*list->path));
  for (int i = 0; i < list->n; i++) {
    n = rank ? 0 : (int)strlen(list->path[i]) + 1;
    PetscCallMPI(MPI_Bcast(&n, 1, MPI_INT, 0, comm));
    if (rank) list->path[i] = malloc((size_t)n);
    PetscCallMPI(MPI_Bcast(list->path[i], n, MPI_CHAR, 0, comm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void free_list(FileList *list)
{
  for (int i = 0; i < list->n; i++) free(list->path[i]);
  free(list->path);
}

/* ---- Checks of one descriptor: "" or a sentence ---- */

static void differs(const char *file, const char *member, const char *got, const char *expected, char message[MESSAGE])
{
  snprintf(message, MESSAGE,
           "Plugin %.1000s was built for another Rheoplex: %s is %.100s, expected %.100s (build it again)", file,
           member, got, expected);
}

static void compare(const char *file, const char *member, long got, long expected, char message[MESSAGE])
{
  char a[32], b[32];
  if (got == expected || message[0]) return;
  snprintf(a, sizeof(a), "%ld", got);
  snprintf(b, sizeof(b), "%ld", expected);
  differs(file, member, a, b, message);
}

static void check_abi(const char *file, const RhxPlugin *p, char message[MESSAGE])
{
  const RhxAbi ours = RHX_ABI, *a = &p->abi;
  compare(file, "abi.size", (long)a->size, (long)ours.size, message);
  if (message[0]) return;
#define COMPARE(member) compare(file, "abi." #member, (long)a->member, (long)ours.member, message)
  COMPARE(major);
  if (a->minor > ours.minor) COMPARE(minor);
  COMPARE(scalar_size);
  COMPARE(int_size);
  COMPARE(lanes);
  COMPARE(row_size);
  COMPARE(point_size);
  COMPARE(mode_size);
  COMPARE(stage_size);
  COMPARE(field_size);
#undef COMPARE
  if (!message[0] && strcmp(a->isa, ours.isa)) differs(file, "abi.isa", a->isa, ours.isa, message);
  compare(file, "size", (long)p->size, (long)sizeof(RhxPlugin), message);
}

/* An auxiliary row that no function fills; NULL: there is none. */
static const char *find_unprojected(const RhxPlugin *p, size_t size, char *text)
{
  static const char *const names[] = {
      [RHX_OF_FLOW] = "project", [RHX_OF_MODE] = "project_mode", [RHX_OF_SCALAR] = "project_scalar"};
  const RhxStabiliserOps *ops = p->variant[0];
  for (int row = 0; row < p->naux; row++) {
    const RhxAuxOwner of = p->aux[row].of;
    const PetscBool there = (PetscBool)(of == RHX_OF_FLOW   ? ops->project != NULL
                                        : of == RHX_OF_MODE ? ops->project_mode != NULL
                                                            : ops->project_scalar != NULL);
    if (there) continue;
    snprintf(text, size, "got the auxiliary row '%.60s' without the function %s, expected it, and OP(%s) in RHX_STAGES",
             p->aux[row].name, names[of], names[of]);
    return text;
  }
  return NULL;
}

static void check_descriptor(const char *file, const RhxPlugin *p, char message[MESSAGE])
{
  const char *what = NULL;
  char name[256];
  if (message[0]) return;
  if (!p->name || !p->name[0] || strspn(p->name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(p->name)) {
    snprintf(name, sizeof(name), "got the name '%.100s', expected lower-case letters, digits and '_'",
             p->name ? p->name : "");
    what = name;
  } else if (p->kind != RHX_VISCOUS && p->kind != RHX_POLYMERIC && p->kind != RHX_STABILISER && p->kind != RHX_SCALARS)
    what = "its kind is none of viscous, polymeric, stabiliser and scalars";
  else if (p->nparts > 32 || p->naux > RHX_MAX_AUX)
    what = "it has more than 32 parts or 16 auxiliary rows";
  else if (is_stabiliser(p->kind) && p->flags & (RHX_TAKEN | RHX_TAKEN_WITH_POLYMER) && !is_own(file))
    what =
        "it says that it is taken where -stabiliser names none (RHX_TAKEN), expected that of plugins in the program's "
        "own folder alone";
  for (int k = 0; k < RHX_NVARIANTS && !what; k++)
    if (!p->variant[k]) what = "a variant of its operations is missing";
  if (!what && is_stabiliser(p->kind)) what = find_unprojected(p, sizeof(name), name);
  for (int k = 0; k < RHX_NVARIANTS / 3 && !what; k++)
    if (!p->count[k] || !p->flops) what = "the variant of its operations that counts is missing";
  for (PetscInt i = 0; i < loaded.n && !what; i++) {
    const Loaded *other = loaded.item[i];
    if (strcmp(other->plugin->name, p->name) || is_stabiliser(other->plugin->kind) != is_stabiliser(p->kind)) continue;
    snprintf(message, MESSAGE, "Two plugins of one name: got %s '%.100s' from %.800s and from %.800s, expected one",
             kind_name(p->kind), p->name, other->file, file);
    return;
  }
  if (what) snprintf(message, MESSAGE, "Plugin %.1000s cannot be used: %s", file, what);
}

/* NULL without a message: an extension, which is registered. */
static const RhxPlugin *open_plugin(const char *file, void **handle, char message[MESSAGE])
{
  RhxPluginFn fn;
  const RhxPlugin *p;
  *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!*handle) {
    snprintf(message, MESSAGE, "Plugin %.800s cannot be opened: %.1000s", file, dlerror());
    return NULL;
  }
  *(void **)&fn = dlsym(*handle, "rhx_plugin");
  p = fn ? fn() : NULL;
  if (p) {
    check_abi(file, p, message);
    check_descriptor(file, p, message);
    if (!message[0]) RhxPluginCheckRows(file, p, MESSAGE, message);
    if (!message[0]) RhxScalarRowsCheck(file, p, MESSAGE, message);
  } else if (!RhxExtensionAdd(file, *handle, MESSAGE, message))
    snprintf(message, MESSAGE,
             "Plugin %.1000s has no rhx_plugin(): expected a plugin of Rheoplex, or an extension with RHX_EXTENSION; a "
             "scheme is opened by -dll_append",
             file);
  return p;
}

/* ---- Registration ---- */

static const RhxRow modes_row = {"modes", RHX_INT, 0, 0, "1", RHX_GE, 1, 0, NULL, "1", "number of modes"};
static const RhxRow parts_row = {
    "parts", RHX_STRING, 0, 0, "all", RHX_ANY, 0, 0, NULL, "1", "parts that are on, comma-separated"};

/* The plugin's rows and the registry's own one. */
static PetscErrorCode register_rows(Loaded *item)
{
  const RhxPlugin *p = item->plugin;
  PetscInt n = p->nrows;
  char prefix[256];
  RhxRow *rows;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + 1, &rows));
  PetscCall(PetscArraycpy(rows, p->rows, n));
  if (p->kind == RHX_POLYMERIC) rows[n++] = modes_row;
  if (p->kind == RHX_STABILISER) rows[n++] = parts_row;
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "%s_%s_", kind_name(p->kind), p->name));
  item->table.topic = kind_name(p->kind);
  item->table.nrows = n;
  item->table.rows = rows;
  PetscCall(PetscStrallocpy(prefix, (char **)&item->table.prefix));
  PetscCall(RhxOptionTableRegister(&item->table));
  PetscCall(RhxScalarTablesRegister(p, &item->scalars));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_loaded(void *handle, const RhxPlugin *plugin, const char *file)
{
  Loaded *item, **grown;
  PetscFunctionBegin;
  if (loaded.n == loaded.size) {
    loaded.size = 2 * loaded.size + 16;
    PetscCall(PetscMalloc1(loaded.size, &grown));
    PetscCall(PetscArraycpy(grown, loaded.item, loaded.n));
    PetscCall(PetscFree(loaded.item));
    loaded.item = grown;
  }
  PetscCall(PetscNew(&item));
  item->handle = handle;
  item->plugin = plugin;
  PetscCall(PetscStrallocpy(file, &item->file));
  PetscCall(register_rows(item));
  loaded.item[loaded.n++] = item;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPluginsUnload(void)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < loaded.n; i++) {
    Loaded *item = loaded.item[i];
    PetscCall(RhxOptionTableUnregister(&item->table));
    PetscCall(RhxScalarTablesUnregister(&item->scalars));
    PetscCall(PetscFree(item->table.prefix));
    PetscCall(PetscFree(item->table.rows));
    PetscCall(PetscFree(item->file));
    dlclose(item->handle);
    PetscCall(PetscFree(item));
  }
  PetscCall(PetscFree(loaded.item));
  PetscCall(RhxOptionTableUnregister(&registry_table));
  loaded.n = loaded.size = 0;
  loaded.done = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPluginsRestrict(PetscBool from_case)
{
  PetscFunctionBegin;
  restricted = from_case;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_files(MPI_Comm comm, const char *names, FileList *list)
{
  char message[MESSAGE] = "";
  int rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    add_named_files(list, names, message);
    add_environment(list, message);
    add_own_folder(list, message);
  }
  PetscCall(RhxRaise(comm, PETSC_ERR_LIB, sizeof(message), message));
  PetscCall(share_list(comm, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_file(MPI_Comm comm, const char *file)
{
  char message[MESSAGE] = "";
  void *handle;
  const RhxPlugin *plugin;
  int rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) RhxPluginInspect(file, MESSAGE, message);
  PetscCall(RhxRaise(comm, PETSC_ERR_LIB, sizeof(message), message));
  plugin = open_plugin(file, &handle, message);
  PetscCall(RhxRaise(comm, PETSC_ERR_LIB, sizeof(message), message));
  if (plugin)
    PetscCall(add_loaded(handle, plugin, file));
  else
    dlclose(handle); /* an extension stays */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPluginsLoad(MPI_Comm comm)
{
  RegistryOptions opt;
  FileList list = {0, 0, NULL};
  PetscFunctionBegin;
  if (loaded.done) PetscFunctionReturn(PETSC_SUCCESS);
  loaded.done = PETSC_TRUE;
  PetscCall(PetscRegisterFinalize(RhxPluginsUnload));
  PetscCall(RhxOptionTableRegister(&registry_table));
  PetscCall(RhxOptionTableRead(comm, &registry_table, NULL, &opt));
  PetscCall(list_files(comm, opt.plugin, &list));
  for (int i = 0; i < list.n; i++) PetscCall(load_file(comm, list.path[i]));
  free_list(&list);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Look-up ---- */

PetscErrorCode RhxPluginCount(PetscInt *n)
{
  PetscFunctionBegin;
  *n = loaded.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPluginGet(PetscInt i, const RhxPlugin **plugin, const char **file)
{
  PetscFunctionBegin;
  PetscCheck(i >= 0 && i < loaded.n, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "No plugin of number %" PetscInt_FMT ": expected less than %" PetscInt_FMT, i, loaded.n);
  if (plugin) *plugin = loaded.item[i]->plugin;
  if (file) *file = loaded.item[i]->file;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Beside the shared object. */
PetscErrorCode RhxPluginDevicePath(const RhxPlugin *plugin, size_t size, char *path)
{
  const char *file = NULL;
  char *slash;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxPluginCount(&n));
  for (PetscInt i = 0; i < n && !file; i++) {
    const RhxPlugin *p;
    PetscCall(RhxPluginGet(i, &p, &file));
    if (p != plugin) file = NULL;
  }
  PetscCall(PetscStrncpy(path, file ? file : "", size));
  slash = strrchr(path, '/');
  if (slash)
    slash[1] = 0;
  else
    path[0] = 0;
  PetscCall(PetscStrlcat(path, plugin->device_source, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n names in one sentence, with the nearest. */
static PetscErrorCode refuse_name(MPI_Comm comm, const char *what, const char *option, const char *got, PetscInt n,
                                  const char *const *names)
{
  char list[MESSAGE / 2] = "";
  const char *near = RhxNearest(got, n, names);
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++)
    PetscCall(PetscSNPrintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "", names[i]));
  SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "Unknown %s: got \"%.200s\", expected %s%s%s%s (option -%s)", what, got,
          n ? list : "none (no plugin is installed)", near ? "; did you mean " : "", near ? near : "", near ? "?" : "",
          option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPluginFind(MPI_Comm comm, RhxPluginKind kind, const char *name, const RhxPlugin **plugin)
{
  const char *names[256];
  PetscInt n = 0;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < loaded.n; i++) {
    const RhxPlugin *p = loaded.item[i]->plugin;
    if (is_stabiliser(p->kind) != is_stabiliser(kind)) continue;
    if (strcmp(p->name, name) == 0) {
      *plugin = p;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (n < 256) names[n++] = p->name;
  }
  PetscCall(refuse_name(comm, kind_name(kind), kind_name(kind), name, n, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPhysicsModes(MPI_Comm comm, const RhxPlugin *law, PetscInt *n)
{
  char prefix[256];
  int modes;
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "physics_%s_", law->name));
  PetscCall(RhxRowsRead(comm, prefix, 1, &modes_row, 1, 0, &modes));
  *n = modes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_part(MPI_Comm comm, const RhxPlugin *stabiliser, const char *name, unsigned *parts)
{
  const char *names[32];
  char option[256];
  PetscFunctionBegin;
  for (int k = 0; k < stabiliser->nparts; k++) {
    names[k] = stabiliser->parts[k].name;
    if (strcmp(names[k], name)) continue;
    *parts |= 1u << k;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSNPrintf(option, sizeof(option), "stabiliser_%s_parts", stabiliser->name));
  PetscCall(refuse_name(comm, "part of a stabiliser", option, name, stabiliser->nparts, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStabiliserParts(MPI_Comm comm, const RhxPlugin *stabiliser, unsigned *parts)
{
  char prefix[256], text[RHX_STRING_LENGTH], *rest = text;
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "stabiliser_%s_", stabiliser->name));
  PetscCall(RhxRowsRead(comm, prefix, 1, &parts_row, 1, 0, text));
  *parts = strcmp(text, "all") ? 0u : (unsigned)((1ull << stabiliser->nparts) - 1);
  if (*parts) PetscFunctionReturn(PETSC_SUCCESS);
  for (char *name; (name = strsep(&rest, ","));)
    if (strcmp(name, "all")) PetscCall(add_part(comm, stabiliser, name + strspn(name, " "), parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
