// evaluate.c with lanes that have a derivative.
#include "state.h"
#include <stdlib.h>
extern "C" {
#include "evaluate.c"
}
