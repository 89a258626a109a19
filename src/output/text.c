#include "output/text.h"
#include <stdarg.h>
#include <stdio.h>

PetscErrorCode RhxTextAppend(RhxText *text, const char *format, ...)
{
  va_list args;
  int n;

  PetscFunctionBegin;
  va_start(args, format);
  n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (text->n + n + 1 > text->capacity) {
    text->capacity = 2 * (text->n + n + 1);
    PetscCall(PetscRealloc(text->capacity, &text->s));
  }
  va_start(args, format);
  vsnprintf(text->s + text->n, n + 1, format, args);
  va_end(args);
  text->n += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}
