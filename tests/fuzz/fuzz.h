/* What the fuzz targets share. A target defines LLVMFuzzerTestOneInput; libFuzzer (share/fuzz) or replay.c calls it. */
#ifndef RHX_FUZZ_H
#define RHX_FUZZ_H
#include "petsc_compat.h"
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of every target: called once, after PetscInitialize. */
void FuzzSetUp(void);
/* Begins an input and writes it to a file of this process: its name. */
const char *FuzzFile(const uint8_t *data, size_t size);
/* Ends an input: an error without a message is a fault. Returns 0. */
int FuzzJudge(PetscErrorCode code);
/* A fault that the target itself finds. */
void FuzzFail(const char *what);
extern PetscErrorCode fuzz_code; /* of the last input */
#endif
