#define _POSIX_C_SOURCE 200809L
#include "output/file_impl.h"
#include "output/output.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((int64_t)1 << 24)
#define TAG 1

int RhxWriteAt(int fd, const void *data, int64_t n, int64_t at)
{
  while (n > 0) {
    ssize_t done = pwrite(fd, data, (size_t)n, (off_t)at);

    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done ? errno : EIO;
    data = (const char *)data + done;
    at += done;
    n -= done;
  }
  return 0;
}

PetscErrorCode RhxFileCreate(MPI_Comm comm, const char *name, RhxFile *file)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  file->comm = comm;
  PetscCall(PetscStrncpy(file->name, name, sizeof file->name));
  file->fd = -1;
  file->err = 0;
  file->end = file->last_at = 0;
  file->last_n = 0;
  if (!rank && (file->fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666)) < 0) file->err = errno;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0. After a failure the rest is dropped. */
static void put(RhxFile *file, int64_t at, const char *data, int64_t n)
{
  if (file->err || !n) return;
  file->err = RhxWriteAt(file->fd, data, n, at);
  if (at + n <= file->end) return;
  file->end = at + n;
  file->last_n = (size_t)PetscMin(n, (int64_t)sizeof file->last);
  file->last_at = file->end - (int64_t)file->last_n;
  memcpy(file->last, data + n - file->last_n, file->last_n);
}

/* Rank 0: the blocks of the others, in their order. */
static PetscErrorCode receive(RhxFile *file, PetscMPIInt size, const int64_t (*block)[2])
{
  int64_t most = 0;
  char *buffer;

  PetscFunctionBegin;
  for (PetscMPIInt r = 1; r < size; r++) most = PetscMax(most, PetscMin(block[r][1], CHUNK));
  PetscCall(PetscMalloc1(most, &buffer));
  for (PetscMPIInt r = 1; r < size; r++)
    for (int64_t k = 0; k < block[r][1]; k += CHUNK) {
      const int64_t n = PetscMin(block[r][1] - k, CHUNK);
      PetscCallMPI(MPI_Recv(buffer, (int)n, MPI_BYTE, r, TAG, file->comm, MPI_STATUS_IGNORE));
      put(file, block[r][0] + k, buffer, n);
    }
  PetscCall(PetscFree(buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFileWrite(RhxFile *file, int64_t at, const void *data, int64_t n)
{
  int64_t mine[2] = {at, n}, (*block)[2] = NULL;
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(file->comm, &rank));
  PetscCallMPI(MPI_Comm_size(file->comm, &size));
  if (!rank) PetscCall(PetscMalloc1(size, &block));
  PetscCallMPI(MPI_Gather(mine, 2, MPI_INT64_T, block, 2, MPI_INT64_T, 0, file->comm));
  if (!rank) {
    put(file, at, data, n);
    PetscCall(receive(file, size, (const int64_t(*)[2])block));
  }
  for (int64_t k = 0; rank && k < n; k += CHUNK)
    PetscCallMPI(MPI_Send((const char *)data + k, (int)PetscMin(n - k, CHUNK), MPI_BYTE, 0, TAG, file->comm));
  PetscCall(PetscFree(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: is what was written there? */
static int verify(const RhxFile *file, PetscBool sync)
{
  struct stat status;
  char found[sizeof file->last];

  if (sync && fsync(file->fd)) return errno;
  if (fstat(file->fd, &status)) return errno;
  if ((int64_t)status.st_size != file->end) return EIO;
  if (pread(file->fd, found, file->last_n, (off_t)file->last_at) != (ssize_t)file->last_n) return errno ? errno : EIO;
  return memcmp(found, file->last, file->last_n) ? EIO : 0;
}

PetscErrorCode RhxFileClose(RhxFile *file, PetscBool sync, int *err)
{
  PetscFunctionBegin;
  if (file->fd >= 0) {
    errno = 0;
    if (!file->err) file->err = verify(file, sync);
    if (close(file->fd) && !file->err) file->err = errno;
    if (file->err) (void)unlink(file->name);
  }
  file->fd = -1;
  *err = file->err;
  PetscCallMPI(MPI_Bcast(err, 1, MPI_INT, 0, file->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFileWriteText(MPI_Comm comm, const char *name, const char *text, size_t n, int *err)
{
  PetscMPIInt rank;
  RhxFile file;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(RhxFileCreate(comm, name, &file));
  PetscCall(RhxFileWrite(&file, 0, text, rank ? 0 : (int64_t)n));
  PetscCall(RhxFileClose(&file, PETSC_FALSE, err));
  PetscFunctionReturn(PETSC_SUCCESS);
}
