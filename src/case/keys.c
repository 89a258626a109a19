#include "case/keys.h"
#include "petsc_compat.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- What PETSc's reader would set ---- */

void RhxKeysCanonical(char *name)
{
  static const char many[] = "diagnostics";
  const size_t n = sizeof(many) - 1;

  if (!strncasecmp(name, many, n) && (!name[n] || name[n] == '_'))
    memmove(name + n - 1, name + n, strlen(name + n) + 1);
}

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
  RhxKeysCanonical(keys->key[keys->n].name);
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

/* Where line i, from 1, ends in the text; the caller frees. What follows the last newline is a line too. */
static PetscErrorCode line_ends(const char *text, PetscInt *lines, size_t **end)
{
  PetscFunctionBegin;
  *lines = 1;
  for (const char *c = text; *c; c++) *lines += *c == '\n';
  PetscCall(PetscMalloc1(*lines + 1, end));
  (*end)[0] = 0;
  for (PetscInt i = 0; i < *lines; i++) {
    const char *newline = strchr(text + (*end)[i], '\n');
    (*end)[i + 1] = newline ? (size_t)(newline - text) + 1 : strlen(text);
  }
  if (*lines > 1 && (*end)[*lines] == (*end)[*lines - 1]) (*lines)--;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What stands in quotes at c: past it. */
static const char *past_quotes(const char *c, const char *end)
{
  const char quote = *c++;

  while (c < end && *c != quote) c++;
  return c < end ? c + 1 : end;
}

/* A mistake that a line shows: "" or a part of a sentence. */
static void explain(const char *line, size_t n, size_t size, char *text)
{
  const char *end = line + n, *word = line;

  text[0] = '\0';
  if (memchr(line, '\t', strspn(line, " \t"))) {
    snprintf(text, size, "got a tab before it, expected blanks");
    return;
  }
  for (const char *c = line; c < end && *c != '#'; c++) {
    if (*c == '"' || *c == '\'') {
      c = past_quotes(c, end) - 1;
      continue;
    }
    if (strchr(" {[,", *c)) word = c + 1;
    if (*c != ':' || c == word || c + 1 >= end || c[1] == ' ' || !strncmp(c, "://", 3)) continue;
    if (strchr("},", c[1]))
      snprintf(text, size, "got the key '%.*s' without a value, expected %.*s: value", (int)(c - word), word,
               (int)(c - word), word);
    else
      snprintf(text, size, "got no blank behind '%.*s:', expected %.*s: value", (int)(c - word), word, (int)(c - word),
               word);
    return;
  }
}

/* The error lies after the last line up to which the text can be read. */
static PetscErrorCode refuse_syntax(MPI_Comm comm, const char *file, const char *text)
{
  PetscInt lines, low = 0, high, good;
  size_t *end;
  const char *bad;
  char why[256];

  PetscFunctionBegin;
  PetscCall(line_ends(text, &lines, &end));
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
  explain(bad, strcspn(bad, "\n"), sizeof(why), why);
  PetscCheck(!why[0], comm, PETSC_ERR_USER_INPUT, "%s, line %" PetscInt_FMT ", is not YAML: %s", file, good + 1, why);
  SETERRQ(comm, PETSC_ERR_USER_INPUT,
          "%s, line %" PetscInt_FMT
          ": '%.*s' begins what is not YAML or not a mapping of options (key: value, key: [a, b], key: {...})",
          file, good + 1, (int)PetscMin(strcspn(bad, "\n"), 120), bad);
}

/* ---- The line of a key ---- */

/* How often does the text up to a line set the name? ok: that part can be read. */
static PetscErrorCode count_keys(const char *text, size_t n, const char *name, PetscInt *count, PetscBool *ok)
{
  RhxKeys keys = {0, 0, NULL};

  PetscFunctionBegin;
  *count = 0;
  PetscCall(collect(text, n, &keys, ok));
  for (PetscInt i = 0; i < keys.n && *ok; i++) *count += !strcasecmp(keys.key[i].name, name);
  PetscCall(RhxKeysDestroy(&keys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next key of the text that stands in [*at, end): its start and length, and *at behind it; NULL: none. */
static const char *next_key(const char **at, const char *end, size_t *length)
{
  static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$-.";

  while (*at < end) {
    const char *start = *at, *after;

    *length = strspn(start, word);
    if (start[0] == '#')
      *at += strcspn(start, "\n");
    else
      *at += PetscMax(*length, 1);
    after = *at + (**at == '"' || **at == '\'');
    after += strspn(after, " ");
    if (*length && *after == ':') return start;
  }
  return NULL;
}

/* The place at which keys of the text, one below the other, make up the name for the nth time; NULL: they do not. */
static const char *place_of(const char *name, PetscInt nth, const char *at, const char *end)
{
  const char *rest = name, *key;
  size_t length;

  while ((key = next_key(&at, end, &length))) {
    if (strncasecmp(rest, key, length) || (rest[length] && rest[length] != '_')) continue;
    if (!rest[length] && --nth == 0) return key;
    rest = rest[length] ? rest + length + 1 : name;
  }
  return NULL;
}

/* The key is in (from, to], lines that can be read together alone; whatever stands before them begins its name. */
static PetscInt line_within(const char *text, const size_t *end, PetscInt from, PetscInt to, const char *name,
                            PetscInt nth)
{
  const char *place = NULL;

  if (to == from + 1) return to;
  for (const char *part = name; part && !place; part = strchr(part, '_') ? strchr(part, '_') + 1 : NULL)
    place = place_of(part, nth, text + end[from], text + end[to]);
  for (PetscInt i = from; place && i < to; i++)
    if (place < text + end[i + 1]) return i + 1;
  return from + 1;
}

PetscErrorCode RhxKeysLine(const char *text, const char *name, PetscInt nth, PetscInt *line)
{
  PetscInt lines, low = 0, high, good, count, before = 0;
  PetscBool ok;
  size_t *end;

  PetscFunctionBegin;
  *line = 0;
  PetscCall(line_ends(text, &lines, &end));
  PetscCall(count_keys(text, end[lines], name, &count, &ok));
  high = ok && count >= nth ? lines : 0;
  while (high - low > 1) { /* no part up to `low` has the key, that up to `high` has it */
    const PetscInt middle = (low + high) / 2;

    PetscCall(last_good(text, end, PetscMax(low, middle - NEAR), middle, &good));
    PetscCall(count_keys(text, end[good], name, &count, &ok));
    if (count >= nth)
      high = good;
    else
      low = middle;
  }
  if (high) {
    PetscCall(last_good(text, end, PetscMax(0, high - 1 - NEAR), high - 1, &good));
    PetscCall(count_keys(text, end[good], name, &before, &ok));
    *line = line_within(text, end, good, high, name, nth - before);
  }
  PetscCall(PetscFree(end));
  PetscFunctionReturn(PETSC_SUCCESS);
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

static PetscErrorCode check_names(MPI_Comm comm, const char *file, const char *text, const RhxKeys *keys)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < keys->n; i++) {
    const char *name = keys->key[i].name;
    const size_t length = strlen(name);
    const PetscBool empty = (PetscBool)(!length || name[length - 1] == '_');
    PetscBool blank = PETSC_FALSE;
    PetscInt line;

    for (const char *c = name; *c; c++) blank = (PetscBool)(blank || isspace((unsigned char)*c));
    if (!empty && isalpha((unsigned char)name[0]) && !blank && length < PETSC_MAX_OPTION_NAME - 2) continue;
    PetscCall(RhxKeysLine(text, name, 1, &line));
    PetscCheck(!empty, comm, PETSC_ERR_USER_INPUT,
               "%s, line %" PetscInt_FMT ", has an empty key: got '%s%s: %.100s', expected a name before the colon",
               file, line, name, length ? "<nothing>" : "", keys->key[i].value);
    SETERRQ(comm, PETSC_ERR_USER_INPUT,
            "%s, line %" PetscInt_FMT
            ", has a key that is no name of an option: got '%.100s', expected a letter, then letters, digits and '_'",
            file, line, name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_twice(MPI_Comm comm, const char *file, const char *text, const RhxKeys *sorted)
{
  PetscInt line[2];

  PetscFunctionBegin;
  for (PetscInt i = 1; i < sorted->n; i++) {
    const char *name = sorted->key[i].name;

    if (strcasecmp(sorted->key[i - 1].name, name)) continue;
    for (int k = 0; k < 2; k++) PetscCall(RhxKeysLine(text, name, k + 1, &line[k]));
    SETERRQ(comm, PETSC_ERR_USER_INPUT,
            "%s sets -%s twice, in line %" PetscInt_FMT " and in line %" PetscInt_FMT
            ": one of the two would be lost%s",
            file, name, line[0], line[1],
            strcmp(sorted->key[i - 1].name, name) ? ", for names of options, and labels in them, ignore case" : "");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A key "$$" is one that PETSc's reader passes over: so the keys of the case alone are left. The caller frees the text. */
static PetscErrorCode without_merges(const char *text, char **copy)
{
  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(text, copy));
  for (char *c = *copy; (c = strstr(c, "<<")); c += 2) c[0] = c[1] = '$';
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

/* Which of several merges holds hangs on how deep they stand, which the reader does not tell. least: weight of the case's own keys. */
static PetscErrorCode check_merges(MPI_Comm comm, const char *file, const char *text, const RhxKeys *sorted,
                                   PetscInt least)
{
  PetscFunctionBegin;
  for (PetscInt i = 1; i < sorted->n; i++) {
    const RhxKey *const a = &sorted->key[i - 1], *const b = &sorted->key[i];
    PetscInt last = i, line;

    if (by_name(a, b) || !strcmp(a->value, b->value)) continue;
    while (last + 1 < sorted->n && !by_name(b, &sorted->key[last + 1])) last++;
    if (sorted->key[last].weight >= least) continue;
    PetscCall(RhxKeysLine(text, b->name, 1, &line));
    SETERRQ(comm, PETSC_ERR_USER_INPUT,
            "%s, line %" PetscInt_FMT
            ": -%s gets '%.100s' and '%.100s' by merges (<<) of mappings, expected one value of it in what is merged, "
            "or a key of the case's own where it is merged",
            file, line, b->name, a->value, b->value);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
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
  const char *include = strstr(text, "!include");
  char *copy;
  PetscInt line = 1;
  PetscBool ok;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(keys, sizeof(*keys)));
  for (const char *c = text; include && c < include; c++) line += *c == '\n';
  PetscCheck(!include, comm, PETSC_ERR_USER_INPUT,
             "%s, line %" PetscInt_FMT
             ", holds '!include': a case names no further files; give them on the command line "
             "(-options_file more.yaml)",
             file, line);
  PetscCall(collect(text, strlen(text), keys, &ok));
  if (!ok) PetscCall(refuse_syntax(comm, file, text));
  PetscCall(check_names(comm, file, text, keys));
  PetscCall(without_merges(text, &copy));
  PetscCall(collect(copy, strlen(copy), &own, &ok));
  PetscCheck(ok, comm, PETSC_ERR_USER_INPUT, "%s: got a merge (<<) that cannot be taken out of the text", file);
  weigh(keys, &own);
  sort(&own);
  code = check_twice(comm, file, copy, &own);
  PetscCall(RhxKeysDestroy(&own));
  PetscCall(PetscFree(copy));
  PetscCall(code);
  sort(keys);
  PetscCall(check_merges(comm, file, text, keys, keys->n));
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
