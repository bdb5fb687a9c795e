import Foundation
import ProductCatalog
import PropertyList

/// From the bytes of a file to products: Vitrine's catalog, with every rule and all positions, against Foundation's
/// decoder and serialization, which judge nothing. Each reads the same file, in turn, in the same process.
@main
struct CatalogBenchmark {
    static func main() throws {
        let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 10_000
        let repetitions = CommandLine.arguments.dropFirst(2).first.flatMap(Int.init) ?? 7
        let folder = FileManager.default.temporaryDirectory.appending(path: "vitrine-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let xml = SampleCatalog.xml(products: count)
        let decoded = try PropertyListSerialization.propertyList(from: xml, format: nil)
        let binary = try PropertyListSerialization.data(fromPropertyList: decoded, format: .binary, options: 0)
        print("\(count) products, median of \(repetitions)")
        for (name, data) in [("XML", xml), ("binary", binary)] {
            let file = folder.appending(path: "\(name).plist")
            try data.write(to: file)
            try measure(name, file, products: count, repetitions: repetitions)
        }
    }

    private static func measure(_ name: String, _ file: URL, products: Int, repetitions: Int) throws {
        let contenders: [(name: String, run: () throws -> Int)] = [
            ("Catalog", { try CatalogFile(url: file, limits: .generous).catalog.products.count }),
            (
                "PropertyListDecoder",
                { try PropertyListDecoder().decode([DecodedProduct].self, from: Data(contentsOf: file)).count }
            ),
            (
                "PropertyListSerialization",
                {
                    let root = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
                    return (root as? [[String: Any]])?.count ?? 0
                }
            ),
        ]
        var times = contenders.map { _ in [Duration]() }
        for _ in 0..<repetitions {
            for (index, contender) in contenders.enumerated() {
                var found = 0
                times[index].append(try ContinuousClock().measure { found = try contender.run() })
                precondition(found == products, "\(contender.name) found \(found) products")
            }
        }
        let medians = times.map { $0.sorted()[$0.count / 2] }
        let size = try Data(contentsOf: file).count
        for (contender, median) in zip(contenders, medians) {
            let milliseconds = median / .milliseconds(1)
            let speed = Double(size) / 1_000 / milliseconds
            print(
                "\(name): \(contender.name): \(milliseconds.formatted(.number.precision(.fractionLength(1)))) ms, "
                    + "\(speed.formatted(.number.precision(.fractionLength(0)))) MB/s, "
                    + "\((median / medians[0]).formatted(.number.precision(.fractionLength(2))))× the time of Catalog")
        }
    }
}

extension PropertyListLimits {
    /// Catalogs of 100,000 products are larger than the default allows.
    fileprivate static var generous: PropertyListLimits { PropertyListLimits(size: 1 << 30) }
}
