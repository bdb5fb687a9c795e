import Foundation
import Testing
import VitrineTestSupport

@testable import Vitrine

/// Concurrent requests that need credentials of the device.
@Suite(.hangLimit) struct CredentialGateTests: ServerScene {
    let stage: ServerStage

    init() async throws { stage = try await ServerStage() }

    private func requestStates(_ phone: CatalogManager) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await phone.server.customerState() } }
            try await group.waitForAll()
        }
    }

    private func count(_ request: String) -> Int { server.requests.count { $0 == request } }

    @Test func `concurrent first requests of a device enroll it once`() async throws {
        let phone = try await makeDevice("phone")
        try await requestStates(phone)
        #expect(count("POST /v1/devices") == 1)
        #expect(server.value(\.devices).count == 1)
        #expect(try credentials("phone")?.enrollment?.device == server.value(\.devices).keys.first)
    }

    @Test func `concurrent requests whose token has ended renew it once, and all succeed`() async throws {
        let phone = try await makeDevice("phone")
        try await phone.server.enroll()
        server.endTokens()
        try await requestStates(phone)
        #expect(count("POST /v1/devices/me/token") == 1)
    }

    @Test func `a request whose renewed token another process has replaced is sent with the newer token`() async throws
    {
        let phone = try await makeDevice("phone")
        try await phone.server.enroll()
        server.answerNext("GET", "/v1/me/state", SampleServer.errorResponse(401, "unauthenticated", "No."))
        let file = CredentialFile(url: home("phone").credentials)
        server.change { state in
            state.instead.append { request in
                guard request.method == "GET", request.path == "/v1/me/state" else { return nil }
                var credentials = try? file.credentials()
                credentials?.enrollment?.token = "newer"
                if let credentials { try? file.store(credentials) }
                return SampleServer.errorResponse(401, "unauthenticated", "No.")
            }
        }
        server.change { state in
            state.instead.append { $0.headers["authorization"] == "Bearer newer" ? .json("{}") : nil }
        }
        _ = try await phone.server.customerState()
        #expect(count("POST /v1/devices/me/token") == 1)
        #expect(server.received.last?.headers["authorization"] == "Bearer newer")
    }

    @Test func `a canceled request does not wait for another request that enrolls the device`() async throws {
        let gate = CredentialGate()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (end, isEnd) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await gate.run { () async throws(AppServerError) in
                begin.yield()
                for await _ in end {}
            }
        }
        _ = await begun.first { _ in true }
        let calls = Recorder<String>()
        let second = Task {
            try await gate.run { () async throws(AppServerError) in calls.record("canceled") }
        }
        second.cancel()
        let error = await #expect(throws: AppServerError.self) { try await second.value }
        #expect(error?.code == .connection)
        // The next one still waits for the first.
        let third = Task {
            try await gate.run { () async throws(AppServerError) in calls.record("third") }
        }
        calls.record("end")
        isEnd.finish()
        try await first.value
        try await third.value
        #expect(calls.values == ["end", "third"])
    }

    @Test func `a request that is refused while the device leaves does not enroll the device again`() async throws {
        let phone = try await makeDevice("phone")
        try await phone.server.enroll()
        let file = CredentialFile(url: home("phone").credentials)
        server.change { state in
            state.instead.append { request in
                guard request.path == "/v1/me/state" else { return nil }
                try? file.remove()
                return SampleServer.errorResponse(401, "unauthenticated", "No.")
            }
        }
        let error = await #expect(throws: AppServerError.self) { try await phone.server.customerState() }
        #expect(error?.code == .unauthenticated)
        #expect(count("POST /v1/devices") == 1)
    }
}
