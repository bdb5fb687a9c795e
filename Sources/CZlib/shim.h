#ifndef VITRINE_CZLIB_H
#define VITRINE_CZLIB_H

#include <zlib.h>

// A macro in zlib, which names the version and the size of what it was built with.
static inline int vitrine_inflate_init(z_stream *stream) {
    return inflateInit(stream);
}

#endif
