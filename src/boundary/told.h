/* Labels that one doubt is about, so that it is told of all of them at once. */
#ifndef RHX_BOUNDARY_TOLD_H
#define RHX_BOUNDARY_TOLD_H
#include <petscsys.h>

typedef struct {
  PetscInt n;
  const char **label; /* [n] owned; the names are borrowed */
  double *value;      /* [n] owned: what the doubt is by, the largest of those that were added */
} RhxTold;

PetscErrorCode RhxToldAdd(RhxTold *told, const char *label, double value);
PetscErrorCode RhxToldDestroy(RhxTold *told);
/* "<before>a<after>, <before>b<after> and <before>c<after>" */
void RhxToldName(const RhxTold *told, const char *before, const char *after, size_t size, char *text);
/* "7, 5 and 0.2" */
void RhxToldValues(const RhxTold *told, double factor, size_t size, char *text);
/* For an option of theirs: the label, or "<label>" of several. */
const char *RhxToldOption(const RhxTold *told);
#endif
