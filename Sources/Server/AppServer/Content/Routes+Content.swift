internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords
internal import VitrineCatalog
internal import VitrineHTTPServing
internal import VitrineSupport

extension Routes {
    /// Adds the routes from which devices download hosted content.
    mutating func addContent(_ services: AppServices) {
        let (devices, content) = (DeviceCredential(services), AppContent(services))
        add(AppServerAPI.content) { call in
            let named = try call.parameter("app")
            guard let path = ServedPath(names: call.parameters.rest) else { throw ErrorResponse.noFile }
            let device = content.isLink(call.route, path, of: named) ? nil : try await devices.holder(of: call.route)
            let app = try device.map { try content.app(named, of: $0) } ?? named
            guard let file = try content.open(path, of: app) else { throw ErrorResponse.noFile }
            if let device { try await content.check(path, of: app, for: device) }
            return content.answers.answer(
                call.route, with: try await content.answers.served(file, at: path.description, of: app))
        }
        add(AppServerAPI.makeLink, for: devices) { call, device in
            let text = try await call.body().path
            guard let path = ServedPath(text), try content.open(path, of: device.app) != nil else {
                throw ErrorResponse.noFile
            }
            try await content.check(path, of: device.app, for: device)
            return try call.reply(content.link(to: path, of: device.app))
        }
    }
}

/// Hosted content of all apps of a server.
private struct AppContent: Sendable {
    let answers = FileAnswers()
    private let owners: [String: ContentOwners]
    private let services: AppServices
    private let failures = ContentFailures()

    /// Validity of a link in seconds.
    private static let linkValidity: TimeInterval = 600
    /// End of the year 9999, in milliseconds since 1970.
    private static let latest: Int64 = 253_402_300_799_999

    init(_ services: AppServices) {
        self.services = services
        owners = services.contentFolders.mapValues { ContentOwners($0, open: services.openFile) }
    }

    /// Returns the name of a device's app, which may be the named one in another environment of the store.
    func app(_ name: String, of device: EnrolledDevice) throws(ErrorResponse) -> String {
        guard let app = services.records.app(name, of: device) else { throw .noFile }
        return app.name
    }

    /// Opens a file; `nil` if there is none.
    ///
    /// - Throws: ``ErrorResponse`` with status 503 if no files can be opened at the moment.
    func open(_ path: ServedPath, of app: String) throws(ErrorResponse) -> OpenFile? {
        guard let folder = services.contentFolders[app] else { return nil }
        do throws(ContentUnavailable) {
            return try services.openFile(path.names, folder)
        } catch {
            throw unavailable(error)
        }
    }

    private func unavailable(_ error: ContentUnavailable) -> ErrorResponse {
        failures.note(error, services.logger)
        return .unavailable("The server cannot open the file at the moment.")
    }

    /// Checks that the customer of a device owns a product with a file as content.
    ///
    /// - Throws: ``ErrorResponse``: the same as for a missing file, unless the catalog names the file. In that case the error
    ///   states that the product is not owned: anyone can read the catalog, and devices ask before a purchase whether
    ///   the server has the content. Status 503 if the product cannot be determined at the moment.
    func check(_ path: ServedPath, of app: String, for device: EnrolledDevice) async throws {
        guard let owners = owners[app] else { throw ErrorResponse.noFile }
        let products: Set<String>
        do throws(ContentUnavailable) {
            products = try await owners.products(of: path)
            failures.end()
        } catch {
            throw unavailable(error)
        }
        if try await isOwned(products, by: device) { return }
        guard let catalog = services.records.catalog(of: app) else { throw ErrorResponse.noFile }
        let named = await owners.products(naming: path, in: catalog)
        if try await isOwned(named.subtracting(products), by: device) { return }
        guard named.isEmpty else {
            throw ErrorResponse(.notOwned, "The file is content of a product that the customer does not own.")
        }
        throw ErrorResponse.noFile
    }

    private func isOwned(_ products: Set<String>, by device: EnrolledDevice) async throws -> Bool {
        for product in products.sorted() {
            if try await services.records.isOwned(product, by: device.customer) { return true }
        }
        return false
    }

    // MARK: Links

    func link(to path: ServedPath, of app: String) -> ContentLink {
        let until = Date(milliseconds: (services.now() + Self.linkValidity).milliseconds)
        let code = services.records.code(forLinkTo: path.description, of: app, until: until)
        let place = AppServerAPI.content.segments([app] + path.names).map { "/" + $0.percentEncoded }.joined()
        return ContentLink(link: "\(place)?until=\(until.milliseconds)&code=\(code)", until: until.milliseconds)
    }

    /// Indicates that the query of a request has the code of an unexpired link, created by this server or by another
    /// one with the same database.
    func isLink(_ call: RouteCall, _ path: ServedPath, of app: String) -> Bool {
        guard let code = call.query("code"), let number = call.query("until").flatMap({ Int64($0) }),
            // No link has a later expiration, and a much larger number is not a valid date.
            (0...Self.latest).contains(number)
        else { return false }
        let until = Date(milliseconds: number)
        return services.records.isLink(code, to: path.description, of: app, until: until)
    }
}

/// Log of the reasons why no content can be served. Only the first of them is logged until a file with its product is found:
/// meanwhile, each request for content has it.
private final class ContentFailures: Sendable {
    private let isLogged = Locked(false)

    func note(_ error: ContentUnavailable, _ logger: Logger) {
        let isNew = isLogged.withLock { isLogged in
            defer { isLogged = true }
            return !isLogged
        }
        if isNew { logger.error("content cannot be served: \(error.reason)") }
    }

    func end() { isLogged.withLock { $0 = false } }
}

extension ErrorResponse {
    fileprivate static var noFile: ErrorResponse { .notFound("There is no such file.") }
}
