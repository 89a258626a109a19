/* Events of -log_view, which register themselves when they first begin: collectively, in one order on all ranks. */
#ifndef RHX_EVENT_H
#define RHX_EVENT_H
#include <petsclog.h>

typedef struct {
  const char *name;
  PetscLogEvent id;
  PetscBool registered;
} RhxEvent;

/* Initial value of a static event. */
#define RHX_EVENT(name)  \
  {                      \
    name, 0, PETSC_FALSE \
  }

PetscErrorCode RhxEventBegin(RhxEvent *event);
PetscErrorCode RhxEventEnd(RhxEvent *event);
#endif
