import Foundation
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Apple's server library in Python, which sends requests to a served store: `Tests/Peers/server_api.py`.
enum AppleClientPeer {
    /// Input of the script, whose docstring explains the fields.
    struct Question: Encodable, Sendable {
        struct Payload: Encodable, Sendable {
            let kind, text: String
        }

        let url: URL
        let key, issuer, bundle, environment: String
        var keyID, root: String
        let app: Int64?
        var online = true
        /// Date of the store in milliseconds.
        let now: Int64
        var ids: [String: String] = [:]
        var cases: [JSONValue]?
        var payloads: [Payload]?
    }

    /// Result with the calls of all methods of both clients.
    struct Methods: Decodable, Sendable {
        struct Call: Decodable, Sendable {
            let method, note, client: String
            let ok: Bool
            let verified: Int
            let code: Int?
            let error: String?
        }

        let calls: [Call]
        let verified: Int
        /// `true` if the asyncio client was tested too.
        let async: Bool
    }

    /// Result with the errors that requests have provoked.
    struct Errors: Decodable, Sendable {
        struct Case: Decodable, Sendable {
            let id: String
            let code: Int?
            let ok: Bool
            let retryAfter, error: String?
        }

        let cases: [Case]
        let failed, skipped: [String]
        /// Error codes that were expected and provoked.
        let codes: Set<Int>

        /// Descriptions of the cases that failed.
        var failures: [String] { cases.filter { failed.contains($0.id) }.map { "\($0.id): \($0.error ?? "")" } }
    }

    /// Result with the statuses of requests with valid and invalid tokens.
    struct Authorization: Decodable, Sendable {
        struct Case: Decodable, Sendable {
            let id: String
            let status: Int
            let ok: Bool
        }

        let cases: [Case]
        let failed: [String]
    }

    /// Result with the verdicts on payloads.
    struct Verdicts: Decodable, Sendable {
        struct Payload: Decodable, Sendable {
            let verdict: String
            /// Kinds of the payload and of all signed data in it.
            let kinds: [String]
            let doubts: [String]
            let notificationType, subtype: String?
        }

        let payloads: [Payload]
        let verified: Int
    }

    /// Runs a command of the script.
    ///
    /// - Parameter command: Command of the script, such as `methods`.
    static func ask<Answer: Decodable & Sendable>(_ command: String, _ question: Question) async throws -> Answer {
        let input = try JSONEncoder().encode(question)
        let script = Repository.file("Tests/Peers/server_api.py").path(percentEncoded: false)
        let result = try PeerTool.pythonWithPeers.run(script, command, input: input)
        try #require(result.status == 0, "\(command): \(result.output)")
        return try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
    }

    /// Returns a case of a request that must fail, with a method of the client and its arguments.
    ///
    /// - Parameters:
    ///   - code: Expected error code; `nil` for an answer without a code.
    ///   - status: Expected status of an answer without a code.
    static func failing(
        _ id: String, code: Int?, status: Int? = nil, _ method: String, _ arguments: [JSONValue]
    ) -> JSONValue {
        func number(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }
        return .object([
            "id": .string(id), "code": number(code), "status": number(status), "method": .string(method),
            "arguments": .array(arguments),
        ])
    }
}

extension ServedStore {
    /// Returns the input of the script for this store, with identifiers that the store knows.
    func question(ids: [String: String] = [:]) throws -> AppleClientPeer.Question {
        AppleClientPeer.Question(
            url: url, key: key.pem, issuer: key.issuer, bundle: Self.bundle,
            environment: store.environment.rawValue, keyID: key.identifier, root: try store.rootCertificate,
            app: store.environment == .production ? Self.app : nil, now: store.clock.now.inMilliseconds, ids: ids)
    }
}
