/* A YAML case into the options database, with errors that say file and line. */
#ifndef RHX_YAML_IMPL_H
#define RHX_YAML_IMPL_H
#include "case/keys.h"
#include <petscsys.h>

/* Options set earlier are replaced, -case_name is set from the file's name unless the file sets it; file names of the
 * case are taken relative to the case where the current folder has no such file. Collective. */
PetscErrorCode RhxYamlInsert(MPI_Comm comm, const char *file);
/* Options that are not set yet, of a file that comes with the program. Collective. */
PetscErrorCode RhxYamlInsertDefaults(MPI_Comm comm, const char *file);
/* Files that the keys name: in the current folder, else beside the file of the keys, else (a mesh) among those that come with the
 * program. Collective. */
PetscErrorCode RhxYamlResolveFiles(MPI_Comm comm, const char *file, RhxKeys *keys);
/* The whole text of a file, to be freed; one that cannot be read is an error. Collective. */
PetscErrorCode RhxYamlReadText(MPI_Comm comm, const char *file, char **text);
#endif
