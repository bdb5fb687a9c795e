internal import FuzzSupport

/// Reads bytes that are a property list as a manifest of content.
@main
struct FuzzManifest {
    static func main() {
        runFuzzer { start, count in
            ManifestCheck(Array(UnsafeBufferPointer(start: start, count: count))).run()
            return Verdict.usable
        }
    }
}
