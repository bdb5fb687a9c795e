import Crypto
import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

@Suite struct EnrollmentTests {
    @Test func `devices with the same store account belong to one customer, and devices of other accounts do not`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let phone = try await fixture.enroll(.init(), "A").device
        let tablet = try await fixture.enroll(.init(), "A").device
        let other = try await fixture.enroll(.init(), "B").device
        let unknown = try await fixture.enroll().device

        #expect(phone.customer == tablet.customer)
        #expect(phone.id != tablet.id)
        #expect(Set([phone.customer, other.customer, unknown.customer]).count == 3)
        #expect(UUID(uuidString: phone.customer) != nil)
    }

    @Test func `a device that enrolls again with its key retains its identifier`() async throws {
        let fixture = try await CustomersFixture()
        let device = CustomersFixture.Device()
        let first = try await fixture.enroll(device)
        let second = try await fixture.enroll(device)

        #expect(first.device.id == second.device.id)
        #expect(first.device.customer == second.device.customer)
        // The earlier token has ended.
        await #expect(throws: CustomerError.self) {
            try await fixture.records.device(bearing: first.enrollment.token.token)
        }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let id: String
        let code: CustomerErrorCode
        /// `true` if the device signs the changed request.
        var isSigned = true
        let change: @Sendable (inout EnrollmentRequest, CustomersFixture) throws -> Void

        var testDescription: String { id }
    }

    static let refusals = [
        Refusal(id: "a challenge that was not given", code: .unauthenticated) { request, _ in
            request.challenge = "1790000000000.00.00"
        },
        Refusal(id: "a challenge of another time", code: .unauthenticated) { request, _ in
            request.challenge = "1" + request.challenge
        },
        Refusal(id: "a challenge that is too old", code: .unauthenticated) { _, fixture in
            fixture.clock.advance(by: 61)
        },
        Refusal(id: "the signature of another key", code: .unauthenticated) { request, _ in
            request.publicKey = CustomersFixture.Device().key.publicKey.x963Representation
        },
        Refusal(id: "a key that is none", code: .unauthenticated) { request, _ in request.publicKey = Data(count: 65) },
        Refusal(id: "a signature that is none", code: .unauthenticated, isSigned: false) { request, _ in
            request.signature = Data()
        },
        Refusal(id: "another name than the signed one", code: .unauthenticated, isSigned: false) { request, _ in
            request.name = "another phone"
        },
        Refusal(id: "another account token than the signed one", code: .unauthenticated, isSigned: false) {
            request, fixture in
            request.accountToken = try fixture.token(of: "anna")
        },
        Refusal(id: "another app transaction than the signed one", code: .unauthenticated, isSigned: false) {
            request, fixture in
            request.appTransaction = try fixture.app.appTransaction(of: "A")
        },
        Refusal(id: "another device identifier than the signed one", code: .unauthenticated, isSigned: false) {
            request, _ in
            request.deviceVerificationID = UUID()
        },
        Refusal(id: "another invitation than the signed one", code: .unauthenticated, isSigned: false) { request, _ in
            request.invitation = "enrolled-0.1.2.3.AA=="
        },
        Refusal(id: "an invitation that is none", code: .unauthenticated) { request, _ in request.invitation = "a" },
        Refusal(id: "an invitation by an unknown device", code: .unauthenticated) { request, fixture in
            request.invitation = "enrolled-0.\(fixture.records.challenge()).AA=="
        },
        Refusal(id: "a login and an invitation", code: .invalid) { request, fixture in
            request.accountToken = try fixture.token(of: "anna")
            request.invitation = "a"
        },
        Refusal(id: "a long name", code: .invalid) { request, _ in request.name = String(repeating: "a", count: 101) },
        Refusal(id: "a name with U+0000", code: .invalid) { request, _ in request.name = "a\u{0}" },
        Refusal(id: "an app transaction of another app", code: .rejected) { request, fixture in
            request.appTransaction = try fixture.app.appTransaction(of: "A", bundle: "com.example.other")
        },
        Refusal(id: "an app transaction of another store", code: .rejected) { request, _ in
            request.appTransaction = try SignedApp().appTransaction(of: "A")
        },
        Refusal(id: "an account token that has ended", code: .unauthenticated) { request, fixture in
            request.accountToken = try fixture.token(of: "anna", validity: -1)
        },
        Refusal(id: "an account token for an hour", code: .unauthenticated) { request, fixture in
            request.accountToken = try fixture.token(of: "anna", validity: 3_600)
        },
        Refusal(id: "an account token for a second more than the clock may be ahead", code: .unauthenticated) {
            request, fixture in
            request.accountToken = try fixture.token(of: "anna", validity: 361)
        },
        Refusal(id: "an account token that begins later", code: .unauthenticated) { request, fixture in
            request.accountToken = try fixture.token(claims: #"\#(audience),"exp":END,"nbf":LATER"#)
        },
        Refusal(id: "an account token without an end", code: .unauthenticated) { request, fixture in
            request.accountToken = try fixture.token(claims: audience)
        },
        Refusal(id: "an account token of two other apps", code: .unauthenticated) { request, fixture in
            request.accountToken = try fixture.token(claims: #""aud":["a","b"],"exp":END"#)
        },
        Refusal(id: "an account token of another app", code: .unauthenticated) { request, fixture in
            request.accountToken = try fixture.token(of: "anna", audience: "com.example.other")
        },
        Refusal(id: "an account token with another key", code: .unauthenticated) { request, fixture in
            request.accountToken = try fixture.token(of: "anna", key: "other")
        },
        Refusal(id: "an account token that was changed", code: .unauthenticated) { request, fixture in
            request.accountToken = try fixture.token(of: "anna").dropLast(4) + "AAAA"
        },
        Refusal(id: "an account without a name", code: .unauthenticated) { request, fixture in
            request.accountToken = try fixture.token(of: "")
        },
    ]

    private static let audience = #""aud":"\#(SignedApp.bundleIdentifier)""#

    /// Claims of account tokens besides the account.
    static let claims = [
        #"\#(audience),"exp":END"#, #"\#(audience),"exp":END.5,"nbf":NOW"#, #"\#(audience),"exp":END,"nbf":SOON"#,
        #""aud":["a","\#(SignedApp.bundleIdentifier)"],"exp":END,"iss":"login","jti":"1""#,
    ]

    @Test(arguments: claims) func `an account token may have several audiences, a beginning and further claims`(
        _ claims: String
    ) async throws {
        let fixture = try await CustomersFixture()
        let device = CustomersFixture.Device()
        var request = try fixture.request(device)
        request.accountToken = try fixture.token(claims: claims)
        try CustomersFixture.sign(&request, by: device)
        let first = try await fixture.records.enroll(request, app: CustomersFixture.name)
        // The token names the account.
        #expect(try await fixture.enroll(account: "anna").enrollment.customer == first.customer)
    }

    @Test func `an account token for five minutes is accepted from a login whose clock is a minute ahead`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let device = CustomersFixture.Device()
        var request = try fixture.request(device)
        request.accountToken = try fixture.token(of: "anna", validity: 360)
        try CustomersFixture.sign(&request, by: device)
        let first = try await fixture.records.enroll(request, app: CustomersFixture.name)
        #expect(try await fixture.enroll(account: "anna").enrollment.customer == first.customer)
    }

    @Test(arguments: refusals)
    func `an invalid enrollment is refused`(_ refusal: Refusal) async throws {
        let fixture = try await CustomersFixture()
        let device = CustomersFixture.Device()
        var request = try fixture.request(device)
        try refusal.change(&request, fixture)
        if refusal.isSigned { try CustomersFixture.sign(&request, by: device) }

        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.enroll(request, app: CustomersFixture.name)
        }
        #expect(error?.code == refusal.code)
        #expect(try await fixture.records.counts().devices == 0)
    }

    @Test func `a recorded enrollment that is sent again is refused, also with other values`() async throws {
        let fixture = try await CustomersFixture()
        let device = CustomersFixture.Device()
        let request = try fixture.request(
            device, appTransaction: try fixture.app.appTransaction(of: "A", boundTo: device.verificationID))
        let first = try await fixture.records.enroll(request, app: CustomersFixture.name)

        var changed = request
        changed.name = "the thief's phone"
        changed.accountToken = try fixture.token(of: "thief")
        for replayed in [request, changed] {
            let error = await #expect(throws: CustomerError.self) {
                try await fixture.records.enroll(replayed, app: CustomersFixture.name)
            }
            #expect(error?.code == .unauthenticated)
        }
        // The device's token has not ended.
        #expect(try await fixture.records.device(bearing: first.token.token).customer == first.customer)
    }

    @Test func `a customer without an account can have ten devices at most`() async throws {
        let fixture = try await CustomersFixture()
        for _ in 0..<10 { try await fixture.enroll(.init(), "A") }

        let error = await #expect(throws: CustomerError.self) { try await fixture.enroll(.init(), "A") }
        #expect(error?.code == .tooManyDevices)
    }

    @Test func `a device with a customer of its own can join another one as the tenth device, not as the eleventh`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let phone = CustomersFixture.Device()
        let inviter = try await fixture.enroll(phone, "A").device
        for _ in 0..<8 { try await fixture.enroll(.init(), "A") }
        let (tenth, eleventh) = (CustomersFixture.Device(), CustomersFixture.Device())
        for device in [tenth, eleventh] { try await fixture.enroll(device) }

        let joined = try await fixture.enroll(tenth, invitation: fixture.invitation(by: phone, inviter)).device
        let (first, second) = (
            try await fixture.records.detail(of: inviter.customer),
            try await fixture.records.detail(of: joined.customer)
        )
        #expect(first.customer == second.customer)
        #expect(first.devices.count == 10)
        let error = await #expect(throws: CustomerError.self) {
            try await fixture.enroll(eleventh, invitation: fixture.invitation(by: phone, inviter))
        }
        #expect(error?.code == .tooManyDevices)
    }

    @Test func `a new device of a customer with an account must present a token of that account`() async throws {
        let fixture = try await CustomersFixture()
        let phone = try await fixture.enroll(.init(), "A", account: "anna").device

        let error = await #expect(throws: CustomerError.self) { try await fixture.enroll(.init(), "A") }
        #expect(error?.code == .forbidden)
        let tablet = try await fixture.enroll(.init(), nil, account: "anna").device
        #expect(phone.customer == tablet.customer)
    }

    @Test func `two app accounts with the same store account remain two customers`() async throws {
        let fixture = try await CustomersFixture()
        let anna = try await fixture.enroll(.init(), "A", account: "anna").device
        let ben = try await fixture.enroll(.init(), "A", account: "ben").device
        let rome = try fixture.app.transaction("rome", id: "1", account: "A")

        #expect(anna.customer != ben.customer)
        // What the store account has bought without naming a customer is of the first of them.
        #expect(try await fixture.records.record(signed: [rome], from: ben).map(\.result) == [.elsewhere])
        #expect(try await fixture.possessions(of: anna.customer).names == ["rome"])
        #expect(try await fixture.possessions(of: ben.customer).names == [])
    }

    @Test func `a login of an enrolled device merges the purchases of its customer and the account's customer`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let phone = try await fixture.enroll(.init(), "A", account: "anna").device
        let tabletKey = CustomersFixture.Device()
        let tablet = try await fixture.enroll(tabletKey, "B").device
        let (rome, lisbon) = (
            try fixture.app.transaction("rome", id: "1", account: "A"),
            try fixture.app.transaction("lisbon", id: "2", account: "B")
        )
        #expect(try await fixture.records.record(signed: [rome], from: phone).map(\.result) == [.accepted])
        #expect(try await fixture.records.record(signed: [lisbon], from: tablet).map(\.result) == [.accepted])

        let linked = try await fixture.enroll(tabletKey, account: "anna").device

        #expect(linked.customer == phone.customer)
        #expect(linked.id == tablet.id)
        for customer in [phone.customer, tablet.customer] {
            #expect(try await fixture.possessions(of: customer).names == ["rome", "lisbon"])
        }
        // A later notification about what the merged customer has bought is about the one that remains.
        let refunded = try fixture.app.transaction("lisbon", id: "2", account: "B", signed: .sample + 60) {
            $0.revocationDate = .sample + 50
        }
        let notification = try fixture.app.notification(.refund, id: "n1", transaction: refunded)
        #expect(try await fixture.receive(notification) == .recorded)
        #expect(try await fixture.possessions(of: phone.customer).names == ["rome"])
    }

    @Test func `a device that logs out owns nothing, and its purchases remain with the account`() async throws {
        let fixture = try await CustomersFixture()
        let phone = try await fixture.enroll(.init(), "A", account: "anna").device
        let rome = try fixture.app.transaction("rome", id: "1", account: "A")
        _ = try await fixture.records.record(signed: [rome], from: phone)

        let left = try await fixture.records.unlink(phone)

        #expect(left.customer != phone.customer)
        #expect(try await fixture.possessions(of: left.customer).names == [])
        #expect(try await fixture.possessions(of: phone.customer).names == ["rome"])
        // The store account is still known by the account.
        let present = try await fixture.records.device(bearing: left.token.token)
        #expect(try await fixture.records.record(signed: [rome], from: present).map(\.result) == [.elsewhere])
    }

    @Test func `a device with an ended enrollment has no valid token, and cannot enroll again with the same key`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let device = CustomersFixture.Device()
        let enrolled = try await fixture.enroll(device, "A")
        try await fixture.records.leave(enrolled.device)

        for request in [try fixture.request(device)] {
            let error = await #expect(throws: CustomerError.self) {
                try await fixture.records.enroll(request, app: CustomersFixture.name)
            }
            #expect(error?.code == .conflict)
        }
        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.device(bearing: enrolled.enrollment.token.token)
        }
        #expect(error?.code == .unauthenticated)
    }

    @Test func `a device token expires after an hour, and is renewed with the device's key`() async throws {
        let fixture = try await CustomersFixture()
        let device = CustomersFixture.Device()
        let enrolled = try await fixture.enroll(device, "A")
        fixture.clock.advance(by: 3_600)
        await #expect(throws: CustomerError.self) {
            try await fixture.records.device(bearing: enrolled.enrollment.token.token)
        }

        var request = try fixture.tokenRequest(device, enrolled.device)
        let renewed = try await fixture.records.renewToken(request)
        #expect(try await fixture.records.device(bearing: renewed.token.token).id == enrolled.device.id)
        #expect(renewed.key == enrolled.enrollment.key)
        // The proof counts once.
        let again = await #expect(throws: CustomerError.self) { try await fixture.records.renewToken(request) }
        #expect(again?.code == .unauthenticated)

        request = try fixture.tokenRequest(device, enrolled.device)
        request.device = "enrolled-0"
        let error = await #expect(throws: CustomerError.self) { try await fixture.records.renewToken(request) }
        #expect(error?.code == .unauthenticated)
    }
}
