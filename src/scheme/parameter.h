/* A number that a law, a stabiliser or the density is given, or the time at which what is given is taken, as what a steady state is found for, continued in or differentiated by. */
#ifndef RHX_PARAMETER_H
#define RHX_PARAMETER_H
#include "scheme/scheme.h"

#define RHX_LARGEST_MODE (-1)
#define RHX_PARAMETER_TIME "t" /* in place of an option */

/* Mode m gets fixed[m] + factor[m] times the value. */
typedef struct {
  char option[256]; /* without '-', "": none */
  PetscBool time;   /* it is RHX_PARAMETER_TIME */
  PetscInt n;       /* values that it has: 1, or one a mode */
  double fixed[RHX_MAX_MODES], factor[RHX_MAX_MODES];
} RhxParameter;

/* text: what the option is given now, one number or one a mode. mode: the parameter is its value, the others stay; RHX_LARGEST_MODE: it is
 * the largest, to which the others keep their ratios. *value: at present; n 0: the text is no such list, has no such mode, or no value > 0 to keep a ratio to. */
void RhxParameterRead(const char *option, const char *text, PetscInt mode, RhxParameter *p, double *value);
#endif
