package import Foundation
internal import HTTPTypes
package import Hummingbird
internal import VitrineAppServerRecords
package import VitrineHTTPServing
internal import VitrineSupport

/// Request whose path is known, as the function of its route receives it.
package struct RouteCall: Sendable {
    package let request: Request
    package let context: ConnectionContext
    package let parameters: PathParameters
    /// Names and values of the query, decoded once.
    package let query: [(name: String, value: String)]
    /// Maximum time for the body.
    let bodyTime: Duration

    /// Maximum size of a JSON document in a request, in bytes, if its route has no other.
    package static let documentLimit = 64 * 1024

    /// Returns the value of a parameter in the path, which must not be empty.
    package func parameter(_ name: String) throws(Problem) -> String {
        guard let value = parameters[name], !value.isEmpty else {
            throw .notFound("There is nothing at this address.")
        }
        return value
    }

    /// Returns the value of a name in the query; `nil` if it is missing.
    package func query(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns the integer of a name in the query.
    ///
    /// - Parameter standard: Value if the name is missing.
    package func integer<Value: FixedWidthInteger>(
        _ name: String, in range: ClosedRange<Value>, default standard: Value
    ) throws(Problem) -> Value {
        guard let text = query(name) else { return standard }
        guard let value = Value(text), range.contains(value) else {
            throw .invalid(
                "\(name) must be a number from \(range.lowerBound) to \(range.upperBound).", field: name)
        }
        return value
    }

    // MARK: Bodies

    /// Reads a JSON document.
    ///
    /// - Parameter limit: Maximum size in bytes.
    package func document<Value: Decodable & Sendable>(
        _ type: Value.Type, limit: Int = documentLimit
    ) async throws -> Value {
        let data = try await body(limit: limit)
        do {
            return try JSONDecoder().decodeForeign(type, from: data)
        } catch let error as DecodingError {
            throw Problem(error)
        } catch {
            throw Problem.invalid("The body of the request is not JSON in UTF-8.")
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

extension Problem {
    /// Creates the problem of a JSON document that does not have the form of a request.
    fileprivate init(_ error: DecodingError) {
        let (path, text): ([any CodingKey], String) =
            switch error {
            case .keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
            case .valueNotFound(_, let context): (context.codingPath, "must not be null")
            case .typeMismatch(_, let context): (context.codingPath, "has another type than expected")
            case .dataCorrupted(let context): (context.codingPath, "is malformed")
            @unknown default: ([], "is malformed")
            }
        let field = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
        self = .invalid(
            field.isEmpty ? "The body of the request \(text)." : "The field \(field) \(text).",
            field: field.isEmpty ? nil : field)
    }
}
