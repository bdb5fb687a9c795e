import Foundation

/// Ratios of a benchmark that have a target. Each is printed with its target; the process ends with status 1 if one
/// was missed.
///
/// A ratio is measured once in each round, between two sides that take turns, so that other work on the machine
/// disturbs both. The median is compared with the target, as the benchmark prints it: rounded to two digits.
package struct Targets {
    package enum Bound {
        case atMost(Double)
        case atLeast(Double)
    }

    private var missed: [String] = []

    package init() {}

    /// Prints the median of ratios, with their spread and target, and remembers a missed target.
    ///
    /// - Parameters:
    ///   - name: The ratio in words, such as "a durable purchase, processor time against SQLite alone".
    ///   - ratios: The ratio of each round; at least one.
    package mutating func check(_ name: String, _ ratios: [Double], _ bound: Bound) {
        let sorted = ratios.sorted()
        let median = sorted.isEmpty ? .nan : sorted[sorted.count / 2]
        let (sign, target) =
            switch bound {
            case .atMost(let target): ("≤", target)
            case .atLeast(let target): ("≥", target)
            }
        let rounded = (median * 100).rounded() / 100
        // A ratio that could not be measured is not a number, and meets no target.
        let isMet =
            switch bound {
            case .atMost: rounded <= target
            case .atLeast: rounded >= target
            }
        let spread = sorted.count > 1 ? ", \(formatted(sorted[0]))–\(formatted(sorted[sorted.count - 1]))" : ""
        print("  \(name): \(formatted(median))\(spread) (target \(sign) \(formatted(target)))\(isMet ? "" : " MISSED")")
        if !isMet { missed.append(name) }
    }

    /// Ends the process with status 1 if a target was missed. It is called last, after temporary files are removed.
    package func exitIfMissed() {
        guard !missed.isEmpty else { return }
        print("Targets that were missed: \(missed.joined(separator: "; "))")
        exit(1)
    }
}
