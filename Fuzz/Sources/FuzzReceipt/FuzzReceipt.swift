internal import FuzzSupport

/// Reads bytes as an app receipt, raw or as base64, and verifies them.
@main
struct FuzzReceipt {
    static func main() {
        runFuzzer { start, count in
            ReceiptCheck(Array(UnsafeBufferPointer(start: start, count: count))).run()
            return Verdict.usable
        }
    }
}
