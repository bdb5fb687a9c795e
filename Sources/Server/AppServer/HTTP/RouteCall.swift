package import Foundation
internal import HTTPTypes
package import Hummingbird
internal import VitrineAppServerRecords
package import VitrineHTTPServing
internal import VitrineSupport

/// Request that matches a route, with the parameters of its path and query.
package struct RouteCall: Sendable {
    package let request: Request
    package let context: ConnectionContext
    package let parameters: PathParameters
    /// Names and values of the query parameters, percent-decoded.
    package let query: [(name: String, value: String)]
    /// Maximum time to receive the body of the request.
    let bodyTime: Duration

    /// Default maximum size of a JSON document in a request, in bytes.
    package static let documentLimit = 64 * 1024

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

    // MARK: Bodies

    /// Decodes the JSON document in the body of the request.
    ///
    /// - Parameter limit: Maximum size in bytes.
    package func document<Value: Decodable & Sendable>(
        _ type: Value.Type, limit: Int = documentLimit
    ) async throws -> Value {
        let data = try await body(limit: limit)
        do {
            return try JSONDecoder().decodeForeign(type, from: data)
        } catch let error as DecodingError {
            throw ErrorResponse(error)
        } catch {
            throw ErrorResponse.invalid("The body of the request is not JSON in UTF-8.")
        }
    }

    /// Reads the body of the request.
    ///
    /// - Parameter limit: Maximum size in bytes.
    /// - Throws: `BodyRefusal`, or an error of the connection.
    package func body(limit: Int) async throws -> Data {
        try await request.readBody(upTo: limit, within: bodyTime)
    }
}

extension ErrorResponse {
    /// Creates the error response for a JSON document that cannot be decoded, with the name of the invalid field.
    fileprivate init(_ error: DecodingError) {
        let (field, text) = error.fault
        self = .invalid(
            field.isEmpty ? "The body of the request \(text)." : "The field \(field) \(text).",
            field: field.isEmpty ? nil : field)
    }
}
