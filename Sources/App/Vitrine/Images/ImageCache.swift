internal import Crypto
internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineNetworking
internal import VitrineSupport

/// Cache of catalog images from web servers, in a folder that may be deleted at any time. A file is named by the
/// SHA-256 digest of its bytes, and never changed; an index maps addresses to files.
actor ImageCache {
    private let folder: URL
    private let fetcher: HTTPFetcher
    private let variants: ImageVariants
    private let now: @Sendable () -> Date
    private var index: ImageIndex?

    /// Maximum size of all files of the cache together, in bytes.
    static let sizeLimit = 64 * 1_024 * 1_024

    init(
        folder: URL, transport: any HTTPTransport, variants: ImageVariants, now: @escaping @Sendable () -> Date
    ) {
        self.folder = folder
        self.variants = variants
        fetcher = HTTPFetcher(transport: transport)
        self.now = now
    }

    private var indexFile: URL { folder.appending(path: "index.json", directoryHint: .notDirectory) }

    private func file(_ name: String) -> URL { folder.appending(path: name, directoryHint: .notDirectory) }

    /// Returns the cached files of images by address, and marks them as used now.
    func known(_ addresses: [String]) -> [String: URL] {
        var index = read()
        var known: [String: URL] = [:]
        for address in addresses {
            guard let name = index.entries[address]?.file else { continue }
            guard FileManager.default.fileExists(atPath: file(name).path(percentEncoded: false)) else {
                index.entries[address] = nil
                continue
            }
            index.entries[address]?.used = now()
            known[address] = file(name)
        }
        self.index = index
        return known
    }

    /// Requests an image from a server, unless it was requested recently.
    ///
    /// - Parameters:
    ///   - age: Minimum time since the last request, in seconds: an image requested more recently is not requested
    ///     again.
    ///   - start: Images that were last used before this date may be removed to make room.
    /// - Returns: File of the image; `nil` if no new image was fetched.
    /// - Throws: ``ImageError``. The earlier file stays.
    func fetch(_ address: String, olderThan age: TimeInterval, usedBefore start: Date) async throws(ImageError) -> URL?
    {
        guard let url = address.imageAddress else {
            throw ImageError(code: .fetch, reason: "\(WebAddress.printed(address)) is not a web address")
        }
        let entry = read().entries[address]
        if let entry, (0..<age).contains(now().timeIntervalSince(entry.asked)) { return nil }
        let found: (copy: HTTPCopy, source: URL)?
        do {
            found = try await ask(url, knowing: entry)
        } catch {
            throw ImageError(code: .fetch, reason: error.reason)
        }
        guard let (copy, source) = found else {
            index?.entries[address]?.asked = now()
            return nil
        }
        do throws(ImageError) {
            return try store(copy, from: source, at: address, usedBefore: start)
        } catch {
            // The image is not requested again before the minimum interval has passed.
            index?.entries[address, default: ImageIndex.Entry(asked: now(), used: now())].asked = now()
            throw error
        }
    }

    /// Requests the variants of an image in order of preference, and then the plain image. The variant of the cached
    /// file is requested first; while the server has it, no other variant is requested.
    ///
    /// - Returns: Fetched image and its address; `nil` if the cached file is still current.
    private func ask(
        _ plain: URL, knowing entry: ImageIndex.Entry?
    ) async throws(HTTPFetchError) -> (copy: HTTPCopy, source: URL)? {
        try HTTPFetcher.checkAddress(plain)
        var addresses = variants.addresses(of: plain)
        let known = entry?.file == nil ? nil : entry?.source
        if let known, let place = addresses.firstIndex(of: known) {
            addresses.insert(addresses.remove(at: place), at: 0)
        }
        while true {
            let address = addresses.removeFirst()
            do throws(HTTPFetchError) {
                let outcome = try await fetcher.fetch(
                    address, validators: address == known ? entry?.validators : nil,
                    limits: HTTPLimits(size: ImageFormat.fileSizeLimit), now: now())
                guard case .fetched(let copy) = outcome else { return nil }
                // Some servers answer with an HTML page if a file does not exist.
                guard copy.mediaType == "text/html", !addresses.isEmpty else { return (copy, address) }
            } catch {
                guard error.isNotThere, !addresses.isEmpty else { throw error }
            }
        }
    }

    private func store(
        _ copy: HTTPCopy, from source: URL, at address: String, usedBefore start: Date
    ) throws(ImageError) -> URL {
        let format = try ImageFormat(of: copy.body)
        let digest = SHA256.hash(data: copy.body).hexadecimal
        let name = "\(digest).\(format.fileExtension)"
        var index = read()
        guard index.makeRoom(for: copy.body.count, in: Self.sizeLimit, leavingOutBefore: start) else {
            throw ImageError(
                code: .noRoom,
                reason: "the images of the catalog need more than \(Self.sizeLimit / 1_024 / 1_024) MiB together")
        }
        do {
            try makeFolder()
            try DurableFile.write(copy.body, to: file(name))
        } catch {
            throw ImageError(code: .storage, reason: "an image cannot be stored: \(BoundedFile.reason(for: error))")
        }
        index.entries[address] = ImageIndex.Entry(
            file: name, size: copy.body.count, source: source, validators: copy.validators, asked: now(), used: now())
        self.index = index
        return file(name)
    }

    /// Writes the index, merged with entries that another process has added, and removes images that are not in it.
    ///
    /// - Throws: ``ImageError`` `storage`.
    func save() throws(ImageError) {
        guard var index, !index.entries.isEmpty else { return }
        index.entries.merge(readFile().entries) { ours, _ in ours }
        _ = index.makeRoom(for: 0, in: Self.sizeLimit, leavingOutBefore: now())
        self.index = index
        do {
            try makeFolder()
            try DurableFile.write(JSONEncoder().encode(index), to: indexFile)
            let retained = Set(
                index.entries.values.compactMap(\.file) + [indexFile.lastPathComponent, BackupExclusion.tagName])
            for file in try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
            where !retained.contains(file.lastPathComponent) {
                try FolderTree<FileSystemError>.remove(file)
            }
        } catch {
            throw ImageError(code: .storage, reason: "the images cannot be stored: \(BoundedFile.reason(for: error))")
        }
    }

    /// Creates the folder, which backups leave out, because its files can be downloaded again.
    private func makeFolder() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try BackupExclusion.mark(folder)
    }

    private func read() -> ImageIndex {
        if let index { return index }
        let read = readFile()
        index = read
        return read
    }

    private static let indexSizeLimit = 16 * 1_024 * 1_024

    /// Reads the index file. An unreadable index is treated as empty: the images are fetched again.
    private func readFile() -> ImageIndex {
        guard let data = try? BoundedFile.read(indexFile, limit: Self.indexSizeLimit), data.count <= Self.indexSizeLimit
        else { return ImageIndex() }
        return (try? JSONDecoder().decodeForeign(ImageIndex.self, from: data)) ?? ImageIndex()
    }
}

