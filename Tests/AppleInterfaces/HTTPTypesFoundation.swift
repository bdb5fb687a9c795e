// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.
// The package gives this module to Apple's platforms alone, so that the build on Linux does not have it.
public import FoundationNetworking
public import HTTPTypes

extension URLRequest {
    public init?(httpRequest: HTTPRequest) { fatalError() }
}

extension HTTPURLResponse {
    public var httpResponse: HTTPResponse? { fatalError() }
}
