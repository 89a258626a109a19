/* Lists of lists, which PETSc's YAML reader refuses: [[a, b], [c, d]] becomes [a, b, c, d] in its place, so that lines and columns
 * of messages stay. */
#include "case/lists_impl.h"
#include "petsc_compat.h"
#include <string.h>

#define DEPTH 64 /* brackets within brackets; deeper ones are left to the reader, which refuses them */

typedef struct {
  char kind; /* '{', '[', or 'i' for a list in a list */
  size_t start;
  PetscInt entries, inner; /* its own; those of its first inner list, 0: none yet */
  PetscInt lists;          /* how many of its entries are lists */
} Level;

typedef struct {
  Level level[DEPTH];
  int depth;
} Stack;

/* What stands in quotes, or the comment, that begins at `at`: its length, 0: neither. */
static size_t skipped(const char *text, size_t at)
{
  const char c = text[at];
  size_t n = 1;

  if (c == '#' && (at == 0 || strchr(" \t\n", text[at - 1]))) return strcspn(text + at, "\n");
  if (c != '"' && c != '\'') return 0;
  for (; text[at + n] && text[at + n] != c; n++)
    if (c == '"' && text[at + n] == '\\' && text[at + n + 1]) n++;
  return n + (text[at + n] == c);
}

/* Does a value begin here? Within a word a bracket or a quote is a letter as others. */
static PetscBool begins_value(const char *text, size_t at)
{
  while (at && strchr(" \t", text[at - 1])) at--;
  return (PetscBool)(!at || strchr("\n:-,[{", text[at - 1]));
}

static PetscErrorCode close_level(MPI_Comm comm, const char *file, char *text, size_t at, Stack *s)
{
  const Level *done = &s->level[--s->depth];
  Level *outer = s->depth ? &s->level[s->depth - 1] : NULL;
  PetscInt line = 1;

  PetscFunctionBegin;
  for (size_t i = 0; i < done->start; i++) line += text[i] == '\n';
  PetscCheck(!done->lists || (done->kind == '[' && done->lists == done->entries), comm, PETSC_ERR_USER_INPUT,
             "%s, line %" PetscInt_FMT ": got %s, expected values or lists of values", file, line,
             done->kind == '[' ? "a value beside a list in a list" : "a list in a list of lists");
  if (done->kind != 'i') PetscFunctionReturn(PETSC_SUCCESS);
  outer->lists++;
  if (!outer->inner) outer->inner = done->entries;
  PetscCheck(outer->inner == done->entries, comm, PETSC_ERR_USER_INPUT,
             "%s, line %" PetscInt_FMT ": got lists of %" PetscInt_FMT " and of %" PetscInt_FMT
             " entries in a list, expected as many in each",
             file, line, outer->inner, done->entries);
  text[done->start] = text[at] = ' ';
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxListsFlatten(MPI_Comm comm, const char *file, char *text)
{
  Stack s = {.depth = 0};

  PetscFunctionBegin;
  for (size_t i = 0, n; text[i]; i++) {
    const char c = text[i];

    if ((n = skipped(text, i)) && (c == '#' || begins_value(text, i))) {
      i += n - 1;
    } else if ((c == '[' || c == '{') && (s.depth || begins_value(text, i))) {
      if (s.depth == DEPTH) break;
      const char kind = c == '[' && s.depth && s.level[s.depth - 1].kind != '{' ? 'i' : c;
      s.level[s.depth++] = (Level){.kind = kind, .start = i, .entries = 1};
    } else if (c == ',' && s.depth) {
      s.level[s.depth - 1].entries += text[i + 1 + strspn(text + i + 1, " \t\n")] != ']';
    } else if ((c == ']' || c == '}') && s.depth) {
      PetscCall(close_level(comm, file, text, i, &s));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
