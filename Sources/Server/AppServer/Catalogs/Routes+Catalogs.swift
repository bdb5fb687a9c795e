internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import VitrineAppServerAPI
internal import VitrineCatalog
internal import VitrineHTTPServing
internal import VitrineSupport

extension Routes {
    /// Adds the route that serves catalogs to devices.
    mutating func addCatalogs(_ services: AppServices) {
        let (catalogs, answers) = (services.catalogs, FileAnswers())
        add(AppServerAPI.catalog) { call in
            guard let name = CatalogPublication.File(rawValue: try call.parameter("file")),
                let file = try await catalogs.file(name, app: try call.parameter("app"))
            else { throw ErrorResponse.notFound("There is no such file.") }
            return answers.answer(call.route, with: file)
        }
    }

    /// Adds the route for operators to publish catalogs.
    mutating func addPublication(_ services: AppServices) {
        let (catalogs, logger) = (services.catalogs, services.logger)
        let administrators = OperatorCredential(services, role: .admin)
        add(OperatorAPI.publish, for: administrators) { call, account in
            let app = try call.parameter("app")
            let body = try await call.body()
            let result: Result<CatalogPublication.Result, CatalogRefusal>
            do throws(CatalogRefusal) {
                result = .success(try await catalogs.publish(body.files, app: app))
            } catch {
                result = .failure(error)
            }
            switch result {
            case .success(let published):
                logger.notice("\(account.name) has published a catalog of \(app)")
                return try call.reply(PublicationReply(published))
            case .failure(let refusal): return try .json(RefusalReply(refusal), status: refusal.code.status)
            }
        }
    }
}

/// Body of a request to publish a catalog: its files, each in base64.
struct PublicationBody: ReceivedBody, Decodable {
    let catalog: Data
    let signature, keys, keysSignature: Data?

    var files: [String: Data] {
        let contents: [(CatalogPublication.File, Data?)] = [
            (.catalog, catalog), (.signature, signature), (.keys, keys), (.keysSignature, keysSignature),
        ]
        return Dictionary(
            uniqueKeysWithValues: contents.compactMap { file, content in content.map { (file.rawValue, $0) } })
    }
}

struct PublicationReply: SentBody, Encodable {
    let version: Int?
    let products: Int
    let findings: [FindingDocument]

    init(_ result: CatalogPublication.Result) {
        (version, products) = (result.version, result.products)
        findings = result.findings.map(FindingDocument.init)
    }
}

/// Error response with the findings about a catalog.
private struct RefusalReply: Encodable {
    let code, message: String
    let retryable: Bool
    let findings: [FindingDocument]

    init(_ refusal: CatalogRefusal) {
        (code, message) = (refusal.code.rawValue, refusal.errorDescription ?? refusal.reason)
        retryable = refusal.code == .unavailable
        let context = refusal.context
        findings =
            (context?.diagnostics ?? []).map(FindingDocument.init)
            + (context?.position.map { [FindingDocument(refusal, at: $0)] } ?? [])
    }
}
