/* What the tests of the device share: checks, messages of errors, a folder for the cache. */
#ifndef TESTS_DEVICE_COMMON_H
#define TESTS_DEVICE_COMMON_H
#define _GNU_SOURCE
#include "device/device.h"
#include "petsc_compat.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SKIP 77 /* ctest's SKIP_RETURN_CODE */

static int failures;

__attribute__((format(printf, 2, 3))) static inline void expect(int good, const char *format, ...)
{
  va_list list;
  if (good) return;
  va_start(list, format);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  failures++;
}

static char message[8192];

/* Turns the error of a call into `message`. */
#define CATCH(code, call)                                            \
  do {                                                               \
    char *caught_ = NULL;                                            \
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL)); \
    code = call;                                                     \
    PetscCall(PetscPopErrorHandler());                               \
    message[0] = '\0';                                               \
    if (code) (void)PetscErrorMessage(code, NULL, &caught_);         \
    if (caught_) snprintf(message, sizeof(message), "%s", caught_);  \
  } while (0)

static inline void expect_message(PetscErrorCode code, const char *word1, const char *word2, const char *word3)
{
  expect(code != 0, "no error, expected one with \"%s\"", word1);
  expect(strstr(message, word1) && strstr(message, word2) && strstr(message, word3),
         "message \"%s\"\n  lacks one of \"%s\", \"%s\", \"%s\"", message, word1, word2, word3);
}

/* A new folder, the same on all ranks, named by XDG_CACHE_HOME. */
static inline PetscErrorCode fresh_cache(char folder[256])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  snprintf(folder, 256, "%s/rheoplex-device-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
  if (!rank) PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot make the folder %s", folder);
  PetscCallMPI(MPI_Bcast(folder, 256, MPI_CHAR, 0, PETSC_COMM_WORLD));
  setenv("XDG_CACHE_HOME", folder, 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Folder and the files one folder down. */
static inline PetscErrorCode remove_cache(const char *folder)
{
  PetscMPIInt rank;
  char command[512];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  snprintf(command, sizeof(command), "rm -r '%s'", folder);
  if (!rank) expect(system(command) == 0, "cannot remove %s", folder);
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
