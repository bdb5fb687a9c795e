import Foundation
import Testing
import VitrineDeviceExchange
import VitrineTestSupport

@testable import Vitrine

/// Contract of each exchange place.
@Suite(.hangLimit) struct ExchangeTransportContractTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case folder, server

        var testDescription: String { rawValue }
    }

    /// Two devices of a customer that share an exchange place.
    private final class Scene {
        let folder: TemporaryFolder
        let server: SampleServer
        let first: any ExchangeTransport
        let second: any ExchangeTransport

        init(_ kind: Kind) async throws {
            folder = try TemporaryFolder()
            server = try await SampleServer()
            switch kind {
            case .folder:
                try FileManager.default.createDirectory(at: folder["Shared"], withIntermediateDirectories: true)
                (first, second) = (ExchangeFolder(url: folder["Shared"]), ExchangeFolder(url: folder["Shared"]))
            case .server:
                first = try await Self.transport(server, folder["first.json"])
                second = try await Self.transport(server, folder["second.json"])
            }
        }

        private static func transport(_ server: SampleServer, _ file: URL) async throws -> ServerTransport {
            let options = ManagerOptions.Server(url: server.url, app: "com.example.voyager")
            let session = ServerSession(
                client: ServerClient(options: options, now: { Date() }), storage: CredentialFile(url: file),
                gate: CredentialGate(), storeEvidence: { StoreEvidence() })
            return ServerTransport(session, customer: try await session.ready().customer)
        }
    }

    private static let name = "device-0001.1-3.0123456789abcdef.facts"

    @Test(arguments: Kind.allCases) func `a document that one device stores is read by another device byte for byte`(
        _ kind: Kind
    ) async throws {
        let scene = try await Scene(kind)
        #expect(try await scene.first.names().isEmpty)
        let document = Data.random(100_000) + [0, 10, 13, 255]
        try await scene.first.store(document, named: Self.name)
        #expect(try await scene.second.names() == [Self.name])
        #expect(try await scene.second.document(named: Self.name) == document)
    }

    @Test(arguments: Kind.allCases) func `storing a document again does not create a second document`(
        _ kind: Kind
    ) async throws {
        let scene = try await Scene(kind)
        for transport in [scene.first, scene.first, scene.second] {
            try await transport.store(Data("facts".utf8), named: Self.name)
        }
        #expect(try await scene.first.names() == [Self.name])
    }

    @Test(arguments: Kind.allCases) func `reading a missing document returns nil`(_ kind: Kind) async throws {
        let scene = try await Scene(kind)
        #expect(try await scene.first.document(named: Self.name) == nil)
    }

    @Test(arguments: Kind.allCases)
    func `a document whose name has spaces and special characters is stored and read under that name`(_ kind: Kind)
        async throws
    {
        let scene = try await Scene(kind)
        let name = "device-0001.1-3.0123456789abcdef (Ada's copy ä #2?).facts"
        try await scene.first.store(Data("facts".utf8), named: name)
        #expect(try await scene.second.names() == [name])
        #expect(try await scene.second.document(named: name) == Data("facts".utf8))
    }

    @Test(arguments: Kind.allCases)
    func `while one device has exclusive access to the exchange another device is refused, and admitted afterwards`(
        _ kind: Kind
    ) async throws {
        let scene = try await Scene(kind)
        let (first, second) = (scene.first, scene.second)
        try await first.exclusively { () async throws(ExchangeError) -> Void in
            try await first.store(Data("lease".utf8), named: Self.name)
            do throws(ExchangeError) {
                try await second.exclusively { () async throws(ExchangeError) -> Void in
                    Issue.record("two devices decide")
                }
                Issue.record("the other device is not refused")
            } catch {
                #expect(error.code == .busy)
            }
        }
        let number = try await second.exclusively { () async throws(ExchangeError) in 7 }
        #expect(number == 7)
    }

    @Test(arguments: Kind.allCases) func `exclusive access to the exchange ends when the operation that holds it fails`(
        _ kind: Kind
    ) async throws {
        let scene = try await Scene(kind)
        let (first, second) = (scene.first, scene.second)
        let error = await #expect(throws: ExchangeError.self) {
            try await first.exclusively { () async throws(ExchangeError) -> Void in
                throw ExchangeError(code: .insufficientFunds, reason: "too few")
            }
        }
        #expect(error?.code == .insufficientFunds)
        try await second.exclusively { () async throws(ExchangeError) in }
    }
}
