/// Hosts that may be requested over plain `http`, which anyone on the network path can read and change.
public enum PlainHTTP: Sendable, Hashable {
    /// This device only: `localhost`, `127.0.0.1` and `[::1]`.
    case loopback
    /// This device, and these hosts: names, or addresses without brackets, and without a port.
    case hosts(Set<String>)
    /// All hosts: for signed replies such as those of OCSP, for which certificates contain `http` addresses.
    case everywhere

    package func allows(_ host: String) -> Bool {
        let host = host.lowercased()
        let isLoopback = ["localhost", "127.0.0.1", "::1"].contains(host)
        return switch self {
        case .loopback: isLoopback
        case .hosts(let hosts): isLoopback || hosts.contains { $0.lowercased() == host }
        case .everywhere: true
        }
    }
}
