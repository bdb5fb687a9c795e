internal import FuzzSupport

/// Reads bytes as a binary property list, which begins as one must.
@main
struct FuzzBinary {
    static func main() {
        runFuzzer { start, count in
            let bytes = Array(UnsafeBufferPointer(start: start, count: count))
            let header = Array("bplist00".utf8)
            DocumentCheck(bytes.starts(with: header) ? bytes : header + bytes)?.run()
            return Verdict.usable
        }
    }
}
