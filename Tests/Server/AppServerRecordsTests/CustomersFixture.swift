import Crypto
import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Records of the customers of the sample app, in a database in memory unless a test gives another one.
struct CustomersFixture: Sendable {
    let records: CustomerRecords
    let app: SignedApp
    let clock: TestClock
    let login = AppLogin()

    static let name = "com.example.voyager"

    init(
        app: SignedApp? = nil, database: (any CustomerDatabase)? = nil, seed: UInt64 = 1,
        publishing catalog: Data? = nil, documentFacts: Int? = nil, change: (inout ServedApp) -> Void = { _ in }
    ) async throws {
        let (app, clock) = (try app ?? SignedApp(), TestClock(.sample))
        self.app = app
        self.clock = clock
        var served = ServedApp(
            name: Self.name, bundleIdentifier: SignedApp.bundleIdentifier, environment: SignedApp.environment,
            verifier: try app.verifier { clock.now })
        served.accountKeys = [AppLogin.name: .es256(login.publicKey.x963Representation)]
        change(&served)
        var options = CustomerOptions()
        options.now = { clock.now }
        let random = RandomBytes(seed: seed)
        options.randomBytes = { random.next($0) }
        if let documentFacts { options.mostDocumentFacts = documentFacts }
        records = try await CustomerRecords(
            database: try database ?? SQLiteCustomerDatabase.inMemory(), apps: [served], options: options)
        try await replaceCatalog(try catalog ?? Data(contentsOf: Repository.sample("Voyager.plist")))
    }

    /// Publishes a catalog in place of the present one.
    func replaceCatalog(_ catalog: Data) async throws {
        let earlier = try await records.catalogFile(CustomerRecords.catalogFile, app: Self.name)?.content
        try await records.publish([CustomerRecords.catalogFile: catalog], after: earlier, app: Self.name)
    }

    /// Device with a key of its own.
    struct Device: Sendable {
        var key = P256.Signing.PrivateKey()
        var name = "phone"
        /// Identifier to which the store binds what it signs for the device.
        var verificationID = UUID()
    }

    /// Returns a request to enroll, signed by the device.
    func request(
        _ device: Device, appTransaction: String? = nil, account: String? = nil, invitation: String? = nil
    ) throws -> EnrollmentRequest {
        var request = EnrollmentRequest(
            publicKey: device.key.publicKey.x963Representation, challenge: records.challenge(), signature: Data(),
            name: device.name, appTransaction: appTransaction, deviceVerificationID: device.verificationID,
            accountToken: try account.map { try token(of: $0) }, invitation: invitation)
        try Self.sign(&request, by: device)
        return request
    }

    static func sign(_ request: inout EnrollmentRequest, by device: Device) throws {
        request.signature = try signature(
            device, "enroll \(name)", challenge: request.challenge, covering: request.covered)
    }

    private static func signature(
        _ device: Device, _ purpose: String, challenge: String, covering values: [String?] = []
    ) throws -> Data {
        try device.key.signature(for: DeviceProof.message(purpose, challenge: challenge, covering: values))
            .derRepresentation
    }

    /// Enrolls a device. With a store account, it shows an app transaction that the store has signed for it.
    @discardableResult
    func enroll(
        _ device: Device = Device(), _ storeAccount: String? = nil, account: String? = nil, invitation: String? = nil
    ) async throws -> (device: EnrolledDevice, enrollment: Enrollment) {
        let enrollment = try await records.enroll(
            try request(
                device,
                appTransaction: try storeAccount.map {
                    try app.appTransaction(of: $0, boundTo: device.verificationID)
                }, account: account, invitation: invitation),
            app: Self.name)
        return (try await records.device(bearing: enrollment.token.token), enrollment)
    }

    /// Returns a signed request for another token of an enrolled device.
    func tokenRequest(_ device: Device, _ enrolled: EnrolledDevice) throws -> TokenRequest {
        let challenge = records.challenge()
        return TokenRequest(
            device: enrolled.id, challenge: challenge,
            signature: try Self.signature(device, "token \(enrolled.id)", challenge: challenge))
    }

    /// Returns an invitation by an enrolled device.
    func invitation(by device: Device, _ enrolled: EnrolledDevice) throws -> String {
        let challenge = records.challenge()
        let signature = try Self.signature(device, "invite \(enrolled.id)", challenge: challenge)
        return "\(enrolled.id).\(challenge).\(signature.base64EncodedString())"
    }

    /// Ends the enrollment of a device on request of another device.
    func remove(_ id: String, by device: Device, _ enrolled: EnrolledDevice) async throws {
        let challenge = records.challenge()
        let signature = try Self.signature(device, "remove \(id)", challenge: challenge)
        try await records.remove(id, challenge: challenge, signature: signature, by: enrolled)
    }

    /// Token of the app's login.
    func token(
        of account: String, audience: String = SignedApp.bundleIdentifier, validity: TimeInterval = 200,
        key: String = AppLogin.name
    ) throws -> String {
        try login.token(of: account, for: audience, at: clock.now, validity: validity, name: key)
    }

    /// Returns an account token of Anna.
    ///
    /// - Parameter claims: Claims besides `sub`. `NOW`, `SOON`, `LATER` and `END` in them stand for times in 0, 60, 62 and
    ///   200 seconds.
    func token(claims: String) throws -> String {
        var claims = claims
        for (name, delay) in [("NOW", 0.0), ("SOON", 60), ("LATER", 62), ("END", 200)] {
            claims = claims.replacing(name, with: String(Int(clock.now.timeIntervalSince1970 + delay)))
        }
        return try login.token(claims: #"{"sub":"anna",\#(claims)}"#)
    }

    /// Returns the products and balances of a customer, without the customer's identifier.
    func possessions(of customer: String) async throws -> Possessions {
        try JSONDecoder().decode(Possessions.self, from: try await records.customerState(of: customer).body)
    }

    func receive(_ notification: String) async throws -> NotificationOutcome {
        try await records.receive(
            notification: Data(#"{"signedPayload":"\#(notification)"}"#.utf8), app: Self.name)
    }
}

/// Products and balances of a customer.
struct Possessions: Decodable, Hashable, CustomStringConvertible {
    struct Owned: Decodable, Hashable {
        let product: String
        let reasons: [Reason]
    }

    struct Reason: Decodable, Hashable {
        let kind: String
        let transaction: String?
        let bundle: String?
        let description: String
    }

    let owned: [Owned]
    let wallets: [String: Int]

    /// Names of the owned products of the sample app.
    var names: Set<String> { Set(owned.map { $0.product.replacing("com.example.voyager.", with: "") }) }

    var description: String {
        let owned = owned.map { "\($0.product): \($0.reasons.map(\.description).sorted())" }.sorted()
        return "\(owned) \(wallets.sorted { $0.key < $1.key })"
    }
}

/// Random bytes, the same for the same seed.
final class RandomBytes: Sendable {
    private let state: Locked<SeededGenerator>

    init(seed: UInt64) { state = Locked(SeededGenerator(seed: seed)) }

    func next(_ count: Int) -> Data {
        state.withLock { generator in
            let integers = (0..<(count + 7) / 8).map { _ in generator.next() }
            return integers.withUnsafeBytes { Data($0.prefix(count)) }
        }
    }
}
