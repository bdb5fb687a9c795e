internal import CZlib

/// Inflates what is compressed in zlib's format (RFC 1950), piece by piece.
final class Inflater {
    /// zlib keeps the address of its stream.
    private let stream: UnsafeMutablePointer<z_stream>
    private let input: UnsafeMutablePointer<UInt8>
    private let output: UnsafeMutablePointer<UInt8>
    /// The end has been read, and its checksum is good.
    private(set) var isAtEnd = false

    /// The most bytes that one piece has, before and after.
    static let blockSize = 64 * 1024

    /// Why something cannot be inflated, as the rest of a sentence.
    struct Damage: Error {
        let reason: String
    }

    init() throws(Damage) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        input = .allocate(capacity: Self.blockSize)
        output = .allocate(capacity: Self.blockSize)
        // What is allocated here is released below, also where this fails.
        guard vitrine_inflate_init(stream) == Z_OK else { throw Damage(reason: "there is no memory to inflate it") }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        input.deallocate()
        output.deallocate()
    }

    /// Takes in the next piece. What comes out of it is asked for with ``next()``.
    ///
    /// - Parameter piece: Has ``blockSize`` bytes at most. All that came out of the last one has been asked for.
    func take(_ piece: [UInt8]) {
        precondition(piece.count <= Self.blockSize)
        input.update(from: piece, count: piece.count)
        stream.pointee.next_in = input
        stream.pointee.avail_in = UInt32(piece.count)
    }

    /// - Returns: The next bytes that come out; they are good until the next call. `nil` where another piece is needed,
    ///   or the end has been read.
    func next() throws(Damage) -> UnsafeRawBufferPointer? {
        guard !isAtEnd else {
            guard stream.pointee.avail_in == 0 else { throw Damage(reason: "goes on after its end") }
            return nil
        }
        stream.pointee.next_out = output
        stream.pointee.avail_out = UInt32(Self.blockSize)
        switch inflate(stream, Z_NO_FLUSH) {
        case Z_STREAM_END: isAtEnd = true
        // Nothing could be done: there is no input left.
        case Z_OK, Z_BUF_ERROR: break
        default: throw Damage(reason: "is damaged")
        }
        let count = Self.blockSize - Int(stream.pointee.avail_out)
        return count == 0 && stream.pointee.avail_in == 0 ? nil : UnsafeRawBufferPointer(start: output, count: count)
    }
}
