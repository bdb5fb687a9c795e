internal import FuzzSupport

/// Makes a catalog of bytes that are a property list, in XML or in binary.
@main
struct FuzzCatalog {
    static func main() {
        runFuzzer { start, count in
            CatalogCheck(Array(UnsafeBufferPointer(start: start, count: count)))?.run()
            return Verdict.usable
        }
    }
}
