import Foundation
import HTTPTypes
import Testing
import VitrineAppStoreEmulator
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Tokens with which a server authorizes its requests.
@Suite(.hangLimit) struct AuthorizationTests {
    private static let path = "/inApps/v1/notifications/test/00000000-0000-4000-8000-000000000000"
    /// Answer to a request with a valid token.
    private static let accepted = 4_040_008

    private typealias Case = (id: String, field: String, expected: Int)

    /// Returns header fields with tokens whose claims are valid or invalid.
    private static func claims(_ forge: TokenForge) throws -> [Case] {
        let exact: [(String, Int64?, Int)] = [
            ("exp in five minutes", forge.seconds(300), accepted), ("exp in an hour", forge.seconds(3_600), accepted),
            ("exp later", forge.seconds(3_720), 401), ("exp in a year", forge.seconds(31_536_000), 401),
            ("exp in the past", forge.seconds(-1), 401), ("exp now", forge.seconds(0), 401), ("no exp", nil, 401),
            ("a negative exp", -1, 401), ("exp at the end of time", .max, 401),
        ]
        let bundle = ServedStore.bundle
        let changes: [(id: String, claims: [String: JSONValue?], expected: Int)] = [
            ("nothing changed", [:], accepted),
            ("iat now", ["iat": .integer(forge.seconds(0))], accepted),
            ("iat a minute ahead", ["iat": .integer(forge.seconds(60))], accepted),
            ("other claims", ["nonce": .string("7"), "scope": .array([.string("GET /inApps")])], accepted),
            ("exp as a word", ["exp": .string(String(forge.seconds(300)))], 401),
            ("no iss", ["iss": nil as JSONValue?], 401),
            ("another iss", ["iss": .string("00000000-0000-4000-8000-000000000000")], 401),
            ("iss in upper case", ["iss": .string(forge.key.issuer.uppercased())], 401),
            ("iss as a number", ["iss": .integer(7)], 401),
            ("no aud", ["aud": nil as JSONValue?], 401),
            ("another aud", ["aud": .string("appstoreconnect-v2")], 401),
            ("aud as a list", ["aud": .array([.string("appstoreconnect-v1")])], 401),
            ("no bid", ["bid": nil as JSONValue?], 4_040_003),
            ("another bid", ["bid": .string("com.example.other")], 4_040_003),
            ("bid in upper case", ["bid": .string(bundle.uppercased())], 4_040_003),
            ("bid with a blank", ["bid": .string(bundle + " ")], 4_040_003),
            ("another bid and aud", ["bid": .string("com.example.other"), "aud": .string("x")], 401),
        ]
        return try exact.map { ($0.0, "Bearer \(try forge.token(["exp": $0.1.map { .integer($0) }]))", $0.2) }
            + changes.map { ($0.id, "Bearer \(try forge.token($0.claims))", $0.expected) }
    }

