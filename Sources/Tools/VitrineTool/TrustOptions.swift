import ArgumentParser
import Foundation
import VitrineCommandSupport
import VitrineEntitlements
import VitrineReceipts
import VitrineSupport

/// Root certificates and date for verifying signatures.
struct TrustOptions: ParsableArguments {
    @Option(
        name: .customLong("root"),
        help: ArgumentHelp("A root certificate to trust instead of Apple's, in PEM or DER.", valueName: "file"),
        completion: .file())
    var roots: [String] = []

    @Option(
        name: .customLong("xcode-root"),
        help: ArgumentHelp(
            "An Xcode certificate to trust: it proves only that Xcode signed the data.", valueName: "file"),
        completion: .file())
    var xcodeRoots: [String] = []

    @Option(
        help: ArgumentHelp(
            "The day or time at which certificates must be valid and a receipt must not have expired, such as "
                + "2024-02-23 or 2024-02-23T17:27:16Z. (default: for certificates the signing date, else now)",
            valueName: "date")
    )
    var at: String?

    func validate() throws {
        guard let at else { return }
        guard Date(dayOrTime: at) != nil else {
            throw ValidationError("\(at) is not a day or time since 1970, such as 2024-02-23 or 2024-02-23T17:27:16Z.")
        }
    }

    /// Date from the option `--at`; `nil` for the current date.
    var date: Date? { at.flatMap(Date.init(dayOrTime:)) }

    var validity: CertificateValidity { date == nil ? .whenSigned : .current }

    var now: @Sendable () -> Date {
        let date = date
        return { date ?? Date() }
    }

    /// Description of the trusted root certificates for the output.
    var rootText: String {
        ((roots.isEmpty ? ["Apple's roots"] : roots) + xcodeRoots).joined(separator: ", ")
    }

    var trustedRoots: TrustedRoots {
        get throws {
            var trusted = roots.isEmpty ? TrustedRoots.apple : .none
            for path in roots { trusted = trusted.union(try Self.read(path) { try TrustedRoots(data: $0) }) }
            for path in xcodeRoots { trusted = trusted.union(try Self.read(path) { try TrustedRoots(xcodeData: $0) }) }
            return trusted
        }
    }

    private static let sizeLimit = 1 << 20

    private static func read(_ path: String, as roots: (Data) throws -> TrustedRoots) throws -> TrustedRoots {
        let data = try InputFile.read(path, limit: sizeLimit)
        do {
            return try roots(data)
        } catch let error as SignedDataError {
            throw ToolFailure(status: .unusableData, reason: "\(path): \(error.reason)")
        }
    }
}

/// Required app and environment of signed data.
struct IdentityOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The bundle identifier that the data must name. (default: any)", valueName: "id"))
    var bundle: String?

    @Option(
        help: ArgumentHelp(
            "The environment that the data must name: Production, Sandbox, Xcode or LocalTesting. (default: any)",
            valueName: "name"))
    var environment: String?

    func validate() throws {
        let known: [StoreEnvironment] = [
            .production, .sandbox, .xcode, .localTesting,
        ]
        guard let storeEnvironment, !known.contains(storeEnvironment) else { return }
        throw ValidationError(
            "the store environment must be one of \(known.map(\.rawValue).joined(separator: ", ")), "
                + "not \(storeEnvironment.rawValue)."
        )
    }

    var storeEnvironment: StoreEnvironment? { environment.map(StoreEnvironment.init) }
}

/// Device identifier in the hash of an app receipt.
enum DeviceIdentifier {
    /// Parses a UUID, such as `identifierForVendor`, or the bytes of a Mac's network address (MAC address) in
    /// hexadecimal, with or without colons; `nil` if the text is not valid.
    static func parse(_ text: String) -> Data? {
        if let uuid = UUID(uuidString: text) { return withUnsafeBytes(of: uuid.uuid) { Data($0) } }
        let digits = text.replacing(":", with: "")
        guard !digits.isEmpty, digits.utf8.count.isMultiple(of: 2), digits.utf8.count <= 64 else { return nil }
        var bytes = Data()
        var rest = digits[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16), rest.prefix(2).allSatisfy(\.isHexDigit) else {
                return nil
            }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
