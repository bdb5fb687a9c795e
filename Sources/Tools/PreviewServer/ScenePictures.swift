package import Foundation
internal import VitrineFileSystem
package import VitrineShopPreview
internal import VitrineSupport

/// PNG images of scenes, rendered by a headless browser.
package struct ScenePictures {
    /// Names of the browser's executable on different systems.
    private static let programs = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]

    private let browser: String

    /// Searches for the browser in the folders of `PATH`.
    ///
    /// - Throws: ``PreviewError`` `notFound`, which names the packages to install.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(PreviewError) {
        let folders = (environment["PATH"] ?? "").split(separator: ":").map { URL(filePath: String($0)) }
        let candidates = Self.programs.flatMap { name in folders.map { $0.appending(path: name) } }
        let found = candidates.map { $0.path(percentEncoded: false) }
            .first(where: FileManager.default.isExecutableFile)
        guard let found else {
            throw PreviewError(
                code: .notFound,
                reason:
                    "pictures need Chromium, which is not installed: 'apt-get install chromium fonts-noto-core fonts-noto-cjk "
                    + "fonts-noto-color-emoji' installs it on Debian and Ubuntu")
        }
        browser = found
    }

    /// Renders each page to a PNG file with the page's name.
    ///
    /// - Parameter folder: Folder for the images. It is created if necessary.
    /// - Returns: Files of the images.
    package func make(of pages: [SceneExport.Page], to folder: URL) throws(PreviewError) -> [URL] {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let browser = try HeadlessBrowser(program: browser)
            defer { browser.end() }
            var files: [URL] = []
            for page in pages {
                let file = folder.appending(path: page.file.deletingPathExtension().lastPathComponent + ".png")
                let (width, height) = page.view.device.size
                try browser.picture(of: page.file, width: width, height: height).write(to: file)
                files.append(file)
            }
            return files
        } catch let error as HeadlessBrowser.Failure {
            throw PreviewError(code: .storage, reason: "Chromium makes no picture: \(error.reason)")
        } catch {
            throw PreviewError(
                code: .storage, reason: "the pictures cannot be written: \(BoundedFile.reason(for: error))")
        }
    }
}

extension PreviewView.Device {
    /// Size of the browser window in points, in which the shop is as wide as the device's screen.
    fileprivate var size: (width: Int, height: Int) {
        switch self {
        case .phone: (430, 900)
        case .tablet: (880, 1_180)
        case .computer: (1_304, 900)
        }
    }
}
