#pragma once

#include <libxml/xmlversion.h>
// As in the library's shim: these headers and Foundation's declare the same names of ICU.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>

// The least that a reader on libxml2's SAX2 interface can do: it is told of every element and of all text, and
// counts the elements two levels down, which are the products.

struct floor_count {
    int depth;
    int products;
};

static void floor_start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces,
                        const xmlChar **declared, int attributes, int defaulted, const xmlChar **values) {
    struct floor_count *count = user;
    if (count->depth++ == 2) count->products++;
}

static void floor_end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    ((struct floor_count *)user)->depth--;
}

static void floor_characters(void *user, const xmlChar *text, int length) {}

static inline int floor_count_products(const void *bytes, int length) {
    struct floor_count count = {0, 0};
    xmlSAXHandler handlers = {0};
    handlers.initialized = XML_SAX2_MAGIC;
    handlers.startElementNs = floor_start;
    handlers.endElementNs = floor_end;
    handlers.characters = floor_characters;
    return xmlSAXUserParseMemory(&handlers, &count, bytes, length) == 0 ? count.products : -1;
}
