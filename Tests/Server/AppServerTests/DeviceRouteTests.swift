import Crypto
import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import VitrineAppServer

/// Requests of devices, from enrollment to spending.
@Suite(.hangLimit) struct DeviceRouteTests {
    private struct Results: Decodable {
        let results: [SignedAnswer]
    }

    private struct CustomerState: Decodable {
        struct Owned: Decodable {
            let product: String
        }

        let customer: String
        let sequence: Int64
        let owned: [Owned]
        let wallets: [String: Int]
    }

    @Test func `a purchase reported by one device is owned on the customer's other device, and not by other customers`()
        async throws
    {
        try await ServedApps.run { server in
            let (phone, tablet) = (try await server.enroll(), try await server.enroll())
            let other = try await server.enroll(isKnown: false)
            #expect(phone.enrollment.customer == tablet.enrollment.customer)
            #expect(phone.enrollment.device != tablet.enrollment.device)
            #expect(phone.enrollment.customer != other.enrollment.customer)

            let signed = try await server.buy("com.example.voyager.rome")
            let results = try await server.report([signed, "no signed data", signed], from: phone).decode(Results.self)
            #expect(results.results.map(\.result) == [.accepted, .rejected, .known])

            let customerState = try await server.client.send("GET", "/v1/me/state", tablet.headers).decode(
                CustomerState.self)
            #expect(customerState.owned.map(\.product) == ["com.example.voyager.rome"])
            #expect(customerState.customer == tablet.enrollment.customer)
            let others = try await server.client.send("GET", "/v1/me/state", other.headers).decode(CustomerState.self)
            #expect(others.owned.isEmpty)
        }
    }

