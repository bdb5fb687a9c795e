import Crypto
import Foundation
import Synchronization
import VitrineTestSupport

/// Real server with the routes of the app's own server that devices use. It stores documents and resolves conflicts
/// between devices, but does not read the documents.
final class SampleServer: Sendable {
    struct State {
        var devices: [String: Device] = [:]
        /// Device identifiers by token.
        var tokens: [String: String] = [:]
        var documents: [String: [String: Data]] = [:]
        var locks: [String: String] = [:]
        var customerState = Data("{}".utf8)
        /// Verdicts on signed data. Signed data without a verdict is `accepted`.
        var verdicts: [String: String] = [:]
        /// Events of the stream of changes, after which it ends; `nil` if the server has no such stream.
        var events: String?
        /// Files of content by their addresses' paths. They are sent once signed data was reported.
        var files: [String: Data] = [:]
        var isReported = false
        var number = 0
        /// Answers to the next requests, in order; `nil` for the normal answer.
        var instead: [@Sendable (LoopbackServer.Request) -> LoopbackServer.Answer?] = []

        /// Highest number of each kind of object.
        var last: [String: Int] = [:]

        mutating func next(_ name: String) -> String {
            number += 1
            last[name] = number
            return "\(name)-\(number)"
        }
    }

    private struct ListedDevice: Encodable {
        let id: String
        let name = "a device"
        let created: Int64 = 1_000
        let seen: Int64 = 2_000
    }

    struct Device {
        let id: String
        let publicKey: Data
        var customer: UUID
    }

    private let state = Mutex(State())
    private let server: LoopbackServer
    let signingKey = Curve25519.Signing.PrivateKey()

    init() async throws {
        let answer = Mutex<@Sendable (LoopbackServer.Request) -> LoopbackServer.Answer>({ _ in .reply(500) })
        server = try await LoopbackServer { request in answer.withLock { $0 }(request) }
        answer.withLock { $0 = { [weak self] request in self?.answer(request) ?? .reply(500) } }
    }

    var url: URL { server.url }

    /// Methods and paths of all requests, without the variable parts of the paths.
    var requests: [String] {
        server.requests.map { request in
            let isDocument = request.path.hasPrefix("/v1/me/documents/")
            return "\(request.method) \(isDocument ? "/v1/me/documents/{name}" : request.path)"
        }
    }

    var received: [LoopbackServer.Request] { server.requests }

    func change(_ change: (inout sending State) -> Void) { state.withLock { change(&$0) } }

    func value<Value: Sendable>(_ path: any KeyPath<State, Value> & Sendable) -> Value {
        state.withLock { $0[keyPath: path] }
    }

    /// Returns the number of the latest object of a kind.
    func number(of name: String) -> Int { state.withLock { $0.last[name] ?? 0 } }

    /// Sets the answer to the next request with a method and a path.
    func answerNext(_ method: String, _ path: String, _ answer: LoopbackServer.Answer) {
        change { $0.instead.append { $0.method == method && $0.path.hasPrefix(path) ? answer : nil } }
    }

    /// Makes all tokens invalid.
    func endTokens() { change { $0.tokens = [:] } }

    /// Assigns all devices to a new customer, as a merge does.
    func merge() {
        change { state in
            let customer = UUID()
            for id in state.devices.keys { state.devices[id]?.customer = customer }
            state.tokens = [:]
        }
    }

    // MARK: Answers

