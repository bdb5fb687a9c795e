/// Default transport for requests to web servers: ``AsyncHTTPTransport`` on Linux, where Foundation's `URLSession`
/// terminates the process on some replies, and ``URLSessionTransport`` on Apple platforms.
#if os(Linux) && !Linux
    #error("On Linux, Vitrine needs its trait Linux for requests: .package(url: …, from: …, traits: [\"Linux\"])")
#endif

#if os(Linux)
    public typealias DefaultTransport = AsyncHTTPTransport
#else
    public typealias DefaultTransport = URLSessionTransport
#endif
