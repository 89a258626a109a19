/* plot: hands over to share/scripts/plot.py, before MPI is begun. */
#include "app/app.h"
#include "plugin/data.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* RHEOPLEX_PYTHON, the environment that share/demo and share/check make in the build folder, or python3. */
static const char *find_python(void)
{
  static char beside[PATH_MAX];
  const char *named = getenv("RHEOPLEX_PYTHON");
  char program[PATH_MAX], *slash;
  ssize_t n;

  if (named && named[0]) return named;
  n = readlink("/proc/self/exe", program, sizeof(program) - 1);
  program[n > 0 ? n : 0] = '\0';
  slash = strrchr(program, '/');
  if (slash) *slash = '\0';
  if (snprintf(beside, sizeof(beside), "%s/../venv/bin/python", program) < PATH_MAX && !access(beside, X_OK))
    return beside;
  return "python3";
}

int RhxAppPlot(int argc, char **args)
{
  char script[PATH_MAX];
  const char *python = find_python();
  char **words;

  if (!RhxDataFile("scripts/plot.py", sizeof(script), script)) {
    fprintf(stderr, "rheoplex: error: plot: share/scripts/plot.py was not found, expected it beside the program (cmake "
                    "--install puts it there)\n");
    return 1;
  }
  words = calloc((size_t)argc + 3, sizeof(*words));
  if (!words) return 1;
  words[0] = (char *)python;
  words[1] = script;
  for (int i = 0; i < argc; i++) words[2 + i] = args[i];
  execvp(python, words);
  fprintf(stderr,
          "rheoplex: error: plot: %s cannot be started (%s), expected Python 3 with the packages of "
          "share/scripts/requirements.txt (RHEOPLEX_PYTHON names another)\n",
          python, strerror(errno));
  free(words);
  return 1;
}
