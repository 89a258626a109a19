/* device_limits <list>: every line of the list is a set of options. On every architecture the tiles of the form fit into the
 * shared memory that a block of it may take, and are no smaller than they have to be; or the form is refused with a sentence.
 * After | a word says what the line shows on sm_86: "smaller" tiles than on sm_90, or "refused". */
#include "case/case.h"
#include "case/error.h"
#include "common.h"
#include "form/cuda/size.h"
#include <rheoplex/rheoplex.h>

#define MAX_LINE 4096

static const struct {
  const char *arch;
  size_t bytes; /* CUDA programming guide, technical specifications per compute capability */
} device[] = {{"sm_90", 232448}, {"sm_80", 166912}, {"sm_89", 101376}, {"sm_86", 101376}};
#define NDEVICES PETSC_STATIC_ARRAY_LENGTH(device)

static int smaller, refused; /* times, against sm_90 */

static size_t needed(RhxForm form, RhxPasses passes, const RhxTiles *tiles, PetscBool rate, PetscBool source)
{
  const RhxElementWidth pass[] = {RhxElementResidual(form, passes, tiles->slots / tiles->size, rate, source),
                                  RhxElementProject(form, passes, source)};
  size_t most = 0;
  for (int k = 0; k < 2; k++)
    most =
        PetscMax(most, RhxElementShared(RhxTilesStride(tiles, form->space->dim), tiles->most, tiles->slots, pass[k]));
  return most;
}

/* Elements of the tiles on one architecture, 0: refused; usual: on sm_90. */
static PetscErrorCode check_tiles(RhxForm form, const RhxCells *ce, size_t d, PetscInt usual, const char *line,
                                  PetscInt *size)
{
  const PetscBool rate = form->needs_rate, source = (PetscBool)(form->source != NULL);
  const RhxPasses passes = RhxElementFirstPlan(form, ce, source).passes;
  const int shared = RhxDeviceSharedOf(device[d].arch);
  const PetscInt least = ce->nn == 1 << form->space->dim ? 32 / ce->nn : 1;
  RhxTiles tiles, larger;
  PetscErrorCode code;

  PetscFunctionBegin;
  expect((size_t)shared == device[d].bytes, "%s: %d bytes, expected %zu", device[d].arch, shared, device[d].bytes);
  CATCH(code, RhxElementTiles(form, ce, passes, rate, source, shared, device[d].arch, &tiles));
  *size = code ? 0 : tiles.size;
  if (code) expect_message(code, "The form is too large for the device", device[d].arch, "-device cpu");
  if (*size < usual) { /* because it had to be */
    PetscCall(RhxTilesCreate(form->space, ce, *size ? 2 * *size : least,
                             (PetscBool)(form->assembly == RHX_ASSEMBLY_COLOUR), &larger));
    expect(needed(form, passes, &larger, rate, source) > device[d].bytes, "%s: %d elements where %d fit: %s",
           device[d].arch, (int)*size, (int)larger.size, line);
    PetscCall(RhxTilesDestroy(&larger));
    *(*size ? &smaller : &refused) += 1;
  }
  if (code) PetscFunctionReturn(PETSC_SUCCESS);
  expect(needed(form, passes, &tiles, rate, source) <= device[d].bytes, "%s: %zu bytes for tiles of %d elements: %s",
         device[d].arch, needed(form, passes, &tiles, rate, source), (int)tiles.size, line);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %2d %3zu kB  ", device[d].arch, (int)tiles.size,
                        needed(form, passes, &tiles, rate, source) / 1000));
  PetscCall(RhxTilesDestroy(&tiles));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_form(const char *line, const char *shows)
{
  PetscOptions options;
  RhxCase rc;
  RhxForm form;

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsPush(options));
  PetscCall(PetscOptionsInsertString(NULL, "-device cpu"));
  PetscCall(PetscOptionsInsertString(NULL, line));
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &rc));
  PetscCall(RhxCaseSetFromOptions(rc));
  PetscCall(RhxCaseSetUp(rc));
  PetscCall(RhxCaseGetForm(rc, &form));
  for (PetscInt t = 0; t < form->space->ntypes; t++) {
    PetscInt size = 0, usual = 0;
    for (size_t d = 0; d < NDEVICES; d++) {
      PetscCall(check_tiles(form, &form->space->cells[t], d, usual, line, &size));
      if (d == 0) usual = size;
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", line));
    expect(strcmp(shows, size == usual ? ""
                         : size        ? "smaller"
                                       : "refused") == 0 ||
               !shows[0],
           "sm_86: %d elements, sm_90: %d, expected %s: %s", (int)size, (int)usual, shows, line);
  }
  PetscCall(RhxCaseDestroy(&rc));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode all(const char *path, int *count)
{
  char line[MAX_LINE], *shows;
  FILE *file = fopen(path, "r");

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "no list %s", path);
  for (; fgets(line, sizeof(line), file); ++*count) {
    line[strcspn(line, "\n")] = '\0';
    shows = strchr(line, '|');
    if (shows) *shows++ = '\0';
    PetscCall(check_form(line, shows ? shows : ""));
  }
  fclose(file);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d forms; %d times smaller tiles than on sm_90, %d times refused\n", *count,
                        smaller, refused));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  const char *list = args[1];
  int count = 0;
  PetscErrorCode code;

  args[1] = args[0];
  argc--;
  args++;
  if (RhxErrorHandlerPush(PETSC_FALSE)) return 1;
  code = RhxInitialize(&argc, &args, NULL);
  if (!code) code = all(list, &count);
  if (!code) code = RhxFinalize();
  if (code) RhxErrorExit();
  expect(count > 40, "%d forms", count);
  return failures ? 1 : 0;
}
