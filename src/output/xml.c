#include "output/xml_impl.h"
#include <string.h>

const char *RhxXmlEscape(const char *text, size_t size, char *escaped)
{
  static const char special[] = "&<>\"'";
  static const char *const form[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
  size_t n = 0;

  for (; *text; text++) {
    const char *which = strchr(special, *text);
    const size_t length = which ? strlen(form[which - special]) : 1;

    if (n + length >= size) break;
    memcpy(escaped + n, which ? form[which - special] : text, length);
    n += length;
  }
  escaped[n] = '\0';
  return escaped;
}
