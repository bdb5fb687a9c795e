internal import VitrineHostedContent
internal import VitrineSupport

/// What a manifest of content promises, whatever is in its file.
public struct ManifestCheck {
    private let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public func run() {
        let manifest: ContentManifest
        do {
            manifest = try ContentManifest(bytes: bytes)
        } catch {
            require(error.code == .invalidPackage, "what is no manifest is told as that: \(error)")
            require(!error.reason.isEmpty, "a reason is told")
            return
        }
        checkFiles(of: manifest)
        checkSecondReading(of: manifest)
    }

    private func checkFiles(of manifest: ContentManifest) {
        let files = manifest.files.map(\.path)
        require(files.contains("ContentInfo.plist"), "it lists what the package says about itself")
        for path in files + manifest.emptyFolders {
            require(path == "ContentInfo.plist" || path.utf8.starts(with: "Contents".utf8), "\(path) is in the package")
            let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            require(
                names.allSatisfy { name in ["", ".", ".."].allSatisfy { !name.elementsEqual($0.utf8) } },
                "\(path) leads out of nothing")
        }
        require(!manifest.archive.name.utf8.contains(UInt8(ascii: "/")), "the archive lies beside it")
        let lengths = manifest.files.map(\.length) + [manifest.archive.length]
        require(lengths.allSatisfy { $0 >= 0 }, "a length is not negative")
        require(
            (manifest.files.map(\.digest) + [manifest.archive.digest]).allSatisfy { $0.utf8.count == 64 },
            "a digest has 64 digits")
    }

    /// A text that XML cannot say stands in binary files alone.
    private func checkSecondReading(of manifest: ContentManifest) {
        guard let written = try? manifest.bytes() else { return }
        guard let again = try? ContentManifest(bytes: written) else { fatalError("broken: what is written is read") }
        require(again == manifest, "what is written means the same")
        require((try? again.bytes()) == written, "equal manifests give the same bytes")
    }
}
