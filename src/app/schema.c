/* schema: the JSON schema of a case, from the option tables. A case may nest keys at any '_' of an option's name, so each
 * beginning of a name has its own object: what editors offer (the group of a table, its rows) stands in "properties", every
 * other way to write a key in "patternProperties". */
#include "app/app.h"
#include "case/trust.h"
#include "petsc_compat.h"
#include "plugin/needs.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include <stdarg.h>
#include <stdlib.h>

#define NAME 256
#define NUMBER "[0-9]+\\\\.?[0-9]*([eE][-+]?[0-9]+)?|\\\\.[0-9]+([eE][-+]?[0-9]+)?|inf(inity)?"

typedef struct {
  char name[NAME]; /* with at most one '*' */
  const RhxOptionTable *table;
  const RhxRow *row;
} Option;

/* One way to go on from a beginning: to an option, to a longer beginning, or either. */
typedef struct {
  char rest[NAME];
  const Option *option;
  char group[NAME]; /* "": none */
  PetscBool natural;
} Way;

typedef struct {
  PetscInt n, size;
  Way *way;
} Ways;

static Option *option;
static PetscInt noptions;

/* ---- The options, and the beginnings of their names ---- */

static PetscErrorCode collect(void)
{
  const RhxOptionTable *table;
  PetscInt most = 0;

  PetscFunctionBegin;
  for (PetscInt t = 0; (table = RhxOptionTableGet(t)); t++) most += table->nrows;
  PetscCall(PetscCalloc1(most, &option));
  for (PetscInt t = 0; (table = RhxOptionTableGet(t)); t++)
    for (PetscInt r = 0; r < table->nrows; r++) {
      Option *o = &option[noptions];

      o->table = table;
      o->row = &table->rows[r];
      PetscCall(PetscSNPrintf(o->name, NAME, "%s%s", table->prefix, o->row->name));
      if (RhxTrustMaySet(o->name, "x") || RhxTrustMaySet(o->name, "1")) noptions++;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What follows the beginning in the name; NULL: it does not begin so. "" begins every name. */
static const char *after(const char *name, const char *beginning)
{
  const size_t n = strlen(beginning);

  if (!n) return name;
  return !strncmp(name, beginning, n) && name[n] == '_' ? name + n + 1 : NULL;
}

static PetscBool is_table(const char *beginning)
{
  const RhxOptionTable *table;

  for (PetscInt t = 0; (table = RhxOptionTableGet(t)); t++) {
    const char *rest = after(table->prefix, beginning);
    if (rest && !rest[0]) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscErrorCode add_way(Ways *ways, const char *rest, const Option *to, const char *group, PetscBool natural)
{
  Way *way;
  PetscInt i;

  PetscFunctionBegin;
  for (i = 0; i < ways->n && strcmp(ways->way[i].rest, rest); i++)
    ;
  if (i == ways->size) {
    ways->size = 2 * ways->size + 64;
    PetscCall(PetscRealloc(ways->size * sizeof(*ways->way), &ways->way));
  }
  way = &ways->way[i];
  if (i == ways->n) {
    memset(way, 0, sizeof(*way));
    PetscCall(PetscStrncpy(way->rest, rest, NAME));
    ways->n++;
  }
  if (to) way->option = to;
  if (group) PetscCall(PetscStrncpy(way->group, group, NAME));
  way->natural = (PetscBool)(way->natural || natural);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A label may hold '_': "*" may go on in the next key. */
static PetscErrorCode add_label_ways(const char *beginning, const Option *to, const char *rest, Ways *ways)
{
  char more[NAME];
  const size_t n = strlen(beginning);

  PetscFunctionBegin;
  if (!n || beginning[n - 1] != '*') PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(more, NAME, "*_%s", rest));
  PetscCall(add_way(ways, more, to, NULL, PETSC_FALSE));
  PetscCall(add_way(ways, "*", NULL, beginning, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ways_from(const char *beginning, Ways *ways)
{
  PetscFunctionBegin;
  memset(ways, 0, sizeof(*ways));
  for (PetscInt i = 0; i < noptions; i++) {
    const Option *o = &option[i];
    const char *rest = after(o->name, beginning), *row = after(o->table->prefix, beginning);
    char group[NAME];

    if (!rest || !rest[0]) continue;
    PetscCall(add_way(ways, rest, o, NULL, (PetscBool)(row && !row[0])));
    for (const char *c = strchr(rest, '_'); c; c = strchr(c + 1, '_')) {
      PetscCall(PetscSNPrintf(group, NAME, "%.*s", (int)(c - o->name), o->name));
      PetscCall(add_way(ways, group + (rest - o->name), NULL, group, (PetscBool)(is_table(group) && !beginning[0])));
    }
    PetscCall(add_label_ways(beginning, o, rest, ways));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- JSON ---- */

static void say(const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
}

static void say_text(const char *text)
{
  putchar('"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    putchar(*text);
  }
  putchar('"');
}

/* The other way's name, a label filled in, is one of this way too: the other is the closer. */
static PetscBool covers(const Way *way, const Way *other)
{
  char filled[NAME];
  const char *star = strchr(other->rest, '*');

  if (way == other) return PETSC_FALSE;
  snprintf(filled, NAME, "%.*s%s%s", star ? (int)(star - other->rest) : NAME, other->rest, star ? "x" : "",
           star ? star + 1 : "");
  return RhxOptionMatches(filled, way->rest);
}

/* The rest as a regular expression, '*' any label. */
static void say_expression(const char *rest)
{
  for (; *rest; rest++)
    if (*rest == '*')
      say(".+");
    else
      putchar(*rest);
}

static void say_pattern(const Ways *ways, const Way *way)
{
  say("\"^");
  for (PetscInt i = 0; i < ways->n; i++) {
    if (!strchr(way->rest, '*') || !covers(way, &ways->way[i])) continue;
    say("(?!");
    say_expression(ways->way[i].rest);
    say("$)");
  }
  say_expression(way->rest);
  say("$\"");
}

static void say_target(const Way *way)
{
  const PetscBool both = (PetscBool)(way->option && way->group[0]);

  if (both) say("{\"anyOf\": [");
  if (way->option) say("{\"$ref\": \"#/definitions/%s\"}", way->option->name);
  if (both) say(", ");
  if (way->group[0]) say("{\"$ref\": \"#/definitions/%s_\"}", way->group);
  if (both) say("]}");
}

/* ---- Values ---- */

static void say_bounds(const RhxRow *row)
{
  if (row->bound == RHX_GT) say(", \"exclusiveMinimum\": %.17g", row->lower);
  if (row->bound == RHX_GE || row->bound == RHX_IN || row->bound == RHX_IN_RIGHT_OPEN)
    say(", \"minimum\": %.17g", row->lower);
  if (row->bound == RHX_IN) say(", \"maximum\": %.17g", row->upper);
  if (row->bound == RHX_IN_RIGHT_OPEN) say(", \"exclusiveMaximum\": %.17g", row->upper);
}

static void say_choices(const char *choices, PetscBool first)
{
  for (const char *c = choices; c && *c; c += strcspn(c, "|"), c += *c == '|') {
    char word[NAME];

    snprintf(word, NAME, "%.*s", (int)strcspn(c, "|"), c);
    say("%s", first ? "" : ", ");
    say_text(word);
    first = PETSC_FALSE;
  }
}

/* A number, also as a text: 1e-3 is one to some readers of YAML. */
static void say_number(const RhxRow *row)
{
  const char *sign = row->bound != RHX_ANY && row->lower >= 0 ? "[+]?" : "[-+]?";
  const char *number = row->kind == RHX_INT ? "[0-9]+" : NUMBER;

  say("{\"type\": \"%s\"", row->kind == RHX_INT ? "integer" : "number");
  say_bounds(row);
  say("}, {\"type\": \"string\", \"pattern\": \"^%s(%s)$\"}", sign, number);
  if (row->choices) {
    say(", {\"enum\": [");
    say_choices(row->choices, PETSC_TRUE);
    say("]}");
  }
  if (row->per_mode)
    say(", {\"type\": \"array\", \"items\": {\"type\": [\"number\", \"string\"]}}, {\"type\": \"string\", \"pattern\": "
        "\"^%s(%s)( *, *%s(%s))*$\"}",
        sign, number, sign, number);
}

static void say_value(const RhxRow *row)
{
  switch (row->kind) {
  case RHX_REAL:
  case RHX_INT:
    say("\"anyOf\": [");
    say_number(row);
    say("]");
    return;
  case RHX_BOOL:
    say("\"enum\": [true, false, \"true\", \"false\", \"yes\", \"no\", \"on\", \"off\", 1, 0, \"1\", \"0\", null]");
    return;
  case RHX_CHOICE:
    if (RhxRowNamesField(row)) {
      say("\"type\": \"string\"");
      return;
    }
    say("\"enum\": [");
    say_choices(row->choices, PETSC_TRUE);
    say("]");
    return;
  case RHX_STRING:
    say("\"type\": [\"string\", \"number\", \"boolean\", \"null\", \"array\"], \"items\": {\"type\": [\"string\", "
        "\"number\", \"boolean\", \"array\"]}");
  }
}

static void say_option(const Option *o)
{
  const RhxRow *row = o->row;
  char text[4 * NAME];

  snprintf(text, sizeof(text), "%s%s%s%s; default: %s", row->help, row->unit && row->unit[0] ? " [" : "",
           row->unit ? row->unit : "", row->unit && row->unit[0] ? "]" : "",
           !row->value     ? "none, has to be given"
           : row->value[0] ? row->value
                           : "empty");
  say("    \"%s\": {\"description\": ", o->name);
  say_text(text);
  say(", ");
  say_value(row);
  say("}");
}

/* ---- Objects ---- */

/* PETSc's options that a case may set: any value. */
static void say_families(const char *beginning, PetscBool *first)
{
  const char *family;

  for (PetscInt i = 0; (family = RhxTrustFamily(i)); i++) {
    const char *rest = after(family, beginning);
    const int n = rest ? (int)strlen(rest) - (rest[strlen(rest) - 1] == '_') : 0;

    if (!rest || !rest[0]) continue;
    say("%s\n      \"^%.*s(_.*)?$\": {}", *first ? "" : ",", n, rest);
    *first = PETSC_FALSE;
  }
}

static PetscErrorCode say_object(const char *beginning)
{
  PetscBool first = PETSC_TRUE;
  Ways ways;

  PetscFunctionBegin;
  PetscCall(ways_from(beginning, &ways));
  say("\"type\": \"object\", \"additionalProperties\": false, \"properties\": {");
  for (PetscInt i = 0; i < ways.n; i++) {
    const Way *way = &ways.way[i];

    if (!way->natural || strchr(way->rest, '*')) continue;
    say("%s\n      \"%s\": ", first ? "" : ",", way->rest);
    say_target(way);
    if (!beginning[0] && !strcmp(way->rest, "diagnostic")) { /* RhxKeysCanonical */
      say(",\n      \"diagnostics\": ");
      say_target(way);
    }
    first = PETSC_FALSE;
  }
  say("}, \"patternProperties\": {");
  first = PETSC_TRUE;
  for (PetscInt i = 0; i < ways.n; i++) {
    const Way *way = &ways.way[i];

    if (way->natural && !strchr(way->rest, '*')) continue;
    say("%s\n      ", first ? "" : ",");
    say_pattern(&ways, way);
    say(": ");
    say_target(way);
    first = PETSC_FALSE;
  }
  say_families(beginning, &first);
  if (!beginning[0]) say("%s\n      \"^\\\\$\\\\$.*$\": {}", first ? "" : ","); /* anchors */
  say("}");
  PetscCall(PetscFree(ways.way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every beginning once, at the first option that has it. */
static PetscErrorCode say_groups(void)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < noptions; i++)
    for (const char *c = strchr(option[i].name, '_'); c; c = strchr(c + 1, '_')) {
      char group[NAME];
      PetscInt k;

      PetscCall(PetscSNPrintf(group, NAME, "%.*s", (int)(c - option[i].name), option[i].name));
      for (k = 0; k < i && !after(option[k].name, group); k++)
        ;
      if (k < i) continue;
      say(",\n    \"%s_\": {", group);
      PetscCall(say_object(group));
      say("}");
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppSchema(const char *word)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  (void)word;
  PetscCall(RhxPluginsLoad(PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(collect());
  say("{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": \"A case of Rheoplex\",\n"
      "  \"description\": \"Made by `rheoplex schema` from the tables of options and the plugins that it finds.\",\n "
      " ");
  PetscCall(say_object(""));
  say(",\n  \"definitions\": {\n");
  for (PetscInt i = 0; i < noptions; i++) {
    if (i) say(",\n");
    say_option(&option[i]);
  }
  PetscCall(say_groups());
  say("\n  }\n}\n");
  PetscCall(PetscFree(option));
  noptions = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
