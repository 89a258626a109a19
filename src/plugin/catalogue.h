/* Descriptors known by name: conditions, diagnostics, outputs. Each begins with an RhxEntry. */
#ifndef RHX_CATALOGUE_H
#define RHX_CATALOGUE_H
#include <petscsys.h>
#include <rheoplex/extension.h>

typedef struct {
  const char *what; /* "condition", for messages */
  size_t size;      /* of the descriptors */
  PetscInt n, capacity;
  const RhxEntry **entry; /* borrowed */
} RhxCatalogue;

/* A descriptor of another size, a bad name and a name that is there already are errors. Not collective; until PetscFinalize
 * at most. */
PetscErrorCode RhxCatalogueAdd(RhxCatalogue *catalogue, const void *descriptor);
/* An unknown name is an error of `option` that lists the known ones and the nearest; tail: what else the message says. */
PetscErrorCode RhxCatalogueFind(MPI_Comm comm, const RhxCatalogue *catalogue, const char *option, const char *name,
                                const char *tail, const void **descriptor);
const RhxEntry *RhxCatalogueEntry(const RhxCatalogue *catalogue, PetscInt i); /* NULL: past the last */
PetscBool RhxCatalogueHas(const RhxCatalogue *catalogue, const char *name);
void RhxCatalogueList(const RhxCatalogue *catalogue, size_t size, char *text); /* "a, b, c" */
/* Rows of a group of options that differ from descriptor to descriptor: registers those of the descriptor `name` that no earlier table
 * of the topic has, as <prefix><row>. A row that lacks something, or whose slot ends beyond `size` bytes, is an error. */
PetscErrorCode RhxCatalogueAddRows(const RhxCatalogue *catalogue, const char *name, const char *topic,
                                   const char *prefix, PetscInt nrows, const RhxRow *rows, unsigned long size);
#endif