    @Test func `a device renews its token with its key, and has no valid token after its enrollment ends`() async throws
    {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            let challenge = try await server.challenge()
            let purpose = "token \(device.enrollment.device)"
            let message = DeviceProof.message(purpose, challenge: challenge)
            let renewed = try await server.client.send(
                "POST", "/v1/devices/me/token",
                json: [
                    "device": device.enrollment.device, "challenge": challenge,
                    "signature": try device.key.signature(for: message).derRepresentation.base64EncodedString(),
                ]
            ).decode(Enrollment.self)
            #expect(renewed.customer == device.enrollment.customer)
            #expect(renewed.token.token != device.enrollment.token.token)
            // The earlier token has ended.
            #expect(try await server.client.send("GET", "/v1/me/state", device.headers).status == 401)

            let headers = [("Authorization", "Bearer \(renewed.token.token)")]
            #expect(try await server.client.send("GET", "/v1/me/state", headers).status == 200)
            #expect(try await server.client.send("DELETE", "/v1/devices/me", headers).status == 204)
            #expect(try await server.client.send("GET", "/v1/me/state", headers).status == 401)
        }
    }

    @Test func `a device lists the customer's devices, and removes another one with a proof of its key`() async throws {
        struct Listed: Decodable {
            struct Device: Decodable {
                let id: String
            }

            let devices: [Device]
        }
        try await ServedApps.run { server in
            let (phone, tablet) = (try await server.enroll(), try await server.enroll())
            let listed = try await server.client.send("GET", "/v1/me/devices", phone.headers).decode(Listed.self)
            #expect(Set(listed.devices.map(\.id)) == [phone.enrollment.device, tablet.enrollment.device])

            let (id, challenge) = (tablet.enrollment.device, try await server.challenge())
            let message = DeviceProof.message("remove \(id)", challenge: challenge)
            let body = [
                "challenge": challenge,
                "signature": try phone.key.signature(for: message).derRepresentation.base64EncodedString(),
            ]
            let path = "/v1/me/devices/\(id)/removal"
            // The token of another device is not enough.
            #expect(try await server.client.send("POST", path, tablet.headers, json: body).status == 401)
            #expect(try await server.client.send("POST", path, phone.headers, json: body).status == 204)
            #expect(try await server.client.send("GET", "/v1/me/state", tablet.headers).status == 401)
            let left = try await server.client.send("GET", "/v1/me/devices", phone.headers).decode(Listed.self)
            #expect(left.devices.map(\.id) == [phone.enrollment.device])
        }
    }

    @Test func `a device token expires after an hour`() async throws {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            server.clock.advance(by: 3_599)
            #expect(try await server.client.send("GET", "/v1/me/state", device.headers).status == 200)
            server.clock.advance(by: 2)
            let answer = try await server.client.send("GET", "/v1/me/state", device.headers)
            #expect(answer.status == 401)
            #expect(answer.fields["www-authenticate"] == "Bearer")
            #expect(try answer.errorResponse.code == "unauthenticated")
        }
    }

    // MARK: Standing

    @Test func `the customer state is sent with an entity tag and a signed nonce, or as 304 if unchanged`()
        async throws
    {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            let first = try await server.client.send(
                "GET", "/v1/me/state", device.headers + [("Vitrine-Nonce", "a nonce")])
            let tag = try #require(first.fields["etag"])
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))

            struct Key: Decodable {
                let key: Data
            }
            let key = try await server.client.send("GET", "/v1/key").decode(Key.self).key
            let publicKey = try Curve25519.Signing.PublicKey(rawRepresentation: key)
            let signature = try #require(Data(base64Encoded: first.fields["vitrine-signature"] ?? ""))
            let signed = Data("vitrine-customer-state\na nonce\n".utf8) + first.body
            #expect(publicKey.isValidSignature(signature, for: signed))
            #expect(!publicKey.isValidSignature(signature, for: signed + Data([0])))

            for known in [tag, "W/\(tag)", "\"another\", \(tag)", "*"] {
                let answer = try await server.client.send(
                    "GET", "/v1/me/state", device.headers + [("If-None-Match", known)])
                #expect(answer.status == 304, "\(known)")
                #expect(answer.body.isEmpty)
                #expect(answer.fields["etag"] == tag)
            }
            try await server.report([try await server.buy("com.example.voyager.rome")], from: device)
            let second = try await server.client.send(
                "GET", "/v1/me/state", device.headers + [("If-None-Match", tag)])
            #expect(second.status == 200)
            #expect(second.fields["etag"] != tag)
            #expect(second.fields["vitrine-signature"] == nil)
        }
    }

    // MARK: Wallets

    @Test func `a debit is applied once, and a debit above the balance is refused`() async throws {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            try await server.report([try await server.buy("com.example.voyager.coins50")], from: device)
            let path = "/v1/me/wallets/coins/debits"
            struct Debit: Encodable {
                let token: String
                let amount: Int
            }
            let first = try await server.client.send(
                "POST", path, device.headers, json: Debit(token: "map", amount: 30))
            #expect(first.status == 201)
            let balance = try first.decode(DebitAnswer.self).balance
            let again = try await server.client.send(
                "POST", path, device.headers, json: Debit(token: "map", amount: 30))
            #expect(again.status == 200)
            #expect(try again.decode(DebitAnswer.self).balance == balance)
            let other = try await server.client.send(
                "POST", path, device.headers, json: Debit(token: "map", amount: 31))
            #expect(other.status == 409)
            #expect(try other.errorResponse.code == "conflict")
            let short = try await server.client.send(
                "POST", path, device.headers, json: Debit(token: "guide", amount: balance + 1))
            #expect(short.status == 409)
            #expect(try short.errorResponse.code == "insufficient-funds")
            #expect(try short.errorResponse.balance == balance)
        }
    }

    @Test func `a device leases units of a wallet, reports its spending and returns the rest`() async throws {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            try await server.report([try await server.buy("com.example.voyager.coins50")], from: device)
            struct Lease: Encodable {
                var token = "train"
                let amount: Int
                let seconds: Int
            }
            let leased = try await server.client.send(
                "POST", "/v1/me/wallets/coins/leases", device.headers, json: Lease(amount: 20, seconds: 3_600)
            ).decode(LeaseAnswer.self)
            #expect(leased.left == 20)
            server.clock.advance(by: 60)
            struct Debit: Encodable {
                let token: String
                let amount: Int
                let spent: Int64
            }
            struct Report: Encodable {
                let debits: [Debit]
                let isReturned: Bool
            }
            let spent = Int64(server.clock.now.timeIntervalSince1970 * 1_000)
            let report = Report(debits: [Debit(token: "seat", amount: 5, spent: spent)], isReturned: false)
            let answer = try await server.client.send("PUT", "/v1/me/leases/train", device.headers, json: report)
            #expect(try answer.decode(LeaseAnswer.self).left == 15)
            let end = try await server.client.send(
                "PUT", "/v1/me/leases/train", device.headers, json: Report(debits: [], isReturned: true))
            // So many units come back to the wallet.
            #expect(try end.decode(LeaseAnswer.self).left == 15)
            let unknown = try await server.client.send("PUT", "/v1/me/leases/bus", device.headers, json: report)
            #expect(unknown.status == 404)
        }
    }

    // MARK: Exchange

    @Test func `only one device of a customer can hold the lock for exclusive changes at a time`() async throws {
        try await ServedApps.run { server in
            let (phone, tablet) = (try await server.enroll(), try await server.enroll())
            struct ExchangeLock: Decodable {
                let lock: String
            }
            let first = try await server.client.send("POST", "/v1/me/exchange-lock", phone.headers)
            #expect(first.status == 201)
            #expect(try await server.client.send("POST", "/v1/me/exchange-lock", tablet.headers).status == 409)
            let lock = try first.decode(ExchangeLock.self).lock
            let end = try await server.client.send(
                "DELETE", "/v1/me/exchange-lock", phone.headers + [("Vitrine-Exchange-Lock", lock)])
            #expect(end.status == 204)
            #expect(try await server.client.send("POST", "/v1/me/exchange-lock", tablet.headers).status == 201)
            #expect(try await server.client.send("DELETE", "/v1/me/exchange-lock", phone.headers).status == 400)
        }
    }

    @Test func `a device can download the customer's ledger documents from the server`() async throws {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            try await server.report([try await server.buy("com.example.voyager.rome")], from: device)
            struct Names: Decodable {
                let names: [String]
            }
            let names = try await server.client.send("GET", "/v1/me/documents", device.headers).decode(Names.self).names
            for name in names {
                let document = try await server.client.send("GET", "/v1/me/documents/\(name)", device.headers)
                #expect(document.status == 200)
                #expect(document.fields["content-type"] == "application/octet-stream")
                let stored = try await server.client.send(
                    "PUT", "/v1/me/documents/\(name)", device.headers, body: document.body)
                #expect((200..<500).contains(stored.status), "\(stored.text)")
            }
            #expect(try await server.client.send("GET", "/v1/me/documents/none", device.headers).status == 404)
            let wrong = try await server.client.send(
                "PUT", "/v1/me/documents/none", device.headers, body: Data("no document".utf8))
            #expect(wrong.status == 400)
        }
    }

    // MARK: Notifications

    @Test func `a notification of a purchase that names a customer is recorded once`() async throws {
        try await ServedApps.run { server in
            try await server.store.setNotificationURL(URL(string: "http://127.0.0.1:1/"))
            let device = try await server.enroll()
            var options = PurchaseOptions()
            options.accountToken = UUID(uuidString: device.enrollment.customer)
            _ = try await server.store.purchase("com.example.voyager.rome", options: options)
            let sent = try #require(try await server.store.notifications().last)
            struct Reply: Decodable {
                let outcome: NotificationOutcome
            }
            let path = "/v1/apple/notifications/\(ServedApps.app)"
            for outcome in [NotificationOutcome.recorded, .known] {
                let answer = try await server.client.send("POST", path, json: ["signedPayload": sent.signedPayload])
                #expect(try answer.decode(Reply.self).outcome == outcome)
            }
            let customerState = try await server.client.send("GET", "/v1/me/state", device.headers).decode(
                CustomerState.self)
            #expect(customerState.owned.map(\.product) == ["com.example.voyager.rome"])
        }
    }

    // MARK: Verification

    @Test func `the verification route returns the verdict verified, rejected or undetermined`() async throws {
        try await ServedApps.run { server in
            struct Verdict: Decodable {
                let verdict: String
                let reason: String?
            }
            let signed = try await server.buy("com.example.voyager.rome")
            let good = try await server.client.send(
                "POST", "/v1/verify", json: ["bundleId": ServedApps.app, "signedTransaction": signed])
            #expect(try good.decode(Verdict.self).verdict == "verified")
            let bad = try await server.client.send(
                "POST", "/v1/verify",
                json: ["bundleId": ServedApps.app, "signedTransaction": String(signed.dropLast(6)) + "AAAAAA"])
            #expect(try bad.decode(Verdict.self).verdict == "rejected")
            #expect(try bad.decode(Verdict.self).reason?.isEmpty == false)
            let receipt = try await server.client.send(
                "POST", "/v1/verify", json: ["bundleId": ServedApps.app, "appReceipt": "AAAA"])
            #expect(try receipt.decode(Verdict.self).verdict == "undetermined")
            let other = try await server.client.send(
                "POST", "/v1/verify", json: ["bundleId": "com.example.other", "signedTransaction": signed])
            #expect(other.status == 404)
        }
    }
}
