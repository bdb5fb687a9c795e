import ArgumentParser
import Foundation
import VitrineCatalog
internal import VitrineCatalogLoading
import VitrineCommandSupport
import VitrineEntitlements
import VitrineFileSystem
import VitrineSupport

/// Public key given as an argument of a command.
enum PublicKeyFile {
    private static let sizeLimit = 4096

    /// Reads a public key.
    ///
    /// - Parameter text: Key as a line that begins with `RW`, or path of a file with this line.
    static func read(_ text: String) throws(ToolFailure) -> MinisignPublicKey {
        if let key = try? MinisignPublicKey(text) { return key }
        let data = try InputFile.read(text, limit: sizeLimit)
        do {
            return try MinisignPublicKey(String(decoding: data, as: UTF8.self))
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(text): \(error.reason)")
        }
    }
}

/// File with the private key of a command that signs.
enum PrivateKeyFile {
    private static let sizeLimit = 4096

    static func read(_ path: String) throws(ToolFailure) -> SigningKey {
        let data = try InputFile.read(path, limit: sizeLimit)
        do {
            return try SigningKey(pem: String(decoding: data, as: UTF8.self))
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(path): \(error.reason)")
        }
    }
}

extension InputFile {
    /// Reads a file that a command is about to replace.
    ///
    /// - Returns: `nil` if there is no such file.
    static func readPresent(_ path: String, limit: Int) throws(ToolFailure) -> Data? {
        guard FileStatus(URL(filePath: path, directoryHint: .notDirectory))?.isRegularFile == true else { return nil }
        return try read(path, limit: limit)
    }
}

/// Existing `keys.plist`, which a command is about to replace, with its signed statement.
struct PresentKeys {
    private let path: String
    private let epoch: Int
    /// Signed statement about the existing file; `nil` if the file has no signature.
    private let statement: CatalogStatement?

    /// Reads an existing `keys.plist`, and its signature.
    ///
    /// - Returns: `nil` if the file does not exist.
    /// - Throws: ``ToolFailure`` 65 if the file is not a `keys.plist`, or its signature is not one for a `keys.plist`.
    init?(path: String) throws(ToolFailure) {
        let limit = SignedCatalogFiles.smallFileLimit
        guard let file = try InputFile.readPresent(path, limit: limit) else { return nil }
        let signaturePath = "\(path).minisig"
        let signature = try InputFile.readPresent(signaturePath, limit: limit)
        self.path = path
        do {
            epoch = try CatalogKeys(file).epoch
        } catch {
            throw ToolFailure(
                status: .unusableData, reason: "\(path) already exists and is not a key file: \(error.reason)")
        }
        do {
            statement = try signature.map { (signature) throws(CatalogSignatureFailure) in
                let signature = try MinisignSignature(signature)
                return try CatalogStatement(
                    signature.trustedComment, for: .keys, keyIdentifier: signature.keyIdentifierText)
            }
        } catch {
            throw ToolFailure(
                status: .unusableData,
                reason: "\(signaturePath) already exists and is not the signature of a key file: \(error.reason)")
        }
    }

    /// Checks that apps that have accepted the existing `keys.plist` will also accept the new one.
    ///
    /// - Throws: ``ToolFailure`` 64 if apps would reject the new file.
    func check(next: CatalogStatement) throws(ToolFailure) {
        if let statement, (statement.app, statement.channel) != (next.app, next.channel) { return }
        func refuse(_ reason: String) -> ToolFailure {
            ToolFailure(status: .usage, reason: "\(path) is \(reason): apps that have seen it would refuse the new one")
        }
        guard next.epoch >= epoch else { throw refuse("at epoch \(epoch)") }
        guard let statement else { return }
        // Each root key has a separate sequence of versions.
        guard next.version >= statement.version || next.keyIdentifier != statement.keyIdentifier else {
            throw refuse("at version \(statement.version)")
        }
        guard next.issued >= statement.issued else { throw refuse("signed on \(statement.issued.second)") }
    }
}

/// Options for the app and channel for which a file is signed.
struct ScopeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The bundle identifier of the app that the file is signed for.", valueName: "id"))
    var app: String

    @Option(help: ArgumentHelp("The channel that the file is signed for, such as beta.", valueName: "name"))
    var channel = "production"
}

/// Expiration date of a signed file, from an option.
enum Expiry: ExpressibleByArgument {
    case date(Date)
    /// Number of days from the issue of the file until its expiration.
    case days(Int)

    private static let mostDays = 36_500

    init?(argument: String) {
        if let date = Date(dayOrTime: argument) {
            self = .date(date)
        } else if let days = Int(argument), (1...Self.mostDays).contains(days) {
            self = .days(days)
        } else {
            return nil
        }
    }

    func date(after issued: Date) -> Date {
        switch self {
        case .date(let date): date
        case .days(let days): issued + TimeInterval(days) * 86_400
        }
    }
}

extension Date {
    /// Current time in whole seconds, because signatures do not contain fractions.
    static var thisSecond: Date { Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)) }
}
