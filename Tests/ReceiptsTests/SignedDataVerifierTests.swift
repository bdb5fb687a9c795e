import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import Receipts

@Suite struct SignedDataVerifierTests {
    private let identity: SigningIdentity
    private let payload = TransactionPayload.sample()

    init() throws {
        identity = try SigningIdentity(commonName: "Test Store", around: Date.sample)
    }

    private func verify(
        _ token: String, roots: String? = nil, bundle: String = "com.example.app",
        environment: StoreEnvironment = .sandbox
    ) async throws -> Verification<SignedTransaction> {
        let roots = try TrustedRoots(pem: roots ?? identity.rootPEM)
        return await SignedDataVerifier(roots: roots, bundleIdentifier: bundle, environment: environment)
            .verify(transaction: token)
    }

    @Test func `a transaction is verified with the root that it was signed under`() async throws {
        let token = try identity.sign(payload)
        let signed = try #require(try await verify(token).value)

        #expect(signed.payload == payload)
        #expect(signed.signedData == token)
    }

    @Test func `nothing is verified under another root, or under none`() async throws {
        let token = try identity.sign(payload)
        let other = try SigningIdentity(commonName: "Test Store", around: Date.sample).rootPEM

        #expect(try await verify(token, roots: other).codes == [.certificateChain])
        let nobody = SignedDataVerifier(roots: .none, bundleIdentifier: "com.example.app", environment: .sandbox)
        #expect(await nobody.verify(transaction: token).codes == [.certificateChain])
    }

    @Test func `a flipped bit anywhere in the token is refused`() async throws {
        let token = Array(try identity.sign(payload).utf8)
        for index in token.indices {
            var flipped = token
            flipped[index] ^= 1 << UInt8(index % 7)
            let text = String(decoding: flipped, as: UTF8.self)
            #expect(try await verify(text).value == nil, "byte \(index)")
        }
    }

    @Test func `a token cut off anywhere is refused`() async throws {
        let token = try identity.sign(payload)
        for count in stride(from: 0, to: token.utf8.count, by: 7) {
            #expect(try await verify(String(token.prefix(count))).value == nil)
        }
    }

    @Test func `the last character of a signature may not carry unused bits`() async throws {
        // 64 bytes end in a character of which four bits are used: the others have to be zero.
        let token = try identity.sign(payload)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let character = try #require(token.last)
        let last = try #require(alphabet.firstIndex(of: character))

        #expect(last.isMultiple(of: 16))
        #expect(try await verify(token.dropLast() + String(alphabet[last + 1])).codes == [.malformed])
        #expect(try await verify(token + "=").codes == [.malformed])
        #expect(try await verify(token + "\n").codes == [.malformed])
    }

    @Test(arguments: ["none", "HS256", "ES384", "es256"])
    func `another algorithm than ES256 is refused`(algorithm: String) async throws {
        let token = try resigned(header: ["alg": algorithm, "x5c": try certificates()])
        #expect(try await verify(token).codes == [.algorithm])
    }

    @Test(arguments: [0, 1, 2, 4])
    func `another number of certificates than three is refused`(count: Int) async throws {
        let three = try certificates()
        let token = try resigned(header: ["alg": "ES256", "x5c": Array((three + three).prefix(count))])
        #expect(try await verify(token).codes == [.malformed])
    }

    @Test func `a leaf of somebody else's chain is refused`() async throws {
        let other = try SigningIdentity(commonName: "Test Store", around: Date.sample)
        let mixed = [try certificates(of: other)[0]] + (try certificates().dropFirst())
        let token = try other.signed(header: ["alg": "ES256", "x5c": mixed], payload: other.encode(payload))

        #expect(try await verify(token).codes == [.certificateChain])
    }

    @Test func `certificates in another order are refused`() async throws {
        let token = try resigned(header: ["alg": "ES256", "x5c": Array(try certificates().reversed())])
        #expect(try await verify(token).codes == [.signature])
    }

    @Test(arguments: [-11, 11] as [Double])
    func `certificates that were not valid at the signed date are refused`(years: Double) async throws {
        var payload = payload
        payload.signedDate += years * 365.25 * 86_400

        #expect(try await verify(try identity.sign(payload)).codes == [.certificateChain])
    }

    @Test func `a chain without the store's marks is refused, though the root is trusted`() async throws {
        let chain = try UnmarkedChain(leafIsMarked: false)
        #expect(try await chain.codes(of: payload) == [.certificateChain])

        let halfMarked = try UnmarkedChain(leafIsMarked: true)
        #expect(try await halfMarked.codes(of: payload) == [.certificateChain])
    }

