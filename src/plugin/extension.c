/* Shared objects that register conditions, diagnostics or outputs. */
#define _GNU_SOURCE
#include "petsc_compat.h"
#include "plugin/registry.h"
#include <dlfcn.h>
#include <rheoplex/extension.h>
#include <stdio.h>

static void compare(const char *file, const char *member, long got, long expected, size_t size, char *message)
{
  if (got == expected || message[0]) return;
  snprintf(message, size, "Plugin %.1000s was built for another Rheoplex: %s is %ld, expected %ld (build it again)",
           file, member, got, expected);
}

static void check(const char *file, const RhxExtension *e, size_t size, char *message)
{
  compare(file, "size", (long)e->size, (long)sizeof(*e), size, message);
  if (message[0]) return;
  compare(file, "major", e->major, RHX_ABI_MAJOR, size, message);
  if (e->minor > RHX_ABI_MINOR) compare(file, "minor", e->minor, RHX_ABI_MINOR, size, message);
  compare(file, "petsc_major", e->petsc_major, PETSC_VERSION_MAJOR, size, message);
  compare(file, "petsc_minor", e->petsc_minor, PETSC_VERSION_MINOR, size, message);
  compare(file, "scalar_size", e->scalar_size, sizeof(PetscScalar), size, message);
  compare(file, "int_size", e->int_size, sizeof(PetscInt), size, message);
}

PetscBool RhxExtensionAdd(const char *file, void *handle, size_t size, char *message)
{
  RhxExtensionFn fn;
  const RhxExtension *extension;
  PetscErrorCode ierr;
  char *why = NULL;

  *(void **)&fn = dlsym(handle, "rhx_extension");
  if (!fn) return PETSC_FALSE;
  extension = fn();
  check(file, extension, size, message);
  if (message[0]) return PETSC_TRUE;
  (void)dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); /* what it registers is used until the program ends */
  (void)PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
  ierr = extension->add();
  (void)PetscPopErrorHandler();
  if (!ierr) return PETSC_TRUE;
  (void)PetscErrorMessage(ierr, NULL, &why);
  snprintf(message, size, "Plugin %.800s cannot be used: %.1000s", file, why && why[0] ? why : "it cannot register");
  return PETSC_TRUE;
}
