/* Where in the case an option was set, for messages that name it. */
#ifndef RHX_ORIGIN_IMPL_H
#define RHX_ORIGIN_IMPL_H
#include "case/keys.h"

/* The case's text and keys, now in the database; copied. */
PetscErrorCode RhxOriginKeep(const char *file, const char *text, const RhxKeys *keys);
PetscErrorCode RhxOriginDrop(const char *name); /* the user has set it otherwise */
PetscErrorCode RhxOriginForget(void);
/* " (case.yaml, line 7)" for a message that names an option that the case has set, "-name"; else "". Not collective. */
void RhxOriginOf(const char *message, size_t size, char *where);
/* Is there a key of the case that begins so, and that the command line has not replaced? */
PetscBool RhxOriginHas(const char *beginning);
#endif
