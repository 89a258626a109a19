/* Start and end of a program: the words of the command line, the YAML case, option tables. */
#include "case/error.h"
#include "case/impl.h"
#include "case/mpi_impl.h"
#include "case/trust.h"
#include "case/yaml_impl.h"
#include "device/device.h"
#include "exchange/exchange.h"
#include "mesh/mesh.h"
#include <rheoplex/rheoplex.h>
#include <signal.h>
#include <strings.h>
#include <unistd.h>

static char **words; /* command line without the case; PETSc keeps a pointer to it */
static int nwords;

static int is_option(const char *word)
{
  return word[0] == '-' && word[1] && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

static int is_yaml(const char *word)
{
  const char *dot = strrchr(word, '.');

  return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

/* `-options_file x.yaml` is the case where no other word is: the same thing. */
static void options_file_as_case(const char **yaml)
{
  for (int i = 1; i + 1 < nwords && !*yaml; i++) {
    if (strcmp(words[i], "-options_file") || !is_yaml(words[i + 1])) continue;
    *yaml = words[i + 1];
    for (int k = i; k + 2 <= nwords; k++) words[k] = words[k + 2];
    nwords -= 2;
  }
}

/* Takes the case out of the words. A word after an option is its value, unless it is a YAML file after an option that
 * takes none. */
static int split_words(int argc, char **args, const char **yaml, const char **extra)
{
  words = calloc((size_t)argc + 2, sizeof(*words));
  if (!words) return 1;
  for (int i = 0; i < argc; i++) {
    int value = i > 1 && is_option(args[i - 1]);

    if (value && is_yaml(args[i])) value = strstr(args[i - 1], "options_file") != NULL;
    if (i == 0 || is_option(args[i]) || value)
      words[nwords++] = args[i];
    else if (!*yaml)
      *yaml = args[i];
    else if (!*extra)
      *extra = args[i];
  }
  options_file_as_case(yaml);
  return 0;
}

/* Of PETSc's files the user's own alone, not those of the current folder, which may be anybody's. Every rank names a
 * file, rank 0 reads its own. -skip_petscrc on the command line: as PETSc understands it. */
static const char *user_petscrc(char *file, size_t size)
{
  const char *home = getenv("HOME");

  for (int i = 1; i < nwords; i++)
    if (!strcasecmp(words[i], "-skip_petscrc")) return NULL;
  PetscOptionsSetValue(NULL, "-skip_petscrc", NULL);
  snprintf(file, size, "%s/.petscrc", home ? home : "");
  if (!home || home[0] != '/' || access(file, R_OK)) snprintf(file, size, "/dev/null");
  return file;
}

static PetscErrorCode register_all(void)
{
  PetscFunctionBegin;
  PetscCall(RhxCaseRegisterOptions());
  PetscCall(RhxMeshRegisterOptions());
  PetscCall(RhxFormRegisterOptions());
  PetscCall(RhxBoundaryRegisterOptions());
  PetscCall(RhxSchemeRegisterAll());
  PetscCall(RhxOutputRegisterOptions());
  PetscCall(RhxDeviceRegisterOptions());
  PetscCall(RhxExchangeRegisterOptions());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Order of precedence: command line, PETSC_OPTIONS, YAML case. */
static PetscErrorCode insert_options(const char *yaml)
{
  const char *environment = getenv("PETSC_OPTIONS");

  PetscFunctionBegin;
  if (!yaml) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxYamlInsert(PETSC_COMM_WORLD, yaml));
  PetscCall(RhxTrustUserBegin());
  if (environment) PetscCall(PetscOptionsInsertString(NULL, environment));
  PetscCall(RhxOptionsInsertArgs(NULL, nwords - 1, words + 1));
  PetscCall(RhxTrustUserEnd(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Formats of -log_view for which PETSc keeps a nested log, from its start on. */
static PetscErrorCode wants_nested(size_t size, char *value, PetscBool *nested)
{
  PetscFunctionBegin;
  value[0] = '\0';
  PetscCall(PetscOptionsGetString(NULL, NULL, "-log_view", value, size, NULL));
  *nested = (PetscBool)(strstr(value, ":ascii_xml") || strstr(value, ":ascii_flamegraph"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The summary tells where the time of the steps went, from PETSc's default log; another log that the user asked for stays
   as it is. */
static PetscErrorCode begin_log(PetscBool *nested)
{
  static const char *const own[] = {"-log_trace", "-log_all", "-log_mpe"};
  char value[PETSC_MAX_PATH_LEN];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(wants_nested(sizeof(value), value, nested));
  set = *nested;
  for (size_t k = 0; k < sizeof(own) / sizeof(own[0]) && !set; k++)
    PetscCall(PetscOptionsHasName(NULL, NULL, own[k], &set));
  if (!set || RHX_LOGS_COEXIST) PetscCall(PetscLogDefaultBegin());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A nested log that only the case asks for comes too late; PETSc would not survive its view. */
static PetscErrorCode check_log(PetscBool nested)
{
  char value[PETSC_MAX_PATH_LEN];
  PetscBool wanted = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(wants_nested(sizeof(value), value, &wanted));
  if (!wanted || nested) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsClearValue(NULL, "-log_view"));
  SETERRQ(
      PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
      "-log_view: got %s in the case, expected it on the command line or in PETSC_OPTIONS: PETSc's nested log begins "
      "before the case is read",
      value);
}

PetscErrorCode RhxInitialize(int *argc, char ***args, const char *yaml)
{
  const char *file = yaml, *extra = NULL;
  char buffer[PETSC_MAX_PATH_LEN];
  const char *petscrc;
  PetscErrorCode code;
  PetscBool nested = PETSC_FALSE;

  if (split_words(*argc, *args, &file, &extra)) return PETSC_ERR_MEM;
  if (yaml && file != yaml) extra = file;
  RhxMpiBeforePetsc();
  petscrc = user_petscrc(buffer, sizeof(buffer));
  code = PetscInitialize(&nwords, &words, petscrc, NULL);
  if (code) return code;

  PetscFunctionBegin;
  signal(SIGPIPE, SIG_IGN); /* a reader that leaves (| head) does not end the program */
  signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error of the write */
  if (petscrc) PetscCall(PetscOptionsClearValue(NULL, "-skip_petscrc"));
  PetscCall(RhxErrorBegin());
  PetscCall(begin_log(&nested));
  PetscCheck(!extra, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "unexpected word '%s': the case is '%s', and options begin with '-'", extra, file);
  PetscCall(register_all());
  PetscCall(RhxOptionsCheckWords(PETSC_COMM_WORLD, nwords - 1, words + 1));
  PetscCall(insert_options(file));
  PetscCall(check_log(nested));
  PetscCall(RhxMpiAfterOptions());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFinalize(void)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(RhxPluginsUnload());
  PetscCall(RhxTrustForget());
  PetscCall(RhxErrorEnd());
  code = PetscFinalize();
  free(words);
  words = NULL;
  nwords = 0;
  return code;
}
