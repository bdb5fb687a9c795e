internal import FuzzSupport

/// Reads bytes as an archive of content, and unpacks what can be one.
@main
struct FuzzArchive {
    static func main() {
        runFuzzer { start, count in
            ArchiveCheck(Array(UnsafeBufferPointer(start: start, count: count))).run()
            return Verdict.usable
        }
    }
}
