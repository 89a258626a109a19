/* The cache of compiled device programs: one file a program, named by the hash of all that decides about it.
 *
 * The file is a head, the compiler's log and the cubin; it appears under its name only when it is complete. */
#define _POSIX_C_SOURCE 200809L
#include "device/source.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION 1
#define LARGEST ((uint64_t)1 << 30) /* bytes of a payload that can be true */

typedef struct {
  char magic[8];
  uint64_t version;
  RhxHash key, payload;
  uint64_t log, cubin; /* bytes */
} Head;

static const char magic[8] = {'R', 'H', 'X', 'C', 'U', 'B', 'I', 'N'};

/* ---- Hash ---- */

void RhxHashBegin(RhxHash *hash)
{
  hash->high = 0x6c62272e07bb0142u;
  hash->low = 0x62b821756295c58du;
  hash->length = 0;
}

/* Times the prime 2^88 + 0x13b, modulo 2^128. */
void RhxHashAdd(RhxHash *hash, const void *data, size_t bytes)
{
  const unsigned char *byte = data;
  uint64_t high = hash->high, low = hash->low;

  for (size_t i = 0; i < bytes; i++) {
    low ^= byte[i];
    const uint64_t a = (low & 0xffffffffu) * 0x13b, b = (low >> 32) * 0x13b + (a >> 32);
    high = high * 0x13b + (b >> 32) + (low << 24);
    low = (b << 32) | (a & 0xffffffffu);
  }
  hash->high = high;
  hash->low = low;
  hash->length += bytes;
}

static void add_text(RhxHash *hash, const char *text)
{
  const uint64_t length = strlen(text);
  RhxHashAdd(hash, &length, sizeof(length));
  RhxHashAdd(hash, text, length);
}

static void add_list(RhxHash *hash, const RhxTextList *list)
{
  const uint64_t n = (uint64_t)list->n;
  RhxHashAdd(hash, &n, sizeof(n));
  for (PetscInt i = 0; i < list->n; i++) add_text(hash, list->text[i]);
}

void RhxDeviceSourceHash(RhxDeviceSource source, const char *arch, int nvrtc, RhxHash *key)
{
  RhxHashBegin(key);
  RhxHashAdd(key, &nvrtc, sizeof(nvrtc));
  add_text(key, arch);
  add_text(key, source->name);
  add_text(key, source->text);
  add_list(key, &source->header_name);
  add_list(key, &source->header);
  add_list(key, &source->option);
}

static int same(const RhxHash *a, const RhxHash *b)
{
  return a->high == b->high && a->low == b->low && a->length == b->length;
}

static void hash_payload(const RhxDeviceBinary *binary, size_t log, RhxHash *hash)
{
  RhxHashBegin(hash);
  RhxHashAdd(hash, binary->log, log);
  RhxHashAdd(hash, binary->cubin, binary->size);
}

/* ---- Files ---- */

PetscErrorCode RhxDeviceCachePath(const char *option, const char *arch, const RhxHash *key, char *path, size_t length)
{
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char folder[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (option[0])
    PetscCall(PetscStrncpy(folder, option, sizeof(folder)));
  else if (cache && cache[0] == '/') /* the standard says that a relative one is to be ignored */
    PetscCall(PetscSNPrintf(folder, sizeof(folder), "%s/rheoplex", cache));
  else
    PetscCall(PetscSNPrintf(folder, sizeof(folder), "%s/.cache/rheoplex", home ? home : "."));
  PetscCall(PetscSNPrintf(path, length, "%s/%s-%016" PRIx64 "%016" PRIx64 ".cubin", folder, arch, key->high, key->low));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_payload(FILE *file, const Head *head, RhxDeviceBinary *binary, PetscBool *found)
{
  RhxHash hash;

  PetscFunctionBegin;
  binary->size = head->cubin;
  PetscCall(PetscMalloc1(head->log + 1, &binary->log));
  PetscCall(PetscMalloc1(head->cubin + 1, &binary->cubin));
  binary->log[head->log] = '\0';
  *found = (PetscBool)(fread(binary->log, 1, head->log, file) == head->log &&
                       fread(binary->cubin, 1, head->cubin, file) == head->cubin && fgetc(file) == EOF);
  if (*found) {
    hash_payload(binary, head->log, &hash);
    *found = (PetscBool)same(&hash, &head->payload);
  }
  if (!*found) PetscCall(RhxDeviceBinaryFree(binary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceCacheRead(const char *path, const RhxHash *key, RhxDeviceBinary *binary, PetscBool *found)
{
  Head head;
  FILE *file = fopen(path, "rb");

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  if (fread(&head, sizeof(head), 1, file) == 1 && memcmp(head.magic, magic, sizeof(magic)) == 0 &&
      head.version == VERSION && same(&head.key, key) && head.log < LARGEST && head.cubin < LARGEST)
    PetscCall(read_payload(file, &head, binary, found));
  fclose(file);
  if (!*found) PetscCall(PetscInfo(NULL, "The cache file %s is damaged and is written anew\n", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the folders that a path lies in; the last step that fails shows when the file is opened. */
static void make_folders(const char *path)
{
  char folder[PETSC_MAX_PATH_LEN];

  snprintf(folder, sizeof(folder), "%s", path);
  for (char *c = folder + 1; *c; c++)
    if (*c == '/') {
      *c = '\0';
      (void)mkdir(folder, 0755);
      *c = '/';
    }
}

PetscErrorCode RhxDeviceCacheWrite(const char *path, const RhxHash *key, const RhxDeviceBinary *binary,
                                   PetscBool *written, char *reason, size_t length)
{
  char temporary[PETSC_MAX_PATH_LEN + 16];
  FILE *file = NULL;
  Head head;
  int handle, good = 0;

  PetscFunctionBegin;
  make_folders(path);
  PetscCall(PetscMemzero(&head, sizeof(head)));
  PetscCall(PetscMemcpy(head.magic, magic, sizeof(magic)));
  head.version = VERSION;
  head.key = *key;
  head.log = strlen(binary->log);
  head.cubin = binary->size;
  hash_payload(binary, head.log, &head.payload);
  PetscCall(PetscSNPrintf(temporary, sizeof(temporary), "%s.XXXXXX", path));
  errno = 0;
  handle = mkstemp(temporary);
  if (handle >= 0) file = fdopen(handle, "wb");
  if (file) {
    good = fwrite(&head, sizeof(head), 1, file) == 1 && fwrite(binary->log, 1, head.log, file) == head.log &&
           fwrite(binary->cubin, 1, head.cubin, file) == head.cubin;
    good = fclose(file) == 0 && good && chmod(temporary, 0644) == 0 && rename(temporary, path) == 0;
  }
  if (!good) snprintf(reason, length, "%s", errno ? strerror(errno) : "unknown reason");
  if (!good && handle >= 0) (void)unlink(temporary);
  *written = (PetscBool)good;
  PetscFunctionReturn(PETSC_SUCCESS);
}
