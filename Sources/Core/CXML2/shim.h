#pragma once

#if defined(__APPLE__)
// The SDK's own copy. Not built by the project's continuous integration, which runs on Linux.
#include <libxml2/libxml/parser.h>
#include <libxml2/libxml/parserInternals.h>
#include <libxml2/libxml/xmlerror.h>
#else
#include <libxml/xmlversion.h>
// Debian builds libxml2 with ICU, whose headers declare UErrorCode a second time beside Foundation's own copy.
// None of the interfaces used here needs it.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#endif