    /// Returns header fields with tokens whose header or signature is invalid.
    private static func signatures(_ forge: TokenForge, _ other: AppStoreServerKey) throws -> [Case] {
        let foreign = TokenForge(key: other, date: forge.date)
        let (good, another) = (try forge.token(), try forge.token(["nonce": .string("1")]))
        let (parts, others) = (good.split(separator: "."), another.split(separator: "."))
        let unsigned = "\(TokenForge.encoded(Data(#"{"alg":"none"}"#.utf8))).\(parts[1])."
        let claims = try JSONEncoder().encode(forge.claims)
        return [
            ("typ is not sent", "Bearer \(try forge.token(header: ["typ": nil as JSONValue?]))", accepted),
            ("alg none", "Bearer \(unsigned)", 401),
            ("alg HS256", "Bearer \(try forge.token(header: ["alg": .string("HS256")]))", 401),
            ("alg ES384", "Bearer \(try forge.token(header: ["alg": .string("ES384")]))", 401),
            ("alg in lower case", "Bearer \(try forge.token(header: ["alg": .string("es256")]))", 401),
            ("no alg", "Bearer \(try forge.token(header: ["alg": nil as JSONValue?]))", 401),
            ("no kid", "Bearer \(try forge.token(header: ["kid": nil as JSONValue?]))", 401),
            ("an unknown kid", "Bearer \(try forge.token(header: ["kid": .string("AAAAAAAAAA")]))", 401),
            (
                "kid in lower case",
                "Bearer \(try forge.token(header: ["kid": .string(forge.key.identifier.lowercased())]))", 401
            ),
            ("another key under the same kid", "Bearer \(try forge.token(signer: other))", 401),
            ("another key under its own kid", "Bearer \(try foreign.token(["iss": .string(forge.key.issuer)]))", 401),
            ("the claims of another token", "Bearer \(parts[0]).\(others[1]).\(parts[2])", 401),
            ("the signature of another token", "Bearer \(parts[0]).\(parts[1]).\(others[2])", 401),
            ("no signature", "Bearer \(parts[0]).\(parts[1]).", 401),
            ("no third part", "Bearer \(parts[0]).\(parts[1])", 401),
            ("four parts", "Bearer \(good).\(parts[2])", 401),
            (
                "a claims set that is no object",
                "Bearer \(try forge.sign(JSONEncoder().encode(forge.header), Data("[]".utf8), with: forge.key))", 401
            ),
            ("a header that is no object", "Bearer \(try forge.sign(Data("7".utf8), claims, with: forge.key))", 401),
            (
                "claims twice",
                "Bearer \(try forge.sign(JSONEncoder().encode(forge.header), claims + claims, with: forge.key))", 401
            ),
        ]
    }

    /// Returns header fields with a valid token in different notations.
    private static func fields(_ good: String) -> [Case] {
        [
            ("as clients write it", "Bearer \(good)", accepted), ("lower case", "bearer \(good)", accepted),
            ("upper case", "BEARER \(good)", accepted), ("no scheme", good, 401), ("no blank", "Bearer\(good)", 401),
            ("two blanks", "Bearer  \(good)", 401), ("the scheme alone", "Bearer", 401), ("a word", "Bearer x", 401),
            ("dots", "Bearer ..", 401), ("another scheme", "Basic \(good)", 401), ("a digest", "Digest \(good)", 401),
            ("padding", "Bearer \(good)=", 401), ("a comma", "Bearer \(good), Bearer \(good)", 401),
            ("something before it", "x Bearer \(good)", 401), ("quotes", "Bearer \"\(good)\"", 401),
            ("a long one", "Bearer \(good)\(String(repeating: "A", count: 8_192))", 401),
        ]
    }

