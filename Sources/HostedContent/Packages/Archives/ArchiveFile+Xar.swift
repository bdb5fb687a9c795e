internal import Foundation

extension ArchiveFile {
    /// Passes on what is stored somewhere, as it is or compressed in zlib's format, block by block.
    ///
    /// - Parameters:
    ///   - length: As it is stored, in bytes.
    ///   - error: Makes an error of what is wrong, the rest of a sentence.
    /// - Throws: What `error` makes; ``ContentError`` `storage` or `cancelled`; and what the body throws.
    func pass(
        at offset: Int, length: Int, isCompressed: Bool, _ error: (String) -> ContentError,
        _ body: (UnsafeRawBufferPointer) throws(ContentError) -> Void
    ) throws(ContentError) {
        let inflater: Inflater?
        do throws(Inflater.Damage) {
            inflater = isCompressed ? try Inflater() : nil
        } catch {
            throw ContentError(code: .storage, reason: "\(url.relativePath): \(error.reason)")
        }
        var position = offset
        while position < offset + length {
            try ContentError.checkCancellation()
            let piece = try read(at: position, count: min(Inflater.blockSize, offset + length - position))
            guard !piece.isEmpty else { throw error("is cut off") }
            position += piece.count
            if let inflater {
                inflater.take(piece)
                while let block = try inflater.next(error) { try body(block) }
            } else {
                try piece.withUnsafeBufferPointer { (block) throws(ContentError) in
                    try body(UnsafeRawBufferPointer(block))
                }
            }
        }
        guard inflater?.isAtEnd ?? true else { throw error("is cut off") }
    }
}

extension Inflater {
    fileprivate func next(_ error: (String) -> ContentError) throws(ContentError) -> UnsafeRawBufferPointer? {
        do throws(Damage) {
            return try next()
        } catch let damage {
            throw error(damage.reason)
        }
    }
}
