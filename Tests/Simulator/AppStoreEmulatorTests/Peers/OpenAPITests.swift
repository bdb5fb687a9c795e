import Foundation
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import VitrineAppStoreEmulator

/// Conformance of the server to `Documentation/AppStoreEmulator.openapi.yaml`.
@Suite(
    .blocksThreads, .hangLimit,
    .enabled(if: PeerTool.pythonWithPeers.isInstalled, "Scripts/peers was not run"))
struct OpenAPITests {
    /// Operation in the document.
    private struct Described {
        let path: String
        /// Names of the parameters that are declared for the path.
        let parameters: Set<String>
        /// Answers by their status.
        let responses: [Int: JSONValue]

        /// Statuses of answers to requests that succeed.
        var successes: [Int] { responses.keys.filter { $0 < 300 } }
    }

    private static let file = Repository.file("Documentation/AppStoreEmulator.openapi.yaml").path(percentEncoded: false)

    /// Content of the file.
    private let document: JSONValue

    init() async throws {
        let script = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)"
        let result = try PeerTool.pythonWithPeers.run("-c", script, Self.file)
        try #require(result.status == 0)
        document = try JSONValue(json: Data(result.output.utf8))
    }

    /// Operations by their names, such as `GET /inApps/v1/lookup/{orderId}`.
    private func operations() throws -> [String: Described] {
        var operations: [String: Described] = [:]
        for (path, item) in try members(document["paths"]) {
            for (method, operation) in try members(item) where method != "parameters" {
                let parameters = try (list(item["parameters"]) + list(operation["parameters"])).map(resolved)
                var responses: [Int: JSONValue] = [:]
                for (status, response) in try members(operation["responses"]) {
                    responses[try #require(Int(status))] = try resolved(response)
                }
                operations["\(method.uppercased()) \(path)"] = Described(
                    path: path,
                    parameters: Set(parameters.filter { $0["in"]?.text == "path" }.compactMap { $0["name"]?.text }),
                    responses: responses)
            }
        }
        return operations
    }

    @Test func `the OpenAPI file describes exactly the operations and path parameters of the server`() throws {
        let operations = try operations()
        #expect(Set(operations.keys) == Set(EmulatorOperation.all.map(\.name)))
        #expect(operations.count == EmulatorOperation.all.count)
        #expect(Set(EmulatorOperation.all.map(\.name)).count == EmulatorOperation.all.count)
        for (name, operation) in operations {
            let segments = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }
            #expect(operation.parameters == Set(segments.map { String($0.dropFirst().dropLast()) }), "\(name)")
        }
    }

    @Test
    func `the OpenAPI file has the success status of each operation, except of operations that are always refused`()
        throws
    {
        let operations = try operations()
        for operation in EmulatorOperation.all {
            let isRefused = operation.path.hasPrefix("/inApps/v1/messaging/")
            #expect(
                try #require(operations[operation.name]).successes == (isRefused ? [] : [operation.status.code]),
                "\(operation.name)")
        }
    }

    @Test func `the OpenAPI file lists all error codes of the server, each under its HTTP status`() throws {
        let known = Set(ServerError.Code.allCases.map(\.rawValue))
        let constants = list(document["components"]?["schemas"]?["ErrorCode"]?["oneOf"]).map { $0["const"]?.number }
        #expect(constants.map { $0.map(Int.init) } == ServerError.Code.allCases.map(\.rawValue))

        var described: Set<Int> = []
        for (name, operation) in try operations() {
            #expect(operation.responses[401]?["content"]?["text/plain"] != nil, "\(name)")
            for (status, response) in operation.responses where status >= 400 && status != 401 {
                let codes = try codes(of: response)
                #expect(!codes.isEmpty, "\(name) \(status)")
                #expect(codes.allSatisfy { known.contains($0) && $0 / 10_000 == status }, "\(name) \(status)")
                described.formUnion(codes)
            }
        }
        #expect(described == known)
    }

    @Test func `schemathesis accepts the OpenAPI file, and refuses a copy with an error`() async throws {
        let script = "import sys, schemathesis; schemathesis.openapi.from_path(sys.argv[1]).validate()"
        let folder = try TemporaryFolder()
        let text = try String(contentsOfFile: Self.file, encoding: .utf8)
        let wrong = try folder.write(text.replacing("in: path", with: "in: trail"), to: "wrong.yaml")
        for (file, isAccepted) in [(Self.file, true), (wrong.path(percentEncoded: false), false)] {
            let result = try PeerTool.pythonWithPeers.run("-c", script, file)
            #expect((result.status == 0) == isAccepted, "\(file)")
        }
    }

    // MARK: Reading

    /// Returns the error codes in a response.
    private func codes(of response: JSONValue) throws -> [Int] {
        let code = response["content"]?["application/json"]?["schema"]?["properties"]?["errorCode"]
        let values = code?["const"].map { [$0] } ?? list(code?["enum"])
        return try values.map { Int(try #require($0.number)) }
    }

    private func members(_ value: JSONValue?) throws -> [String: JSONValue] {
        guard case .object(let members) = value else { throw ServedTestFailure("the file has no object where it must") }
        return members
    }

    /// Returns the elements of an array; an empty array for another value.
    private func list(_ value: JSONValue?) -> [JSONValue] { value?.list ?? [] }

    /// Returns the value, or the value to which it refers within the file.
    private func resolved(_ value: JSONValue) throws -> JSONValue {
        guard let reference = value["$ref"]?.text else { return value }
        var found: JSONValue? = document
        for name in reference.split(separator: "/").dropFirst() { found = found?[String(name)] }
        return try #require(found, "\(reference)")
    }
}
