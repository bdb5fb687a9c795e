// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.
// OpenCombine stands for Combine.
@_exported public import OpenCombine