    @Test func `all that is wrong with app and environment is told at once`() async throws {
        let token = try identity.sign(payload)

        #expect(try await verify(token, bundle: "com.example.other").codes == [.bundleIdentifier])
        #expect(try await verify(token, environment: .production).codes == [.environment])
        #expect(
            try await verify(token, bundle: "com.example.other", environment: .production).codes
                == [.bundleIdentifier, .environment])
    }

    @Test(
        arguments: [
            "", "null", "[]", "{}", #"{"transactionId": 1}"#, String(repeating: "[", count: 100_000),
        ]
    )
    func `a signed payload that is no transaction is refused`(text: String) async throws {
        let token = try identity.sign(payload: Data(text.utf8))
        #expect(try await verify(token).codes == [.payload])
    }

    @Test func `a payload whose values cannot be is refused`() async throws {
        var noUnits = payload
        noUnits.quantity = 0
        var noName = payload
        noName.originalTransactionID = ""
        var farFuture = payload
        farFuture.signedDate = Date(timeIntervalSince1970: 1e15)

        for impossible in [noUnits, noName, farFuture] {
            #expect(try await verify(try identity.sign(impossible)).codes == [.payload])
        }
    }

    @Test func `dates in fractions of a millisecond are read`() async throws {
        let text = String(decoding: try identity.encode(payload), as: UTF8.self)
            .replacing("1790000000000", with: "1790000000000.5")
        let signed = try #require(try await verify(try identity.sign(payload: Data(text.utf8))).value)

        #expect(abs(signed.payload.signedDate.timeIntervalSince(Date.sample)) < 0.001)
    }

    @Test func `a token larger than any that the store signs is refused`() async throws {
        #expect(try await verify(String(repeating: "a", count: 300_000)).codes == [.malformed])
    }

    private func certificates(of identity: SigningIdentity? = nil) throws -> [String] {
        let token = try (identity ?? self.identity).sign(payload)
        let header = try #require(Base64URL.decode(token.split(separator: ".")[0]))
        let json = try #require(try JSONSerialization.jsonObject(with: header) as? [String: Any])
        return try #require(json["x5c"] as? [String])
    }

    private func resigned(header: [String: Any]) throws -> String {
        try identity.signed(header: header, payload: identity.encode(payload))
    }
}

/// A chain that is good in everything but the store's marks.
private struct UnmarkedChain {
    private let leafKey = P256.Signing.PrivateKey()
    private let chain: [Certificate]

    init(leafIsMarked: Bool) throws {
        let (rootKey, intermediateKey) = (P384.Signing.PrivateKey(), P384.Signing.PrivateKey())
        let validity = (Date.sample - 1_000)...(Date.sample + 1_000)
        let root = CertificateTemplate(name: "Root", publicKey: .init(rootKey.publicKey), authority: .pathLength(1))
        let intermediate = CertificateTemplate(
            name: "Intermediate", publicKey: .init(intermediateKey.publicKey), authority: .pathLength(0),
            mark: leafIsMarked ? nil : StoreCertificateMarks.intermediate)
        let leaf = CertificateTemplate(
            name: "Leaf", publicKey: .init(leafKey.publicKey), authority: .leaf,
            mark: leafIsMarked ? StoreCertificateMarks.leaf : nil)
        chain = [
            try leaf.certificate(issuedBy: intermediate, key: .init(intermediateKey), validity: validity),
            try intermediate.certificate(issuedBy: root, key: .init(rootKey), validity: validity),
            try root.certificate(issuedBy: root, key: .init(rootKey), validity: validity),
        ]
    }

    func codes(of payload: TransactionPayload) async throws -> [RejectionReason.Code] {
        let pem = try ([leafKey.pemRepresentation] + chain.map { try $0.serializeAsPEM().pemString })
            .joined(separator: "\n")
        let token = try SigningIdentity(pem: pem).sign(payload)
        let roots = try TrustedRoots(pem: chain[2].serializeAsPEM().pemString)
        return await SignedDataVerifier(roots: roots, bundleIdentifier: "com.example.app", environment: .sandbox)
            .verify(transaction: token).codes
    }
}

extension SigningIdentity {
    fileprivate func encode(_ payload: TransactionPayload) throws -> Data {
        try #require(Base64URL.decode(sign(payload).split(separator: ".")[1]))
    }

    /// A token with a header of the test's own, signed as it stands.
    fileprivate func signed(header: [String: Any], payload: Data) throws -> String {
        let key = try P256.Signing.PrivateKey(
            pemRepresentation: PEMDocument.parseMultiple(pemString: pem)[0].pemString)
        let headerText = Base64URL.encode(try JSONSerialization.data(withJSONObject: header))
        let input = "\(headerText).\(Base64URL.encode(payload))"
        return "\(input).\(Base64URL.encode(try key.signature(for: Data(input.utf8)).rawRepresentation))"
    }
}
