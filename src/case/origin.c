#include "case/origin_impl.h"
#include "petsc_compat.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MOST 3 /* options of a message whose lines are told */

static char *file, *text; /* owned; NULL: no case */
static RhxKeys set;       /* sorted; without values */

PetscErrorCode RhxOriginForget(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(file));
  PetscCall(PetscFree(text));
  PetscCall(RhxKeysDestroy(&set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOriginKeep(const char *name, const char *content, const RhxKeys *keys)
{
  PetscFunctionBegin;
  PetscCall(RhxOriginForget());
  PetscCall(PetscStrallocpy(name, &file));
  PetscCall(PetscStrallocpy(content, &text));
  PetscCall(PetscCalloc1(keys->n, &set.key));
  set.size = keys->n;
  for (; set.n < keys->n; set.n++) {
    PetscCall(PetscStrallocpy(keys->key[set.n].name, &set.key[set.n].name));
    PetscCall(PetscStrallocpy("", &set.key[set.n].value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOriginDrop(const char *name)
{
  RhxKey *key = RhxKeysFind(&set, name);

  PetscFunctionBegin;
  if (!key) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(key->name));
  PetscCall(PetscFree(key->value));
  for (set.n--; key < set.key + set.n; key++) key[0] = key[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxOriginHas(const char *beginning)
{
  for (PetscInt i = 0; i < set.n; i++)
    if (!strncasecmp(set.key[i].name, beginning, strlen(beginning))) return PETSC_TRUE;
  return PETSC_FALSE;
}

#define PROPOSED "did you mean " /* the option that follows is not the one that is wrong */

/* The next option that the message names; *at behind it. NULL: no more. */
static const char *next_option(const char **at, char name[PETSC_MAX_OPTION_NAME])
{
  for (const char *c = *at; *c; c++) {
    size_t n = 0;

    if (!strncmp(c, PROPOSED "-", sizeof(PROPOSED))) {
      c += sizeof(PROPOSED) - 1;
      continue;
    }
    if (c[0] != '-' || !isalpha((unsigned char)c[1])) continue;
    if (c > *at && (isalnum((unsigned char)c[-1]) || c[-1] == '-')) continue; /* --name is none of a case */
    while (isalnum((unsigned char)c[1 + n]) || c[1 + n] == '_') n++;
    *at = c + 1 + n;
    if (n >= PETSC_MAX_OPTION_NAME || c[1 + n] == '=') continue;
    memcpy(name, c + 1, n);
    name[n] = '\0';
    return name;
  }
  return NULL;
}

void RhxOriginOf(const char *message, size_t size, char *where)
{
  char name[PETSC_MAX_OPTION_NAME], lines[512] = "";
  PetscInt line, n = 0, told[MOST];

  where[0] = '\0';
  while (text && n < MOST && next_option(&message, name)) {
    const size_t used = strlen(lines);
    PetscBool known = PETSC_FALSE;

    if (!RhxKeysFind(&set, name) || RhxKeysLine(text, name, 1, &line) || !line) continue;
    for (PetscInt i = 0; i < n; i++) known = (PetscBool)(known || told[i] == line);
    if (known) continue;
    snprintf(lines + used, sizeof(lines) - used, "%sline %" PetscInt_FMT, n ? " and " : "", line);
    told[n++] = line;
  }
  if (n) snprintf(where, size, " (%s, %s)", file, lines);
}
