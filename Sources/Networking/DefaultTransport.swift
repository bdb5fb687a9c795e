/// What asks web servers unless a caller says otherwise: ``AsyncHTTPTransport`` on Linux, where Foundation's `URLSession`
/// ends the whole process at some replies, and ``URLSessionTransport`` on Apple platforms.
#if os(Linux)
    public typealias DefaultTransport = AsyncHTTPTransport
#else
    public typealias DefaultTransport = URLSessionTransport
#endif
