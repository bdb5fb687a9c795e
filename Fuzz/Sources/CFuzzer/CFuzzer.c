#include "CFuzzer.h"

#include <stdlib.h>

// The linker takes libFuzzer's own `main` along, which refers to this function, where the compiler gives another name to ours.
// It is never called: each program hands its check to LLVMFuzzerRunDriver.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)data;
    (void)size;
    abort();
}
