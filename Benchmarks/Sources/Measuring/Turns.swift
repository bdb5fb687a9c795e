import Foundation

/// Figures that a process has printed, by name, in the order in which they were printed.
package struct Figures {
    package private(set) var names: [String] = []
    private var values: [String: [Double]] = [:]

    package init() {}

    package subscript(name: String) -> Double {
        let sorted = (values[name] ?? []).sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }

    /// Returns the values of a figure, in the order of the rounds.
    package func all(_ name: String) -> [Double] { values[name] ?? [] }

    /// Returns the ratios of a figure to the same figure of another side, each of the same round.
    package func ratios(_ name: String, to other: Figures) -> [Double] {
        zip(values[name] ?? [], other.values[name] ?? []).map { $0 / $1 }
    }

    package mutating func add(_ name: String, _ value: Double) {
        if values[name] == nil { names.append(name) }
        values[name, default: []].append(value)
    }

    /// Has this program run itself, and takes in the figures that it prints.
    package mutating func addRun(_ arguments: [String]) throws {
        try addRun(of: FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"), arguments)
    }

    /// Runs a program, and takes in the figures that it prints.
    package mutating func addRun(of program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
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
package func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

extension Duration {
    package var seconds: Double { self / .seconds(1) }
}

package func formatted(_ value: Double, digits: Int = 2) -> String {
    value.formatted(.number.precision(.fractionLength(digits)).grouping(.automatic).locale(Locale(identifier: "en_US")))
}

package func column(_ text: String, width: Int) -> String { text.padding(toLength: width, withPad: " ", startingAt: 0) }
