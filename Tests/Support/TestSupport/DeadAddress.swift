package import Foundation

/// Address of this device at which no process listens, and no other process can begin to listen.
package final class DeadAddress: Sendable {
    package let url: URL
    private let socket: LoopbackSocket

    package init() throws {
        socket = try LoopbackSocket()
        url = try socket.url
    }
}

/// Address of this device that neither accepts nor refuses connections, like one behind a firewall.
package final class SilentAddress: Sendable {
    package let url: URL
    private let listener: LoopbackSocket
    /// Sockets that fill the queue of pending connections.
    private let waiting: [LoopbackSocket]

    package init() throws {
        listener = try LoopbackSocket()
        try listener.listen(backlog: 0)
        url = try listener.url
        waiting = try (0..<4).map { _ in try LoopbackSocket() }
        for socket in waiting { try socket.connect(to: listener) }
    }
}

/// TCP socket that is bound to a port chosen by the kernel.
private final class LoopbackSocket: Sendable {
    private let descriptor: Int32

    init() throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        try Self.check(descriptor)
        try Self.check(fcntl(descriptor, F_SETFD, FD_CLOEXEC))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        try Self.withPointer(to: &address) { try Self.check(bind(descriptor, $0, $1)) }
    }

    deinit { close(descriptor) }

    var url: URL {
        get throws {
            let port = try UInt16(bigEndian: address.sin_port)
            guard let url = URL(string: "http://127.0.0.1:\(port)/") else { throw POSIXError(.EINVAL) }
            return url
        }
    }

    func listen(backlog: Int32) throws {
        #if canImport(Darwin)
            try Self.check(Darwin.listen(descriptor, backlog))
        #else
            try Self.check(Glibc.listen(descriptor, backlog))
        #endif
    }

    /// Begins to connect, without waiting for the connection.
    func connect(to other: LoopbackSocket) throws {
        try Self.check(fcntl(descriptor, F_SETFL, O_NONBLOCK))
        var address = try other.address
        try Self.withPointer(to: &address) { address, length in
            #if canImport(Darwin)
                let result = Darwin.connect(descriptor, address, length)
            #else
                let result = Glibc.connect(descriptor, address, length)
            #endif
            if errno != EINPROGRESS { try Self.check(result) }
        }
    }

    private var address: sockaddr_in {
        get throws {
            var address = sockaddr_in()
            try Self.withPointer(to: &address) { pointer, length in
                var length = length
                try Self.check(getsockname(descriptor, UnsafeMutablePointer(mutating: pointer), &length))
            }
            return address
        }
    }

    private static func withPointer(
        to address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
    ) throws {
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func check(_ result: Int32) throws {
        guard result >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}
