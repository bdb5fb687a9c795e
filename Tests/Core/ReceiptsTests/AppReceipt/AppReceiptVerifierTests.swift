import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct AppReceiptVerifierTests {
    private let identity = ReceiptSigningIdentity.sample

    private func verify(
        _ data: Data, roots: TrustedRoots? = nil, bundle: String = "com.example.app", version: String? = nil,
        environment: StoreEnvironment = .sandbox, device: Data? = nil, validity: CertificateValidity = .whenSigned,
        now: Date = .sample
    ) async throws -> Verification<SignedAppReceipt> {
        try await AppReceiptVerifier(
            roots: roots ?? TrustedRoots(pem: identity.rootPEM), bundleIdentifier: bundle, appVersion: version,
            environment: environment, deviceIdentifier: device, validity: validity, now: { now }
        ).verify(receipt: data)
    }

    private func signed(_ receipt: AppReceipt = .sample()) throws -> Data {
        try identity.sign(receipt, deviceIdentifier: .device)
    }

    // MARK: App, environment, device

    @Test func `a receipt is verified for its app, version, environment and device`() async throws {
        let data = try signed()
        let verification = try await verify(data, version: "42", device: .device)

        #expect(verification.codes == [])
        #expect(verification.value?.data == data)
        #expect(try verification.value?.receipt == AppReceipt(unverified: data))
    }

    @Test func `a receipt in base64 is verified, and its decoded bytes are retained`() async throws {
        let data = try signed()
        let text = Data(data.base64EncodedString(options: .lineLength64Characters).utf8)

        #expect(try await verify(text, device: .device).value?.data == data)
    }

    @Test func `a receipt of another app, version, environment or device is refused with that reason`()
        async throws
    {
        let data = try signed()

        #expect(try await verify(data, bundle: "com.example.other").codes == [.bundleIdentifier])
        #expect(try await verify(data, bundle: "com.example.App").codes == [.bundleIdentifier])
        #expect(try await verify(data, version: "43").codes == [.appVersion])
        #expect(try await verify(data, environment: .production).codes == [.environment])
        #expect(try await verify(data, device: Data(count: 16)).codes == [.device])
        #expect(try await verify(data, device: Data()).codes == [.device])
    }

    @Test func `all reasons to refuse a receipt are reported at once`() async throws {
        var receipt = AppReceipt.sample()
        receipt.expirationDate = .sample
        let codes = try await verify(
            signed(receipt), roots: TrustedRoots.none, bundle: "com.example.other", version: "43",
            environment: .production, device: Data(count: 16)
        ).codes

        #expect(
            codes == [.certificateChain, .bundleIdentifier, .appVersion, .environment, .device, .expired])
    }

    @Test(
        arguments: [
            (ReceiptType.production, StoreEnvironment.production), (.productionVolumePurchase, .production),
            (.sandbox, .sandbox), (.sandboxVolumePurchase, .sandbox),
            (ReceiptType(rawValue: "Orbit"), StoreEnvironment(rawValue: "Orbit")),
        ]
    )
    func `each receipt type, including volume purchases and unknown types, is verified for its store environment`(
        type: ReceiptType, environment: StoreEnvironment
    )
        async throws
    {
        let data = try signed(.sample(type: type))

        #expect(try await verify(data, environment: environment).codes == [])
    }

    // MARK: Dates

    @Test func `a receipt is valid until its expiration date`() async throws {
        var receipt = AppReceipt.sample()
        receipt.expirationDate = .sample + 60
        let data = try signed(receipt)

        #expect(try await verify(data, now: .sample + 59).codes == [])
        #expect(try await verify(data, now: .sample + 60).codes == [.expired])
    }

    @Test(arguments: [-11, 31] as [Double])
    func `a receipt that was created outside the validity of its certificates is refused`(years: Double) async throws {
        var receipt = AppReceipt.sample()
        receipt.creationDate += years * 365.25 * 86_400

        #expect(try await verify(signed(receipt)).codes == [.certificateValidity])
    }

    @Test func `expired certificates are refused only if the verifier requires currently valid certificates`()
        async throws
    {
        let (data, later) = (try signed(), Date.sample + 31 * 365.25 * 86_400)

        #expect(try await verify(data, now: later).codes == [])
        #expect(try await verify(data, validity: .current, now: .sample).codes == [])
        #expect(try await verify(data, validity: .current, now: later).codes == [.certificateValidity])
    }

    // MARK: Certificates

    @Test func `a receipt is refused under another root of the same name, and without any root`() async throws {
        let data = try signed()
        let other = try TrustedRoots(pem: ReceiptSigningIdentity.other.rootPEM)

        for roots in [other, .none, .apple, try TrustedRoots(xcodeData: Data(identity.rootPEM.utf8))] {
            #expect(try await verify(data, roots: roots).codes == [.certificateChain])
        }
    }

    @Test(
        arguments: [
            ("neither", nil, nil), ("the leaf only", AppleMarkerOIDs.leaf, nil),
            ("the intermediate only", nil, AppleMarkerOIDs.intermediate),
            ("each the other's", AppleMarkerOIDs.intermediate, AppleMarkerOIDs.leaf),
        ] as [(String, ForgedChain.Mark?, ForgedChain.Mark?)]
    )
    func `certificates without the App Store's marker extensions are refused, even under a trusted root`(
        marked: String, leaf: ForgedChain.Mark?, intermediate: ForgedChain.Mark?
    ) async throws {
        let chain = try ForgedChain(leafMark: leaf, intermediateMark: intermediate)
        let codes = try await verify(ForgedContainer(chain: chain).der(), roots: TrustedRoots(pem: chain.rootPEM)).codes

        #expect(Set(codes) == [.certificateMark])
    }

    @Test func `a receipt with a leaf certificate of another chain is refused`() async throws {
        let (chain, other) = (try ForgedChain(), try CMSSignedData(Array(signed())))
        var container = try ForgedContainer(chain: chain)
        container.certificates = [chain.certificates[0]] + other.certificates.dropFirst()

        #expect(try await verify(container.der()).codes == [.certificateChain])
    }

    @Test func `a receipt signed by a root or intermediate certificate is refused`() async throws {
        var chain = try ForgedChain()
        let roots = try TrustedRoots(pem: chain.rootPEM)
        chain.certificates.removeFirst()
        let content = try AppReceipt.sample().hashed(for: .device).payload()
        for signer in chain.certificates {
            var container = try ForgedContainer(content: content, chain: chain)
            container.signers[0].certificate = signer
            let codes = try await verify(container.der(), roots: roots).codes

            #expect(codes.contains(.certificateChain) && codes.contains(.signature))
        }
    }

    @Test func `unrelated certificates in a receipt and the order of certificates do not affect its verification`()
        async throws
    {
        let chain = try ForgedChain()
        var container = try ForgedContainer(chain: chain)
        container.certificates.reverse()
        container.certificates.insert(try ForgedChain.alone().certificates[0], at: 1)

        #expect(try await verify(container.der(), roots: TrustedRoots(pem: chain.rootPEM)).codes == [])
    }

    // MARK: Xcode

    @Test func `a single certificate that is trusted as Xcode's verifies receipts of the Xcode environment only`()
        async throws
    {
        let chain = try ForgedChain.alone()
        let data = try ForgedContainer(.sample(type: .xcode), chain: chain).der()
        let xcode = try TrustedRoots(xcodeData: Data(chain.rootPEM.utf8))
        let root = try TrustedRoots(pem: chain.rootPEM)
        let environment = ReceiptType.xcode.environment

        #expect(try await verify(data, roots: xcode, environment: environment).codes == [])
        #expect(try await verify(data, roots: xcode, environment: .production).codes == [.environment])
        #expect(try await verify(data, roots: root, environment: environment).codes == [.certificateChain])
        #expect(try await verify(data, environment: environment).codes == [.certificateChain])
    }

    @Test(arguments: [ReceiptType.production, .sandbox])
    func `Xcode's certificate does not verify receipts of any other environment`(type: ReceiptType) async throws {
        let chain = try ForgedChain.alone()
        let data = try ForgedContainer(.sample(type: type), chain: chain).der()
        let roots = try TrustedRoots(xcodeData: Data(chain.rootPEM.utf8))

        #expect(try await verify(data, roots: roots, environment: type.environment).codes == [.environment])
    }
}
