/* The command line: a verb, then a case and options. */
#define _POSIX_C_SOURCE 200809L
#include "app/app.h"
#include "app/bench.h"
#include "app/eigen.h"
#include "app/rheometer.h"
#include "case/error.h"
#include "case/trust.h"
#include "petsc_compat.h"
#include <rheoplex/rheoplex.h>
#include <stdlib.h>

typedef struct {
  const char *name;
  int words; /* words of its own that follow: taken before PETSc sees the rest */
  PetscErrorCode (*act)(const char *word);
  const char *help;
} RhxVerb;

static int exit_code; /* of a run that ended well */

/* Neither a case nor an option of one: where a new user begins. */
static PetscErrorCode expect_case(const char *verb)
{
  PetscInt n;
  PetscBool none;
  char **names, **values;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &names, &values));
  none = (PetscBool)(n == 0);
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &names, &values));
  PetscCheck(
      !none, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
      "%s: no case is given, expected `rheoplex %s case.yaml` (`rheoplex init` writes one to start from, `rheoplex "
      "list cases` names those that come with it)",
      verb, verb);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(const char *word)
{
  RhxCase rc;

  PetscFunctionBegin;
  (void)word;
  PetscCall(expect_case("run"));
  PetscCall(RhxAppEigenPassOver());
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &rc));
  PetscCall(RhxCaseSetFromOptions(rc));
  PetscCall(RhxCaseSetUp(rc));
  PetscCall(RhxCaseRun(rc));
  PetscCall(RhxCaseGetExitCode(rc, &exit_code));
  PetscCall(RhxCaseDestroy(&rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(const char *word)
{
  RhxCase rc;

  PetscFunctionBegin;
  (void)word;
  PetscCall(expect_case("check"));
  PetscCall(RhxAppEigenPassOver());
  PetscCall(RhxTrustDropViewers());
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &rc));
  PetscCall(RhxCaseSetFromOptions(rc));
  PetscCall(RhxCaseSetUp(rc));
  PetscCall(RhxCaseCheck(rc, PETSC_VIEWER_STDOUT_WORLD));
  PetscCall(RhxCaseDestroy(&rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RhxVerb verbs[] = {
    {"init", 1, RhxAppInit,
     "init [case.yaml | name]             write a case to start from, or a copy of one of `list cases`"},
    {"run", 0, run, "run case.yaml [-option value ...]   run a case"},
    {"check", 0, check, "check case.yaml [-option value ...] build the case and report it, without running"},
    {"eigen", 0, RhxAppEigen,
     "eigen case.yaml [-eigen_shifts s,t] modes of the flow linearised about a steady state: growth rates, "
     "frequencies"},
    {"list", 2, RhxAppList,
     "list [physics|stabiliser|boundary|scheme|diagnostic|output|cases [name]]  what can be chosen, with "
     "parameters"},
    {"rheometer", 1, RhxAppRheometer,
     "rheometer law[,law] [-option value ...]  laws in homogeneous flows, without a mesh"},
    {"check-law", 1, RhxAppCheckLaw,
     "check-law law[,law] [-option value ...]  is a law what it says? rest, signs, frames, ..."},
    {"bench", 0, RhxAppBench, "bench case.yaml [-option value ...] time the kernels on the mesh of a case"},
    {"plot", 0, NULL, /* before PETSc */
     "plot folder [kind] [options]        pictures of a run (rheoplex plot --help: the kinds)"},
    {"schema", 0, RhxAppSchema,
     "schema                              JSON schema of a case, for editors and validators"},
    {"--version", 0, RhxAppVersion, "--version                           this build and the packages it uses"},
    {"--help", 8, RhxAppHelp,
     "--help [topic|verb|key|option|law]  without a word: how a case is written, and the topics"},
};
#define NVERBS ((int)(sizeof(verbs) / sizeof(verbs[0])))

const char *RhxAppVerbName(int i) { return i < NVERBS ? verbs[i].name : NULL; }

const char *RhxAppVerbUsage(const char *name)
{
  for (int i = 0; i < NVERBS; i++)
    if (!strcmp(name, verbs[i].name)) return verbs[i].help;
  return NULL;
}

static void usage(FILE *to)
{
  fprintf(to, "usage: rheoplex VERB ...\n");
  for (int i = 0; i < NVERBS; i++) fprintf(to, "  rheoplex %s\n", verbs[i].help);
}

static void unknown_verb(const char *got)
{
  fprintf(stderr, "rheoplex: error: unknown verb '%s', expected", got);
  for (int i = 0; i < NVERBS; i++) fprintf(stderr, "%s %s", i == 0 ? "" : i < NVERBS - 1 ? "," : " or", verbs[i].name);
  fprintf(stderr, " (rheoplex run case.yaml)\n");
}

/* Instructions that the element loops were compiled for and this processor lacks; NULL: none. */
static const char *missing_instructions(void)
{
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!strcmp(RHX_ISA, "avx512f") && !__builtin_cpu_supports("avx512f")) return "AVX-512";
  if (strcmp(RHX_ISA, "baseline") && !__builtin_cpu_supports("avx2")) return "AVX2";
  if (strcmp(RHX_ISA, "baseline") && !__builtin_cpu_supports("fma")) return "FMA";
#endif
  return NULL;
}

/* OpenMPI in one process without mpirun: no daemon, no search for networks, no remarks about them. */
static void quiet_single_process(void)
{
  if (getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK") || getenv("PMI_RANK") || getenv("SLURM_PROCID")) return;
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("OMPI_MCA_orte_create_session_dirs", "0", 0); /* isolated processes would share one, and remove it */
  setenv("OMPI_MCA_pml", "ob1", 0);
  setenv("OMPI_MCA_btl", "self", 0);
  setenv("OMPI_MCA_btl_base_warn_component_unused", "0", 0);
  setenv("OMPI_MCA_sharedfp", "^sm", 0); /* its file lies in a folder that another single process may remove */
}

static const RhxVerb *find_verb(const char *name)
{
  if (!strcmp(name, "-h") || !strcmp(name, "-help") || !strcmp(name, "help")) name = "--help";
  if (!strcmp(name, "-version") || !strcmp(name, "version")) name = "--version";
  for (int i = 0; i < NVERBS; i++)
    if (!strcmp(name, verbs[i].name)) return &verbs[i];
  return NULL;
}

static PetscErrorCode act(const RhxVerb *verb, int argc, char **args, const char *word)
{
  PetscErrorCode code = RhxInitialize(&argc, &args, NULL);

  if (!code) code = RhxAppRheometerRegisterOptions();
  if (!code) code = RhxAppBenchRegisterOptions();
  if (!code) code = RhxAppEigenRegisterOptions();
  if (!code) code = verb->act(word);
  if (!code) code = RhxFinalize();
  return code;
}

static PetscBool has_word(int argc, char **args, const char *word)
{
  for (int i = 1; i < argc; i++)
    if (!strcmp(args[i], word)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* `run --help` is `--help run`; -help with options is PETSc's own. */
static PetscBool asks_for_help(int argc, char **args)
{
  return (PetscBool)(has_word(argc - 1, args + 1, "--help") || has_word(argc - 1, args + 1, "-h") ||
                     (argc == 3 && !strcmp(args[2], "-help")));
}

/* The words that belong to the verb, from the second on, joined by blanks; their number. */
static int take_words(const RhxVerb *verb, int argc, char **args, size_t size, char *words)
{
  int n = 0;

  words[0] = '\0';
  for (; n < verb->words && 2 + n < argc; n++) {
    const char *word = args[2 + n];
    const size_t used = strlen(words);

    if (word[0] == '-' && !(verb->act == RhxAppHelp && argc == 3)) break;
    if (strstr(word, ".yaml") && verb->act != RhxAppInit) break;
    snprintf(words + used, size - used, "%s%s", used ? " " : "", word);
  }
  return n;
}

int main(int argc, char **args)
{
  const char *missing = missing_instructions();
  const RhxVerb *verb;
  char words[1024] = "";
  int skip = 1;

  if (missing) {
    fprintf(stderr,
            "rheoplex: error: this build needs a processor with %s; build it with -DRHX_ARCH=x86-64 or native\n",
            missing);
    return 1;
  }
  if (argc < 2) {
    usage(stdout);
    return 0;
  }
  verb = find_verb(args[1]);
  if (!verb) {
    unknown_verb(args[1]);
    return 1;
  }
  if (!verb->act) return RhxAppPlot(argc - 2, args + 2);
  quiet_single_process();
  if (asks_for_help(argc, args) && verb->act != RhxAppHelp) {
    snprintf(words, sizeof(words), "%s", verb->name);
    verb = find_verb("--help");
    argc = 2;
  } else {
    skip += take_words(verb, argc, args, sizeof(words), words);
  }
  if (verb->act == RhxAppHelp && !words[0]) usage(stdout);
  args[skip] = args[0];
  if (RhxErrorHandlerPush(has_word(argc, args, "-debug"))) return 1;
  if (act(verb, argc - skip, args + skip, words[0] ? words : NULL)) RhxErrorExit();
  return exit_code;
}