extension HTTPFetchError {
    /// `true` if the server has no file at the address. Some servers answer "forbidden" (403) for a missing file.
    fileprivate var isNotThere: Bool { [.status(403), .status(404), .status(410)].contains(code) }
}

/// Index of images by address: the file of each image, and the HTTP validators that the server has sent with it.
struct ImageIndex: Sendable, Codable {
    struct Entry: Sendable, Codable {
        /// Name of the image's file in the cache; `nil` if no valid image was ever fetched from the address.
        var file: String?
        /// Size of the image's file in bytes; 0 without a file.
        var size = 0
        /// Address of the fetched file: the address in the catalog, or the address of a variant. `nil` without a file.
        var source: URL?
        var validators = HTTPValidators()
        /// Date of the last request for the image.
        var asked: Date
        /// Date when the image was last named by a catalog.
        var used: Date
    }

    private(set) var version = 1
    var entries: [String: Entry] = [:]

    /// Total size of the files in bytes, each counted once.
    var size: Int {
        Dictionary(entries.values.compactMap { entry in entry.file.map { ($0, entry.size) } }, uniquingKeysWith: max)
            .values.reduce(0, +)
    }

    /// Removes images last used before a date from the index, least recently used first, until there is room for a
    /// number of further bytes.
    ///
    /// - Returns: `true` if there is enough room.
    mutating func makeRoom(for size: Int, in limit: Int, leavingOutBefore date: Date) -> Bool {
        var old = entries.filter { $0.value.used < date }.sorted { $0.value.used > $1.value.used }.map(\.key)
        while self.size + size > limit, let address = old.popLast() { entries[address] = nil }
        return self.size + size <= limit
    }
}
