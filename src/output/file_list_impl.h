/* A list of files <folder>/<case><stem>_<step><ending> and their times, which ParaView opens. */
#ifndef RHX_OUTPUT_FILE_LIST_IMPL_H
#define RHX_OUTPUT_FILE_LIST_IMPL_H
#include "output/output.h"
#include "output/text.h"

typedef struct RhxFileListFormat {
  const char *file; /* ending of the files */
  const char *head, *between, *tail;
  const char *time; /* what stands before the time in an entry */
  const char *(*escape)(const char *text, size_t size, char *escaped);
  PetscErrorCode (*entry)(RhxText *text, const char *name, int step, double t);
} RhxFileListFormat;

typedef struct _p_RhxFileList *RhxFileList;

/* stem: what stands behind the case's name in the list and its files, "" for the fields of the case; ending: of the list, as its
 * RhxOutputType says. Borrows format and ending. */
PetscErrorCode RhxFileListCreate(RhxOutput output, const char *stem, const char *ending,
                                 const RhxFileListFormat *format, RhxFileList *list);
PetscErrorCode RhxFileListDestroy(RhxFileList *list);
/* Takes over what an existing list names up to this step; last: the largest of them, -1: none. Collective, as the rest. */
PetscErrorCode RhxFileListRestart(RhxFileList list, PetscInt step, PetscInt *last);
PetscErrorCode RhxFileListGetFile(RhxFileList list, PetscInt step, size_t size, char *path);
/* Lists this step too and writes the list. */
PetscErrorCode RhxFileListAdd(RhxFileList list, PetscInt step, double t, char problem[RHX_MESSAGE]);
#endif
