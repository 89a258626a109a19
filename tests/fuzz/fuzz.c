#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

PetscErrorCode fuzz_code;
static char message[4096];
static char file[64];

static PetscErrorCode keep(MPI_Comm comm, int line, const char *function, const char *source, PetscErrorCode code,
                           PetscErrorType type, const char *text, void *ctx)
{
  (void)comm, (void)line, (void)function, (void)source, (void)ctx;
  if (type == PETSC_ERROR_INITIAL && text) snprintf(message, sizeof message, "%s", text);
  return code;
}

static void remove_file(void) { (void)unlink(file); }

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  static char *words[] = {NULL, "-no_signal_handler", NULL}, **start = words;
  int n = 2;

  (void)argc;
  words[0] = (*argv)[0];
  (void)setenv("OMPI_MCA_opal_signal", "", 1); /* signals are the fuzzer's */
  if (PetscInitialize(&n, &start, NULL, NULL) || PetscPushErrorHandler(keep, NULL)) abort();
  snprintf(file, sizeof file, "input_%d", (int)getpid());
  atexit(remove_file);
  FuzzSetUp();
  return 0;
}

const char *FuzzFile(const uint8_t *data, size_t size)
{
  FILE *f = fopen(file, "wb");

  if (!f || (size && fwrite(data, 1, size, f) != size) || fclose(f)) FuzzFail("the input cannot be written");
  message[0] = 0;
  return file;
}

void FuzzFail(const char *what)
{
  fprintf(stderr, "FAIL %s: code %d, message '%s'\n", what, (int)fuzz_code, message);
  abort();
}

int FuzzJudge(PetscErrorCode code)
{
  fuzz_code = code;
  if (getenv("FUZZ_VERBOSE")) fprintf(stderr, "%d %s\n", (int)code, message);
  if (code && !message[0]) FuzzFail("an error without a message");
  return 0;
}
