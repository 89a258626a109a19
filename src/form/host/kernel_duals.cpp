// The element loops of kernel.c in C++, whose numbers are lanes with a derivative.
#include <math.h>
#include <petscdmplex.h>
#include <petscmat.h>
#include <petscsf.h>
#include <rheoplex/plugin.h>
#include <string.h>
extern "C" {
#include "form/host/insert.h"
#include "form/host/kernel.h"
#include "form/inside_impl.h"
#include "petsc_compat.h"
#include "plugin/registry.h"
}
#include "form/host/kernel.c"
