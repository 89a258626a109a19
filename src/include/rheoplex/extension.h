/* Plugins that are no pointwise code: conditions of labels, diagnostics, outputs. A shared object with an RHX_EXTENSION is
 * loaded as every plugin is (-plugin, RHEOPLEX_PLUGIN_PATH); a program of one's own may call the registrations itself,
 * after RhxInitialize. They run on the host; where a run is on a device, what they give is uploaded and what they read is
 * fetched. CMake: add_library(<name> MODULE ...), target_link_libraries(<name> PRIVATE Rheoplex::rheoplex). */
#ifndef RHX_EXTENSION_H
#define RHX_EXTENSION_H
#include <petscts.h>
#include <rheoplex/plugin.h>

/* What every descriptor begins with. One of another size is refused: the shared object is built again. */
typedef struct {
  unsigned long size;      /* of the whole descriptor */
  const char *name, *help; /* name: lower-case letters, digits, '_' */
} RhxEntry;

typedef struct {
  unsigned long size; /* of this struct */
  int major, minor, petsc_major, petsc_minor, scalar_size, int_size;
  PetscErrorCode (*add)(void); /* registers what the object holds; once, on every rank, before options are read */
} RhxExtension;
typedef const RhxExtension *(*RhxExtensionFn)(void); /* symbol "rhx_extension" */

/* The shared object's one exported symbol; add: a PetscErrorCode (void) that registers. */
#define RHX_EXTENSION(add)                                                                \
  __attribute__((visibility("default"))) const RhxExtension *rhx_extension(void);         \
  const RhxExtension *rhx_extension(void)                                                 \
  {                                                                                       \
    static const RhxExtension extension = {                                               \
        sizeof(RhxExtension), RHX_ABI_MAJOR,       RHX_ABI_MINOR,    PETSC_VERSION_MAJOR, \
        PETSC_VERSION_MINOR,  sizeof(PetscScalar), sizeof(PetscInt), add};                \
    return &extension;                                                                    \
  }                                                                                       \
  struct rhx_extension_end

#endif
