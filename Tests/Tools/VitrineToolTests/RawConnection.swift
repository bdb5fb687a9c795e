import Foundation

/// Raw connection to a server on this device.
final class RawConnection {
    private let descriptor: Int32
    private var received = ""

    init(to url: URL) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        try Self.check(descriptor)
        try Self.check(fcntl(descriptor, F_SETFD, FD_CLOEXEC))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(url.port ?? 80).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try Self.check(result)
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        try Self.check(Int32(write(descriptor, bytes, bytes.count)))
    }

    /// Waits until a text is received, and returns all bytes up to its end.
    func receive(until text: String) throws -> String {
        while true {
            if let end = received.range(of: text)?.upperBound {
                defer { received = String(received[end...]) }
                return String(received[..<end])
            }
            var bytes = [UInt8](repeating: 0, count: 64 * 1_024)
            let count = read(descriptor, &bytes, bytes.count)
            try Self.check(Int32(count))
            guard count > 0 else { throw POSIXError(.ECONNRESET) }
            received += String(decoding: bytes[..<count], as: UTF8.self)
        }
    }

    private static func check(_ result: Int32) throws {
        guard result >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}
