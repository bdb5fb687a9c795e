internal import Foundation
internal import VitrineHostedContent
internal import VitrineSupport

/// What reading an archive of content promises, whatever is in it.
public struct ArchiveCheck {
    private let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    private static let limits = ContentLimits(size: 1024 * 1024, entries: 100)
    /// A folder of this process alone, which is emptied again each time.
    private static let folder: URL = {
        let folder = FileManager.default.temporaryDirectory.appending(component: "FuzzArchive-\(getpid())")
        mustWork { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        return folder
    }()

    public func run() {
        let archive = Self.folder.appending(component: "archive")
        mustWork { try Data(bytes).write(to: archive) }
        let found: ContentManifest
        do {
            found = try ContentArchive.verify(archive, limits: Self.limits)
        } catch {
            require(error.code == .invalidPackage, "what is no archive is told as that: \(error)")
            require(!error.reason.isEmpty, "a reason is told")
            return
        }
        require(found.files.reduce(0) { $0 + $1.length } <= Self.limits.size, "it is no longer than it may be")
        require((try? found.bytes()) != nil, "what is found can be listed")
        for manifest in [nil, found] { checkUnpacking(archive, found, with: manifest) }
        require(Set(names(in: Self.folder)) == ["archive"], "nothing is written elsewhere")
    }

    private func checkUnpacking(_ archive: URL, _ found: ContentManifest, with manifest: ContentManifest?) {
        let target = Self.folder.appending(component: "target")
        do {
            _ = try ContentUnpacker.unpack(archive, manifest: manifest, as: target, limits: Self.limits)
        } catch {
            // Only without a manifest may a package lie in a folder of the archive.
            require(manifest != nil && error.code == .wrongContent, "what was verified can be unpacked: \(error)")
            require(!FileManager.default.fileExists(atPath: target.path()), "nothing is left of it")
            return
        }
        defer { mustWork { try FileManager.default.removeItem(at: target) } }
        for file in found.files {
            let content = FileManager.default.contents(atPath: target.appending(path: file.path).path())
            require(content?.count == file.length, "\(file.path) is there")
        }
        var files = 0
        for path in mustWork({ try FileManager.default.subpathsOfDirectory(atPath: target.path()) }) {
            let attributes = mustWork {
                try FileManager.default.attributesOfItem(atPath: target.appending(path: path).path())
            }
            let type = attributes[.type] as? FileAttributeType
            require(type == .typeRegular || type == .typeDirectory, "\(path) is a file or a folder")
            files += type == .typeRegular ? 1 : 0
        }
        require(files == found.files.count, "nothing else is there")
    }

    private func names(in folder: URL) -> [String] {
        mustWork { try FileManager.default.contentsOfDirectory(atPath: folder.path()) }
    }
}

/// Traps where something fails that has nothing to do with the input.
private func mustWork<Value>(_ body: () throws -> Value) -> Value {
    do {
        return try body()
    } catch {
        fatalError("broken: this works: \(error)")
    }
}
