#define _GNU_SOURCE /* lstat and its kinds */
#include "case/trust.h"
#include "case/origin_impl.h"
#include "petsc_compat.h"
#include "plugin/agree.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- Names ---- */

/* Options of PETSc that a case may set: solvers, and what is seen of them. */
static const char *const families[] = {
    "pressure_",        "momentum_", "transport_", "ts_", "ksp_", "pc_",      "snes_",        "fieldsplit_",
    "dm_view",          "vec_",      "mat_",       "sf_", "is_",  "log_view", "options_view", "memory_view",
    "petscpartitioner_"};
static const char *const single[] = {"options_left", "use_gpu_aware_mpi", "dm_refine", "dm_refine_pre",
                                     "dm_plex_interpolate"};
/* Families of PETSc's options within a table of Rheoplex. */
static const char *const nested[] = {"rheometer_ts_", "rheometer_snes_", "rheometer_ksp_", "rheometer_pc_"};
/* Words of a name of PETSc that load code, start programs or read and write files other than a viewer does. */
static const char *const refused[] = {"python", "dll",    "library",    "matlab",   "saws", "socket", "draw",  "lg",
                                      "vtk",    "ray",    "trajectory", "dump",     "load", "ooc",    "path",  "file",
                                      "dir",    "tmpdir", "dirname",    "filename", "plot", "print",  "shell", "debug"};
static const char *const viewing[] = {"view", "monitor", "reason"};
/* Rheoplex's own that load what they name. */
static const char *const loading[] = {"device_nvrtc",  "device_cudss",  "device_cache",
                                      "exchange_nccl", "insitu_script", "insitu_adaptor"};
static const char *const further[] = {"options_file", "options_file_yaml", "options_string", "options_string_yaml"};

#define ONE_OF(name, list) one_of(name, PETSC_STATIC_ARRAY_LENGTH(list), list)
#define BEGINS(name, list) begins(name, PETSC_STATIC_ARRAY_LENGTH(list), list)
#define HAS_WORD(name, list) has_word(name, PETSC_STATIC_ARRAY_LENGTH(list), list)

