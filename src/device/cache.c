/* The cache of compiled device programs: one file a program. It holds everything that decides about the cubin, compared byte by
 * byte, the compiler's log and the cubin, and appears under its name only when it is complete.
 *
 * A cubin runs with the user's rights: only files and folders of the user's own that nobody else can write are believed. */
#define _GNU_SOURCE /* O_DIRECTORY, openat */
#include "device/driver_impl.h"
#include "device/source_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION 2
#define LARGEST ((uint64_t)1 << 30) /* bytes of a part that can be true */

typedef struct {
  char magic[8];
  uint64_t version, sum[2];
  uint64_t key, log, cubin; /* bytes of the parts; sum: of log and cubin, tells damage */
} Head;

static const char magic[8] = {'R', 'H', 'X', 'C', 'U', 'B', 'I', 'N'};

/* ---- Sums: FNV-1a of 128 bits in two halves ---- */

static void sum_begin(uint64_t sum[2])
{
  sum[0] = 0x6c62272e07bb0142u;
  sum[1] = 0x62b821756295c58du;
}

/* Times the prime 2^88 + 0x13b, modulo 2^128. */
static void sum_add(uint64_t sum[2], const void *data, size_t bytes)
{
  const unsigned char *byte = data;
  uint64_t high = sum[0], low = sum[1];

  for (size_t i = 0; i < bytes; i++) {
    low ^= byte[i];
    const uint64_t a = (low & 0xffffffffu) * 0x13b, b = (low >> 32) * 0x13b + (a >> 32);
    high = high * 0x13b + (b >> 32) + (low << 24);
    low = (b << 32) | (a & 0xffffffffu);
  }
  sum[0] = high;
  sum[1] = low;
}

static void sum_payload(const char *log, size_t nlog, const char *cubin, size_t ncubin, uint64_t sum[2])
{
  sum_begin(sum);
  sum_add(sum, log, nlog);
  sum_add(sum, cubin, ncubin);
}

/* ---- Keys ---- */

static void key_add(RhxCacheKey *key, const void *data, size_t bytes)
{
  if (key->text) memcpy(key->text + key->length, data, bytes);
  key->length += bytes;
}

static void key_add_text(RhxCacheKey *key, const char *text)
{
  const uint64_t length = strlen(text);
  key_add(key, &length, sizeof(length));
  key_add(key, text, length);
}

static void key_add_list(RhxCacheKey *key, const RhxTextList *list)
{
  const uint64_t n = (uint64_t)list->n;
  key_add(key, &n, sizeof(n));
  for (PetscInt i = 0; i < list->n; i++) key_add_text(key, list->text[i]);
}

