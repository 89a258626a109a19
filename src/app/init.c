/* init: a case to start from, or a copy of one that comes with the program; list cases. */
#include "app/app.h"
#include "petsc_compat.h"
#include "plugin/data.h"
#include "plugin/option.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#define MAX_CASES 512
#define MODELINE "# yaml-language-server: $schema="

static int is_case(const struct dirent *entry)
{
  const size_t n = strlen(entry->d_name);

  return n > 5 && !strcmp(entry->d_name + n - 5, ".yaml");
}

/* The first remark that is not for an editor. */
static void first_remark(const char *file, size_t size, char *line)
{
  FILE *f = fopen(file, "r");

  line[0] = '\0';
  while (f && fgets(line, (int)size, f) && !strncmp(line, MODELINE, strlen(MODELINE)))
    ;
  if (f) fclose(f);
  line[strcspn(line, "\n")] = '\0';
}

PetscErrorCode RhxAppListCases(void)
{
  char folder[PETSC_MAX_PATH_LEN], file[2 * PETSC_MAX_PATH_LEN], line[512];
  struct dirent **entry = NULL;
  int n;

  PetscFunctionBegin;
  if (!RhxDataFile("options", sizeof(folder), folder)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Cases in %s (rheoplex init <name> copies one)\n", folder));
  n = scandir(folder, &entry, is_case, alphasort);
  for (int i = 0; i < n; i++) {
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s/%s", folder, entry[i]->d_name));
    first_remark(file, sizeof(line), line);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %-28.*s %s\n", (int)strlen(entry[i]->d_name) - 5, entry[i]->d_name,
                          line + strspn(line, "# ")));
    free(entry[i]);
  }
  free(entry);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Error that names the nearest case of the folder. */
static PetscErrorCode refuse_name(const char *name, const char *folder)
{
  struct dirent **entry = NULL;
  const char *names[MAX_CASES], *near;
  int n = scandir(folder, &entry, is_case, alphasort), k;

  PetscFunctionBegin;
  for (k = 0; k < n && k < MAX_CASES; k++) {
    entry[k]->d_name[strlen(entry[k]->d_name) - 5] = '\0';
    names[k] = entry[k]->d_name;
  }
  near = RhxNearest(name, k, names);
  SETERRQ(PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
          "init: got '%.200s', expected a file to write (case.yaml) or a name of `rheoplex list cases`%s%s%s", name,
          near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* What is copied, and where to. */
static PetscErrorCode choose(const char *word, size_t size, char *from, char *to)
{
  char name[PETSC_MAX_PATH_LEN], folder[PETSC_MAX_PATH_LEN];
  const size_t n = strlen(word);
  PetscBool there;

  PetscFunctionBegin;
  if ((n > 5 && !strcmp(word + n - 5, ".yaml")) || (n > 4 && !strcmp(word + n - 4, ".yml"))) {
    there = RhxDataFile("template/case.yaml", size, from);
    PetscCall(PetscStrncpy(to, word, size));
  } else {
    PetscCall(PetscSNPrintf(name, sizeof(name), "options/%s.yaml", word));
    there = RhxDataFile(name, size, from);
    PetscCall(PetscSNPrintf(to, size, "%s.yaml", word));
    if ((!there || strchr(word, '/')) && RhxDataFile("options", sizeof(folder), folder))
      PetscCall(refuse_name(word, folder));
  }
  PetscCheck(there, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN,
             "init: the cases that come with the program are not found, expected them in <prefix>/share/rheoplex");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: the copy names the schema that lies with the program. 0 or an errno. */
static int copy(const char *from, const char *to)
{
  char line[4096], schema[PETSC_MAX_PATH_LEN];
  FILE *in = fopen(from, "r"), *out = in ? fopen(to, "wx") : NULL;
  int err = out ? 0 : errno;

  if (out && RhxDataFile("options/case.schema.json", sizeof(schema), schema)) fprintf(out, MODELINE "%s\n", schema);
  while (out && fgets(line, sizeof(line), in))
    if (strncmp(line, MODELINE, strlen(MODELINE)) && fputs(line, out) < 0) err = errno;
  if (out && fclose(out)) err = errno;
  if (in) fclose(in);
  return err;
}

PetscErrorCode RhxAppInit(const char *word)
{
  char from[PETSC_MAX_PATH_LEN], to[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;
  int err = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(choose(word ? word : "case.yaml", sizeof(from), from, to));
  if (!rank) err = copy(from, to);
  PetscCallMPI(MPI_Bcast(&err, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  PetscCheck(err != EEXIST, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN,
             "init: %s is there already, expected a new name: rheoplex init other.yaml", to);
  PetscCheck(!err, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "init: %s cannot be written: %s", to, strerror(err));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s is written: `rheoplex check %s` tells what it is, `rheoplex run %s` runs it\n", to, to,
                        to));
  PetscFunctionReturn(PETSC_SUCCESS);
}
