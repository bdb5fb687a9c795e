internal import FuzzSupport

/// Reads bytes as a token, as the header of one and as the payload of one, and verifies them.
@main
struct FuzzJWS {
    static func main() {
        runFuzzer { start, count in
            SignedDataCheck(Array(UnsafeBufferPointer(start: start, count: count))).run()
            return Verdict.usable
        }
    }
}
