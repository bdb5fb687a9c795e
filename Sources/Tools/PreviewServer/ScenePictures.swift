package import Foundation
internal import VitrineFileSystem
package import VitrineShopPreview
internal import VitrineSupport

/// Pictures of scenes, which a browser without a window makes.
package struct ScenePictures {
    /// Names under which systems install the browser.
    private static let programs = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]

    private let browser: String

    /// Looks for the browser on the search path.
    ///
    /// - Throws: ``PreviewError``: `notFound` with what to install.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(PreviewError) {
        let folders = (environment["PATH"] ?? "").split(separator: ":").map { URL(filePath: String($0)) }
        let candidates = Self.programs.flatMap { name in folders.map { $0.appending(path: name) } }
        let found = candidates.map { $0.path(percentEncoded: false) }
            .first(where: FileManager.default.isExecutableFile)
        guard let found else {
            throw PreviewError(
                code: .notFound,
                reason:
                    "pictures need Chromium, which is not installed: 'apt-get install chromium fonts-noto-cjk' installs it on "
                    + "Debian and Ubuntu")
        }
        browser = found
    }

    /// Makes a picture of each page, with the same name.
    ///
    /// - Parameter folder: Folder of the pictures. It is created if it does not exist.
    /// - Returns: Files of the pictures.
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
    /// Size of the window in points, in which the shop has the width of the device's screen.
    fileprivate var size: (width: Int, height: Int) {
        switch self {
        case .phone: (430, 900)
        case .tablet: (880, 1_180)
        case .computer: (1_704, 900)
        }
    }
}
