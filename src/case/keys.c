#include "case/keys.h"
#include "petsc_compat.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- What PETSc's reader would set ---- */

static PetscErrorCode append(RhxKeys *keys, const char *name, const char *value)
{
  PetscFunctionBegin;
  if (keys->n == keys->size) {
    RhxKey *grown;

    keys->size = 2 * keys->size + 64;
    PetscCall(PetscMalloc1(keys->size, &grown));
    PetscCall(PetscArraycpy(grown, keys->key, keys->n));
    PetscCall(PetscFree(keys->key));
    keys->key = grown;
  }
  PetscCall(PetscStrallocpy(name, &keys->key[keys->n].name));
  PetscCall(PetscStrallocpy(value ? value : "", &keys->key[keys->n].value));
  keys->key[keys->n].weight = keys->n;
  keys->n++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RhxKeys *keys; /* NULL: only parse */
  PetscBool clearing;
} Collector;

/* Takes what is set out again, so that the scratch database stays empty: it has a limit in older versions, and a search of
 * a time that grows with it. */
static PetscErrorCode keep_key(const char name[], const char value[], RHX_OPTION_SOURCE void *ctx)
{
  Collector *c = ctx;
  char option[PETSC_MAX_OPTION_NAME + 1];

  PetscFunctionBegin;
  if (c->clearing) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->keys) PetscCall(append(c->keys, name, value));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%s", name));
  c->clearing = PETSC_TRUE; /* tells monitors too */
  PetscCall(PetscOptionsClearValue(NULL, option));
  c->clearing = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parses the first n bytes; keys in their order, or NULL. */
