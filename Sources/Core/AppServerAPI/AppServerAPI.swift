internal import HTTPTypes

/// Endpoints of the app's own server for devices and for the store. `VitrineAppServer` has those for operators.
package enum AppServerAPI {
    /// Maximum size in bytes of a document that a device stores. A device puts several entries into one document only up
    /// to half of it.
    private static let documentLimit = 4 * 1024 * 1024

    /// Errors of each endpoint whose requests use the database.
    private static let usual: Set<WireErrorCode> = [.tooMany, .unavailable]

    // MARK: Devices

    package static let challenge = Endpoint<NoBody, Challenge>(
        "challenge", .get, "/v1/challenge", errors: [.tooMany])
    package static let enroll = Endpoint<EnrollmentBody, Enrollment>(
        "enroll", .post, "/v1/devices", status: .created,
        errors: usual.union([
            .invalid, .rejected, .unauthenticated, .forbidden, .tooManyDevices, .notFound, .conflict,
        ]))
    package static let renewToken = Endpoint<TokenRequest, Enrollment>(
        "renewToken", .post, "/v1/devices/me/token", errors: usual.union([.unauthenticated]))
    package static let leave = Endpoint<NoBody, NoBody>(
        "leave", .delete, "/v1/devices/me", for: .device, status: .noContent, errors: usual)
    package static let unlink = Endpoint<NoBody, Enrollment>(
        "unlink", .delete, "/v1/devices/me/account", for: .device, errors: usual)
    package static let devices = Endpoint<NoBody, DeviceList>(
        "devices", .get, "/v1/me/devices", for: .device, errors: usual)
    package static let removeDevice = Endpoint<SignedChallenge, NoBody>(
        "removeDevice", .post, "/v1/me/devices/{id}/removal", for: .device, status: .noContent,
        errors: usual.union([.unauthenticated, .notFound]))

    // MARK: Customer

    package static let key = Endpoint<NoBody, PublicKey>("key", .get, "/v1/key", errors: [.tooMany])
    package static let reportSigned = Endpoint<SignedItems, SignedResults>(
        "reportSigned", .post, "/v1/me/signed", for: .device, bodyLimit: 1024 * 1024,
        errors: usual.union([.invalid]))
    package static let customerState = Endpoint<NoBody, CustomerStateDocument>(
        "customerState", .get, "/v1/me/state", for: .device, replyLimit: 16 * 1024 * 1024,
        errors: usual.union([.invalid]))
    package static let events = Endpoint<NoBody, EventStreamBody>(
        "events", .get, "/v1/me/events", for: .device, replyLimit: 64 * 1024 * 1024,
        errors: usual.union([.conflict]))

    // MARK: Wallets

    package static let spend = Endpoint<DebitRequest, DebitAnswer>(
        "spend", .post, "/v1/me/wallets/{key}/debits", for: .device, status: .created,
        errors: usual.union([.invalid, .conflict, .insufficientFunds]))
    package static let lease = Endpoint<LeaseRequest, LeaseAnswer>(
        "lease", .post, "/v1/me/wallets/{key}/leases", for: .device,
        errors: usual.union([.invalid, .conflict, .insufficientFunds]))
    package static let reportLease = Endpoint<LeaseReport, LeaseAnswer>(
        "reportLease", .put, "/v1/me/leases/{token}", for: .device, bodyLimit: 512 * 1024,
        errors: usual.union([.invalid, .notFound, .conflict, .insufficientFunds]))

    // MARK: Exchange

    package static let documentNames = Endpoint<NoBody, DocumentNames>(
        "documentNames", .get, "/v1/me/documents", for: .device, replyLimit: 32 * 1024 * 1024, errors: usual)
    /// The limit of the reply is one byte above the size that devices read, so that a larger document is refused for its
    /// size.
    package static let document = Endpoint<NoBody, BytesBody>(
        "document", .get, "/v1/me/documents/{name}", for: .device, replyLimit: 32 * 1024 * 1024 + 1,
        errors: usual.union([.notFound]))
    package static let storeDocument = Endpoint<BytesBody, NoBody>(
        "storeDocument", .put, "/v1/me/documents/{name}", for: .device, bodyLimit: documentLimit,
        status: .noContent, errors: usual.union([.invalid, .rejected, .conflict, .tooLarge]))
    package static let acquireExchangeLock = Endpoint<NoBody, ExchangeLock>(
        "acquireExchangeLock", .post, "/v1/me/exchange-lock", for: .device, status: .created,
        errors: usual.union([.conflict]))
    package static let releaseExchangeLock = Endpoint<NoBody, NoBody>(
        "releaseExchangeLock", .delete, "/v1/me/exchange-lock", for: .device, status: .noContent,
        errors: usual.union([.invalid]))

    // MARK: Files

    package static let catalog = Endpoint<NoBody, FileBody>(
        "catalog", .get, "/v1/apps/{app}/catalog/{file}", errors: usual.union([.notFound]))
    /// A link has the credential in its query; other requests have the token of a device.
    package static let content = Endpoint<NoBody, FileBody>(
        "content", .get, "/v1/apps/{app}/content/{path...}", for: .device,
        errors: usual.union([.notFound, .notOwned]))
    package static let makeLink = Endpoint<LinkRequest, ContentLink>(
        "makeLink", .post, "/v1/me/links", for: .device, status: .created,
        errors: usual.union([.notFound, .notOwned]))

    // MARK: Store

    package static let notify = Endpoint<NotificationBody, NotificationResult>(
        "notify", .post, "/v1/apple/notifications/{app}", bodyLimit: 256 * 1024,
        errors: usual.union([.invalid, .rejected, .notFound]))
    package static let verify = Endpoint<VerificationQuestion, VerificationAnswer>(
        "verify", .post, "/v1/verify", bodyLimit: 256 * 1024, replyLimit: 64 * 1024,
        errors: usual.union([.invalid, .notFound]))
}
