/* One run writes to a folder under a name at a time: a file with process and host. */
#ifndef RHX_OUTPUT_LOCK_IMPL_H
#define RHX_OUTPUT_LOCK_IMPL_H
#include <petscsys.h>

typedef struct RhxLock_s *RhxLock;

/* One rank. owner: of a lock that is held, "": it is taken or err is an errno. A lock whose process is gone is taken over. */
PetscErrorCode RhxLockTake(const char *path, RhxLock *lock, size_t size, char *owner, int *err);
PetscErrorCode RhxLockRelease(RhxLock *lock);
#endif
