/* What this build is made of and what it found. */
#ifndef RHX_VERSION_H
#define RHX_VERSION_H
#include <petscviewer.h>

PetscErrorCode RhxVersionView(PetscViewer viewer); /* Rheoplex, PETSc, solvers, MPI, HDF5, muParser, GPU */
PetscErrorCode RhxPluginsView(PetscViewer viewer); /* a line a plugin that is loaded */
#endif
