import ArgumentParser
import Foundation
import Receipts

/// App and environment that signed data must belong to.
struct IdentityOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The required bundle identifier. (default: any)", valueName: "id"))
    var bundle: String?

    @Option(
        help: ArgumentHelp(
            "The required environment: Production, Sandbox, Xcode or LocalTesting. (default: any)",
            valueName: "name"))
    var environment: String?

    func validate() throws {
        let known: [StoreEnvironment] = [
            .production, .sandbox, .xcode, .localTesting,
        ]
        guard let storeEnvironment, !known.contains(storeEnvironment) else { return }
        throw ValidationError(
            "\(storeEnvironment.rawValue) must be one of \(known.map(\.rawValue).joined(separator: ", ")).")
    }

    var storeEnvironment: StoreEnvironment? { environment.map(StoreEnvironment.init) }
}

/// Identifier of a device in the hash of an app receipt.
enum DeviceIdentifier {
    /// Parses a UUID, such as `identifierForVendor`, or the bytes of a Mac's network address in hexadecimal, with or
    /// without colons.
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
