#pragma once

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's entry for programs that have a `main` of their own. No header of the toolchain declares it.
int LLVMFuzzerRunDriver(
    int *_Nonnull argc, char *_Nullable *_Nonnull *_Nonnull argv,
    int (*_Nonnull userCallback)(const uint8_t *_Nullable data, size_t size));
