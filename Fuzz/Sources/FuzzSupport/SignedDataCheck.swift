internal import Foundation
internal import VitrineReceipts

/// What the reading and verifying of tokens promise, whatever is sent.
public struct SignedDataCheck {
    private let bytes: Data

    public init(_ bytes: [UInt8]) { self.bytes = Data(bytes) }

    public func run() {
        let json = try? JSONValue(json: bytes)
        checkPayloads()
        let text = String(decoding: bytes, as: UTF8.self)
        check(text)
        check("\(encoded(bytes)).\(encoded(Data("{}".utf8))).")
        let header = encoded(Data(#"{"alg":"ES256"}"#.utf8))
        if let read = try? SignedDataClaims(unverified: "\(header).\(encoded(bytes)).") {
            require(read.payload == json, "a payload is read as its JSON is")
            require(read.algorithm == "ES256" && read.certificates.isEmpty, "a header is read as it is")
        } else {
            require(json == nil, "a payload that is JSON is read")
        }
    }

    /// Nothing that is made up leads to Apple's roots.
    private func check(_ token: String) {
        let verifier = SignedDataVerifier(bundleIdentifier: "com.example.app", environment: .sandbox)
        let isVerified = wait {
            if case .verified = await verifier.verify(signedData: token) { return true }
            if case .verified = await verifier.verify(notification: token) { return true }
            return false
        }
        require(!isVerified, "a token that nobody has signed is not verified")
        do throws(RejectionReason) {
            _ = try SignedDataClaims(unverified: token)
        } catch {
            require(!error.reason.isEmpty, "what cannot be read has its reason")
        }
    }

    /// Whatever the store may send where a payload is expected is read or refused.
    private func checkPayloads() {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        _ = try? decoder.decode(AppTransactionPayload.self, from: bytes)
        _ = try? decoder.decode(NotificationPayload.self, from: bytes)
        let transaction = try? decoder.decode(TransactionPayload.self, from: bytes)
        let renewal = try? decoder.decode(RenewalPayload.self, from: bytes)
        require(transaction == nil || renewal == nil, "nothing is a transaction and a renewal")
    }

    private func encoded(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
