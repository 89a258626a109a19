/* A mesh file cut off at every byte, and with single bytes changed: each is one clear error or a mesh, never a crash.
 * usage: damaged <file.msh> */
#include "mesh/mesh.h"
#include "petsc_compat.h"
#include <stdio.h>
#include <stdlib.h>

static char file[PETSC_MAX_PATH_LEN]; /* damaged_<name> */
static char message[2048];

static PetscErrorCode keep(MPI_Comm comm, int line, const char *fun, const char *source, PetscErrorCode n,
                           PetscErrorType p, const char *mess, void *ctx)
{
  (void)comm, (void)line, (void)fun, (void)source, (void)ctx;
  if (p == PETSC_ERROR_INITIAL && mess) snprintf(message, sizeof(message), "%s", mess);
  return n;
}

/* Writes n bytes, reads them as a mesh: its error code. */
static int try_mesh(const char *bytes, size_t n)
{
  RhxMesh mesh = NULL;
  int code;
  FILE *f = fopen(file, "wb");

  if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) abort();
  message[0] = 0;
  if (RhxMeshCreate(PETSC_COMM_WORLD, &mesh) || RhxMeshSetFromOptions(mesh)) abort();
  code = (int)RhxMeshSetUp(mesh);
  if (RhxMeshDestroy(&mesh)) abort();
  return code;
}

/* The last byte that may be missing: only white space follows the last $End... */
static size_t needed(const char *bytes, size_t n)
{
  while (n && (bytes[n - 1] == '\n' || bytes[n - 1] == ' ')) n--;
  return n;
}

static int check_truncated(const char *bytes, size_t n, size_t elements_end, size_t stride)
{
  int bad = 0;

  for (size_t k = 0; k < needed(bytes, n); k += stride) {
    const int code = try_mesh(bytes, k);
    /* cut exactly after $EndElements the file is whole but for what follows */
    if (!code && k >= elements_end) continue;
    if (!code || !strstr(message, file) || !strstr(message, "expected") || strchr(message, '\n')) {
      printf("FAIL cut at byte %zu of %zu: code %d, message '%s'\n", k, n, code, message);
      bad++;
    }
  }
  return bad;
}

static int check_changed(char *bytes, size_t n, int times)
{
  unsigned long state = 12345;
  int bad = 0;

  for (int i = 0; i < times; i++) {
    size_t at;
    char old;

    state = state * 6364136223846793005UL + 1442695040888963407UL;
    at = (state >> 33) % n;
    old = bytes[at];
    bytes[at] = (char)(state >> 20);
    if (try_mesh(bytes, n) && (!message[0] || strchr(message, '\n'))) {
      printf("FAIL byte %zu changed from %d to %d: message '%s'\n", at, old, bytes[at], message);
      bad++;
    }
    bytes[at] = old;
  }
  return bad;
}

static char *load(const char *name, size_t *n)
{
  FILE *f = fopen(name, "rb");
  char *bytes;

  if (!f || fseek(f, 0, SEEK_END)) abort();
  *n = (size_t)ftell(f);
  bytes = calloc(*n + 1, 1);
  rewind(f);
  if (!bytes || fread(bytes, 1, *n, f) != *n) abort();
  (void)fclose(f);
  return bytes;
}

int main(int argc, char **argv)
{
  size_t n, end = 0;
  char *bytes;
  int bad, times = 100;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscPushErrorHandler(keep, NULL));
  PetscCall(
      PetscSNPrintf(file, sizeof(file), "damaged_%s", strrchr(argv[1], '/') ? strrchr(argv[1], '/') + 1 : argv[1]));
  PetscCall(PetscOptionsSetValue(NULL, "-mesh_file", file));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-test_changes", &times, NULL));
  PetscCall(RhxMeshRegisterOptions());
  bytes = load(argv[1], &n);
  for (size_t k = 0; k + 12 <= n; k++)
    if (!strncmp(bytes + k, "$EndElements", 12)) end = k + 12;
  if (try_mesh(bytes, n)) {
    printf("FAIL the whole file is refused: %s\n", message);
    return 1;
  }
  bad = check_truncated(bytes, n, end, 1 + n / 250);
  bad += check_changed(bytes, n, times);
  free(bytes);
  (void)remove(file);
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscFinalize());
  return bad != 0;
}
