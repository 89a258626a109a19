// logarithm.c with lanes that have a derivative.
#include <rheoplex/logconf.h>
#include <rheoplex/plugin.h>
extern "C" {
#include "logarithm.c"
}
