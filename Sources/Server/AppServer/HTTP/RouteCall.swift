package import Foundation
package import HTTPTypes
package import Hummingbird
package import Logging
internal import NIOCore
internal import VitrineAppServerRecords
internal import VitrineSupport

/// Context of a request: its connection, and a logger that names the request.
package struct AppRequestContext: InitializableFromSource {
    let channel: any Channel
    package let logger: Logger

    package init(source: ApplicationRequestContextSource) {
        channel = source.channel
        logger = source.logger
    }
}

/// Request whose path is known, as the function of its route receives it.
package struct RouteCall: Sendable {
    package let request: Request
    package let context: AppRequestContext
    /// Values of the parameters in the path, decoded once, by their names.
    let parameters: [String: String]
    /// Segments of the path that stand for the last parameter of a path such as `/content/{path...}`, decoded once.
    package let rest: [String]
    /// Names and values of the query, decoded once.
    package let query: [(name: String, value: String)]
    /// Maximum time for the body.
    let bodyTime: Duration

    /// Maximum size of a JSON document in a request, in bytes, if its route has no other.
    package static let documentLimit = 64 * 1024
    /// Number of bytes above the limit that are read before a body is refused. Many clients read the answer only when
    /// they have sent the whole body.
    private static let discardLimit = 16 * 1024 * 1024

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

    /// Token of the header field `Authorization`; `nil` if there is none.
    package var bearer: String? {
        let scheme = "bearer "
        guard let field = request.headers[.authorization], field.utf8.count > scheme.utf8.count,
            field.prefix(scheme.count).lowercased() == scheme
        else { return nil }
        return String(field.dropFirst(scheme.count))
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
    package func body(limit: Int) async throws -> Data {
        let (request, bodyTime) = (request, bodyTime)
        let mostRead = limit + Self.discardLimit
        if let length = request.headers[.contentLength].flatMap({ Int($0) }) {
            guard length > 0 else { return Data() }
            guard length <= mostRead else { throw Self.tooLarge(limit, endsConnection: true) }
        }
        return try await withThrowingTaskGroup(of: Data.self) { group in
            group.addTask { try await Self.collect(request, limit, mostRead) }
            group.addTask {
                try await Task.sleep(for: bodyTime)
                throw Problem.slowBody
            }
            defer { group.cancelAll() }
            return try await group.next() ?? Data()
        }
    }

    private static func collect(_ request: Request, _ limit: Int, _ mostRead: Int) async throws -> Data {
        var (collected, size) = (Data(), 0)
        for try await part in request.body {
            size += part.readableBytes
            guard size <= mostRead else { throw tooLarge(limit, endsConnection: true) }
            if size <= limit { collected.append(contentsOf: part.readableBytesView) }
        }
        guard size <= limit else { throw tooLarge(limit) }
        return collected
    }

    private static func tooLarge(_ limit: Int, endsConnection: Bool = false) -> Problem {
        var problem = Problem(
            .contentTooLarge, CustomerErrorCode.tooLarge.rawValue, "The body may have at most \(limit) bytes.")
        problem.endsConnection = endsConnection
        return problem
    }
}

extension HTTPFields {
    /// Value of a header field by its name, as the parts of several fields are joined.
    package subscript(named name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set {
            guard let name = HTTPField.Name(name) else { return }
            self[name] = newValue
        }
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
