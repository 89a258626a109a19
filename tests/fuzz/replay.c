/* Calls a target with every file of a folder, where there is no libFuzzer. good_* is read, bad_* is an error, others may be
 * either; an input that takes longer than 10 s is a fault. usage: replay <folder> */
#include "fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_file(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int replay(const char *folder, const char *name)
{
  char path[4096];
  struct stat st;
  uint8_t *data;
  FILE *f;

  snprintf(path, sizeof path, "%s/%s", folder, name);
  f = fopen(path, "rb");
  if (!f || stat(path, &st)) return 1;
  data = malloc((size_t)st.st_size + 1); /* of the input's own size: a sanitizer sees what is read beyond it */
  if (!data || fread(data, 1, (size_t)st.st_size, f) != (size_t)st.st_size) return 1;
  (void)fclose(f);
  printf("%s\n", path);
  fflush(stdout);
  alarm(getenv("RHEOPLEX_SANITIZE") ? 60 : 10);
  (void)LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
  alarm(0);
  free(data);
  if (!strncmp(name, "good_", 5) && fuzz_code) return printf("FAIL it is an error, expected to be read\n");
  if (!strncmp(name, "bad_", 4) && !fuzz_code) return printf("FAIL it is read, expected an error\n");
  return 0;
}

int main(int argc, char **argv)
{
  struct dirent **entry;
  int n, bad = 0;

  if (argc < 2 || (n = scandir(argv[1], &entry, is_file, alphasort)) < 1) return 2;
  (void)LLVMFuzzerInitialize(&argc, &argv);
  for (int i = 0; i < n; i++) {
    bad += replay(argv[1], entry[i]->d_name) != 0;
    free(entry[i]);
  }
  free(entry);
  printf("%d inputs, %d faults\n", n, bad);
  return bad != 0;
}
