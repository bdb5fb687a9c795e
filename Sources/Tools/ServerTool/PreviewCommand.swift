import ArgumentParser
import Foundation
import Logging
import VitrineCommandSupport
import VitrineFileSystem
import VitrinePreviewServer
import VitrineShopPreview
import VitrineSupport

struct PreviewCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show the shop of a catalog in the browser.",
        discussion: """
            The shop is that of one customer, whose purchases are kept in a temporary folder. The command prints the \
            address of its page when it is ready, and ends with SIGTERM or Ctrl-C. Only this machine can open the \
            address, which contains a secret. Saving the catalog or the StoreKit configuration updates the page.

            Scenes are kept in NAME.scenes.plist beside the catalog NAME.plist. --export writes each of them as a page \
            that needs no server and no other file, and --pictures as an image, which needs Chromium. The exit status is 69 if Chromium \
            is not installed, and 74 if the port is in use.

            EXAMPLE:
              vitrine-server preview Catalogs/Voyager.plist \\
                --store Catalogs/Voyager.storekit --content HostedContent
              vitrine-server preview Catalogs/Voyager.plist --export Scenes \\
                --pictures Pictures
            """
    )

    @OptionGroup var options: PreviewOptions
    @OptionGroup var output: OutputOptions

    /// Start of the clock for exported pages and images, 2030-01-15 UTC, so that the same scenes result in the same
    /// files.
    private static let clockStartOfFiles = Date(timeIntervalSince1970: 1_894_665_600)

    func report() async throws -> Report {
        try checkContent()
        do {
            let browser = try browser
            let folder = FileManager.default.temporaryDirectory.appending(path: "vitrine-preview-\(UUID().uuidString)")
            let shop = try await PreviewShop(
                catalog: URL(filePath: options.catalog, directoryHint: .notDirectory),
                storeFile: options.store.map { URL(filePath: $0, directoryHint: .notDirectory) },
                content: options.content.map { URL(filePath: $0, directoryHint: .isDirectory) }, folder: folder,
                clockStart: options.export == nil && options.pictures == nil ? Date() : Self.clockStartOfFiles)
            do {
                let report = try await report(on: shop, browser)
                await shop.close()
                return report
            } catch {
                await shop.close()
                throw error
            }
        } catch let error as PreviewError {
            throw ToolFailure(status: error.status, reason: error.reason)
        }
    }

    /// Checks that the folder with the packages exists, as 'vitrine init' does: a misspelled one would have no content.
    private func checkContent() throws(ToolFailure) {
        guard let content = options.content else { return }
        guard FileStatus(URL(filePath: content, directoryHint: .isDirectory))?.kind == .folder else {
            throw ToolFailure(status: .noInput, reason: "\(content): there is no such folder")
        }
    }

    /// Browser that renders the images; `nil` if no images were requested.
    private var browser: ScenePictures? {
        get throws {
            guard options.pictures != nil else { return nil }
            do throws(PreviewError) {
                return try ScenePictures()
            } catch {
                throw ToolFailure(status: .unavailable, reason: error.reason)
            }
        }
    }

    private func report(on shop: PreviewShop, _ browser: ScenePictures?) async throws -> Report {
        guard options.export != nil || browser != nil else { return try await serve(shop) }
        let temporary = FileManager.default.temporaryDirectory.appending(path: "vitrine-pages-\(UUID().uuidString)")
        defer { Self.remove(temporary) }
        let folder = options.export.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? temporary
        let pages = try await SceneExport(of: shop, to: folder, hidesWarnings: options.hideWarnings).write()
        var files = options.export == nil ? [] : pages.map(\.file)
        if let browser, let pictures = options.pictures {
            files += try browser.make(of: pages, to: URL(filePath: pictures, directoryHint: .isDirectory))
        }
        let names = files.map(\.relativePath.relativeToCurrentFolder)
        return Report(lines: names.map { "wrote \($0)" }, json: ["files": names])
    }

    /// Removes the temporary folder of pages, if it exists.
    private static func remove(_ folder: URL) {
        guard FileManager.default.fileExists(atPath: folder.path(percentEncoded: false)) else { return }
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            Console.say("\(folder.relativePath) cannot be removed: \(BoundedFile.reason(for: error))")
        }
    }

    private func serve(_ shop: PreviewShop) async throws -> Report {
        let serving = Serving(logging: .warning)
        let logger = serving.logger
        let isJSON = output.json
        let server = PreviewServer(shop: shop, port: options.port, logger: logger) { [logger] url in
            do {
                try Console.write([isJSON ? Serving.line(["url": url]) : "the shop is at \(url.absoluteString)"])
            } catch {
                logger.error("the address of the page cannot be printed: \(error)")
            }
        }
        do {
            try await serving.run(server)
        } catch {
            throw ToolFailure(
                status: .inputOutput, reason: Serving.reason(for: error, host: "127.0.0.1", port: options.port))
        }
        // With --json, the address has already been printed as the only document.
        if isJSON { throw ExitCode.success }
        return Report(lines: [], json: [:])
    }
}

extension CodedError<PreviewErrorCode> {
    /// Exit status of a command that fails with the error.
    fileprivate var status: ExitStatus {
        switch code {
        case .notFound: .noInput
        case .storage: .inputOutput
        case .unusableData: .unusableData
        case .invalidRequest, .tooMany, .closed: .no
        }
    }
}
