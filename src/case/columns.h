/* The columns of the table on the screen and of the tables in files: names, widths, units, meanings. One list each gives
 * the head, the lines and `rheoplex --help table`. */
#ifndef RHX_COLUMNS_H
#define RHX_COLUMNS_H
#include <petscviewer.h>

typedef struct {
  const char *name, *unit, *help;
  int width; /* on the screen; negative: left-justified */
} RhxColumn;

typedef enum {
  RHX_SCREEN_STEP,
  RHX_SCREEN_TIME,
  RHX_SCREEN_DT,
  RHX_SCREEN_CFL,
  RHX_SCREEN_WI,
  RHX_SCREEN_DU,
  RHX_SCREEN_DC,
  RHX_SCREEN_ITERATIONS,
  RHX_SCREEN_LINEAR,
  RHX_SCREEN_SETUPS,
  RHX_SCREEN_MASS,
  RHX_SCREEN_SECONDS,
  RHX_SCREEN_LEFT,
  RHX_SCREEN_MIN,
  RHX_SCREEN_AT,
  RHX_NSCREEN
} RhxScreenColumn;

#define RHX_CELL 64 /* characters of a value on the screen */
#define RHX_NHISTORY 27

/* One line of the screen's table, of an implicit scheme or another, with its end; NULL: the head. */
void RhxScreenLine(char (*cell)[RHX_CELL], PetscBool implicit, size_t size, char *line);
void RhxHistoryNames(const char *name[RHX_NHISTORY]);
/* What `rheoplex --help table` says. */
PetscErrorCode RhxColumnsView(PetscViewer viewer);
#endif
