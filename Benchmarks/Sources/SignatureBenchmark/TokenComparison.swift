import Crypto
import Foundation
import Measuring
import VitrineReceipts
import X509

/// Transactions in JWS form.
///
/// The floor is what nobody can leave out: the P-256 signature over each token, with the key and the bytes at hand. Vitrine
/// and Apple's library go from the token's text to a typed transaction of the right app and environment; Apple's library
/// validates the chain for each token as long as it asks nobody whether certificates were revoked.
enum TokenComparison {
    enum Contender: String, CaseIterable {
        case bare, cached, full, python

        var description: String {
            switch self {
            case .bare: "swift-crypto, the P-256 signature alone"
            case .cached: "Vitrine, chain known"
            case .full: "Vitrine, chain validated for each"
            case .python: "Apple's library for Python 3.1.2"
            }
        }
    }

    static func compare(_ samples: Samples, _ targets: inout Targets) throws {
        let size = try Data(contentsOf: samples.tokens).count / Samples.tokenCount
        print("\(Samples.tokenCount) signed transactions of \(size) bytes, verified and decoded")
        var figures = Dictionary(uniqueKeysWithValues: Contender.allCases.map { ($0, Figures()) })
        for _ in 0..<SignatureBenchmark.rounds {
            for contender in Contender.allCases { try run(contender, samples, &figures[contender, default: Figures()]) }
        }
        for contender in Contender.allCases {
            guard let microseconds = figures[contender]?[figure], !microseconds.isNaN else {
                print("  \(column(contender.description, width: 44)) not measured: \(python) is missing")
                continue
            }
            print(
                "  \(column(contender.description, width: 44))", formatted(microseconds, digits: 1), "µs each,",
                formatted(1e6 / microseconds, digits: 0), "a second")
        }
        func check(_ name: String, _ slow: Contender, _ fast: Contender, atLeast target: Double) {
            guard let slow = figures[slow], let fast = figures[fast], !slow[figure].isNaN else { return }
            targets.check(name, slow.ratios(figure, to: fast), .atLeast(target))
        }
        check("with the chain known, speed against the signature alone", .bare, .cached, atLeast: 0.5)
        check("with the chain known, speed against Apple's library", .python, .cached, atLeast: 18)
        check("with the chain validated, speed against Apple's library", .python, .full, atLeast: 2)
    }

    /// Name of the figure that each process prints: the processor's time for one token, in microseconds.
    private static let figure = "token"

    private static func run(_ contender: Contender, _ samples: Samples, _ figures: inout Figures) throws {
        let folder = samples.folder.path(percentEncoded: false)
        guard contender == .python else { return try figures.addRun(["--measure", contender.rawValue, folder]) }
        guard FileManager.default.isExecutableFile(atPath: python) else { return }
        try figures.addRun(
            of: python,
            ["-c", script, samples.tokens.path(percentEncoded: false), samples.root.path(percentEncoded: false)])
    }

    /// Prints the processor's time for one token, in microseconds.
    static func measureHere(_ name: String, _ samples: Samples) async throws {
        guard let contender = Contender(rawValue: name) else { return }
        let tokens = try String(contentsOf: samples.tokens, encoding: .utf8).split(separator: "\n").map(String.init)
        let roots = try TrustedRoots(pem: String(contentsOf: samples.root, encoding: .utf8))
        func makeVerifier() -> SignedDataVerifier {
            SignedDataVerifier(
                roots: roots, bundleIdentifier: Samples.bundleIdentifier, environment: .sandbox)
        }
        let seconds: Double
        switch contender {
        case .bare:
            let signatures = try tokens.map { try Signature(token: $0) }
            seconds = await measure { for signature in signatures { precondition(signature.isValid) } }
        case .cached:
            let verifier = makeVerifier()
            seconds = await measure { for token in tokens { await verify(token, verifier) } }
        case .full:
            seconds = await measure { for token in tokens { await verify(token, makeVerifier()) } }
        case .python:
            return
        }
        print("\(figure)=\(seconds * 1e6 / Double(tokens.count))")
    }

    private static func verify(_ token: String, _ verifier: SignedDataVerifier) async {
        guard case .verified(let signed) = await verifier.verify(transaction: token) else {
            preconditionFailure("a transaction was not verified")
        }
        precondition(signed.payload.bundleIdentifier == Samples.bundleIdentifier)
    }

    /// - Returns: The processor's seconds of the second time: the first one warms up.
    private static func measure(_ body: () async -> Void) async -> Double {
        await body()
        let start = processorSeconds()
        await body()
        return processorSeconds() - start
    }

    private struct Signature {
        let key: P256.Signing.PublicKey
        let input: Data
        let signature: P256.Signing.ECDSASignature

        init(token: String) throws {
            struct Header: Decodable { let x5c: [Data] }
            let segments = token.split(separator: ".")
            let header = try JSONDecoder().decode(Header.self, from: Self.bytes(segments[0]))
            guard
                let key = P256.Signing.PublicKey(try Certificate(derEncoded: Array(header.x5c[0])).publicKey)
            else { preconditionFailure("the leaf has no P-256 key") }
            self.key = key
            input = Data("\(segments[0]).\(segments[1])".utf8)
            signature = try P256.Signing.ECDSASignature(rawRepresentation: Self.bytes(segments[2]))
        }

        var isValid: Bool { key.isValidSignature(signature, for: input) }

        private static func bytes(_ text: Substring) -> Data {
            let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
            let standard = text.replacing("-", with: "+").replacing("_", with: "/") + padding
            return Data(base64Encoded: String(standard)) ?? Data()
        }
    }

    // MARK: Apple's library

    private static let python = URL(filePath: #filePath, directoryHint: .notDirectory)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/peers/bin/python3").path(percentEncoded: false)

    private static let script = """
        import ssl, sys, time
        from appstoreserverlibrary.models.Environment import Environment
        from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
        with open(sys.argv[1]) as file: tokens = file.read().split()
        with open(sys.argv[2]) as file: root = ssl.PEM_cert_to_DER_cert(file.read())
        verifier = SignedDataVerifier([root], False, Environment.SANDBOX, "\(Samples.bundleIdentifier)")
        for _ in range(2):
            start = time.process_time()
            for token in tokens: assert verifier.verify_and_decode_signed_transaction(token).transactionId
            seconds = time.process_time() - start
        print(f"\(figure)={seconds * 1e6 / len(tokens)}")
        """
}
