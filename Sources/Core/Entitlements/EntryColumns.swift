internal import VitrineCatalog

/// Column of the ledger's table of entries, with its SQL constraint.
package struct EntryColumn {
    package let name: String
    package let constraint: String
    /// `true` if ownership can be computed without the values of the column.
    package let isDetail: Bool
    /// Indicates that the checksum of an entry covers the column. It does not cover the signed data: the store's
    /// signature protects this data, and its length would make each checksum slow.
    package let isChecked: Bool

    fileprivate init(_ name: String, _ constraint: String = "", isDetail: Bool = false, isChecked: Bool = true) {
        self.name = name
        self.constraint = constraint
        self.isDetail = isDetail
        self.isChecked = isChecked
    }
}

/// Visitor of the columns of an entry. A visitor reads a row, writes it, or collects the columns of the table.
package protocol EntryColumnVisitor {
    mutating func visit(_ column: EntryColumn, _ text: inout String?)
    mutating func visit(_ column: EntryColumn, _ integer: inout Int64?)
    mutating func visit(_ column: EntryColumn, _ flag: inout Bool?)
}

extension EntryFields {
    /// Visits the columns of the table of entries with the values of this entry, in the order of the table. Columns
    /// that are not needed to compute ownership are last. This function defines all columns except the sequence number.
    package mutating func visitColumns(_ visitor: inout some EntryColumnVisitor) {
        var (kind, key, recordedAt): (String?, String?, Int64?) = (kind, key, recordedAt)
        visitor.visit(EntryColumn("kind", "NOT NULL"), &kind)
        visitor.visit(EntryColumn("key", "NOT NULL CHECK (key <> '')"), &key)
        visitor.visit(EntryColumn("recordedAt", "NOT NULL"), &recordedAt)
        (self.kind, self.key, self.recordedAt) = (kind ?? "", key ?? "", recordedAt ?? 0)
        visitor.visit(EntryColumn("purchaseID"), &purchaseID)
        visitor.visit(EntryColumn("originalTransactionID"), &originalTransactionID)
        visitor.visit(EntryColumn("transactionID"), &transactionID)
        visitor.visit(EntryColumn("productIdentifier"), &productIdentifier)
        visitor.visit(EntryColumn("productKind"), &productKind)
        visitor.visit(EntryColumn("quantity", "CHECK (quantity > 0)"), &quantity)
        visitor.visit(EntryColumn("purchaseDate"), &purchaseDate)
        visitor.visit(EntryColumn("originalPurchaseDate"), &originalPurchaseDate)
        visitor.visit(EntryColumn("expirationDate"), &expirationDate)
        visitor.visit(EntryColumn("isUpgraded"), &isUpgraded)
        visitor.visit(EntryColumn("isFamilyShared"), &isFamilyShared)
        visitor.visit(EntryColumn("accountToken"), &accountToken)
        visitor.visit(EntryColumn("contents"), &contents)
        visitor.visit(EntryColumn("environment"), &environment)
        visitor.visit(EntryColumn("signedDate"), &signedDate)
        visitor.visit(EntryColumn("revocationDate"), &revocationDate)
        visitor.visit(EntryColumn("revocationPercentage"), &revocationPercentage)
        visitor.visit(EntryColumn("reason"), &reason)
        visitor.visit(EntryColumn("author"), &author)
        visitor.visit(EntryColumn("wallet"), &wallet)
        visitor.visit(
            EntryColumn(
                "amount", "CHECK (amount > 0 OR (kind IN ('adjustment', 'revocation') AND amount <> 0))"), &amount)
        visitor.visit(
            EntryColumn("refundPolicy", "CHECK (refundPolicy IN ('clawback', 'debt', 'ignore'))"), &refundPolicy)
        visitor.visit(EntryColumn("originalVersion"), &originalVersion)
        visitor.visit(EntryColumn("platform"), &platform)
        visitor.visit(EntryColumn("receiptDigest"), &receiptDigest)
        visitor.visit(EntryColumn("isRenewing"), &isRenewing)
        visitor.visit(EntryColumn("renewalTerms"), &renewalTerms)
        visitor.visit(EntryColumn("device"), &device)
        visitor.visit(EntryColumn("moment", "NOT NULL"), &moment)
        visitor.visit(EntryColumn("contentVersion", isDetail: true), &contentVersion)
        visitor.visit(
            EntryColumn(
                "contentDigest", "CHECK (length(contentDigest) = 64 AND contentDigest NOT GLOB '*[^0-9a-f]*')",
                isDetail: true), &contentDigest)
        visitor.visit(EntryColumn("contentPath", isDetail: true), &contentPath)
        visitor.visit(EntryColumn("signedData", isDetail: true, isChecked: false), &signedData)
    }
}

extension EntryFields {
    /// Names of the columns that may have a value in entries of all kinds.
    package static let commonColumns = ["kind", "key", "recordedAt", "device", "moment"]

    /// `true` if the entry may affect ownership.
    package var isOfOwnership: Bool {
        Fact.Kind(rawValue: kind)?.isNoMatterOfOwnership != true && productKind != ProductKind.consumable.rawValue
    }
}

extension Fact.Kind {
    /// Names of the columns that have a value in every entry of the kind, and of columns that may have a value. Columns
    /// that may have a value in entries of all kinds are not included. Every other column is empty.
    package var columns: (required: [String], optional: [String]) {
        let origin = [
            "purchaseID", "originalTransactionID", "transactionID", "productIdentifier", "environment", "signedDate",
        ]
        let (proof, units) = (["signedData", "receiptDigest"], ["wallet", "amount"])
        let period = ["expirationDate", "isUpgraded"]
        return switch self {
        case .purchase:
            (
                origin + ["productKind", "quantity", "purchaseDate", "isFamilyShared"],
                proof + period + ["originalPurchaseDate", "accountToken", "contents"]
            )
        case .term: (origin + period, proof)
        case .renewal: (origin + ["isRenewing", "renewalTerms"], proof)
        case .revocation: (origin + ["revocationDate"], proof + units + ["revocationPercentage"])
        case .reinstatement: (origin, proof + units)
        case .grant: (["productIdentifier", "reason", "author"], ["expirationDate"])
        case .lock: (["productIdentifier", "reason", "author"], [])
        case .credit: (units + ["purchaseID", "productIdentifier", "refundPolicy"], [])
        case .deposit: (units + ["reason"], [])
        case .debit: (units, [])
        case .appPurchase:
            (["originalVersion", "purchaseDate", "environment", "signedDate"], proof + ["platform"])
        case .receipt: (["environment", "signedDate", "signedData"], [])
        case .content: (["productIdentifier", "contentVersion", "contentPath"], ["contentDigest"])
        case .settlement: (["reason"], ["author"])
        case .loss, .note: (["reason"], [])
        case .counterpart:
            (["reason", "purchaseID"], units + ["refundPolicy", "expirationDate"])
        case .adjustment: (units + ["reason"], ["quantity"])
        case .lease: (units + ["expirationDate"], [])
        case .release: ([], [])
        }
    }

    /// `true` if facts of the kind never affect ownership, because they only change the balance of a wallet or describe
    /// content.
    package var isNoMatterOfOwnership: Bool {
        [.credit, .deposit, .debit, .content, .adjustment, .lease, .release].contains(self)
    }
}
