internal import NIOCore
internal import VitrineSupport

/// Files that are being sent. They share the memory for what is read and not sent yet.
final class FileTransfers: Sendable {
    private struct Contents {
        var count = 0
        /// Blocks for what is read next. A block of which a connection still has a part is replaced before it is used.
        var blocks: [ByteBuffer] = []
    }

    /// Memory for what all transfers have read and not sent.
    static let memory = 12 * 1024 * 1024
    /// Number of bytes that a connection holds at most when it takes a further block.
    static let waiting = 64 * 1024
    private static let blockSizes = 32 * 1024...256 * 1024
    private static let mostBlocks = 64

    private let contents = Locked(Contents())

    func begin() { contents.withLock { $0.count += 1 } }

    /// Ends a transfer. With the last one, the memory is given back.
    func end() {
        contents.withLock { contents in
            contents.count -= 1
            if contents.count == 0 { contents.blocks = [] }
        }
    }

    /// Length of the next block of a transfer.
    var blockSize: Int {
        let share = Self.memory / max(contents.withLock { $0.count }, 1) - Self.waiting
        return min(max(share, Self.blockSizes.lowerBound), Self.blockSizes.upperBound)
    }

    /// Returns an empty block.
    func takeBlock() -> ByteBuffer {
        var block = contents.withLock { $0.blocks.popLast() } ?? ByteBuffer()
        block.clear()
        return block
    }

    /// Keeps a block, which is written, for the next one.
    func give(back block: ByteBuffer) {
        contents.withLock { contents in
            if contents.blocks.count < Self.mostBlocks { contents.blocks.append(block) }
        }
    }
}
