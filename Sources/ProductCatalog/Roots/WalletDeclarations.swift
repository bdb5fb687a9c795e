internal import PropertyList

/// What a catalog says of its wallets, before anybody has looked which of them its products credit.
struct WalletDeclarations: Sendable {
    /// The wallets that can be used, by their keys: one with an error is left out.
    private(set) var wallets: [String: CatalogWallet] = [:]
    /// The keys that are named, in the order of the file.
    private(set) var keys: [Located<String>] = []
    private(set) var findings: [Finding] = []

    init() {}

    /// The value of the key `wallets` in a file: a dictionary of wallet key → what is said of it.
    init(_ declared: PropertyListValue) {
        guard declared.kind == .dictionary else {
            refuse("wallets must be a dictionary, and this is \(declared.kind.inWords)", at: Place(of: declared))
            return
        }
        guard declared.count <= CatalogLimits.wallets else {
            refuse(
                "a catalog has \(CatalogLimits.wallets) wallets at most, and this has \(declared.count)",
                at: Place(of: declared))
            return
        }
        var seen: Set<String> = []
        for entry in declared.entries {
            let place = Place(of: entry.keyValue)
            guard seen.insert(entry.key).inserted else {
                refuse("wallets names \(entry.key.quoted) twice", at: place)
                continue
            }
            add(readWallet(entry), entry.key, at: place)
        }
    }

    /// The wallets of a catalog made in code.
    init(_ wallets: [String: CatalogWallet]) {
        for (key, wallet) in wallets.sorted(by: { $0.key < $1.key }) {
            add(check(wallet.startingBalance, at: Place(nil)) ? wallet : nil, key, at: Place(nil))
        }
    }

    /// - Parameter wallet: `nil` where something is wrong with it.
    private mutating func add(_ wallet: CatalogWallet?, _ key: String, at place: Place) {
        guard !key.isEmpty else { return refuse("wallets has a wallet without a name", at: place) }
        keys.append(Located(value: key, place: place))
        wallets[key] = wallet
    }

    private mutating func refuse(_ message: String, at place: Place) {
        findings.append(
            Finding(rule: CatalogRoot.rule, severity: .error, message: message, position: place.position))
    }
}

// MARK: - One wallet

extension WalletDeclarations {
    private enum Key: String, CaseIterable {
        case startingBalance, refundPolicy
    }

    /// - Returns: `nil` where something is wrong with it.
    private mutating func readWallet(_ declared: PropertyListValue.Entry) -> CatalogWallet? {
        let dictionary = declared.value
        guard dictionary.kind == .dictionary else {
            refuse("a wallet is a dictionary, and this is \(dictionary.kind.inWords)", at: Place(of: dictionary))
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
                        message: "the wallet \(declared.key.quoted) has an unknown key, \(entry.key.quoted): known are "
                            + Key.allCases.map(\.rawValue).joined(separator: ", "),
                        position: entry.keyPosition))
            }
        }
        return isFine ? wallet : nil
    }

    private mutating func readBalance(_ value: PropertyListValue, of wallet: inout CatalogWallet) -> Bool {
        guard let balance = value.integer else {
            refuse(
                value.kind == .integer
                    ? "startingBalance must be below 2^63, and this is not"
                    : "startingBalance must be an integer, and this is \(value.kind.inWords)", at: Place(of: value))
            return false
        }
        wallet.startingBalance = balance
        return check(balance, at: Place(of: value))
    }

    private mutating func check(_ balance: Int, at place: Place) -> Bool {
        guard balance < 0 else { return true }
        refuse("startingBalance is \(balance), and must not be below zero", at: place)
        return false
    }

    private mutating func readPolicy(_ value: PropertyListValue, of wallet: inout CatalogWallet) -> Bool {
        guard let name = value.string else {
            refuse("refundPolicy must be a string, and this is \(value.kind.inWords)", at: Place(of: value))
            return false
        }
        guard !name.isEmpty else {
            findings.append(
                Finding(
                    rule: EmptyStringRule.identifier, severity: .warning,
                    message: "an empty text in refundPolicy counts as absent", position: value.position))
            return true
        }
        guard let policy = RefundPolicy(rawValue: name) else {
            let known = RefundPolicy.allCases.map(\.rawValue).joined(separator: ", ")
            refuse("\(name.quoted) is not one of the refund policies \(known)", at: Place(of: value))
            return false
        }
        wallet.refundPolicy = policy
        return true
    }
}
