internal import VitrinePropertyList

/// Wallets declared in a catalog. Their use by products is not checked here.
struct WalletDeclarations: Sendable {
    /// Valid wallets by key. A wallet with an error is excluded.
    private(set) var wallets: [String: CatalogWallet] = [:]
    /// Keys (names) of the declared wallets, in file order.
    private(set) var keys: [Located<String>] = []
    private(set) var findings: [Finding] = []

    init() {}

    /// Reads the value of the key `wallets`: a dictionary from wallet keys to wallet settings.
    init(_ declared: PropertyListValue) {
        guard declared.kind == .dictionary else {
            refuse(
                "wallets must be a dictionary, but this is \(declared.kind.typeName)", at: SourceLocation(of: declared))
            return
        }
        guard declared.count <= CatalogLimits.wallets else {
            refuse(
                "a catalog may contain at most \(CatalogLimits.wallets) wallets, not \(declared.count)",
                at: SourceLocation(of: declared))
            return
        }
        var seen: Set<String> = []
        for entry in declared.entries {
            let location = SourceLocation(of: entry.keyValue)
            guard seen.insert(entry.key).inserted else {
                refuse("the dictionary wallets names \(entry.key.quoted) twice", at: location)
                continue
            }
            add(readWallet(entry), entry.key, at: location)
        }
    }

    /// Checks the wallets of a catalog created in code.
    init(_ wallets: [String: CatalogWallet]) {
        for (key, wallet) in wallets.sorted(by: { $0.key < $1.key }) {
            add(check(wallet.startingBalance, at: SourceLocation(nil)) ? wallet : nil, key, at: SourceLocation(nil))
        }
    }

    /// Adds a declared wallet, unless its key is empty.
    ///
    /// - Parameter wallet: Settings of the wallet; `nil` for a wallet with an error.
    private mutating func add(_ wallet: CatalogWallet?, _ key: String, at location: SourceLocation) {
        guard !key.isEmpty else {
            return refuse("the dictionary wallets contains a wallet without a name", at: location)
        }
        keys.append(Located(value: key, location: location))
        wallets[key] = wallet
    }

    private mutating func refuse(_ message: String, at location: SourceLocation) {
        findings.append(
            Finding(rule: CatalogRoot.rule, severity: .error, message: message, position: location.position))
    }
}

// MARK: - One wallet

extension WalletDeclarations {
    private enum Key: String, CaseIterable {
        case startingBalance, refundPolicy
    }

    /// Reads the settings of a wallet.
    ///
    /// - Returns: `nil` for a wallet with an error.
    private mutating func readWallet(_ declared: PropertyListValue.Entry) -> CatalogWallet? {
        let dictionary = declared.value
        guard dictionary.kind == .dictionary else {
            refuse(
                "a wallet must be a dictionary, but this is \(dictionary.kind.typeName)",
                at: SourceLocation(of: dictionary))
            return nil
        }
        let repetitions = CatalogRoot.repeatedKeys(in: dictionary)
        findings += repetitions
        var wallet = CatalogWallet()
        var isFine = repetitions.isEmpty
        for entry in dictionary.entries {
            switch Key(rawValue: entry.key) {
            case .startingBalance: isFine = readBalance(entry.value, of: &wallet) && isFine
            case .refundPolicy: isFine = readPolicy(entry.value, of: &wallet) && isFine
            case nil where SecretRule.isSecret(entry): findings.append(CatalogRoot.secret(entry))
            case nil:
                findings.append(
                    Finding(
                        rule: UnknownKeyRule.identifier, severity: .warning,
                        message: "the wallet \(declared.key.quoted) has the unknown key \(entry.key.quoted); known "
                            + "keys are " + Key.allCases.map(\.rawValue).joined(separator: ", "),
                        position: entry.keyPosition))
            }
        }
        return isFine ? wallet : nil
    }

    private mutating func readBalance(_ value: PropertyListValue, of wallet: inout CatalogWallet) -> Bool {
        guard let balance = value.integer else {
            refuse(
                value.kind == .integer
                    ? "startingBalance must be below 2^63"
                    : "startingBalance must be an integer, but this is \(value.kind.typeName)",
                at: SourceLocation(of: value))
            return false
        }
        wallet.startingBalance = balance
        return check(balance, at: SourceLocation(of: value))
    }

    private mutating func check(_ balance: Int, at location: SourceLocation) -> Bool {
        guard balance < 0 else { return true }
        refuse("startingBalance is \(balance), but must not be negative", at: location)
        return false
    }

    private mutating func readPolicy(_ value: PropertyListValue, of wallet: inout CatalogWallet) -> Bool {
        guard let name = value.string else {
            refuse("refundPolicy must be a string, but this is \(value.kind.typeName)", at: SourceLocation(of: value))
            return false
        }
        guard !name.isEmpty else {
            findings.append(
                Finding(
                    rule: EmptyStringRule.identifier, severity: .warning,
                    message: "an empty string in refundPolicy is treated as absent", position: value.position))
            return true
        }
        guard let policy = RefundPolicy(rawValue: name) else {
            let known = RefundPolicy.allCases.map(\.rawValue).joined(separator: ", ")
            refuse("\(name.quoted) is not one of the refund policies \(known)", at: SourceLocation(of: value))
            return false
        }
        wallet.refundPolicy = policy
        return true
    }
}
