import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

/// Payloads that are signed, and not as expected: of kinds that came later, and with faults.
@Suite(.hangLimit) struct PayloadFaultTests {
    private let chain: TestChain

    init() throws { chain = try TestChain() }

    private func notification(_ rest: String) throws -> String {
        try chain.token(
            """
            {"notificationType":"NEW_KIND","notificationUUID":"1","version":"2.0","signedDate":1790000000000\(rest)}
            """)
    }

    private static let subject = #"{"bundleId":"com.example.app","environment":"Sandbox","more":[1]}"#

    @Test func `a notification about a new kind of object is verified for the app that the object names`() async throws
    {
        let token = try notification(#","newData":\#(Self.subject),"flag":true"#)
        let signed = try #require(try await chain.verifier().verify(notification: token).value)
        #expect(signed.payload.type.rawValue == "NEW_KIND")
        #expect(signed.transaction == nil)
        let other = Self.subject.replacing("example.app", with: "example.other")
        let production = Self.subject.replacing("Sandbox", with: "Production")
        for (object, code) in [(other, RejectionReason.Code.bundleIdentifier), (production, .environment)] {
            let refused = try await chain.verifier().verify(notification: notification(#","newData":\#(object)"#))
            #expect(refused.codes == [code])
        }
    }

    @Test func `a notification that names no app is refused for this reason`() async throws {
        for rest in ["", #","newData":{"bundleId":"com.example.app"}"#, #","newData":[\#(Self.subject)]"#] {
            let refused = try await chain.verifier().verify(notification: notification(rest))
            guard case .rejected(let reasons) = refused else {
                Issue.record("\(refused)")
                continue
            }
            #expect(reasons.map(\.reason) == ["the payload lacks an identifier, or the app that it is about"])
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let id: String
        let payload: String
        let reason: String

        var testDescription: String { id }
    }

    static let faults = [
        Fault(id: "a missing field", payload: "{}", reason: "the field transactionId is missing"),
        Fault(
            id: "a field of another type", payload: #"{"transactionId":1}"#,
            reason: "the field transactionId has another type than expected"),
        Fault(id: "an array", payload: "[]", reason: "the document has another type than expected"),
    ]

    @Test(arguments: faults)
    func `the reason for refusing a payload names its field, and no type of the package`(_ fault: Fault) async throws {
        let refused = try await chain.verifier().verify(transaction: chain.token(fault.payload))
        guard case .rejected(let reasons) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(reasons.map(\.reason) == ["the payload is not that of a transaction: \(fault.reason)"])
    }
}
