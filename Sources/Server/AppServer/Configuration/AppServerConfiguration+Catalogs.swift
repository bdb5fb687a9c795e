package import Foundation
internal import Logging
internal import VitrineAppServerRecords
internal import VitrineCatalog
internal import VitrineCatalogLoading
internal import VitrineFileSystem
internal import VitrineSupport

extension AppServerConfiguration {
    /// Root keys that must have signed an app's catalogs, by app name.
    var catalogTrusts: [String: CatalogTrust] {
        Dictionary(
            apps.compactMap { app in app.catalogTrust.map { (app.name, $0) } }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the errors that prevent the publication of the configured catalogs, one line each.
    ///
    /// An expired signature is no error: a catalog that was published in time is not published again.
    package func catalogErrors(at now: Date = Date()) async -> [String] {
        var errors: [String] = []
        for app in apps {
            guard let file = app.catalog else { continue }
            do throws(CatalogRefusal) {
                try await app.checkCatalog(Self.files(of: file), at: now)
            } catch {
                errors += Self.lines(error, in: file)
            }
        }
        return errors
    }

    private static func lines(_ refusal: CatalogRefusal, in file: URL) -> [String] {
        let findings = refusal.context?.diagnostics.filter { $0.severity == .error } ?? []
        guard !findings.isEmpty else { return ["\(file.relativePath): \(refusal.reason)"] }
        return findings.map { finding in
            let location = finding.position.map { "\(file.relativePath):\($0)" } ?? file.relativePath
            return "\(location): \(finding.message)"
        }
    }

    /// Publishes the configured catalog of each app that has no published catalog.
    ///
    /// - Throws: ``AppServerConfigurationError`` if a catalog cannot be read or published.
    func publishMissingCatalogs(
        through catalogs: PublishedCatalogs, of records: CustomerRecords, logger: Logger
    ) async throws(AppServerConfigurationError) {
        for app in apps {
            guard let file = app.catalog, records.catalog(of: app.name) == nil else { continue }
            do throws(CatalogRefusal) {
                let result = try await catalogs.publish(Self.files(of: file), app: app.name)
                logger.info("\(file.lastPathComponent) is published for \(app.name): \(result.products) products")
            } catch {
                // Another server of the database may have published its catalog at the same time.
                if error.code == .older, await isPublished(app.name, in: records) { continue }
                throw AppServerConfigurationError(
                    code: .invalid, reason: "\(file.relativePath): \(error.description)", context: [])
            }
        }
    }

    private func isPublished(_ app: String, in records: CustomerRecords) async -> Bool {
        do throws(CustomerError) {
            try await records.useStoredCatalogs()
            return records.catalog(of: app) != nil
        } catch {
            // The caller reports why the catalog was not published.
            return false
        }
    }

    /// Reads a catalog, and the files of its signature in the same folder.
    private static func files(of catalog: URL) throws(CatalogRefusal) -> [String: Data] {
        let folder = catalog.deletingLastPathComponent()
        let names: [(CatalogPublication.File, URL)] = [
            (.catalog, catalog),
            (.signature, folder.appending(path: catalog.lastPathComponent + ".minisig")),
            (.keys, folder.appending(path: "keys.plist")),
            (.keysSignature, folder.appending(path: "keys.plist.minisig")),
        ]
        var files: [String: Data] = [:]
        for (file, url) in names {
            do throws(FileSystemError) {
                files[file.rawValue] = try BoundedFile.read(url, limit: file.sizeLimit)
            } catch {
                guard error.isMissing, file != .catalog else {
                    throw CatalogRefusal(code: .missingFile, reason: error.reason)
                }
            }
        }
        return files
    }
}

extension ConfiguredApp {
    /// Checks that the files of a catalog can be published.
    fileprivate func checkCatalog(_ files: [String: Data], at now: Date) async throws(CatalogRefusal) {
        try CatalogPublication.check(files)
        let catalog = try CatalogPublication.catalog(in: files)
        let signatures = CatalogSignatureCheck(app: bundleIdentifier, trust: catalogTrust, acceptsExpired: true)
        _ = try await signatures.statement(
            of: CatalogPublication.signedFiles(files), for: catalog, after: nil, at: now)
    }
}
