/* Verbs that show what there is. Each returns a PETSc error code; `word` is the words after the verb or NULL. */
#ifndef RHX_APP_H
#define RHX_APP_H
#include <petscviewer.h>
#include <rheoplex/plugin.h>

PetscErrorCode RhxAppList(const char *word);
PetscErrorCode RhxAppVersion(const char *word);
PetscErrorCode RhxAppCheckLaw(const char *laws);
PetscErrorCode RhxAppFindLaws(const char *laws); /* error unless each of the list is one; NULL: none */
PetscErrorCode RhxAppHelp(const char *word);
PetscErrorCode RhxAppInit(const char *word);   /* init.c */
PetscErrorCode RhxAppListCases(void);          /* init.c */
PetscErrorCode RhxAppSchema(const char *word); /* schema.c */
/* Does not return where it can: the process becomes the script, whose arguments these are. */
int RhxAppPlot(int argc, char **args);         /* plot.c */
const char *RhxAppVerbName(int i);             /* NULL past the end */
const char *RhxAppVerbUsage(const char *name); /* NULL: no such verb */
PetscErrorCode RhxAppViewPlugin(PetscViewer viewer, const RhxPlugin *plugin);
/* A scheme, condition, diagnostic or format of that name. */
PetscErrorCode RhxAppViewNamed(const char *name, PetscBool *found, PetscViewer viewer);
#endif
