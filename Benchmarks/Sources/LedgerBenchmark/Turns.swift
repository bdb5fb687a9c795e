import Foundation

/// Figures that a process has printed, by name, in the order in which they were printed.
struct Figures {
    private(set) var names: [String] = []
    private var values: [String: [Double]] = [:]

    subscript(name: String) -> Double {
        let sorted = (values[name] ?? []).sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }

    mutating func add(_ name: String, _ value: Double) {
        if values[name] == nil { names.append(name) }
        values[name, default: []].append(value)
    }

    /// Has this program run itself, and takes in the figures that it prints.
    mutating func addRun(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(
            filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        precondition(process.terminationStatus == 0, "\(arguments) failed")
        for line in output.split(separator: "\n") {
            let parts = line.split(separator: "=")
            guard parts.count == 2, let value = Double(parts[1]) else { continue }
            add(String(parts[0]), value)
        }
    }
}

/// The seconds that all processors have spent on this process: what other work on the machine disturbs least.
func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}

func words(_ value: Double, digits: Int = 2) -> String {
    value.formatted(.number.precision(.fractionLength(digits)).grouping(.automatic).locale(Locale(identifier: "en_US")))
}

func column(_ text: String, width: Int) -> String { text.padding(toLength: width, withPad: " ", startingAt: 0) }
