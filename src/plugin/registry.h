/* Plugins: shared objects found, checked and known by name. Rank 0 decides what is loaded, all ranks agree. */
#ifndef RHX_REGISTRY_H
#define RHX_REGISTRY_H
#include <petscsys.h>
#include <rheoplex/plugin.h>

/* Loads -plugin a.so,b.so (of a folder: every *.so), then every *.so of RHEOPLEX_PLUGIN_PATH (':'-separated) and of the installed (or build) folder.
 * Compares the ABI block member by member; the error names file, member, got, expected. A second registration of a name
 * is an error. Registers each plugin's rows as an option table (physics_<name>_ plus modes; stabiliser_<name>_ plus parts). */
PetscErrorCode RhxPluginsLoad(MPI_Comm comm);
PetscErrorCode RhxPluginsUnload(void);
/* Set: the names of -plugin come from a case. They are loaded only from the folders of RHEOPLEX_PLUGIN_PATH, the installed
 * folder and those of the user's list ($XDG_CONFIG_HOME/rheoplex/plugins); others are refused. */
PetscErrorCode RhxPluginsRestrict(PetscBool from_case);
/* Plugin by kind (either kind of law finds both) and name; an unknown name is an error that lists the known ones and the nearest. */
PetscErrorCode RhxPluginFind(MPI_Comm comm, RhxPluginKind kind, const char *name, const RhxPlugin **plugin);
PetscErrorCode RhxPluginCount(PetscInt *n);
PetscErrorCode RhxPluginGet(PetscInt i, const RhxPlugin **plugin, const char **file);
PetscErrorCode RhxPluginDevicePath(const RhxPlugin *plugin, size_t size, char *path); /* of its source for a device */
/* Number of modes of a polymeric law: -physics_<name>_modes, default 1. */
PetscErrorCode RhxPhysicsModes(MPI_Comm comm, const RhxPlugin *law, PetscInt *n);
/* Bits of the active parts of a stabiliser: -stabiliser_<name>_parts a,b, default all; an unknown part names the nearest. */
PetscErrorCode RhxStabiliserParts(MPI_Comm comm, const RhxPlugin *stabiliser, unsigned *parts);
/* Registers what the opened shared object holds besides laws and stabilisers; FALSE: it has no rhx_extension(). message:
 * "" or why it cannot be used. Not collective. */
PetscBool RhxExtensionAdd(const char *file, void *handle, size_t size, char *message);
/* Index into RhxPlugin.variant. kind: RHX_KIND_DOUBLE, _LANES, _COMPLEX. */
int RhxVariantIndex(int dim, int ntens, int kind);
#endif
