public import Foundation

/// Limits of an exchange over HTTP. Times are in seconds, a day at most.
public struct HTTPLimits: Sendable, Hashable {
    /// Maximum number of bytes of the reply's body, once decompressed: 16 MiB by default.
    public var size: Int
    /// Maximum time until the complete head of the reply is received: 15 by default. It includes resolving the host,
    /// connecting to it and sending the request.
    public var firstByte: TimeInterval
    /// Maximum time without another byte, once the reply has begun: 15 by default.
    public var stall: TimeInterval
    /// Maximum time for the whole exchange: 60 by default.
    public var whole: TimeInterval

    public init(
        size: Int = 16 * 1024 * 1024, firstByte: TimeInterval = 15, stall: TimeInterval = 15, whole: TimeInterval = 60
    ) {
        self.size = size
        self.firstByte = firstByte
        self.stall = stall
        self.whole = whole
    }

    /// Creates limits that allow each part of an exchange as many seconds as the whole.
    public init(size: Int, seconds: TimeInterval) {
        self.init(size: size, firstByte: seconds, stall: seconds, whole: seconds)
    }
}
