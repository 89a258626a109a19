/* Text that grows. */
#ifndef RHX_OUTPUT_TEXT_H
#define RHX_OUTPUT_TEXT_H
#include "petsc_compat.h"

typedef struct {
  char *s; /* owned: PetscFree */
  size_t n, capacity;
} RhxText;

PetscErrorCode RhxTextAppend(RhxText *text, const char *format, ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
#endif
