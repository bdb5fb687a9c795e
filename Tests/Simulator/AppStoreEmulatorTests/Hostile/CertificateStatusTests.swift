import Foundation
import HTTPTypes
import Testing
import VitrineAppStoreEmulator
import VitrineTestSupport

/// Malformed OCSP requests for the status of the store's certificates.
@Suite(.hangLimit) struct CertificateStatusTests {
    /// OCSP response `malformedRequest` (RFC 6960, section 4.2.1).
    private static let malformed = Data([0x30, 3, 0x0A, 1, 1])

    @Test func `malformed data sent as an OCSP request gets the OCSP response malformedRequest`() async throws {
        try await HostileStore.unharmed { store in
            let questions: [Data] =
                [
                    Data(), Data([0]), Data([0x30]), Data([0x30, 0x80]), Data([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]),
                    Data([0x30, 0]), Data("hello".utf8), Data(repeating: 0x30, count: 10_000),
                    Data((0..<2_000).flatMap { _ in [0x30, 0x82, 0x7F, 0xFF] as [UInt8] }),
                ] + (0..<20).map { Data.random(200, seed: $0) }
            for question in questions {
                let answer = try await store.caller.send(.post, "/ocsp", bytes: question, authorization: "none")
                #expect(answer.status == 200)
                #expect(answer.fields[.contentType] == "application/ocsp-response")
                #expect(answer.body == Self.malformed, "\(question.prefix(8).map { $0 })")
            }
            let paths = [
                "/ocsp", "/ocsp/", "/ocsp/garbage", "/ocsp/%00", "/ocsp/%FF", "/ocsp/a/b/c", "/ocsp/AAAA",
                "/ocsp/%2F%2F",
                "/ocsp/====", "/ocsp/MAA=", "/ocsp/\(String(repeating: "MDA", count: 1_000))", "/ocsp/..", "/ocsp?AAAA",
            ]
            for path in paths {
                let exchange = try await store.raw.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                let answer = try #require(exchange.answers.first)
                let isEncoded = !["/ocsp/%00", "/ocsp/%FF"].contains(path)
                #expect(answer.verdict == (isEncoded ? 200 : 4_000_000), "\(path)")
                if isEncoded { #expect(answer.body == Self.malformed, "\(path)") }
            }
            let large = Data(repeating: 0x30, count: 200_000)
            #expect(try await store.caller.send(.post, "/ocsp", bytes: large).code == 4_000_000)
        }
    }
}
