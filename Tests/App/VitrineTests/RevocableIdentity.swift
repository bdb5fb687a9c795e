import Crypto
import Foundation
import SwiftASN1
import VitrinePurchasing
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport
import X509

/// Signing identity whose certificates name an OCSP responder. The responder is OpenSSL behind a real server, which a
/// test can make unavailable.
final class RevocableIdentity: Sendable {
    let identity: SigningIdentity
    let roots: TrustedRoots
    private let server: LoopbackServer
    private let outages: Recorder<LoopbackServer.Answer?>

    static let openSSL = "/usr/bin/openssl"

    init() async throws {
        let (folder, outages) = (try TemporaryFolder(), Recorder<LoopbackServer.Answer?>())
        let server = try await LoopbackServer { request in
            if let outage = outages.values.last ?? nil { return outage }
            return (try? Self.answer(request, in: folder)) ?? .reply(500)
        }
        self.server = server
        self.outages = outages
        let keys = (
            leaf: P256.Signing.PrivateKey(), intermediate: P384.Signing.PrivateKey(), root: P384.Signing.PrivateKey()
        )
        let marks: [ASN1ObjectIdentifier] = [[1, 2, 840, 113635, 100, 6, 11, 1], [1, 2, 840, 113635, 100, 6, 2, 1]]
        let names = try ["Leaf", "Intermediate", "Root"].map { name in try DistinguishedName { CommonName(name) } }
        let own: [Certificate.PrivateKey] = [.init(keys.leaf), .init(keys.intermediate), .init(keys.root)]
        let chain = try (0..<3).map { level in
            let issuer = min(level + 1, 2)
            return try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: own[level].publicKey,
                notValidBefore: Date(timeIntervalSince1970: 1_700_000_000),
                notValidAfter: Date(timeIntervalSince1970: 2_500_000_000),
                issuer: names[issuer], subject: names[level],
                extensions: try Certificate.Extensions {
                    if level == 0 {
                        Critical(BasicConstraints.notCertificateAuthority)
                    } else {
                        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: level - 1))
                    }
                    SubjectKeyIdentifier(hash: own[level].publicKey)
                    AuthorityKeyIdentifier(
                        keyIdentifier: SubjectKeyIdentifier(hash: own[issuer].publicKey).keyIdentifier)
                    if level < 2 {
                        Certificate.Extension(oid: marks[level], critical: false, value: [0x05, 0x00])
                        AuthorityInformationAccess([
                            .init(
                                method: .ocspServer,
                                location: .uniformResourceIdentifier(
                                    server.url.appending(path: "\(issuer)").absoluteString)
                            )
                        ])
                    }
                }, issuerPrivateKey: own[issuer])
        }
        let pems = try chain.map { try $0.serializeAsPEM().pemString }
        let issuerKeys = [keys.intermediate.pemRepresentation, keys.root.pemRepresentation]
        identity = try SigningIdentity(
            pem: ([keys.leaf.pemRepresentation] + pems + issuerKeys).joined(separator: "\n"))
        roots = try TrustedRoots(pem: pems[2])
        for issuer in 1...2 {
            try folder.write(pems[issuer], to: "\(issuer).pem")
            try folder.write(own[issuer].serializeAsPEM().pemString, to: "\(issuer).key")
            let serial = chain[issuer - 1].serialNumber.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            try folder.write(
                "V\t491231235959Z\t\t\(serial.joined().uppercased())\tunknown\t/CN=issued\n", to: "\(issuer).index")
        }
    }

    /// Sets the answer of the responder from now on; `nil` for a normal answer.
    func answer(with outage: LoopbackServer.Answer?) { outages.record(outage) }

    /// Number of requests to the responder.
    var questions: Int { server.requests.count }

    /// Returns a store that signs all data with this identity.
    func resigning(_ base: some Store) -> InterceptedStore {
        var store = InterceptedStore(base)
        store.onPurchase = { [self] identifier, options throws(StoreError) in
            guard let transaction = try await base.purchase(identifier, options: options).transaction else {
                throw StoreError(code: .unavailable, reason: "nothing was bought")
            }
            return .purchased(resigned(transaction))
        }
        store.onUnfinished = { [self] () throws(StoreError) in try await base.unfinishedTransactions().map(resigned) }
        store.onAppTransaction = { () throws(StoreError) in nil }
        return store
    }

    private func resigned(_ transaction: StoreTransaction) -> StoreTransaction {
        guard let payload = TransactionPayload(unverified: transaction.signedData),
            let signedData = try? identity.sign(payload)
        else { fatalError("a transaction cannot be signed again") }
        return StoreTransaction(id: transaction.id, signedData: signedData)
    }

    private static func answer(
        _ request: LoopbackServer.Request, in folder: TemporaryFolder
    ) throws -> LoopbackServer.Answer {
        let issuer = request.path.dropFirst()
        let (question, answer) = (folder[UUID().uuidString], folder[UUID().uuidString])
        try request.body.write(to: question)
        let process = Process()
        process.executableURL = URL(filePath: openSSL)
        process.currentDirectoryURL = folder.url
        process.arguments = [
            "ocsp", "-index", "\(issuer).index", "-CA", "\(issuer).pem", "-rsigner", "\(issuer).pem", "-rkey",
            "\(issuer).key", "-reqin", question.path(percentEncoded: false), "-respout",
            answer.path(percentEncoded: false), "-ndays", "1",
        ]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        process.waitUntilExit()
        return .reply(headers: ["Content-Type": "application/ocsp-response"], body: try Data(contentsOf: answer))
    }
}