    @Test
    func `a valid token is accepted, a wrong bundle ID gets 404, and other invalid tokens get Apple's 401 response`()
        async throws
    {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let forge = TokenForge(key: served.key, date: Date())
            let other = try await ServedStore.club(seed: 9).addServerKey()
            let cases = try Self.claims(forge) + Self.signatures(forge, other) + Self.fields(forge.token())
            for entry in cases {
                let answer = try await caller.send(.get, Self.path, authorization: entry.field)
                #expect(answer.verdict == entry.expected, "\(entry.id)")
                guard entry.expected == 401 else { continue }
                #expect(answer.fields[.contentType] == "text/plain", "\(entry.id)")
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(
                    text.wholeMatch(of: /Unauthenticated\n\nRequest ID: [A-Z0-9]{26}\.0\.0\n/) != nil, "\(entry.id)")
            }
            let bare = try await caller.send(.get, Self.path, authorization: "")
            #expect(bare.status == 401)
            #expect(try await caller.send(.get, Self.path).verdict == Self.accepted)
        }
    }

    @Test func `key identifiers of authorization tokens are compared byte by byte`() async throws {
        try await ServedStore.run { served in
            var key = served.key
            while !key.identifier.contains("K") { key = try await served.store.addServerKey() }
            // The Kelvin sign is canonically equivalent to the letter K.
            let alike = key.identifier.replacing("K", with: "\u{212A}")
            let forge = TokenForge(key: key, date: Date())
            #expect(alike == key.identifier)
            let caller = try APICaller(served)
            let token = try forge.token(header: ["kid": .string(alike)])
            #expect(try await caller.send(.get, Self.path, authorization: "Bearer \(token)").status == 401)
            let good = try forge.token()
            #expect(try await caller.send(.get, Self.path, authorization: "Bearer \(good)").verdict == Self.accepted)
        }
    }

    @Test func `the dates of an authorization token are checked against the machine's clock, not the store's clock`()
        async throws
    {
        try await ServedStore.run { served in
            try await served.store.advance(by: 365 * .days)
            let caller = try APICaller(served)
            let ahead = TokenForge(key: served.key, date: served.store.clock.now)
            #expect(try await caller.send(.get, Self.path).verdict == Self.accepted)
            #expect(try await caller.send(.get, Self.path, authorization: "Bearer \(ahead.token())").status == 401)
        }
    }

    @Test func `an accepted authorization token is refused from its expiration date on`() async throws {
        let clock = TestClock()
        var options = AppStoreEmulatorOptions()
        options.now = { clock.now }
        try await ServedStore.run(options: options) { served in
            let caller = try APICaller(served)
            let forge = TokenForge(key: served.key, date: clock.now)
            let (token, foreign) = (try forge.token(), try forge.token(["bid": .string("com.example.other")]))
            func ask(_ token: String) async throws -> Int {
                try await caller.send(.get, Self.path, authorization: "Bearer \(token)").verdict
            }
            for _ in 0..<2 { #expect(try await ask(token) == Self.accepted) }
            for _ in 0..<2 { #expect(try await ask(foreign) == 4_040_003) }
            clock.advance(by: 299)
            #expect(try await ask(token) == Self.accepted)
            #expect(try await ask(foreign) == 4_040_003)
            clock.advance(by: 1)
            #expect(try await ask(token) == 401)
            #expect(try await ask(foreign) == 401)
            let later = TokenForge(key: served.key, date: clock.now)
            #expect(try await ask(later.token()) == Self.accepted)
        }
    }

    @Test func `all keys of a store are accepted, and the key of another store with the same seed is refused`()
        async throws
    {
        let twin = try await ServedStore.club().addServerKey()
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let second = try await served.store.addServerKey()
            #expect((twin.identifier, twin.issuer) == (served.key.identifier, served.key.issuer))
            #expect(second.identifier != served.key.identifier)
            for (key, expected) in [(served.key, Self.accepted), (second, Self.accepted), (twin, 401)] {
                let token = try TokenForge(key: key, date: Date()).token()
                #expect(try await caller.send(.get, Self.path, authorization: "Bearer \(token)").verdict == expected)
            }
        }
    }

    @Test func `the client reports a refused token and a refused app as different errors`() async throws {
        try await ServedStore.run { served in
            let id = try await served.buy("club.silver")[0]
            let other = try await ServedStore.club(seed: 9).addServerKey()
            let strangers = AppStoreServerClient(
                server: .other(served.url), key: other, bundleIdentifier: ServedStore.bundle, timeout: 600)
            let unauthorized = await #expect(throws: AppStoreServerError.self) {
                try await strangers.subscriptionStatuses(of: id)
            }
            #expect((unauthorized?.code, unauthorized?.context?.status) == (.unauthorized, 401))
            let foreign = AppStoreServerClient(
                server: .other(served.url), key: served.key, bundleIdentifier: "com.example.other", timeout: 600)
            let refused = await #expect(throws: AppStoreServerError.self) {
                try await foreign.subscriptionStatuses(of: id)
            }
            #expect((refused?.code, refused?.context?.code) == (.refused, .appNotFound))
        }
    }
}