    private func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
        state.withLock { state in
            for (index, instead) in state.instead.enumerated() {
                guard let answer = instead(request) else { continue }
                state.instead.remove(at: index)
                return answer
            }
            let path = request.path.split(separator: "/").map(String.init)
            switch (request.method, path.dropFirst().joined(separator: "/")) {
            case ("GET", "challenge"): return .json("{\"challenge\":\"c\(state.next("challenge"))\"}")
            case ("POST", "devices"): return enroll(request, &state)
            case ("POST", "devices/me/token"): return renew(request, &state)
            default: break
            }
            guard let token = request.headers["authorization"]?.dropFirst("Bearer ".count),
                let device = state.tokens[String(token)].flatMap({ state.devices[$0] })
            else { return Self.errorResponse(401, "unauthenticated", "The token is not valid.") }
            return answer(request, path, device, &state)
        }
    }

    private func answer(
        _ request: LoopbackServer.Request, _ path: [String], _ device: Device, _ state: inout State
    ) -> LoopbackServer.Answer {
        let customer = device.customer.uuidString
        switch (request.method, path.dropFirst().joined(separator: "/")) {
        case ("GET", "me/documents"):
            return Self.json(["names": (state.documents[customer] ?? [:]).keys.sorted()])
        case ("POST", "me/exchange-lock"):
            guard state.locks[customer] == nil else {
                return Self.errorResponse(409, "conflict", "Another device decides.")
            }
            let id = state.next("lock")
            state.locks[customer] = id
            return .json("{\"lock\":\"\(id)\"}", status: 201)
        case ("DELETE", "me/exchange-lock"):
            if state.locks[customer] == request.headers["vitrine-exchange-lock"] { state.locks[customer] = nil }
            return .reply(204)
        case ("POST", "me/signed"):
            struct Body: Decodable {
                let signed: [String]
            }
            guard let body = try? JSONDecoder().decode(Body.self, from: request.body) else {
                return Self.errorResponse(400, "invalid", "The body is not what it must be.")
            }
            state.isReported = true
            return Self.json(["results": body.signed.map { ["result": state.verdicts[$0] ?? "accepted"] }])
        case ("GET", "me/state"): return customerState(request, state)
        case ("GET", "me/devices"): return Self.json(["devices": state.devices.keys.sorted().map(ListedDevice.init)])
        case ("POST", _) where path.count == 5 && path[1...2] == ["me", "devices"] && path[4] == "removal":
            return remove(request, path[3], device, &state)
        case ("GET", "me/events"):
            guard let events = state.events else { return Self.errorResponse(404, "not-found", "There is no stream.") }
            return .reply(headers: ["Content-Type": "text/event-stream"], body: Data(events.utf8))
        case ("GET", _) where path[1] == "apps":
            guard let file = state.files[request.path] else {
                return Self.errorResponse(404, "not-found", "There is no such file.")
            }
            return state.isReported ? .reply(body: file) : Self.errorResponse(403, "not-owned", "It is not owned.")
        case ("DELETE", "devices/me/account"):
            state.devices[device.id]?.customer = UUID()
            return enrollment(of: device.id, &state)
        case ("DELETE", "devices/me"):
            state.devices[device.id] = nil
            return .reply(204)
        default: break
        }
        guard path.count == 4, path[1] == "me", path[2] == "documents", let name = path[3].removingPercentEncoding
        else { return Self.errorResponse(404, "not-found", "There is no such address.") }
        if request.method == "PUT" {
            if let lock = request.headers["vitrine-exchange-lock"], lock != state.locks[customer] {
                return Self.errorResponse(409, "conflict", "The decision has ended.")
            }
            state.documents[customer, default: [:]][name] = request.body
            return .reply(204)
        }
        guard let document = state.documents[customer]?[name] else {
            return Self.errorResponse(404, "not-found", "There is no such document.")
        }
        return .reply(headers: ["Content-Type": "application/octet-stream"], body: document)
    }

    private func customerState(_ request: LoopbackServer.Request, _ state: State) -> LoopbackServer.Answer {
        let tag = "\"\(SHA256.hash(data: state.customerState).prefix(4).map { "\($0)" }.joined())\""
        var headers = ["ETag": tag]
        if let nonce = request.headers["vitrine-nonce"] {
            let text = Data("vitrine-customer-state\n\(nonce)\n".utf8) + state.customerState
            headers["Vitrine-Signature"] = (try? signingKey.signature(for: text))?.base64EncodedString()
        }
        if request.headers["if-none-match"] == tag { return .reply(304, headers: headers) }
        return .reply(headers: headers, body: state.customerState)
    }

    // MARK: Devices

    private func enroll(_ request: LoopbackServer.Request, _ state: inout State) -> LoopbackServer.Answer {
        struct Body: Decodable {
            let app: String
            let publicKey: Data
            let challenge: String
            let signature: Data
            let name: String
            let appTransaction: String?
            let deviceVerificationID: UUID?
            let accountToken: String?
            let invitation: String?

            var covered: [String?] {
                [name, appTransaction, deviceVerificationID?.uuidString.lowercased(), accountToken, invitation]
            }
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: request.body),
            Self.isSigned(body.signature, "enroll \(body.app)", body.challenge, body.covered, by: body.publicKey)
        else { return Self.errorResponse(401, "unauthenticated", "The challenge is not signed with the device's key.") }
        if let invitation = body.invitation {
            let parts = invitation.split(separator: ".")
            guard parts.count == 3, let key = state.devices[String(parts[0])]?.publicKey,
                let signature = Data(base64Encoded: String(parts[2])),
                Self.isSigned(signature, "invite \(parts[0])", String(parts[1]), by: key)
            else { return Self.errorResponse(401, "unauthenticated", "No device has signed the invitation.") }
            state.last["invitation", default: 0] += 1
        }
        let known = state.devices.values.first { $0.publicKey == body.publicKey }
        let id = known?.id ?? state.next("enrolled")
        // Each account token is one of another account.
        let customer =
            body.accountToken == nil ? known?.customer ?? state.devices.values.first?.customer ?? UUID() : UUID()
        state.devices[id] = Device(id: id, publicKey: body.publicKey, customer: customer)
        return enrollment(of: id, &state, status: 201)
    }

    private func renew(_ request: LoopbackServer.Request, _ state: inout State) -> LoopbackServer.Answer {
        struct Body: Decodable {
            let device: String
            let challenge: String
            let signature: Data
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: request.body),
            let key = state.devices[body.device]?.publicKey,
            Self.isSigned(body.signature, "token \(body.device)", body.challenge, by: key)
        else { return Self.errorResponse(401, "unauthenticated", "There is no such device.") }
        return enrollment(of: body.device, &state)
    }

    private func enrollment(of id: String, _ state: inout State, status: Int = 200) -> LoopbackServer.Answer {
        guard let customer = state.devices[id]?.customer else { return .reply(500) }
        let token = state.next("token")
        // A device has one token.
        state.tokens = state.tokens.filter { $0.value != id }
        state.tokens[token] = id
        let key = Data(SHA256.hash(data: Data(customer.uuidString.utf8))).base64EncodedString()
        return .json(
            """
            {"device":"\(id)","customer":"\(customer.uuidString.lowercased())","key":"\(key)",\
            "token":{"token":"\(token)","expires":1}}
            """, status: status)
    }

    private func remove(
        _ request: LoopbackServer.Request, _ id: String, _ device: Device, _ state: inout State
    ) -> LoopbackServer.Answer {
        struct Body: Decodable {
            let challenge: String
            let signature: Data
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: request.body),
            Self.isSigned(body.signature, "remove \(id)", body.challenge, by: device.publicKey)
        else { return Self.errorResponse(401, "unauthenticated", "The challenge is not signed with the device's key.") }
        guard state.devices.removeValue(forKey: id) != nil else {
            return Self.errorResponse(404, "not-found", "There is no such device.")
        }
        return .reply(204)
    }

    private static func isSigned(
        _ signature: Data, _ purpose: String, _ challenge: String, _ covered: [String?] = [], by key: Data
    ) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: key),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
        else { return false }
        let digests = covered.map { value in
            value.map { SHA256.hash(data: Data($0.utf8)).map { String(format: "%02x", $0) }.joined() } ?? ""
        }
        let message = (["vitrine-device", purpose, challenge] + digests).joined(separator: "\n")
        return key.isValidSignature(signature, for: Data(message.utf8))
    }

    private static func json(_ value: some Encodable) -> LoopbackServer.Answer {
        .reply(headers: ["Content-Type": "application/json"], body: (try? JSONEncoder().encode(value)) ?? Data())
    }

    static func errorResponse(
        _ status: Int, _ code: String, _ message: String, headers: [String: String] = [:]
    ) -> LoopbackServer.Answer {
        .reply(
            status, headers: headers,
            body: Data("{\"code\":\"\(code)\",\"message\":\"\(message)\",\"retryable\":false}".utf8))
    }
}
