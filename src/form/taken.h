/* Stabilisers by name, and what is taken where the case names none: stabilisers, the polymer's variable. */
#ifndef RHX_FORM_TAKEN_H
#define RHX_FORM_TAKEN_H
#include "form/form.h"

/* As if -stabiliser named them. */
PetscErrorCode RhxFormSetStabilisers(RhxForm form, const char *names);
/* After RhxFormSetFromOptions. -stabiliser auto: the stabilisers whose flags say so for this form; text: which and why, "": it
 * names its own. Two that provide the same are an error. */
PetscErrorCode RhxFormTakeStabilisers(RhxForm form, size_t size, char *text);
/* Of stabilisers that were taken: without their parts of the pressure where the scheme provides it, which is added to the text.
 * Before RhxFormSetUp. */
PetscErrorCode RhxFormLeavePressure(RhxForm form, unsigned scheme_provides, size_t size, char *text);
extern const char *const RhxRepresentationNames[]; /* of -polymer_variable */
/* Stress, or conformation where a law has no stress to solve for. */
RhxRepresentation RhxFormPlainRepresentation(RhxForm form);
/* The polymer's variable that is taken where none is named, for options that are read later: as if -polymer_variable named it. */
PetscErrorCode RhxFormNameRepresentation(RhxForm form, const char *name);
/* The value of -stabiliser of a form whose scalar fields are beyond their bounds, with one that captures layers besides those that it
 * has; "": it has one, none is installed, or none would be accepted. After RhxFormSetUp. */
PetscErrorCode RhxFormAdviseCapturing(RhxForm form, size_t size, char *names);
/* When a stabiliser is taken, such as "with a polymer"; NULL: where it is named. */
const char *RhxStabiliserTaken(const RhxPlugin *plugin);
#endif
