/* Formulas as sums of products g(t) h(x): h is evaluated once. */
#include "boundary/impl.h"
#include "boundary/separate_impl.h"
#include "petsc_compat.h"
#include <ctype.h>

#define ROOM 4096 /* of the text of a part; a longer one is not separated */

typedef struct {
  const char *from, *end;
} Span;

/* Is the sign at `at` one between terms: not one of a number 1e-3, and what stands before it ends an operand? */
static PetscBool is_between(const char *start, const char *at)
{
  const char *before = at;
  PetscBool number = PETSC_FALSE;

  while (before > start && isspace((unsigned char)before[-1])) before--;
  if (before == start || strchr("+-*/^(", before[-1])) return PETSC_FALSE;
  if (before != at || (before[-1] != 'e' && before[-1] != 'E')) return PETSC_TRUE;
  for (before--; before > start && (isdigit((unsigned char)before[-1]) || before[-1] == '.'); before--)
    number = PETSC_TRUE;
  return (PetscBool)(!number || (before > start && (isalpha((unsigned char)before[-1]) || before[-1] == '_')));
}

/* The first of the operators outside parentheses from `at` on, or the end. */
static const char *next(Span whole, const char *at, const char *operators)
{
  PetscInt depth = 0;

  for (; at < whole.end; at++) {
    if (*at == '(') depth++;
    if (*at == ')') depth--;
    if (depth || !strchr(operators, *at)) continue;
    if ((*at != '+' && *at != '-') || is_between(whole.from, at)) break;
  }
  return at;
}

/* text *(factor) or /(factor); the factor's name of variables decides where: time or place. NULL: it has both, or no room. */
static PetscErrorCode add_factor(MPI_Comm comm, const char *option, char sign, Span factor, char *time, char *place,
                                 PetscBool *good)
{
  char text[ROOM];
  RhxFormula f;
  PetscBool of_time, of_place;
  char *to;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(text, factor.from, PetscMin(sizeof(text), (size_t)(factor.end - factor.from) + 1)));
  PetscCall(RhxFormulaCreate(comm, option, text, RHX_FORMULA_OF_PLACE, &f));
  PetscCall(RhxFormulaDependsOnTime(f, &of_time));
  PetscCall(RhxFormulaDependsOnPlace(f, &of_place));
  PetscCall(RhxFormulaDestroy(&f));
  to = of_place ? place : time;
  *good = (PetscBool)(*good && !(of_time && of_place) && strlen(to) + strlen(text) + 4 < ROOM);
  if (*good) snprintf(to + strlen(to), ROOM - strlen(to), "%c(%s)", sign, text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode separate_term(MPI_Comm comm, const char *option, char sign, Span term, RhxProduct *product,
                                    PetscBool *good)
{
  char time[ROOM] = "1", place[ROOM] = "1", first = '*';

  PetscFunctionBegin;
  if (sign == '-') PetscCall(PetscStrncpy(time, "-1", sizeof(time)));
  for (const char *from = term.from, *end; *good && from <= term.end; from = end + 1) {
    end = next(term, from, "*/");
    PetscCall(add_factor(comm, option, first, (Span){from, end}, time, place, good));
    first = end < term.end ? *end : '*';
  }
  if (!*good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormulaCreate(comm, option, time, RHX_FORMULA_OF_PLACE, &product->time));
  if (strcmp(place, "1")) PetscCall(RhxFormulaCreate(comm, option, place, RHX_FORMULA_OF_PLACE, &product->place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormulaSeparate(MPI_Comm comm, RhxFormula f, PetscInt most, RhxProduct *product, PetscInt *n)
{
  const char *option, *text;
  Span whole;
  PetscBool good = PETSC_TRUE;
  char sign = '+';

  PetscFunctionBegin;
  PetscCall(RhxFormulaGetText(f, &option, &text));
  whole = (Span){text, text + strlen(text)};
  good = (PetscBool)(strlen(text) < ROOM && next(whole, text, "?:<>=!&|,") == whole.end);
  *n = 0;
  for (const char *from = text, *end; good && from < whole.end; from = end + 1) {
    end = next(whole, from, "+-");
    good = (PetscBool)(*n < most);
    if (good) PetscCall(separate_term(comm, option, sign, (Span){from, end}, &product[(*n)++], &good));
    sign = *end;
  }
  if (!good) PetscCall(RhxProductsDestroy(n, product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxProductsDestroy(PetscInt *n, RhxProduct *product)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < *n; k++) {
    PetscCall(RhxFormulaDestroy(&product[k].time));
    PetscCall(RhxFormulaDestroy(&product[k].place));
    PetscCall(PetscFree(product[k].value));
  }
  *n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
