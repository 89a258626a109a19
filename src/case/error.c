#define _POSIX_C_SOURCE 200809L
#include "case/error.h"
#include "case/origin_impl.h"
#include "output/output.h"
#include "petsc_compat.h"
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static char message[RHX_ERROR_LENGTH];
static MPI_Comm error_comm = MPI_COMM_NULL;

/* That of factors is most of it; PETSc says where it was asked for. */
#define NO_MEMORY                                                                                                     \
  "out of memory, expected fewer nodes or more memory, or in place of factors (-solver direct, -pc_type lu) -solver " \
  "split, which needs less: "
#define PATIENCE 10.0 /* seconds that a failed rank waits for the others */

/* Within factors PETSc 3.18 gives another code. */
static PetscBool is_memory(PetscBool petsc, PetscErrorCode code, const char *function)
{
  return (PetscBool)((petsc && code == PETSC_ERR_MEM) || (function && !strcmp(function, "PetscMallocAlign")));
}

static PetscErrorCode keep_message(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                   PetscErrorType type, const char *text, void *ctx)
{
  const char *general = NULL;

  if (type == PETSC_ERROR_INITIAL) {
    const PetscBool petsc = (PetscBool)(file && (strncmp(file, "./src/", 6) == 0 || strstr(file, "petsc")));
    if (!text || !text[0]) (void)PetscErrorMessage(code, &general, NULL);
    snprintf(message, sizeof(message), "%s%s", is_memory(petsc, code, function) ? NO_MEMORY : "",
             general ? general
             : text  ? text
                     : "unknown error");
    /* a message of PETSc's own says where it comes from */
    if (petsc) {
      size_t n = strlen(message);
      snprintf(message + n, sizeof(message) - n, " (PETSc's %s)", function);
    }
    for (char *c = message; *c; c++) /* an input that is quoted may hold anything */
      if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
  }
  if (ctx) return PetscTraceBackErrorHandler(comm, line, function, file, code, type, text, NULL);
  return code;
}

PetscErrorCode RhxErrorHandlerPush(PetscBool debug)
{
  static int on = 1;
  return PetscPushErrorHandler(keep_message, debug ? &on : NULL);
}

const char *RhxErrorMessage(void) { return message; }

PetscErrorCode RhxErrorBegin(void)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_dup(PETSC_COMM_WORLD, &error_comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxErrorEnd(void)
{
  PetscFunctionBegin;
  if (error_comm != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_free(&error_comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double seconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

PetscErrorCode RhxErrorAgree(PetscBool *all)
{
  MPI_Request request;
  int done = 0;
  double begin = seconds();

  PetscFunctionBegin;
  *all = PETSC_FALSE;
  if (error_comm == MPI_COMM_NULL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Ibarrier(error_comm, &request));
  while (!done && seconds() - begin < PATIENCE) PetscCallMPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
  *all = (PetscBool)done;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* HDF5 closes itself in MPI_Finalize, and where a damaged file left objects open it says so in a line of its own. */
static void finish_silently(void)
{
  const int null = open("/dev/null", O_WRONLY);
  if (null >= 0) (void)dup2(null, STDERR_FILENO);
  MPI_Finalize();
}

void RhxErrorExit(void)
{
  int started = 0, finished = 0, rank = 0, size = 1;
  PetscBool all = PETSC_TRUE;
  char where[1024] = "";

  fflush(stdout);
  RhxOutputReleaseLocks();
  (void)MPI_Initialized(&started);
  (void)MPI_Finalized(&finished);
  if (started && !finished) {
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1 && RhxErrorAgree(&all)) all = PETSC_FALSE;
  }
  if (!all || rank == 0) {
    RhxOriginOf(message, sizeof(where), where);
    fprintf(stderr, "rheoplex: error: %s%s\n", message[0] ? message : "unknown error", where);
  }
  fflush(stderr);
  if (!all) MPI_Abort(MPI_COMM_WORLD, 1);
  if (started && !finished) finish_silently();
  _exit(1); /* objects of the failed run are left to the system */
}
