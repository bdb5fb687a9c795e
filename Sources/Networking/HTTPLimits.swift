public import Foundation

/// What an exchange over HTTP may take. Times are in seconds, a day at most.
public struct HTTPLimits: Sendable, Hashable {
    /// Bytes of the reply's body, once unpacked: 16 MiB by default.
    public var size: Int
    /// Until the reply begins, which is when its head has come whole: 15 by default. Finding the host, connecting to it
    /// and sending the request are in it.
    public var firstByte: TimeInterval
    /// Without a further byte, once the reply has begun: 15 by default.
    public var stall: TimeInterval
    /// For the whole exchange: 60 by default.
    public var whole: TimeInterval

    public init(
        size: Int = 16 * 1024 * 1024, firstByte: TimeInterval = 15, stall: TimeInterval = 15, whole: TimeInterval = 60
    ) {
        self.size = size
        self.firstByte = firstByte
        self.stall = stall
        self.whole = whole
    }

    /// For an exchange with as many seconds for each part as for the whole.
    public init(size: Int, seconds: TimeInterval) {
        self.init(size: size, firstByte: seconds, stall: seconds, whole: seconds)
    }
}
