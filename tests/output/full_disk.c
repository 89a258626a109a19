/* For LD_PRELOAD: the files of folder FULL_FOLDER (but locks) take FULL_BYTES together; a write beyond takes what fits and the next one
 * fails as on a full disk. After FULL_FAILURES failures (of this process) there is space. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int failures;

static long long used_by_all(const char *folder)
{
  char path[PATH_MAX];
  const struct dirent *entry;
  struct stat status;
  long long sum = 0;
  DIR *all = opendir(folder);

  while (all && (entry = readdir(all))) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (!stat(path, &status) && S_ISREG(status.st_mode) && !strstr(entry->d_name, ".lock")) sum += status.st_size;
  }
  if (all) closedir(all);
  return sum;
}

/* Bytes of n at this place of the file that fit. */
static size_t room(int fd, size_t n, off_t at)
{
  const char *folder = getenv("FULL_FOLDER"), *bytes = getenv("FULL_BYTES"), *most = getenv("FULL_FAILURES");
  char link[64], path[PATH_MAX] = "";
  struct stat status;
  long long left;

  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (!folder || !bytes || (most && failures >= atoi(most)) || readlink(link, path, sizeof path - 1) < 0 ||
      strncmp(path, folder, strlen(folder)) || strstr(path, ".lock") || fstat(fd, &status) || !S_ISREG(status.st_mode))
    return n;
  left = atoll(bytes) - used_by_all(folder) + status.st_size - at;
  if (left <= 0) failures++;
  return left <= 0 ? 0 : (long long)n < left ? n : (size_t)left;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static ssize_t limited(int fd, const void *data, size_t n, off_t at)
{
  const size_t fits = n ? room(fd, n, at) : 0;

  if (n && !fits) {
    errno = ENOSPC;
    return -1;
  }
  return NEXT(pwrite)(fd, data, fits, at);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at) { return limited(fd, data, n, at); }

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at) { return limited(fd, data, n, at); }

ssize_t write(int fd, const void *data, size_t n)
{
  const off_t at = lseek(fd, 0, SEEK_CUR);
  const size_t fits = n && at >= 0 ? room(fd, n, at) : n;

  if (n && !fits) {
    errno = ENOSPC;
    return -1;
  }
  return NEXT(write)(fd, data, fits);
}

ssize_t pwritev(int fd, const struct iovec *part, int n, off_t at)
{
  return n ? limited(fd, part[0].iov_base, part[0].iov_len, at) : 0;
}

ssize_t pwritev64(int fd, const struct iovec *part, int n, off64_t at) { return pwritev(fd, part, n, at); }
