/* Files that come with the program: <prefix>/share/rheoplex, or the build folder's links to the sources. */
#ifndef RHX_DATA_H
#define RHX_DATA_H
#include <petscsys.h>

/* The whole path of such a file or folder ("options/case.schema.json"); false: there is none. Not collective. */
PetscBool RhxDataFile(const char *name, size_t size, char *path);
#endif
