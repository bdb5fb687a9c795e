internal import Crypto
package import Foundation
internal import VitrineAppServerAPI
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineSupport

extension CustomerRecords {
    /// Public key for signatures of customer states, Ed25519 in raw form.
    package var publicKey: Data { secrets.signing.publicKey.rawRepresentation }

    /// Returns the current state of a customer: owned products with reasons, and balances.
    ///
    /// - Throws: ``CustomerError``.
    package func customerState(of id: String) async throws(CustomerError) -> CustomerState {
        let customer = try await resolveMerged(of: id)
        let catalog = servedCatalog(of: customer.app)
        let (date, elsewhere) = (now, try await factsElsewhere(of: customer))
        if let known = known.customerState(of: customer.id), known.customerState.sequence == customer.sequence,
            known.catalog == catalog?.digest ?? "", known.elsewhere == elsewhere, known.end.map({ $0 > date }) ?? true
        {
            return known.customerState
        }
        try await grantOpeningBalances(to: customer.id)
        let present = try await self.customer(customer.id, isReloading: false)
        let snapshot = Self.snapshot(of: present, elsewhere: elsewhere, catalog?.catalog, at: date)
        let body = try Self.document(
            CustomerStateDocument(present, snapshot, catalog: catalog?.digest, until: snapshot.nextEnd))
        let customerState = CustomerState(
            sequence: present.sequence, tag: SHA256.hash(data: body).prefix(16).hexadecimal, body: body)
        known.remember(
            KnownCustomerState(
                customerState: customerState, catalog: catalog?.digest ?? "", elsewhere: elsewhere,
                end: snapshot.nextEnd), of: present.id)
        return customerState
    }

    /// Signs the state of a customer with the server's Ed25519 key.
    ///
    /// - Parameter nonce: Text from the device, which prevents the replay of an earlier answer.
    package func signature(of customerState: CustomerState, nonce: String) throws(CustomerError) -> Data {
        do {
            return try secrets.signing.signature(
                for: CustomerStateDocument.signedBytes(nonce: nonce, body: customerState.body))
        } catch {
            throw CustomerError(code: .unavailable, reason: "the answer cannot be signed")
        }
    }

    /// Indicates that a customer owns a product.
    package func isOwned(_ product: String, by customer: String) async throws(CustomerError) -> Bool {
        let customer = try await resolveMerged(of: customer)
        return try await snapshot(of: customer, catalog(of: customer.app), at: now).isOwned(product)
    }

    static func document(_ value: some Encodable) throws(CustomerError) -> Data {
        do {
            return try JSONEncoder.sorted.encode(value)
        } catch {
            throw CustomerError(code: .unavailable, reason: "the answer cannot be written")
        }
    }
}

extension CustomerStateDocument {
    fileprivate init(_ customer: KnownCustomer, _ snapshot: EntitlementSnapshot, catalog: String?, until: Date?) {
        let unknown = (snapshot.catalog?.products ?? []).compactMap { product -> Unknown? in
            guard case .unknown(let reason) = snapshot.ownership(of: product.identifier) else { return nil }
            return Unknown(product: product.identifier, reason: reason.description)
        }
        let owned = snapshot.owned.map { product in
            guard case .owned(let reasons) = snapshot.ownership(of: product) else {
                return Owned(product: product, reasons: [])
            }
            return Owned(product: product, reasons: reasons.map(Reason.init))
        }
        self.init(
            app: customer.app, customer: customer.id, sequence: customer.sequence, catalog: catalog, owned: owned,
            unknown: unknown, wallets: snapshot.balances, until: until?.milliseconds)
    }
}

extension CustomerStateDocument.Reason {
    fileprivate init(_ reason: Ownership.Reason) {
        switch reason {
        case .transaction(let transaction):
            self.init(
                kind: .transaction, transaction: transaction.id, expires: transaction.expirationDate?.milliseconds,
                description: reason.description)
        case .grant(_, _, _, let end, _):
            self.init(kind: .grant, expires: end?.milliseconds, description: reason.description)
        case .bundle(let bundle): self.init(kind: .bundle, bundle: bundle, description: reason.description)
        case .formerBundle(let bundle, let transaction, _):
            self.init(kind: .formerBundle, bundle: bundle, transaction: transaction, description: reason.description)
        }
    }
}
