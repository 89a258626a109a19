/* For each line of options in the file argv[1]: loads plugins, reads the options of a law (-law), of a stabiliser (-stabilised)
 * and of tables of its own, prints what it read, or the message of what was refused. -twice: registers a table again. */
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include <petscviewer.h>
#include <stdarg.h>
#include <stdlib.h>

typedef struct {
  double real, share, open, named, required;
  int integer, flag, choice;
  char text[RHX_STRING_LENGTH];
} Box;

#define SLOT(member) offsetof(Box, member)
static const RhxRow box_rows[] = {
    {"real", RHX_REAL, 0, SLOT(real), "1", RHX_GT, 0, 0, NULL, "Pa s", "positive"},
    {"share", RHX_REAL, 0, SLOT(share), "0", RHX_IN, 0, 1, NULL, "1", "closed"},
    {"open", RHX_REAL, 0, SLOT(open), "0", RHX_IN_RIGHT_OPEN, 0, 1, NULL, "1", "right open"},
    {"named", RHX_REAL, 0, SLOT(named), "two", RHX_GE, 0, 0, "one|two", "s", "number or name"},
    {"limit", RHX_REAL, 0, SLOT(required), "inf", RHX_GT, 0, 0, NULL, "s", "infinite unless given"},
    {"integer", RHX_INT, 0, SLOT(integer), "3", RHX_GE, 1, 0, NULL, "1", "at least one"},
    {"flag", RHX_BOOL, 0, SLOT(flag), "false", RHX_ANY, 0, 0, NULL, "1", "switch"},
    {"choice", RHX_CHOICE, 0, SLOT(choice), "red", RHX_ANY, 0, 0, "red|green|blue", "1", "colour"},
    {"text", RHX_STRING, 0, SLOT(text), "", RHX_ANY, 0, 0, NULL, "1", "words"},
};
static const RhxOptionTable box_table = {"box", "box_", 9, box_rows};
static const RhxRow side_rows[] = {
    {"velocity", RHX_REAL, 0, 0, "0", RHX_ANY, 0, 0, NULL, "m/s", "of a side"},
};
static const RhxOptionTable side_table = {"side", "side_*_", 1, side_rows};
static const RhxRow must_rows[] = {{"have", RHX_REAL, 0, 0, NULL, RHX_GT, 0, 0, NULL, "m", "size of the box"}};
static const RhxOptionTable must_table = {"must", "must_", 1, must_rows};

static char message[8192];

/* printf of rank 0; PETSc's own writes %g its own way */
static PetscErrorCode print(const char *format, ...)
{
  PetscMPIInt rank;
  va_list list;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  va_start(list, format);
  if (!rank) vprintf(format, list);
  va_end(list);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep(MPI_Comm comm, int line, const char *fn, const char *file, PetscErrorCode code,
                           PetscErrorType type, const char *text, void *ctx)
{
  (void)comm;
  (void)line;
  (void)fn;
  (void)file;
  (void)ctx;
  if (type == PETSC_ERROR_INITIAL) snprintf(message, sizeof(message), "%s", text);
  return code;
}

static PetscErrorCode print_law(const char *name)
{
  const RhxPlugin *p;
  PetscInt modes = 1;
  char prefix[256], *par;
  PetscFunctionBegin;
  PetscCall(RhxPluginFind(PETSC_COMM_WORLD, RHX_POLYMERIC, name, &p));
  if (p->kind == RHX_POLYMERIC) PetscCall(RhxPhysicsModes(PETSC_COMM_WORLD, p, &modes));
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "physics_%s_", name));
  PetscCall(PetscMalloc1(modes * p->param_size, &par));
  PetscCall(RhxRowsRead(PETSC_COMM_WORLD, prefix, p->nrows, p->rows, modes, p->param_size, par));
  for (PetscInt m = 0; m < modes; m++)
    for (int r = 0; r < p->nrows; r++)
      PetscCall(
          print("%s[%d] %g\n", p->rows[r].name, (int)m, *(double *)(par + m * p->param_size + p->rows[r].offset)));
  PetscCall(PetscFree(par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_parts(const char *name)
{
  const RhxPlugin *p;
  unsigned parts;
  PetscFunctionBegin;
  PetscCall(RhxPluginFind(PETSC_COMM_WORLD, RHX_STABILISER, name, &p));
  PetscCall(RhxStabiliserParts(PETSC_COMM_WORLD, p, &parts));
  PetscCall(print("parts %u\n", parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_box(void)
{
  Box *b;
  double side;
  PetscFunctionBegin;
  PetscCall(PetscNew(&b));
  PetscCall(RhxOptionTableRead(PETSC_COMM_WORLD, &box_table, NULL, b));
  PetscCall(RhxOptionTableRead(PETSC_COMM_WORLD, &side_table, "side_left_wall_", &side));
  PetscCall(print("box %g %g %g %g %g %d %d %d [%s] side %g\n", b->real, b->share, b->open, b->named, b->required,
                  b->integer, b->flag, b->choice, b->text, side));
  PetscCall(PetscFree(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_record(void)
{
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const char *name, *value;
    PetscBool set;
    PetscCall(RhxOptionsReadGet(i, &name, &value, &set));
    if (set) PetscCall(print("set %s %s\n", name, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode work(void)
{
  char law[256] = "", stabiliser[256] = "", topic[256] = "";
  PetscBool twice = PETSC_FALSE, help = PETSC_FALSE, must = PETSC_FALSE;
  double size;
  PetscFunctionBegin;
  PetscCall(RhxPluginsLoad(PETSC_COMM_WORLD));
  PetscCall(RhxOptionTableRegister(&box_table));
  PetscCall(RhxOptionTableRegister(&side_table));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-twice", &twice, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-must", &must, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-topic", topic, sizeof(topic), &help));
  if (twice) PetscCall(RhxOptionTableRegister(&box_table));
  PetscCall(RhxOptionsCheckKnown(PETSC_COMM_WORLD));
  if (help) PetscCall(RhxOptionTablesView(topic, PETSC_VIEWER_STDOUT_WORLD));
  if (must) PetscCall(RhxOptionTableRead(PETSC_COMM_WORLD, &must_table, NULL, &size));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-law", law, sizeof(law), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-stabilised", stabiliser, sizeof(stabiliser), NULL));
  if (law[0]) PetscCall(print_law(law));
  if (stabiliser[0]) PetscCall(print_parts(stabiliser));
  PetscCall(print_box());
  PetscCall(RhxOptionsCheckUsed(PETSC_COMM_WORLD));
  PetscCall(print_record());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line of the file: its options, then "= <exit code>" and the message. */
static PetscErrorCode one_case(const char *line, PetscMPIInt rank)
{
  PetscErrorCode failed;
  PetscFunctionBegin;
  message[0] = 0;
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, line));
  PetscCall(PetscPushErrorHandler(keep, NULL));
  failed = work();
  PetscCall(PetscPopErrorHandler());
  if (!rank) printf("= %d %s\n", failed ? 1 : 0, message);
  PetscCall(RhxPluginsUnload());
  PetscCall(RhxOptionTableUnregister(&box_table));
  PetscCall(RhxOptionTableUnregister(&side_table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char line[4096];
  PetscMPIInt rank;
  FILE *cases = fopen(argv[1], "r");
  PetscFunctionBeginUser;
  if (!cases || PetscInitialize(&argc, &argv, NULL, NULL)) return 2;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  while (fgets(line, sizeof(line), cases)) {
    line[strcspn(line, "\n")] = 0;
    PetscCall(one_case(line, rank));
  }
  fclose(cases);
  return PetscFinalize();
}
