public import Foundation
internal import VitrineAppServerRecords
internal import VitrineCatalogLoading
internal import VitrineFileSystem
internal import VitrinePropertyList
public import VitrineSupport

extension AppServerConfiguration {
    /// Maximum size of a configuration file in bytes.
    private static let sizeLimit = 1 << 20

    private static let mostProxies = 10

    private static let keys = [
        "listen", "operators", "behindProxy", "limits", "drain", "data", "postgresql", "apps", "operatorTokens",
    ]

    /// Reads a configuration file.
    ///
    /// - Parameters:
    ///   - file: Property list. Paths in it are relative to its folder.
    ///   - environment: Environment variables. `VITRINE_DATA`, `VITRINE_POSTGRESQL` and `VITRINE_OPERATOR_TOKENS`
    ///     override keys of the file.
    /// - Throws: ``AppServerConfigurationError`` with all errors.
    public init(file: URL, environment: [String: String]) throws(AppServerConfigurationError) {
        self.init()
        let document = try Self.document(file)
        let errors = ConfigurationErrors()
        read(ConfigurationValue(value: document.root, name: "", file: file, errors: errors))
        try apply(environment, errors)
    }

    private static func document(_ file: URL) throws(AppServerConfigurationError) -> PropertyListDocument {
        let bytes: [UInt8]
        do throws(FileSystemError) {
            bytes = try BoundedFile.bytes(file, limit: sizeLimit)
        } catch {
            throw AppServerConfigurationError(
                code: error.isMissing ? .missingFile : .unreadable, reason: "\(file.relativePath): \(error.reason)",
                context: [])
        }
        do throws(PropertyListError) {
            return try PropertyListDocument(bytes: bytes, limits: PropertyListLimits(size: sizeLimit, depth: 10))
        } catch {
            let location = error.position.map { "\(file.relativePath):\($0)" } ?? file.relativePath
            let line = "\(location): \(error.reason)"
            throw AppServerConfigurationError(code: .invalid, reason: line, context: [line])
        }
    }

    // MARK: Keys

    private mutating func read(_ root: ConfigurationValue) {
        let values = root.values(Self.keys)
        if let value = values["listen"] { listen = Self.address(value, listen) }
        if let value = values["operators"] { operatorsListen = Self.address(value, operatorsListen) }
        if let value = values["behindProxy"] { proxies = Self.proxies(value) ?? 0 }
        if let value = values["limits"] { limits = ServerLimits(value) }
        if let value = values["drain"]?.integer(in: 0...300) { drain = TimeInterval(value) }
        if let value = values["data"]?.url(isFolder: true) { storage = .folder(value) }
        if let value = values["postgresql"] {
            if let reason = Self.reasonWithoutPostgreSQL { value.report(reason) }
            if values["data"] != nil { value.report("data and postgresql exclude each other") }
            if let connection = value.string { storage = .postgreSQL(connection) }
        }
        if let value = values["operatorTokens"] { operators = value.elements.compactMap(Self.operator) }
        guard let value = values["apps"] else { return root.reportMissing("apps") }
        apps = value.elements.compactMap(ConfiguredApp.init)
        if value.value.kind == .array, value.value.count == 0 { value.report("there must be at least one app") }
        for (name, apps) in Dictionary(grouping: apps, by: \.name) where apps.count > 1 {
            value.report("\(apps.count) apps are called \(name); the key name gives an app another name")
        }
    }

    private static func proxies(_ value: ConfigurationValue) -> Int? {
        if let isBehindProxy = value.value.boolean { return isBehindProxy ? 1 : 0 }
        guard let count = value.value.integer, (1...mostProxies).contains(count) else {
            value.report("must be a Boolean, or the number of proxies in a row from 1 to \(mostProxies)")
            return nil
        }
        return count
    }

