import Foundation
import HTTPTypes
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineHostedContent
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

@testable import VitrineAppServer

/// Conformance of the server to `Documentation/AppServer.openapi.yaml`.
@Suite(
    .blocksThreads, .hangLimit,
    .enabled(if: PeerTool.pythonWithPeers.isInstalled, "Scripts/peers was not run"))
struct OpenAPITests {
    private static let file = Repository.file("Documentation/AppServer.openapi.yaml").path(percentEncoded: false)

    /// Statuses that any request may have, such as one with an unknown method.
    private static let unlisted: Set<Int> = [405, 408, 500]

    /// Content of the file.
    private let document: JSONValue

    init() async throws {
        let script = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)"
        let result = try PeerTool.pythonWithPeers.run("-c", script, Self.file)
        try #require(result.status == 0)
        document = try JSONValue(json: Data(result.output.utf8))
    }

    private static func registrations() async throws -> [Routes.Registration] {
        let services = try await RouteTester().services
        return buildRouter(services).endpoints + buildOperatorRouter(services).endpoints
    }

    @Test func `the OpenAPI file describes exactly the operations and path parameters of the server`() async throws {
        let names = try await Self.registrations().map(\.endpoint.operation)
        var described: Set<String> = []
        for (path, item) in try members(document["paths"]) {
            for (method, operation) in try members(item) {
                let name = "\(method.uppercased()) \(path)"
                if method != "head" { described.insert(name) }
                let parameters = try (operation["parameters"]?.list ?? []).map(resolved)
                let inPath = parameters.filter { $0["in"]?.text == "path" }.compactMap { $0["name"]?.text }
                let segments = path.split(separator: "/").filter { $0.hasPrefix("{") }
                #expect(inPath == segments.map { String($0.dropFirst().dropLast()) }, "\(name)")
                #expect(try Set(members(operation["responses"]).keys).contains("4XX"), "\(name)")
            }
        }
        #expect(described == Set(names))
    }

    @Test func `the OpenAPI file has the name, the credential, the statuses and the bodies of each endpoint`()
        async throws
    {
        for registration in try await Self.registrations() {
            let endpoint = registration.endpoint
            let method = endpoint.method.rawValue.lowercased()
            let id = Comment(rawValue: endpoint.operation)
            let operation = try #require(
                document["paths"]?[endpoint.path.replacing("...}", with: "}")]?[method], id)
            #expect(operation["operationId"]?.text == endpoint.name, id)
            let schemes = try (operation["security"]?.list ?? []).flatMap { try members($0).keys }
            #expect(schemes == (endpoint.caller == .anyone ? [] : [endpoint.caller.rawValue]), id)
            // The handler for content accepts the code of a link too.
            #expect(registration.isAuthenticated == (endpoint.caller != .anyone && endpoint.name != "content"), id)

            let responses = try members(operation["responses"])
            let success = try #require(responses[String(endpoint.status.code)], id)
            for status in Set(WireErrorCode.allCases.map(\.status.code)).subtracting(Self.unlisted) {
                let isListed = endpoint.errors.contains { $0.status.code == status }
                #expect((responses[String(status)] != nil) == isListed, "\(id) \(status)")
            }

            let requestBody = try operation["requestBody"].map(resolved)
            #expect((requestBody != nil) == (endpoint.body.mediaType != nil), id)
            #expect(operation["x-bodyLimit"]?.number == requestBody.map { _ in Int64(endpoint.bodyLimit) }, id)
            let isShort = endpoint.caller == .operator
            if let requestBody { try compare(endpoint.body, with: requestBody, id, mayBeShort: isShort) }
            try compare(endpoint.reply, with: try resolved(success), id, mayBeShort: isShort)
        }
    }

    @Test func `the OpenAPI file describes the error response that the server sends and devices read`() throws {
        let schema = try #require(document["components"]?["schemas"]?["ErrorResponse"])
        try compare(RecordedSchema(of: WireError.self), with: schema, "ErrorResponse", mayBeShort: false)
    }

    /// Compares a body with its description in the file.
    ///
    /// - Parameter mayBeShort: `true` if the file may leave the properties of an object out, as for some objects that only
    ///   operators receive.
    private func compare(
        _ body: any WireBody.Type, with description: JSONValue, _ id: Comment, mayBeShort: Bool
    ) throws {
        guard let mediaType = body.mediaType, body != FileBody.self else { return }
        let schema = try #require(description["content"]?[mediaType]?["schema"], id)
        guard let type = body as? any Decodable.Type else { return }
        try compare(RecordedSchema(of: type), with: schema, id, mayBeShort: mayBeShort)
    }

    private func compare(
        _ schema: RecordedSchema, with description: JSONValue, _ id: Comment, mayBeShort: Bool
    ) throws {
        let described = try resolved(description)
        // An optional member may be null too.
        let type = described["type"]?.text ?? described["type"]?.list?.first?.text
        switch schema {
        // Texts of a list may be any text in Swift, because the list may become longer.
        case .string: #expect(type == "string" || described["enum"] != nil, id)
        case .integer: #expect(type == "integer", id)
        case .boolean: #expect(type == "boolean", id)
        case .choice(let texts): #expect(Set((described["enum"]?.list ?? []).compactMap(\.text)) == texts, id)
        case .array(let element):
            #expect(type == "array", id)
            try compare(element, with: try #require(described["items"], id), id, mayBeShort: mayBeShort)
        case .map(let element):
            #expect(type == "object", id)
            try compare(
                element, with: try #require(described["additionalProperties"], id), id, mayBeShort: mayBeShort)
        case .object(let properties):
            #expect(type == "object", id)
            guard let inFile = try described["properties"].map({ try members($0) }) else {
                #expect(mayBeShort || properties.isEmpty, "\(id) has no properties")
                return
            }
            #expect(Set(inFile.keys) == Set(properties.keys), id)
            let required = Set((described["required"]?.list ?? []).compactMap(\.text))
            #expect(required == Set(properties.filter(\.value.isRequired).keys), id)
            for (name, property) in properties {
                guard let value = inFile[name] else { continue }
                try compare(property.schema, with: value, "\(id.rawValue) \(name)", mayBeShort: mayBeShort)
            }
        }
    }

    @Test func `schemathesis accepts the OpenAPI file, and refuses a copy with an error`() async throws {
        let script = "import sys, schemathesis; schemathesis.openapi.from_path(sys.argv[1]).validate()"
        let folder = try TemporaryFolder()
        let text = try String(contentsOfFile: Self.file, encoding: .utf8)
        let wrong = try folder.write(text.replacing("in: path", with: "in: trail"), to: "wrong.yaml")
        for (file, isAccepted) in [(Self.file, true), (wrong.path(percentEncoded: false), false)] {
            let result = try PeerTool.pythonWithPeers.run("-c", script, file)
            #expect((result.status == 0) == isAccepted, "\(file): \(result.output.suffix(2_000))")
        }
    }

    @Test func `random requests by schemathesis get only responses that the OpenAPI file describes`() async throws {
        let folder = try TemporaryFolder()
        let package = try ContentPackage(folder: Repository.samplePackages.appending(component: "Rome"))
        let packed = try ContentPacker.pack(package, into: folder.url)
        let result = try await ServedApps.run { configuration, _ in
            configuration.apps[0].content = folder.url
            configuration.limits = .unlimited
        } _: { served in
            let device = try await served.enroll()
            let product = packed.manifest.productIdentifier
            for product in [product, "com.example.voyager.coins50"] {
                try await served.report([served.buy(product)], from: device)
            }
            let script = Repository.file("Scripts/check-app-server").path(percentEncoded: false)
            let arguments = [
                script, "http://127.0.0.1:\(served.client.port)", device.enrollment.token.token, ServedApps.app,
                "coins",
                packed.archive.lastPathComponent,
            ]
            return try PeerTool.shell.run(arguments)
        }
        #expect(result.status == 0, "\(result.output.suffix(8_000))")
        let count = try #require(result.output.firstMatch(of: /(\d+) generated, (\d+) passed/))
        #expect(try #require(Int(count.1)) >= 30)
        print("schemathesis: \(count.0)")
    }

    // MARK: Reading

    private func members(_ value: JSONValue?) throws -> [String: JSONValue] {
        guard case .object(let members) = value else {
            return try #require(nil, "the file has no object where it must")
        }
        return members
    }

    /// Returns the value, or the value to which it refers within the file.
    private func resolved(_ value: JSONValue) throws -> JSONValue {
        guard let reference = value["$ref"]?.text else { return value }
        var found: JSONValue? = document
        for name in reference.split(separator: "/").dropFirst() { found = found?[String(name)] }
        return try #require(found, "\(reference)")
    }
}

extension EndpointSummary {
    /// Method and path as in the OpenAPI file.
    fileprivate var operation: String { "\(method.rawValue) \(path.replacing("...}", with: "}"))" }
}
