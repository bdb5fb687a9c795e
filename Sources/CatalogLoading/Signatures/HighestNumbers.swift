internal import ProductCatalog

/// Persistent storage for numbers that only increase.
public protocol HighestNumbers: Sendable {
    /// Raises a number to a value, unless it is at least as high already, and returns after the number is stored
    /// durably.
    ///
    /// Concurrent calls for a number all return the highest value.
    ///
    /// - Returns: The resulting number.
    /// - Throws: If the number cannot be stored.
    func raise(_ name: String, to value: Int64) async throws -> Int64

    /// Returns the current value of a number.
    ///
    /// - Returns: `nil` for a number that was never raised.
    /// - Throws: If the number cannot be read.
    func highest(_ name: String) async throws -> Int64?
}