    private static func address(_ value: ConfigurationValue, _ standard: Address) -> Address {
        var address = standard
        let values = value.values(["host", "port"])
        if let host = values["host"]?.string { address.host = host }
        if let port = values["port"]?.integer(in: 0...65_535) { address.port = port }
        return address
    }

    private static func `operator`(_ value: ConfigurationValue) -> OperatorAccount? {
        let values = value.values(["name", "role", "digest"])
        for key in ["name", "role", "digest"] where values[key] == nil { value.reportMissing(key) }
        guard let name = values["name"]?.string, let role = values["role"]?.string,
            let digest = values["digest"]?.string
        else { return nil }
        do throws(OperatorAccount.FormatError) {
            return try OperatorAccount(name: name, role: role, digest: digest)
        } catch {
            value.report(error.reason)
            return nil
        }
    }

    /// Reason why this build cannot use PostgreSQL; `nil` if it can.
    static var reasonWithoutPostgreSQL: String? {
        #if PostgreSQL
            nil
        #else
            "this build has no PostgreSQL: build it with --traits PostgreSQL"
        #endif
    }

    // MARK: Environment variables

    /// Replaces values of the configuration by those of environment variables.
    ///
    /// - Throws: ``AppServerConfigurationError`` with all errors.
    package mutating func apply(environment: [String: String]) throws(AppServerConfigurationError) {
        try apply(environment, ConfigurationErrors())
    }

    private mutating func apply(
        _ environment: [String: String], _ errors: ConfigurationErrors
    ) throws(AppServerConfigurationError) {
        read(environment, errors)
        guard errors.lines.isEmpty else {
            throw AppServerConfigurationError(
                code: .invalid, reason: errors.lines.joined(separator: "\n"), context: errors.lines)
        }
    }

    private mutating func read(_ environment: [String: String], _ errors: ConfigurationErrors) {
        if let path = environment["VITRINE_DATA"], !path.isEmpty {
            storage = .folder(URL(filePath: path, directoryHint: .isDirectory))
        }
        if let connection = environment["VITRINE_POSTGRESQL"], !connection.isEmpty {
            if let reason = Self.reasonWithoutPostgreSQL { errors.add("VITRINE_POSTGRESQL: \(reason)") }
            storage = .postgreSQL(connection)
        }
        if let text = environment["VITRINE_OPERATOR_TOKENS"], !text.isEmpty {
            operators = text.split(separator: ",").compactMap { item in
                let parts = item.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
                do throws(OperatorAccount.FormatError) {
                    guard parts.count == 3 else {
                        throw OperatorAccount.FormatError(reason: "each item must be NAME:ROLE:DIGEST")
                    }
                    return try OperatorAccount(name: parts[0], role: parts[1], digest: parts[2])
                } catch {
                    errors.add("VITRINE_OPERATOR_TOKENS: \(error.reason)")
                    return nil
                }
            }
        }
    }
}

extension OperatorAccount {
    /// Error of an invalid operator in a configuration.
    struct FormatError: Error {
        let reason: String
    }

    /// Creates an operator from the strings of a configuration.
    init(name: String, role: String, digest: String) throws(FormatError) {
        guard (1...100).contains(name.utf8.count) else { throw FormatError(reason: "the name has from 1 to 100 bytes") }
        guard let role = OperatorRole(rawValue: role) else {
            let roles = OperatorRole.allCases.map(\.rawValue).joined(separator: ", ")
            throw FormatError(reason: "the role \"\(role)\" is not one of \(roles)")
        }
        guard let bytes = Data(hexadecimal: digest), bytes.count == 32 else {
            throw FormatError(reason: "the digest must be the SHA-256 digest of a token, in 64 hexadecimal digits")
        }
        self.init(name: name, role: role, tokenDigest: bytes)
    }
}

extension Data {
    /// Creates data from hexadecimal digits; `nil` if a character is not one, or their count is odd.
    fileprivate init?(hexadecimal text: String) {
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let values = digits.compactMap(\.self)
        self.init(stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) })
    }
}
