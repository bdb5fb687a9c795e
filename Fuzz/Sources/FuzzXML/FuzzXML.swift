internal import FuzzSupport

/// Reads bytes as XML in any encoding.
@main
struct FuzzXML {
    static func main() {
        runFuzzer { start, count in
            let bytes = Array(UnsafeBufferPointer(start: start, count: count))
            guard !bytes.starts(with: "bplist".utf8) else { return Verdict.beside }
            DocumentCheck(bytes)?.run()
            MarkCheck(bytes)?.run()
            return Verdict.usable
        }
    }
}
