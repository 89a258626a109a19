/* One text file a time: step, t and the largest of each component of the state, in -output_outside_text_digits digits. */
#include <rheoplex/output.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
  int digits;
  PetscInt written; /* in this run */
} Options;

static const RhxRow rows[] = {
    {"digits", RHX_INT, 0, offsetof(Options, digits), "17", RHX_IN, 1, 17, NULL, "1", "digits of a number"},
};

static PetscErrorCode write_text(RhxWriter *w, const RhxOutputStep *step, char problem[RHX_OUTPUT_MESSAGE])
{
  Options *o = RhxWriterGetOptions(w);
  char suffix[64], text[2048];
  PetscInt bs, n;

  PetscFunctionBegin;
  o->written++;
  n = snprintf(text, sizeof(text), "%d %.17g %d", (int)step->step, step->t, (int)o->written);
  PetscCall(VecGetBlockSize(step->x, &bs));
  for (PetscInt k = 0; k < bs; k++) {
    PetscReal largest;
    PetscCall(VecStrideMax(step->x, k, NULL, &largest));
    n += snprintf(text + n, sizeof(text) - n, " %.*g", o->digits, largest);
  }
  snprintf(text + n, sizeof(text) - n, "\n");
  snprintf(suffix, sizeof(suffix), "_%06d.txt", (int)step->step);
  PetscCall(RhxWriterWriteText(w, suffix, text, problem));
  PetscFunctionReturn(0);
}

static const RhxOutputType format = {.entry = {sizeof(RhxOutputType), "outside_text", "one line of text a time"},
                                     .nrows = sizeof(rows) / sizeof(*rows),
                                     .rows = rows,
                                     .size = sizeof(Options),
                                     .write = write_text};

static PetscErrorCode add(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOutputRegister(&format));
  PetscFunctionReturn(0);
}

RHX_EXTENSION(add);
