package import Foundation
internal import HTTPTypes
package import Hummingbird
package import VitrineHTTPServing

/// Request that matches a route, with the parameters of its path and query.
package struct RouteCall: Sendable {
    package let request: Request
    package let context: ConnectionContext
    package let parameters: PathParameters
    /// Names and values of the query parameters, percent-decoded.
    package let query: [(name: String, value: String)]
    /// Maximum time to receive the body of the request.
    let bodyTime: TimeLimit

    /// Returns the value of a path parameter. An empty value is answered with status 404.
    package func parameter(_ name: String) throws(ErrorResponse) -> String {
        guard let value = parameters[name], !value.isEmpty else {
            throw .notFound("There is nothing at this address.")
        }
        return value
    }

    /// Returns the first value of a query parameter; `nil` if the parameter is missing.
    package func query(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns the value of a query parameter as an integer.
    ///
    /// - Parameter standard: Default value if the parameter is missing.
    package func integer<Value: FixedWidthInteger>(
        _ name: String, in range: ClosedRange<Value>, default standard: Value
    ) throws(ErrorResponse) -> Value {
        guard let text = query(name) else { return standard }
        guard let value = Value(text), range.contains(value) else {
            throw .invalid(
                "\(name) must be a number from \(range.lowerBound) to \(range.upperBound).", field: name)
        }
        return value
    }

    /// Reads the body of the request.
    ///
    /// - Parameters:
    ///   - limit: Maximum size in bytes.
    ///   - count: Function that receives the size in bytes of each part of the body before the part is kept.
    /// - Throws: `BodyRefusal`, an error of the connection, or the error of `count`.
    package func body(
        limit: Int, counting count: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) async throws -> Data {
        try await request.readBody(upTo: limit, within: bodyTime, counting: count)
    }
}
