#include "plugin/word.h"
#include <string.h>

char *RhxWord(char *text)
{
  static const char blanks[] = " \t\r\n";
  char *const start = text + strspn(text, blanks);
  size_t length = strlen(start);

  while (length && strchr(blanks, start[length - 1])) length--;
  start[length] = '\0';
  return start;
}
