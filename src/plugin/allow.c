#define _GNU_SOURCE /* realpath, strchrnul */
#include "plugin/allow_impl.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int RhxPluginIsIn(const char *path, const char *folder)
{
  char real[PATH_MAX];
  const char *slash = strrchr(path, '/');
  size_t n;

  if (folder[0] != '/' || !slash || !realpath(folder, real)) return 0;
  n = strlen(real);
  return (size_t)(slash - path) == n && !strncmp(path, real, n);
}

static void list_name(char *list, size_t size)
{
  const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

  if (config && config[0] == '/')
    snprintf(list, size, "%s/rheoplex/plugins", config);
  else
    snprintf(list, size, "%s/.config/rheoplex/plugins", home && home[0] == '/' ? home : "");
}

/* A folder a line, '#' begins a comment. */
static int has_folder(FILE *f, const char *path)
{
  char line[PATH_MAX + 2];
  int found = 0;

  while (!found && fgets(line, sizeof(line), f)) {
    char *start = line + strspn(line, " \t"), *end = strchrnul(start, '#');

    while (end > start && strchr(" \t\r\n/", end[-1])) end--;
    *end = '\0';
    found = RhxPluginIsIn(path, start);
  }
  return found;
}

int RhxPluginIsListed(const char *path, char *list, size_t list_size, const char **fault)
{
  struct stat status;
  FILE *f;
  int found = 0;

  *fault = "";
  list_name(list, list_size);
  f = fopen(list, "r");
  if (!f) return 0;
  if (fstat(fileno(f), &status) || !S_ISREG(status.st_mode))
    *fault = "is no file";
  else if (status.st_uid != geteuid())
    *fault = "belongs to another user";
  else if (status.st_mode & (S_IWGRP | S_IWOTH))
    *fault = "may be written by others";
  else
    found = has_folder(f, path);
  fclose(f);
  return found;
}