static PetscBool one_of(const char *name, size_t n, const char *const *list)
{
  for (size_t i = 0; i < n; i++)
    if (!strcasecmp(name, list[i])) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscBool begins(const char *name, size_t n, const char *const *list)
{
  for (size_t i = 0; i < n; i++)
    if (!strncasecmp(name, list[i], strlen(list[i]))) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Is one of the words between the '_' of the name in the list? */
static PetscBool has_word(const char *name, size_t n, const char *const *list)
{
  for (const char *word = name; *word; word += strcspn(word, "_"), word += *word == '_')
    for (size_t i = 0; i < n; i++)
      if (strcspn(word, "_") == strlen(list[i]) && !strncasecmp(word, list[i], strlen(list[i]))) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscBool is_petscs(const char *name)
{
  return (PetscBool)(BEGINS(name, nested) || !RhxOptionsHavePrefix(name));
}

static PetscBool is_viewer(const char *name) { return (PetscBool)(is_petscs(name) && HAS_WORD(name, viewing)); }

/* Why a case may not set it, as what follows "it"; NULL: it may. */
static const char *name_fault(const char *name)
{
  if (ONE_OF(name, further))
    return "names further options: a second file belongs on the command line (-options_file more.yaml)";
  if (ONE_OF(name, loading)) return "names code that would be loaded: it belongs on the command line";
  if (!is_petscs(name)) return NULL;
  if (!BEGINS(name, families) && !BEGINS(name, nested) && !ONE_OF(name, single))
    return "is no option of Rheoplex, of the pressure solver (pressure_...), of a monitor or of a view: another one of "
           "PETSc belongs on the command line";
  if (HAS_WORD(name, refused)) return "could load code, or read or write files: it belongs on the command line";
  return NULL;
}

const char *RhxTrustFamily(PetscInt i)
{
  const PetscInt n = PETSC_STATIC_ARRAY_LENGTH(families), m = PETSC_STATIC_ARRAY_LENGTH(nested);

  if (i < n) return families[i];
  i -= n;
  if (i < m) return nested[i];
  i -= m;
  return i < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(single) ? single[i] : NULL;
}

/* ---- Values ---- */

/* Below the folder it is taken from: neither absolute nor with '..', no hidden name, and of characters that neither PETSc
 * nor a shell takes for anything else. */
static PetscBool is_plain_path(const char *path)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+=-/";

  if (!path[0] || path[0] == '/' || path[strlen(path) - 1] == '/' || path[strspn(path, plain)]) return PETSC_FALSE;
  if (strstr(path, ".gz")) return PETSC_FALSE; /* PETSc starts a program for these */
  for (const char *part = path; *part; part += strcspn(part, "/"), part += *part == '/')
    if (part[0] == '/' || (part[0] == '.' && part[1] != '/')) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Type, file and rest of "type:file:format:mode". */
typedef struct {
  char type[32], file[PETSC_MAX_PATH_LEN], rest[128];
} Viewer;

static PetscBool parse_viewer(const char *value, Viewer *v)
{
  const size_t type = strcspn(value, ":"), file = value[type] ? strcspn(value + type + 1, ":") : 0;

  if (type >= sizeof(v->type) || file >= sizeof(v->file) || strlen(value) - type - file >= sizeof(v->rest))
    return PETSC_FALSE;
  snprintf(v->type, sizeof(v->type), "%.*s", (int)type, value);
  snprintf(v->file, sizeof(v->file), "%.*s", (int)file, value[type] ? value + type + 1 : "");
  snprintf(v->rest, sizeof(v->rest), "%s", value[type] ? value + type + 1 + file : "");
  return PETSC_TRUE;
}

static PetscBool is_plain_viewer(const char *value)
{
  static const char *const types[] = {"", "ascii", "binary", "hdf5", "true", "false", "yes", "no", "1", "0"};
  Viewer v;

  if (!parse_viewer(value, &v) || !ONE_OF(v.type, types) || v.rest[strcspn(v.rest, ",$%/~")]) return PETSC_FALSE;
  if (!v.file[0]) return (PetscBool)(strcasecmp(v.type, "binary") && strcasecmp(v.type, "hdf5"));
  return is_plain_path(v.file);
}

/* What is expected of the value instead; NULL: nothing else. */
static const char *value_fault(const char *name, const char *value)
{
  if (!strcasecmp(name, "rheometer_output") && !is_plain_path(value))
    return "a file below the current folder (others: on the command line)";
  if (!is_petscs(name)) return NULL;
  if (!strcasecmp(value, "python") || !strcasecmp(value, "shell"))
    return "a type that runs no code of a user's (such types: on the command line)";
  if (is_viewer(name) && !is_plain_viewer(value))
    return "ascii, binary or hdf5 with a file below its output folder, such as ascii:mesh.txt (others: on the command "
           "line)";
  return NULL;
}

PetscBool RhxTrustMaySet(const char *name, const char *value)
{
  return (PetscBool)(!name_fault(name) && !value_fault(name, value));
}

PetscErrorCode RhxTrustCheckKeys(MPI_Comm comm, const char *file, const char *text, const RhxKeys *keys)
{
  PetscInt line;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < keys->n; i++) {
    const RhxKey *key = &keys->key[i];
    const char *fault = name_fault(key->name), *bad = fault ? NULL : value_fault(key->name, key->value);
    char near[256] = "";

    if (!fault && !bad) continue;
    PetscCall(RhxKeysLine(text, key->name, 1, &line));
    PetscCheck(!bad, comm, PETSC_ERR_USER_INPUT, "%s, line %" PetscInt_FMT ", -%s: got '%.200s', expected of a case %s",
               file, line, key->name, key->value, bad);
    RhxOptionsNearest(key->name, near);
    if (!strcasecmp(near, key->name)) near[0] = '\0';
    SETERRQ(comm, PETSC_ERR_USER_INPUT, "%s, line %" PetscInt_FMT ", sets -%s, which a case may not%s%s%s: it %s", file,
            line, key->name, near[0] ? " (did you mean -" : "", near, near[0] ? "?)" : "", fault);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What the case has set ---- */

static RhxKeys kept; /* plugin and viewers that the user has not replaced */
static PetscBool user_is_setting, watching;

PetscErrorCode RhxTrustForget(void)
{
  PetscFunctionBegin;
  PetscCall(RhxKeysDestroy(&kept));
  PetscCall(RhxOriginForget());
  PetscCall(RhxPluginsRestrict(PETSC_FALSE));
  watching = user_is_setting = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTrustKeep(const RhxKeys *keys)
{
  PetscFunctionBegin;
  PetscCall(RhxTrustForget());
  PetscCall(PetscMalloc1(keys->n, &kept.key));
  kept.size = keys->n;
  for (PetscInt i = 0; i < keys->n; i++) {
    if (!is_viewer(keys->key[i].name) && strcasecmp(keys->key[i].name, "plugin")) continue;
    PetscCall(PetscStrallocpy(keys->key[i].name, &kept.key[kept.n].name));
    PetscCall(PetscStrallocpy(keys->key[i].value, &kept.key[kept.n].value));
    kept.n++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode release(PetscInt i)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(kept.key[i].name));
  PetscCall(PetscFree(kept.key[i].value));
  for (kept.n--; i < kept.n; i++) kept.key[i] = kept.key[i + 1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode release_named(const char name[], const char value[], RHX_OPTION_SOURCE void *ctx)
{
  RhxKey *key;

  PetscFunctionBegin;
  (void)value;
  (void)ctx;
  key = user_is_setting ? RhxKeysFind(&kept, name) : NULL;
  if (key) PetscCall(release((PetscInt)(key - kept.key)));
  if (user_is_setting) PetscCall(RhxOriginDrop(name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTrustUserBegin(void)
{
  PetscFunctionBegin;
  if (!watching) PetscCall(PetscOptionsMonitorSet(release_named, NULL, NULL));
  watching = user_is_setting = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Files of viewers ---- */

static PetscErrorCode output_folder(size_t size, char *folder, char *name)
{
  PetscFunctionBegin;
  folder[0] = '\0';
  PetscCall(PetscStrncpy(name, "case", size));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-output_folder", folder, size, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-case_name", name, size, NULL));
  if (!folder[0]) PetscCall(PetscSNPrintf(folder, size, "out/%s", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Would the run write it itself? <case>.pvd, <case>_..., control */
static PetscBool is_of_run(const char *path, const char *name)
{
  const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
  const size_t n = strlen(name);

  return (PetscBool)(!strncmp(file, "control", 7) || (!strncmp(file, name, n) && (file[n] == '_' || file[n] == '.')));
}

/* The file goes below the output folder, unless it names that itself. */
static PetscErrorCode place_viewer(MPI_Comm comm, const char *folder, const char *name, RhxKey *key)
{
  char path[2 * PETSC_MAX_PATH_LEN], value[3 * PETSC_MAX_PATH_LEN];
  const size_t n = strlen(folder);
  Viewer v;

  PetscFunctionBegin;
  if (!parse_viewer(key->value, &v) || !v.file[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (!strncmp(v.file, folder, n) && v.file[n] == '/')
    PetscCall(PetscStrncpy(path, v.file, sizeof(path)));
  else
    PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s", folder, v.file));
  PetscCheck(is_plain_path(path + (path[0] == '/')), comm, PETSC_ERR_USER_INPUT,
             "-%s of the case: got the file '%s', expected letters, digits and _ . + = / - and no hidden name "
             "(-output_folder, -case_name)",
             key->name, path);
  PetscCheck(!is_of_run(path, name), comm, PETSC_ERR_USER_INPUT,
             "-%s of the case: got the file '%s', expected none of the run's own files (%s_..., control)", key->name,
             path, name);
  PetscCall(PetscSNPrintf(value, sizeof(value), "%s:%s%s", v.type, path, v.rest));
  PetscCall(PetscFree(key->value));
  PetscCall(PetscStrallocpy(value, &key->value));
  PetscCall(PetscSNPrintf(path, sizeof(path), "-%s", key->name));
  PetscCall(PetscOptionsSetValue(NULL, path, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTrustUserEnd(MPI_Comm comm)
{
  char folder[PETSC_MAX_PATH_LEN], name[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  user_is_setting = PETSC_FALSE;
  PetscCall(RhxPluginsRestrict((PetscBool)(RhxKeysFind(&kept, "plugin") != NULL)));
  PetscCall(output_folder(sizeof(folder), folder, name));
  for (PetscInt i = 0; i < kept.n; i++)
    if (is_viewer(kept.key[i].name)) PetscCall(place_viewer(comm, folder, name, &kept.key[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTrustDropViewers(void)
{
  char option[PETSC_MAX_OPTION_NAME + 1];

  PetscFunctionBegin;
  for (PetscInt i = kept.n - 1; i >= 0; i--) {
    if (!is_viewer(kept.key[i].name)) continue;
    PetscCall(PetscSNPrintf(option, sizeof(option), "-%s", kept.key[i].name));
    PetscCall(PetscOptionsClearValue(NULL, option));
    PetscCall(release(i));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is there something, and of another kind? */
static int is_other(const char *path, mode_t kind)
{
  struct stat status;
  return !lstat(path, &status) && (status.st_mode & S_IFMT) != kind;
}

/* Makes the folders above the file, which lies below `folder`: no link leads out of that. "" or a sentence. */
static void make_folders(const char *folder, const char *file, char message[2 * PETSC_MAX_PATH_LEN])
{
  char path[PETSC_MAX_PATH_LEN], information[PETSC_MAX_PATH_LEN + 8];
  const size_t n = strlen(folder);
  int failed = 0, outside = 0;

  snprintf(path, sizeof(path), "%s", file);
  for (char *c = path + 1; *c && !failed && !outside; c++) {
    if (*c != '/') continue;
    *c = '\0';
    outside = strlen(path) > n && is_other(path, S_IFDIR);
    failed = !outside && mkdir(path, 0777) && errno != EEXIST;
    *c = '/';
  }
  snprintf(information, sizeof(information), "%s.info", file); /* of a binary viewer */
  if (failed)
    snprintf(message, 2 * PETSC_MAX_PATH_LEN, "cannot make the folder of %.2000s: %s", file, strerror(errno));
  else if (outside || is_other(file, S_IFREG) || is_other(information, S_IFREG))
    snprintf(message, 2 * PETSC_MAX_PATH_LEN,
             "The case writes to %.2000s: got a link, expected files and folders below %.1000s", file, folder);
}

PetscErrorCode RhxTrustMakeFolders(MPI_Comm comm)
{
  char folder[PETSC_MAX_PATH_LEN], name[PETSC_MAX_PATH_LEN], message[2 * PETSC_MAX_PATH_LEN] = "";
  PetscMPIInt rank;
  Viewer v;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(output_folder(sizeof(folder), folder, name));
  for (PetscInt i = 0; i < kept.n && rank == 0 && !message[0]; i++)
    if (is_viewer(kept.key[i].name) && parse_viewer(kept.key[i].value, &v) && v.file[0])
      make_folders(folder, v.file, message);
  PetscCall(RhxRaise(comm, PETSC_ERR_FILE_OPEN, sizeof(message), message));
  PetscFunctionReturn(PETSC_SUCCESS);
}
