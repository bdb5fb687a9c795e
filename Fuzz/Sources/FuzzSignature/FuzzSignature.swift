internal import FuzzSupport

/// Reads bytes as a part of a signed catalog: with a good signature around them, or as the signature.
@main
struct FuzzSignature {
    static func main() {
        runFuzzer { start, count in
            SignatureCheck(Array(UnsafeBufferPointer(start: start, count: count))).run()
            return Verdict.usable
        }
    }
}
