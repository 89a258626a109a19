/* Text within an attribute of an XML file. */
#ifndef RHX_OUTPUT_XML_IMPL_H
#define RHX_OUTPUT_XML_IMPL_H
#include <stddef.h>

#define RHX_XML_LENGTH 6 /* longest form of a character */
/* Characters that end an attribute or begin markup are written as XML's names of them; cut at size. Returns escaped. */
const char *RhxXmlEscape(const char *text, size_t size, char *escaped);
#endif
