import Foundation
import ProductCatalog
import PropertyList

/// From the bytes of a file to products: Vitrine's catalog, with every rule and all positions, against readers that
/// judge nothing. Each reads the same bytes in processes of its own, which take turns: what one leaves behind in memory
/// does not slow down the next. Getting at the bytes is not counted; letting go of what was made of them is.
@main
struct CatalogBenchmark {
    /// Turns that each reader gets.
    private static let rounds = 5

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--measure", arguments.count == 4, let repetitions = Int(arguments[3]) {
            return try measureHere(arguments[1], URL(filePath: arguments[2]), repetitions)
        }
        if arguments.first == "--write", arguments.count == 3, let size = Int(arguments[1]) {
            return try SampleCatalog.xml(products: size).write(to: URL(filePath: arguments[2]))
        }
        let sizes = arguments.compactMap { Int($0) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "vitrine-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for size in sizes.isEmpty ? [100, 1_000, 10_000, 100_000] : sizes {
            let xml = SampleCatalog.xml(products: size)
            let binary = try PropertyListDocument(bytes: Array(xml), limits: .generous).bytes(as: .binary)
            for (name, data) in [("XML", xml), ("binary", Data(binary))] {
                let file = folder.appending(path: "\(size).\(name).plist")
                try data.write(to: file)
                print("\(size) products, \(name), \(data.count) bytes")
                try compare(file, products: size)
            }
        }
    }

    private static func compare(_ file: URL, products: Int) throws {
        let input = try Input(file)
        let contenders = Contender.all.filter { $0.reads(input) }
        let repetitions = max(3, min(101, 30_000 / products))
        var times = contenders.map { _ in [Double]() }
        var peaks = contenders.map { _ in 0.0 }
        for _ in 0..<rounds {
            for (index, contender) in contenders.enumerated() {
                let figures = try output(
                    of: "/proc/self/exe", ["--measure", contender.name, file.path, "\(repetitions)"]
                )
                .split(separator: " ").compactMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
                precondition(figures.count == 3 && Int(figures[2]) == products, "\(contender.name) failed")
                times[index].append(figures[0])
                peaks[index] = figures[1]
            }
        }
        let medians = times.map { $0.sorted()[$0.count / 2] }
        for (index, contender) in contenders.enumerated() {
            print(
                "  \(contender.name.padding(toLength: 28, withPad: " ", startingAt: 0))",
                "\(medians[index].formatted(.number.precision(.fractionLength(2)))) ms,",
                "\((medians[index] / medians[0]).formatted(.number.precision(.fractionLength(2))))× the time of Catalog,",
                "\((medians[index] * 1_000 / Double(products)).formatted(.number.precision(.fractionLength(2)))) µs a product,",
                "\(Int(peaks[index] / 1_024)) MiB at most")
        }
        if let python = try pythonTime(file, repetitions: repetitions) {
            print("  plistlib                     \(python) ms")
        }
    }

    // MARK: Processes

    /// Prints the median time in milliseconds, the process's peak memory in KiB after the first time, and the products.
    private static func measureHere(_ name: String, _ file: URL, _ repetitions: Int) throws {
        guard let contender = Contender.all.first(where: { $0.name == name }) else { return }
        let input = try Input(file)
        var found = try contender.run(input)
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        var times: [Duration] = []
        for _ in 0..<repetitions {
            times.append(try ContinuousClock().measure { found = try contender.run(input) })
        }
        let median = (times.sorted().dropFirst(times.count / 2).first ?? .zero) / .milliseconds(1)
        print(median, peak?.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "0", found)
    }

    private static func pythonTime(_ file: URL, repetitions: Int) throws -> String? {
        let script = """
            import plistlib, statistics, sys, time
            times = []
            for _ in range(\(repetitions)):
                start = time.perf_counter()
                with open(sys.argv[1], "rb") as file: plistlib.load(file)
                times.append(time.perf_counter() - start)
            print(f"{statistics.median(times) * 1000:.1f}")
            """
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") else { return nil }
        return try output(of: "/usr/bin/python3", ["-c", script, file.path])
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func output(of program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(
            filePath: program == "/proc/self/exe"
                ? try FileManager.default.destinationOfSymbolicLink(atPath: program) : program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}

extension PropertyListLimits {
    /// Catalogs of 100,000 products are larger than the default allows.
    static var generous: PropertyListLimits { PropertyListLimits(size: 1 << 30, nodes: 1 << 30) }
}
