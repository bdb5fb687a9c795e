import Foundation
import Testing
import VitrineAppServerRecords
import VitrineHostedContent
import VitrineReceipts
import VitrineTestSupport

@testable import VitrineAppServer

/// Conformance of the server to `Documentation/AppServer.openapi.yaml`.
@Suite(
    .blocksThreads, .hangLimit,
    .enabled(if: PeerTool.pythonWithPeers.isInstalled, "Scripts/peers was not run"))
struct OpenAPITests {
    private static let file = Repository.file("Documentation/AppServer.openapi.yaml").path(percentEncoded: false)

    /// Content of the file.
    private let document: JSONValue

    init() async throws {
        let script = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)"
        let result = try PeerTool.pythonWithPeers.run("-c", script, Self.file)
        try #require(result.status == 0)
        document = try JSONValue(json: Data(result.output.utf8))
    }

    @Test func `the OpenAPI file describes exactly the operations and path parameters of the server`() async throws {
        let services = try await RouteTester().services
        let names = (buildRouter(services).names + buildOperatorRouter(services).names).map {
            $0.replacing("...}", with: "}")
        }
        var described: Set<String> = []
        for (path, item) in try members(document["paths"]) {
            for (method, operation) in try members(item) {
                let name = "\(method.uppercased()) \(path)"
                if method != "head" { described.insert(name) }
                let parameters = try (operation["parameters"]?.list ?? []).map(resolved)
                let inPath = parameters.filter { $0["in"]?.text == "path" }.compactMap { $0["name"]?.text }
                let segments = path.split(separator: "/").filter { $0.hasPrefix("{") }
                #expect(inPath == segments.map { String($0.dropFirst().dropLast()) }, "\(name)")
            }
        }
        #expect(described == Set(names))
    }

    @Test func `the OpenAPI file declares the authentication scheme and the error responses of each operation`() throws
    {
        for (path, item) in try members(document["paths"]) {
            for (method, operation) in try members(item) {
                let schemes = try (operation["security"]?.list ?? []).flatMap { try members($0).keys }
                let expected: [String]
                if path.hasPrefix("/v1/admin/") {
                    expected = ["operator"]
                } else if path.hasPrefix("/v1/me/") || path.contains("/content/") || path == "/v1/devices/me"
                    || path == "/v1/devices/me/account"
                {
                    expected = ["device"]
                } else {
                    expected = []
                }
                #expect(schemes == expected, "\(method) \(path)")
                let statuses = try Set(members(operation["responses"]).keys)
                #expect(statuses.contains("4XX"), "\(method) \(path)")
                let isWrite = expected == ["device"] && !["get", "head"].contains(method)
                if isWrite { #expect(statuses.isSuperset(of: ["429", "503"]), "\(method) \(path)") }
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
