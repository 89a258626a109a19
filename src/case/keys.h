/* The keys of a YAML text as options: full names and values, each name once. */
#ifndef RHX_KEYS_H
#define RHX_KEYS_H
#include <petscsys.h>

typedef struct {
  char *name, *value; /* owned; the name without '-' */
  PetscInt weight;    /* of several of one name the heaviest is left */
} RhxKey;

typedef struct {
  PetscInt n, size;
  RhxKey *key; /* sorted by name */
} RhxKeys;

/* Errors say the line of what is no YAML, a key that is empty or set twice. What a merge (<<: *anchor) sets yields to a
 * key of the case. Any number of keys, in a time that grows like it. Not collective: every rank has the text. */
PetscErrorCode RhxKeysRead(MPI_Comm comm, const char *file, const char *text, RhxKeys *keys);
/* The line, from 1, of a text that RhxKeysRead takes, where a key makes it set the name for the nth time (a merge: where that
 * stands); 0: it does not. For messages: it reads the text some twenty times. */
PetscErrorCode RhxKeysLine(const char *text, const char *name, PetscInt nth, PetscInt *line);
/* The name of an option for a key that may be said in the plural: diagnostics_... is diagnostic_... . In place. */
void RhxKeysCanonical(char *name);
RhxKey *RhxKeysFind(const RhxKeys *keys, const char *name); /* NULL: none */
PetscErrorCode RhxKeysDestroy(RhxKeys *keys);
#endif
