/* Kinetic energy of the flow, J (2D: J/m), by the elements' quadrature; in units of -diagnostic_<name>_unit. */
#include <rheoplex/diagnostic.h>
#include <stddef.h>

typedef struct {
  double unit;
} Options;

static const RhxRow rows[] = {
    {"unit", RHX_REAL, 0, offsetof(Options, unit), "1", RHX_GT, 0, 0, NULL, "J", "unit of the energy"},
};

static PetscErrorCode setup(RhxDiagnostic *d)
{
  PetscFunctionBegin;
  PetscCall(RhxDiagnosticAddColumn(d, "kinetic_energy"));
  PetscCall(RhxDiagnosticAddColumn(d, "volume"));
  PetscCall(RhxDiagnosticAddColumn(d, "at_rest"));
  PetscFunctionReturn(0);
}

static void integrand(void *ctx, const RhxSample *s, double *values)
{
  values[0] = *(double *)ctx * (s->u[0] * s->u[0] + s->u[1] * s->u[1] + s->u[2] * s->u[2]);
  values[1] = 1;
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const Options *o = RhxDiagnosticGetOptions(d);
  double factor = 0.5 * RhxDiagnosticGetDensity(d) / o->unit;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticIntegrate(d, 2, integrand, &factor, values));
  values[2] = step->at_rest;
  PetscFunctionReturn(0);
}

static const RhxDiagnosticType energy = {.entry = {sizeof(RhxDiagnosticType), "outside_energy", "kinetic energy"},
                                         .nrows = sizeof(rows) / sizeof(*rows),
                                         .rows = rows,
                                         .size = sizeof(Options),
                                         .setup = setup,
                                         .evaluate = evaluate};

static PetscErrorCode add(void)
{
  PetscFunctionBegin;
  PetscCall(RhxDiagnosticRegister(&energy));
  PetscFunctionReturn(0);
}

RHX_EXTENSION(add);