static PetscErrorCode collect(const char *text, size_t n, RhxKeys *keys, PetscBool *ok)
{
  Collector collector = {keys, PETSC_FALSE};
  PetscOptions scratch;
  PetscErrorCode code;
  char *part;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n + 1, &part));
  PetscCall(PetscArraycpy(part, text, n));
  PetscCall(PetscOptionsCreate(&scratch));
  PetscCall(PetscOptionsPush(scratch));
  PetscCall(PetscOptionsMonitorSet(keep_key, &collector, NULL));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = PetscOptionsInsertStringYAML(NULL, part);
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&scratch));
  PetscCall(PetscFree(part));
  *ok = (PetscBool)(code == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The line of an error ---- */

#define NEAR 64   /* lines that are tried one by one */
#define WINDOW 16 /* lines tried around a place: one that ends within brackets or quotes is bad before an error too */

/* The last of the lines (from, to] up to which the text can be read; `from` if there is none. */
static PetscErrorCode last_good(const char *text, const size_t *end, PetscInt from, PetscInt to, PetscInt *good)
{
  PetscBool ok = PETSC_FALSE;

  PetscFunctionBegin;
  for (*good = to; *good > from; (*good)--) {
    PetscCall(collect(text, end[*good], NULL, &ok));
    if (ok) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error lies after the last line up to which the text can be read. */
static PetscErrorCode refuse_syntax(MPI_Comm comm, const char *file, const char *text)
{
  PetscInt lines = 0, low = 0, high, good;
  size_t *end; /* of line i from 1 */
  const char *bad;

  PetscFunctionBegin;
  for (const char *c = text; *c; c++) lines += *c == '\n';
  PetscCall(PetscMalloc1(lines + 1, &end));
  end[0] = 0;
  for (PetscInt i = 0; i < lines; i++) end[i + 1] = (size_t)(strchr(text + end[i], '\n') - text) + 1;
  for (high = lines; high - low > NEAR;) {
    const PetscInt middle = (low + high) / 2;

    PetscCall(last_good(text, end, middle - WINDOW, middle, &good));
    if (good > middle - WINDOW)
      low = good;
    else
      high = middle;
  }
  PetscCall(last_good(text, end, low, high, &good));
  for (bad = text + end[good]; *bad == '\n'; bad++) good++;
  PetscCall(PetscFree(end));
  SETERRQ(comm, PETSC_ERR_USER_INPUT,
          "%s, line %" PetscInt_FMT
          ": '%.*s' begins what is not YAML or not a mapping of options (key: value, key: [a, b], key: {...})",
          file, good + 1, (int)PetscMin(strcspn(bad, "\n"), 120), bad);
}

/* ---- Each name once ---- */

static int by_name(const void *a, const void *b)
{
  return strcasecmp(((const RhxKey *)a)->name, ((const RhxKey *)b)->name);
}

static int by_name_and_weight(const void *a, const void *b)
{
  const int names = by_name(a, b);
  const PetscInt x = ((const RhxKey *)a)->weight, y = ((const RhxKey *)b)->weight;

  return names ? names : (x > y) - (x < y);
}

static void sort(RhxKeys *keys)
{
  if (keys->n) qsort(keys->key, (size_t)keys->n, sizeof(*keys->key), by_name_and_weight);
}

static PetscErrorCode check_names(MPI_Comm comm, const char *file, const RhxKeys *keys)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < keys->n; i++) {
    const char *name = keys->key[i].name;
    const size_t length = strlen(name);
    PetscBool blank = PETSC_FALSE;

    for (const char *c = name; *c; c++) blank = (PetscBool)(blank || isspace((unsigned char)*c));
    PetscCheck(length && name[length - 1] != '_', comm, PETSC_ERR_USER_INPUT,
               "%s has an empty key: got '%s%s: %.100s', expected a name before the colon", file, name,
               length ? "<nothing>" : "", keys->key[i].value);
    PetscCheck(
        isalpha((unsigned char)name[0]) && !blank && length < PETSC_MAX_OPTION_NAME - 2, comm, PETSC_ERR_USER_INPUT,
        "%s has a key that is no name of an option: got '%.100s', expected a letter, then letters, digits and '_'",
        file, name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_twice(MPI_Comm comm, const char *file, const RhxKeys *sorted)
{
  PetscFunctionBegin;
  for (PetscInt i = 1; i < sorted->n; i++)
    PetscCheck(strcasecmp(sorted->key[i - 1].name, sorted->key[i].name), comm, PETSC_ERR_USER_INPUT,
               "%s sets -%s twice: one of the two would be lost", file, sorted->key[i].name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A key "$$" is one that PETSc's reader passes over: so the keys of the case alone are left. */
static PetscErrorCode without_merges(const char *text, RhxKeys *keys, PetscBool *ok)
{
  char *copy;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(text, &copy));
  for (char *c = copy; (c = strstr(c, "<<")); c += 2) c[0] = c[1] = '$';
  PetscCall(collect(copy, strlen(copy), keys, ok));
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool same(const char *text, const char *without)
{
  for (; *text && (*text == *without || (*text == '<' && *without == '$')); text++, without++)
    ;
  return (PetscBool)(!*text && !*without);
}

/* What is the case's own weighs more than every merge. Both in the order of the text. */
static void weigh(RhxKeys *all, const RhxKeys *own)
{
  for (PetscInt i = 0, k = 0; i < all->n && k < own->n; i++)
    if (same(all->key[i].name, own->key[k].name) && same(all->key[i].value, own->key[k].value)) {
      all->key[i].weight += all->n;
      k++;
    }
}

static void swap(RhxKey *a, RhxKey *b)
{
  const RhxKey c = *a;

  *a = *b;
  *b = c;
}

/* Of the keys of one name, sorted, the last is left: the case's own, where it has one. */
static PetscErrorCode unite(RhxKeys *all)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < all->n; i++) {
    if (n && !by_name(&all->key[n - 1], &all->key[i])) n--;
    if (n != i) swap(&all->key[n], &all->key[i]);
    n++;
  }
  for (PetscInt i = n; i < all->n; i++) {
    PetscCall(PetscFree(all->key[i].name));
    PetscCall(PetscFree(all->key[i].value));
  }
  all->n = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxKeysRead(MPI_Comm comm, const char *file, const char *text, RhxKeys *keys)
{
  RhxKeys own = {0, 0, NULL};
  PetscBool ok;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(keys, sizeof(*keys)));
  PetscCheck(
      !strstr(text, "!include"), comm, PETSC_ERR_USER_INPUT,
      "%s holds '!include': a case names no further files; give them on the command line (-options_file more.yaml)",
      file);
  PetscCall(collect(text, strlen(text), keys, &ok));
  if (!ok) PetscCall(refuse_syntax(comm, file, text));
  PetscCall(check_names(comm, file, keys));
  PetscCall(without_merges(text, &own, &ok));
  PetscCheck(ok, comm, PETSC_ERR_USER_INPUT, "%s: got a merge (<<) that cannot be taken out of the text", file);
  weigh(keys, &own);
  sort(&own);
  PetscCall(check_twice(comm, file, &own));
  PetscCall(RhxKeysDestroy(&own));
  sort(keys);
  PetscCall(unite(keys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RhxKey *RhxKeysFind(const RhxKeys *keys, const char *name)
{
  const RhxKey wanted = {(char *)name, NULL, 0};

  return keys->n ? bsearch(&wanted, keys->key, (size_t)keys->n, sizeof(*keys->key), by_name) : NULL;
}

PetscErrorCode RhxKeysDestroy(RhxKeys *keys)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < keys->n; i++) {
    PetscCall(PetscFree(keys->key[i].name));
    PetscCall(PetscFree(keys->key[i].value));
  }
  PetscCall(PetscFree(keys->key));
  keys->n = keys->size = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
