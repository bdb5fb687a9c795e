import Foundation
import Measuring
import VitrineCatalog
import VitrinePropertyList

/// From the bytes of a file to products: Vitrine's catalog, with every rule and all positions, against readers that
/// judge nothing. Each reads the same bytes in processes of its own, which take turns: what one leaves behind in memory
/// does not slow down the next. Processor time is measured. Getting at the bytes is not counted; letting go of what was
/// made of them is.
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
        var targets = Targets()
        for size in sizes.isEmpty ? [100, 1_000, 10_000, 100_000] : sizes {
            let xml = SampleCatalog.xml(products: size)
            let binary = try PropertyListDocument(bytes: Array(xml), limits: .generous).bytes(as: .binary)
            for (name, data) in [("XML", xml), ("binary", Data(binary))] {
                let file = folder.appending(path: "\(size).\(name).plist")
                try data.write(to: file)
                print("\(size) products, \(name), \(data.count) bytes")
                let figures = try compare(file, products: size, isBinary: name == "binary")
                if size == comparedSize { check(figures, name, &targets) }
            }
            if size == comparedSize { try compareFaulty(in: folder, &targets) }
        }
        try? FileManager.default.removeItem(at: folder)
        targets.exitIfMissed()
    }

    /// Number of products for which the targets hold.
    private static let comparedSize = 10_000

    private static func check(_ figures: [String: Figures], _ format: String, _ targets: inout Targets) {
        guard let catalog = figures[Contender.catalog], let decoder = figures[Contender.decoder] else { return }
        targets.check(
            "\(format): processor time of \(Contender.decoder) against Catalog", decoder.ratios("time", to: catalog),
            .atLeast(10))
        if let tree = figures[Contender.tree] {
            targets.check(
                "\(format): processor time of \(Contender.tree)'s tree against Catalog",
                tree.ratios("time", to: catalog), .atLeast(format == "XML" ? 3 : 1.5))
        }
        guard format == "XML" else { return }
        targets.check(
            "\(format): memory that Catalog adds to the peak of a process against \(Contender.decoder)",
            catalog.ratios("peak", to: decoder), .atMost(0.75))
    }

    /// Compares a catalog with some 4,300 findings with the same one without.
    private static func compareFaulty(in folder: URL, _ targets: inout Targets) throws {
        let repetitions = 9
        let files = (folder.appending(path: "clean.plist"), folder.appending(path: "faulty.plist"))
        try SampleCatalog.xml(products: comparedSize).write(to: files.0)
        try SampleCatalog.xml(products: comparedSize, isFaulty: true).write(to: files.1)
        var (clean, faulty) = (Figures(), Figures())
        for _ in 0..<rounds {
            clean.add("time", try measured(Contender.catalog, files.0, repetitions)[0])
            faulty.add("time", try measured(Contender.catalog, files.1, repetitions)[0])
        }
        targets.check(
            "processor time of a catalog with 4,300 findings against one without", faulty.ratios("time", to: clean),
            .atMost(1.3))
    }

    /// Measures all readers in turn, and prints the medians.
    ///
    /// - Returns: Processor times and peak memory of all rounds, by the name of the reader.
    private static func compare(_ file: URL, products: Int, isBinary: Bool) throws -> [String: Figures] {
        let contenders = Contender.all.filter { $0.readsBinary || !isBinary }
        let repetitions = max(3, min(101, 30_000 / products))
        var figures: [String: Figures] = [:]
        for _ in 0..<rounds {
            for contender in contenders {
                let values = try measured(contender.name, file, repetitions)
                precondition(Int(values[2]) == products, "\(contender.name) failed")
                figures[contender.name, default: Figures()].add("time", values[0])
                figures[contender.name, default: Figures()].add("peak", values[1])
            }
        }
        for contender in contenders {
            guard let own = figures[contender.name], let catalog = figures[Contender.catalog] else { continue }
            print(
                "  \(contender.name.padding(toLength: 28, withPad: " ", startingAt: 0))",
                "\(own["time"].formatted(.number.precision(.fractionLength(2)))) ms,",
                "\((own["time"] / catalog["time"]).formatted(.number.precision(.fractionLength(2))))× the time of Catalog,",
                "\((own["time"] * 1_000 / Double(products)).formatted(.number.precision(.fractionLength(2)))) µs a product,",
                "\(Int(own["peak"] / 1_024)) MiB more at most")
        }
        if let python = try pythonTime(file, repetitions: repetitions) {
            print("  plistlib                     \(python) ms")
        }
        return figures
    }

    // MARK: Processes

    /// Has a process of its own measure a reader.
    ///
    /// - Returns: The median of the processor times in milliseconds, the memory in KiB by which the peak of the process
    ///   grew, and the products.
    private static func measured(_ name: String, _ file: URL, _ repetitions: Int) throws -> [Double] {
        let values = try output(of: "/proc/self/exe", ["--measure", name, file.path, "\(repetitions)"])
            .split(separator: " ").compactMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        precondition(values.count == 3, "\(name) failed")
        return values
    }

    /// Prints the median time in milliseconds, how much the first time has added to the peak memory of the process in KiB,
    /// and the products.
    private static func measureHere(_ name: String, _ file: URL, _ repetitions: Int) throws {
        guard let contender = Contender.all.first(where: { $0.name == name }) else { return }
        let input = try Input(file, asData: contender.takesData)
        let before = try peakMemory()
        var found = try contender.run(input)
        let peak = try peakMemory() - before
        var times: [Double] = []
        for _ in 0..<repetitions {
            let start = processorTime()
            found = try contender.run(input)
            times.append(processorTime() - start)
        }
        let median = times.sorted()[times.count / 2]
        print(median, peak, found)
    }

    /// Peak memory of this process, in KiB.
    private static func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Processor time of this process, in milliseconds.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }

    private static func pythonTime(_ file: URL, repetitions: Int) throws -> String? {
        let script = """
            import plistlib, statistics, sys, time
            times = []
            for _ in range(\(repetitions)):
                start = time.process_time()
                with open(sys.argv[1], "rb") as file: plistlib.load(file)
                times.append(time.process_time() - start)
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
