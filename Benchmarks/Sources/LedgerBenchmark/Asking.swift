import Foundation
import Measuring
import VitrineEntitlements

/// Asks whether single products are owned, and why: others each time, from all over the catalog.
enum Asking {
    static func measure(_ snapshot: EntitlementSnapshot) throws {
        let guides = (0..<8_192).map { $0 * 7_919 % 8_900 }
        // Packs 100 to 199 are in the larger bundle that was bought too.
        let inLargerBundle = (0..<8_192).map { 1_000 + $0 * 7_919 % 1_000 }
        let notOwned = (0..<8_192).map { 8_900 + $0 * 7_919 % 100 }
        let questions = [
            ("a guide that was bought, and is in a pack that was bought", guides),
            ("a guide that is in a bundle of bundles that was bought too", inLargerBundle),
            ("a guide that is not owned", notOwned),
        ]
        for (description, positions) in questions {
            let identifiers = positions.map { Shop.identifier(0, $0) }
            let expected = positions != notOwned
            let reasons = median(of: identifiers) { identifiers in
                identifiers.count { snapshot.ownership(of: $0).isOwned }
            }
            let plain = median(of: identifiers) { identifiers in identifiers.count { snapshot.isOwned($0) } }
            precondition(reasons.count == (expected ? identifiers.count : 0) && plain.count == reasons.count)
            Owning.report("ownership(of:) \(description), µs", reasons.microseconds)
            Owning.report("isOwned(_:) \(description), µs", plain.microseconds)
        }
        let children = (0..<8_192).map { Shop.identifier(1, $0 * 7_919 % 890) }
        let packs = median(of: children) { $0.count { snapshot.ownership(of: $0).isOwned } }
        Owning.report("ownership(of:) a pack that was bought, µs", packs.microseconds)
    }

    /// - Returns: The median of the times that the whole list takes, for one of its elements.
    private static func median(
        of identifiers: [String], _ body: ([String]) -> Int
    ) -> (microseconds: Double, count: Int) {
        var count = 0
        let times = (0..<21).map { _ in
            ContinuousClock().measure { count = body(identifiers) }.seconds
        }.sorted()
        return (times[times.count / 2] * 1e6 / Double(identifiers.count), count)
    }
}
