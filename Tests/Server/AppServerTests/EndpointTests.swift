import Foundation
import HTTPTypes
import Testing
import VitrineAppServerAPI
import VitrineTestSupport

@testable import VitrineAppServer
@testable import VitrineDeviceExchange

/// Descriptions of the endpoints, from which the routes and the requests are made.
struct EndpointTests {
    /// Names of the endpoints that the library requests; the other ones serve files and the store.
    @Test func `the library makes requests to each endpoint that is for devices`() async throws {
        let services = try await RouteTester().services
        let endpoints = buildRouter(services).endpoints.map(\.endpoint)
        let folder = Repository.file("Sources/App/Vitrine/Server")
        let sources = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
            // A name in a comment is no request.
            .map { try String(contentsOf: $0, encoding: .utf8).replacing(/\/\/.*/, with: "") }.joined()
        let enrolling = ["challenge", "enroll", "renewToken", "key"]
        let names = endpoints.filter { $0.caller == .device }.map(\.name) + enrolling
        #expect(names.count > 15)
        for name in names {
            #expect(
                sources.firstMatch(of: try Regex("AppServerAPI\\.\(name)\\b")) != nil, "\(name) has no caller")
        }
    }

    @Test(arguments: RouteRefusalTests.refusals)
    func `the error of a refused request is one that its endpoint declares, or that any request may have`(
        _ refusal: RouteRefusalTests.Refusal
    ) async throws {
        let routes = buildRouter(try await RouteTester().services)
        let method = try #require(HTTPRequest.Method(refusal.method))
        let code = try #require(WireErrorCode(rawValue: refusal.code))
        #expect(routes.mayAnswer(method, refusal.path, with: code))
        // The check finds an error that is not declared.
        #expect(!routes.mayAnswer(.get, "/v1/me/devices", with: .conflict))
    }

    @Test func `the names and the addresses of the endpoints are unique`() async throws {
        let services = try await RouteTester().services
        let own = buildRouter(services).endpoints.map(\.endpoint)
        #expect(Set(own.map(\.name)).count == own.count)
        #expect(Set(own.map { "\($0.method) \($0.path)" }).count == own.count)
    }

    @Test func `documents that devices publish fit twice into a request, and all that they read into a reply`() {
        #expect(AppServerAPI.storeDocument.bodyLimit == 2 * DeviceDocument.publishedSize)
        #expect(AppServerAPI.document.replyLimit > DeviceDocument.sizeLimit)
    }

    struct Path: Sendable, CustomTestStringConvertible {
        let pattern: String
        let parameters: [String]
        let segments: [String]

        var testDescription: String { pattern }
    }

    @Test(arguments: [
        Path(pattern: "/v1/key", parameters: [], segments: ["v1", "key"]),
        Path(pattern: "/v1/{a}/b", parameters: ["x/y"], segments: ["v1", "x/y", "b"]),
        Path(pattern: "/{a}/c/{path...}", parameters: ["x", "y", "z"], segments: ["x", "c", "y", "z"]),
        Path(pattern: "/c/{path...}", parameters: [], segments: ["c"]),
    ])
    func `the segments of a path are those of its pattern with the values of the parameters`(_ path: Path) {
        let endpoint = Endpoint<NoBody, NoBody>("test", .get, path.pattern)
        #expect(endpoint.segments(path.parameters) == path.segments)
    }
}