PetscErrorCode RhxCacheKeyCreate(RhxDeviceSource source, const char *arch, int nvrtc, RhxCacheKey *key)
{
  PetscFunctionBegin;
  *key = (RhxCacheKey){NULL, 0};
  for (int pass = 0; pass < 2; pass++) { /* the first only counts */
    if (pass) PetscCall(PetscMalloc1(key->length, &key->text));
    key->length = 0;
    key_add(key, &nvrtc, sizeof(nvrtc));
    key_add_text(key, arch);
    key_add_text(key, source->name);
    key_add_text(key, source->text);
    key_add_list(key, &source->header_name);
    key_add_list(key, &source->header);
    key_add_list(key, &source->option);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCacheKeyDestroy(RhxCacheKey *key)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(key->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Files ---- */

static PetscErrorCode find_folder(const char *option, size_t size, char *folder)
{
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

  PetscFunctionBegin;
  if (option[0])
    PetscCall(PetscStrncpy(folder, option, size));
  else if (cache && cache[0] == '/') /* the standard says that a relative one is to be ignored */
    PetscCall(PetscSNPrintf(folder, size, "%s/rheoplex", cache));
  else
    PetscCall(PetscSNPrintf(folder, size, "%s/.cache/rheoplex", home ? home : "."));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceCachePath(const char *option, const char *arch, const RhxCacheKey *key, RhxCachePath *path)
{
  const uint64_t version = VERSION;
  uint64_t sum[2];

  PetscFunctionBegin;
  PetscCall(find_folder(option, sizeof(path->folder), path->folder));
  sum_begin(sum);
  sum_add(sum, &version, sizeof(version));
  sum_add(sum, key->text, key->length);
  PetscCall(
      PetscSNPrintf(path->name, sizeof(path->name), "%s-%016" PRIx64 "%016" PRIx64 ".cubin", arch, sum[0], sum[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether nobody but this user can have written what is open; `what` it is: "file" or "folder". */
static int is_own(int handle, const char *what, char reason[RHX_CACHE_REASON])
{
  struct stat info;

  if (fstat(handle, &info)) {
    snprintf(reason, RHX_CACHE_REASON, "%s", strerror(errno));
    return 0;
  }
  if (info.st_uid != geteuid())
    snprintf(reason, RHX_CACHE_REASON, "the %s belongs to user %ld, expected %ld", what, (long)info.st_uid,
             (long)geteuid());
  else if (info.st_mode & (S_IWGRP | S_IWOTH))
    snprintf(reason, RHX_CACHE_REASON, "others may write the %s: its mode is %03o, expected %s", what,
             (unsigned)(info.st_mode & 07777), S_ISDIR(info.st_mode) ? "700" : "600");
  else if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode))
    snprintf(reason, RHX_CACHE_REASON, "it is not a regular file");
  else
    return 1;
  return 0;
}

/* -1 with the reason; that is empty if there is no such folder. */
static int open_folder(const char *folder, char reason[RHX_CACHE_REASON])
{
  const int handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  reason[0] = '\0';
  if (handle < 0) {
    if (errno != ENOENT) snprintf(reason, RHX_CACHE_REASON, "%s", strerror(errno));
    return -1;
  }
  if (is_own(handle, "folder", reason)) return handle;
  close(handle);
  return -1;
}

/* NULL with the reason, or without where there is no such file. A link is never followed. */
static FILE *open_file(const RhxCachePath *path, char reason[RHX_CACHE_REASON])
{
  const int folder = open_folder(path->folder, reason);
  int handle = -1;
  FILE *file = NULL;

  if (folder < 0) { /* writing says why */
    reason[0] = '\0';
    return NULL;
  }
  handle = openat(folder, path->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (handle < 0 && errno != ENOENT)
    snprintf(reason, RHX_CACHE_REASON, "%s", errno == ELOOP ? "it is a symbolic link" : strerror(errno));
  close(folder);
  if (handle >= 0 && is_own(handle, "file", reason)) file = fdopen(handle, "rb");
  if (handle >= 0 && !file) close(handle);
  return file;
}

static int is_head(const Head *head)
{
  return memcmp(head->magic, magic, sizeof(magic)) == 0 && head->version == VERSION && head->key < LARGEST &&
         head->log < LARGEST && head->cubin < LARGEST;
}

static PetscErrorCode read_parts(FILE *file, const Head *head, const RhxCacheKey *key, RhxDeviceBinary *binary,
                                 PetscBool *found)
{
  uint64_t sum[2];
  char *text;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  if (head->key != key->length) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(head->key, &text));
  *found = (PetscBool)(fread(text, 1, head->key, file) == head->key && memcmp(text, key->text, head->key) == 0);
  PetscCall(PetscFree(text));
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  binary->size = head->cubin;
  PetscCall(PetscMalloc1(head->log + 1, &binary->log));
  PetscCall(PetscMalloc1(head->cubin + 1, &binary->cubin));
  binary->log[head->log] = '\0';
  *found = (PetscBool)(fread(binary->log, 1, head->log, file) == head->log &&
                       fread(binary->cubin, 1, head->cubin, file) == head->cubin && fgetc(file) == EOF);
  if (*found) {
    sum_payload(binary->log, head->log, binary->cubin, head->cubin, sum);
    *found = (PetscBool)(memcmp(sum, head->sum, sizeof(sum)) == 0);
  }
  if (!*found) PetscCall(RhxDeviceBinaryFree(binary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceCacheRead(const RhxCachePath *path, const RhxCacheKey *key, RhxDeviceBinary *binary,
                                  PetscBool *found, char reason[RHX_CACHE_REASON])
{
  FILE *file = open_file(path, reason);
  Head head;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  if (fread(&head, sizeof(head), 1, file) == 1 && is_head(&head))
    PetscCall(read_parts(file, &head, key, binary, found));
  fclose(file);
  if (!*found) snprintf(reason, RHX_CACHE_REASON, "it is damaged or of another program");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the folders that it lies in; a step that fails shows when the folder is opened. */
static void make_folder(const char *path)
{
  char folder[PETSC_MAX_PATH_LEN + 1];

  snprintf(folder, sizeof(folder), "%s/", path);
  for (char *c = folder + 1; *c; c++)
    if (*c == '/') {
      *c = '\0';
      (void)mkdir(folder, 0700);
      *c = '/';
    }
}

PetscErrorCode RhxDeviceCacheFolder(const char *below, size_t size, char *folder, PetscBool *own)
{
  RhxDeviceOptions options;
  char reason[RHX_CACHE_REASON];
  int handle;

  PetscFunctionBegin;
  PetscCall(RhxDeviceReadOptions(PETSC_COMM_SELF, &options));
  PetscCall(find_folder(options.cache, size, folder));
  PetscCall(PetscStrlcat(folder, "/", size));
  PetscCall(PetscStrlcat(folder, below, size));
  make_folder(folder);
  handle = open_folder(folder, reason);
  *own = (PetscBool)(handle >= 0);
  if (*own) close(handle);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A new file of the folder; -1: errno. */
static int make_temporary(int folder, const char *name, char temporary[RHX_CACHE_NAME + 32])
{
  int handle = -1;

  for (unsigned i = 0; handle < 0 && i < 100; i++) {
    snprintf(temporary, RHX_CACHE_NAME + 32, "%s.%ld.%u", name, (long)getpid(), i);
    handle = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (handle < 0 && errno != EEXIST) break;
  }
  return handle;
}

static int write_parts(int handle, const RhxCacheKey *key, const RhxDeviceBinary *binary)
{
  Head head = {.version = VERSION, .key = key->length, .log = strlen(binary->log), .cubin = binary->size};
  FILE *file = fdopen(handle, "wb");
  int good;

  if (!file) {
    close(handle);
    return 0;
  }
  memcpy(head.magic, magic, sizeof(magic));
  sum_payload(binary->log, head.log, binary->cubin, head.cubin, head.sum);
  good = fwrite(&head, sizeof(head), 1, file) == 1 && fwrite(key->text, 1, head.key, file) == head.key &&
         fwrite(binary->log, 1, head.log, file) == head.log && fwrite(binary->cubin, 1, head.cubin, file) == head.cubin;
  return fclose(file) == 0 && good;
}

PetscErrorCode RhxDeviceCacheWrite(const RhxCachePath *path, const RhxCacheKey *key, const RhxDeviceBinary *binary,
                                   PetscBool *written, char reason[RHX_CACHE_REASON])
{
  char temporary[RHX_CACHE_NAME + 32];
  int folder, handle, good = 0;

  PetscFunctionBegin;
  make_folder(path->folder);
  folder = open_folder(path->folder, reason);
  if (folder >= 0) {
    errno = 0;
    handle = make_temporary(folder, path->name, temporary);
    if (handle >= 0) {
      good = write_parts(handle, key, binary) && renameat(folder, temporary, folder, path->name) == 0;
      if (!good) (void)unlinkat(folder, temporary, 0);
    }
    if (!good) snprintf(reason, RHX_CACHE_REASON, "%s", errno ? strerror(errno) : "unknown reason");
    close(folder);
  } else if (!reason[0])
    snprintf(reason, RHX_CACHE_REASON, "the folder cannot be made");
  *written = (PetscBool)good;
  PetscFunctionReturn(PETSC_SUCCESS);
}
