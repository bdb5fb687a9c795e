internal import Crypto
internal import Foundation
internal import VitrineAppServerRecords
internal import VitrineCatalog
internal import VitrineCatalogLoading
internal import VitrineReceipts
internal import VitrineSupport

extension ConfiguredApp {
    private static let keys = [
        "name", "bundleIdentifier", "environment", "appleID", "roots", "catalog", "catalogKeys", "content",
        "accountKeys", "serverKey", "checksRevocation", "currentCertificates",
    ]

    private static let environments: [StoreEnvironment] = [.production, .sandbox, .xcode, .localTesting]

    /// Reads the configuration of an app.
    ///
    /// - Returns: `nil` if the configuration has an error, which is reported.
    init?(_ value: ConfigurationValue) {
        let values = value.values(Self.keys)
        for key in ["bundleIdentifier", "environment"] where values[key] == nil { value.reportMissing(key) }
        // Everything that does not depend on other keys is read before the first return, so that all errors are reported.
        let bundle = values["bundleIdentifier"]?.string
        let store = values["environment"].flatMap(Self.environment)
        let name = values["name"].flatMap(Self.name)
        let number = values["appleID"]?.integer(in: 1...Int.max)
        let catalog = values["catalog"]?.content(limit: CatalogPublication.File.catalog.sizeLimit)?.url
        let content = values["content"]?.folder
        let accountKeys = (values["accountKeys"]?.entries ?? []).map { ($0.key, AccountKey($0.value)) }
        let checksRevocation = values["checksRevocation"]?.boolean
        let isCurrent = values["currentCertificates"]?.boolean
        guard let bundle, let store, let roots = Self.roots(values["roots"], of: store, value) else { return nil }
        self.init(name: name ?? bundle, bundleIdentifier: bundle, environment: store, roots: roots)
        appleID = number.map(Int64.init)
        (self.catalog, self.content) = (catalog, content)
        if let keys = values["catalogKeys"] { catalogTrust = Self.trust(keys, bundle) }
        for (identifier, key) in accountKeys { self.accountKeys[identifier] = key }
        if let key = values["serverKey"] { readServerKey(key) }
        if let checksRevocation { self.checksRevocation = checksRevocation }
        if isCurrent == true { validity = .current }
    }

    private static func environment(_ value: ConfigurationValue) -> StoreEnvironment? {
        guard let name = value.string else { return nil }
        let environment = environments.first { $0.rawValue == name }
        if environment == nil { value.report(name, isNotOneOf: environments.map(\.rawValue)) }
        return environment
    }

    /// Returns the name of an app if it can be a segment of a URL's path.
    private static func name(_ value: ConfigurationValue) -> String? {
        guard let name = value.string else { return nil }
        let isUsable =
            name.utf8.count <= 100
            && name.utf8.allSatisfy { byte in
                byte.isASCIILetterOrDigit || "-._".utf8.contains(byte)
            }
        guard isUsable, !name.allSatisfy({ $0 == "." }) else {
            value.report("must have at most 100 letters, digits, hyphens, periods and underscores")
            return nil
        }
        return name
    }

    /// Returns the trusted root certificates of an app. For production only Apple's are accepted: with another root,
    /// anyone who has its private key could sign purchases.
    private static func roots(
        _ value: ConfigurationValue?, of environment: StoreEnvironment, _ app: ConfigurationValue
    ) -> TrustedRoots? {
        guard let value else {
            guard [.production, .sandbox].contains(environment) else {
                app.report("the environment \(environment.rawValue) needs the key roots: Apple signs nothing there")
                return nil
            }
            return .apple
        }
        var roots = TrustedRoots.none
        for element in value.elements {
            guard let (url, data) = element.content() else { continue }
            do throws(SignedDataError) {
                roots = roots.union(
                    environment == .xcode ? try TrustedRoots(xcodeData: data) : try TrustedRoots(data: data))
            } catch {
                element.report("\(url.relativePath): \(error.reason)")
            }
        }
        guard environment != .production || roots.areOfApple else {
            value.report("in the environment Production, only Apple's roots are trusted; remove this key")
            return nil
        }
        return roots
    }

    private static func trust(_ value: ConfigurationValue, _ bundle: String) -> CatalogTrust? {
        let keys = value.elements.compactMap { element -> MinisignPublicKey? in
            guard let text = element.string else { return nil }
            do throws(CatalogSignatureFailure) {
                return try MinisignPublicKey(text)
            } catch {
                element.report(error.reason)
                return nil
            }
        }
        if keys.isEmpty { value.report("there must be at least one public key of minisign") }
        return CatalogTrust(mode: .enforce, roots: keys, app: bundle)
    }

    private mutating func readServerKey(_ value: ConfigurationValue) {
        let values = value.values(["issuer", "keyID", "file", "address"])
        for key in ["issuer", "keyID", "file"] where values[key] == nil { value.reportMissing(key) }
        if let address = values["address"], let text = address.string {
            storeServer = URL(string: text)
            let objection =
                storeServer.map { WebAddress.objection(to: $0) } ?? "is not a URL"
            if let objection { address.report("the address \(objection)") }
        } else if ![.production, .sandbox].contains(environment) {
            value.report("the environment \(environment.rawValue) needs the key address: Apple has no server for it")
        }
        guard let issuer = values["issuer"]?.string, let identifier = values["keyID"]?.string,
            let file = values["file"], let (url, data) = file.content()
        else { return }
        do throws(SignedDataError) {
            serverKey = try AppStoreServerKey(
                pem: String(decoding: data, as: UTF8.self), identifier: identifier, issuer: issuer)
        } catch {
            file.report("\(url.relativePath): \(error.reason)")
        }
    }
}

extension AccountKey {
    /// First bytes of an Ed25519 public key in DER (RFC 8410, section 10.1), before the 32 bytes of the key.
    private static let prefixOfEdDSA = Data([0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00])

    /// Reads a public key in PEM from a file.
    ///
    /// - Returns: `nil` if the file has no such key, which is reported.
    fileprivate init?(_ value: ConfigurationValue) {
        guard let (url, data) = value.content(limit: 16 * 1024) else { return nil }
        let pem = String(decoding: data, as: UTF8.self)
        if let key = try? P256.Signing.PublicKey(pemRepresentation: pem) {
            self = .es256(key.x963Representation)
            return
        }
        let body = pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }.joined()
        guard pem.contains("-----BEGIN PUBLIC KEY-----"), let der = Data(base64Encoded: body), der.count == 44,
            der.prefix(12) == Self.prefixOfEdDSA
        else {
            value.report("\(url.relativePath) is not a public key in PEM, of P-256 or Ed25519")
            return nil
        }
        self = .edDSA(der.suffix(32))
    }
}

extension TrustedRoots {
    /// Indicates that all trusted root certificates are Apple's.
    fileprivate var areOfApple: Bool {
        xcodeCertificates.isEmpty && !certificates.isEmpty
            && certificates.allSatisfy { TrustedRoots.apple.certificates.contains($0) }
    }
}
