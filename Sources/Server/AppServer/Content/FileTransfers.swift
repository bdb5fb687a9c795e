internal import NIOCore
internal import VitrineSupport

/// Running transfers of files, which share a limited amount of memory for data that is read but not yet sent.
final class FileTransfers: Sendable {
    private struct Contents {
        var count = 0
        /// Reusable blocks for the next read. A block is copied on write while a connection still uses a part of it.
        var blocks: [ByteBuffer] = []
    }

    /// Memory in bytes for data that all transfers have read but not sent.
    static let memory = 12 * 1024 * 1024
    /// Maximum number of unsent bytes at which a connection reads another block.
    static let waiting = 64 * 1024
    private static let blockSizes = 32 * 1024...256 * 1024
    private static let mostBlocks = 64

    private let contents = Locked(Contents())

    func begin() { contents.withLock { $0.count += 1 } }

    /// Ends a transfer. The end of the last one frees the memory of the blocks.
    func end() {
        contents.withLock { contents in
            contents.count -= 1
            if contents.count == 0 { contents.blocks = [] }
        }
    }

    /// Length in bytes of the next block of a transfer.
    var blockSize: Int {
        let share = Self.memory / max(contents.withLock { $0.count }, 1) - Self.waiting
        return min(max(share, Self.blockSizes.lowerBound), Self.blockSizes.upperBound)
    }

    /// Returns an empty block: a reused one if possible.
    func emptyBlock() -> ByteBuffer {
        var block = contents.withLock { $0.blocks.popLast() } ?? ByteBuffer()
        block.clear()
        return block
    }

    /// Returns a written block for reuse by a later read.
    func give(back block: ByteBuffer) {
        contents.withLock { contents in
            if contents.blocks.count < Self.mostBlocks { contents.blocks.append(block) }
        }
    }
}
