internal import Foundation

/// What a xar says of itself before its content: a header, and a compressed table of contents.
struct XarLayout {
    let contents: XarContents
    /// Where the content of files begins.
    let heap: Int

    private static let headerLength = 28
    private static let longestHeader = 1_024
    /// Of the table of contents, compressed as inflated.
    private static let longestContents = 16 * 1024 * 1024

    /// - Throws: ``ContentError``: `invalidPackage` for what is not as it has to be, or is too much; `storage`.
    init(_ file: ArchiveFile, limits: ContentLimits) throws(ContentError) {
        func error(_ reason: String) -> ContentError {
            ContentError(code: .invalidPackage, reason: "\(file.url.relativePath): \(reason)")
        }
        var header = LittleEndianBytes(try file.read(at: 0, count: Self.headerLength))
        guard header.skip(4), let length = header.bigEndianNumber(2), let version = header.bigEndianNumber(2),
            let storedLength = header.bigEndianNumber(8), let contentsLength = header.bigEndianNumber(8),
            version == 1, Self.headerLength...Self.longestHeader ~= length
        else { throw error("its header is damaged") }
        guard 0...Self.longestContents ~= storedLength, 0...Self.longestContents ~= contentsLength else {
            throw error("its table of contents has more than \(Self.longestContents) bytes")
        }
        heap = length + storedLength
        guard heap <= file.length else { throw error("it is cut off") }
        var bytes: [UInt8] = []
        try file.pass(at: length, length: storedLength, isCompressed: true) { reason in
            error("its table of contents \(reason)")
        } _: { (block) throws(ContentError) in
            guard bytes.count + block.count <= contentsLength else {
                throw error("its table of contents is longer than it says")
            }
            bytes += block
        }
        guard bytes.count == contentsLength else { throw error("its table of contents is shorter than it says") }
        do {
            contents = try XarContents(bytes, limits: limits)
        } catch let defect {
            throw error(defect.reason)
        }
    }
}
