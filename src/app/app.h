/* Verbs that show what there is. Each returns a PETSc error code; `word` is the word after the verb or NULL. */
#ifndef RHX_APP_H
#define RHX_APP_H
#include <petscsys.h>

PetscErrorCode RhxAppList(const char *word);
PetscErrorCode RhxAppVersion(const char *word);
PetscErrorCode RhxAppCheckLaw(const char *laws);
PetscErrorCode RhxAppHelp(const char *word);
#endif
