internal import ProductCatalog

/// Numbers that only grow, kept where they outlast the process: what was once seen is not forgotten.
public protocol HighestNumbers: Sendable {
    /// Raises a number to a value, unless it is as high already, and returns only once that is durable.
    ///
    /// Of several that raise a number at once, each gets the highest.
    ///
    /// - Returns: The number as it is now.
    /// - Throws: Where it cannot be kept.
    func raise(_ name: String, to value: Int64) async throws -> Int64

    /// - Returns: `nil` for a number that was never raised.
    /// - Throws: Where it cannot be read.
    func highest(_ name: String) async throws -> Int64?
}
