// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.
// What Apple's Foundation has, and Linux's lacks, or has as unavailable. Imported into each checked file by itself.
public import Foundation
@_exported public import FoundationNetworking

// MARK: Core Foundation

// A dictionary is cast to CFDictionary, and CFString is a key.
public typealias CFDictionary = [CFString: Any]
public typealias CFTypeID = UInt
public typealias CFTypeRef = AnyObject

public final class CFString: Hashable, Sendable {
    public init() {}

    public static func == (first: CFString, second: CFString) -> Bool { fatalError() }

    public func hash(into hasher: inout Hasher) {}
}

public func CFGetTypeID(_ value: CFTypeRef?) -> CFTypeID { fatalError() }

public func CFBooleanGetTypeID() -> CFTypeID { fatalError() }

// MARK: Places, processes and notifications

extension ProcessInfo {
    @available(iOS 14.0, macOS 11.0, tvOS 14.0, visionOS 1.0, *)
    public var isiOSAppOnMac: Bool { fatalError() }
}

extension URL {
    public static var applicationSupportDirectory: URL { fatalError() }
}

extension URLResourceKey {
    @available(tvOS, unavailable)
    public static var volumeAvailableCapacityForImportantUsageKey: URLResourceKey { fatalError() }
}

extension URLResourceValues {
    @available(tvOS, unavailable)
    public var volumeAvailableCapacityForImportantUsage: Int64? { fatalError() }
}

extension NotificationCenter {
    public final class Notifications: AsyncSequence, @unchecked Sendable {
        public struct Iterator: AsyncIteratorProtocol {
            public func next() async -> Notification? { fatalError() }
        }

        public func makeAsyncIterator() -> Iterator { fatalError() }
    }

    public func notifications(named name: Notification.Name, object: (any AnyObject & Sendable)? = nil) -> Notifications
    {
        fatalError()
    }
}

// MARK: iCloud

// The reference says that the default object is shared, and that its functions may be called from any thread.
public final class NSUbiquitousKeyValueStore: @unchecked Sendable {
    public static let `default` = NSUbiquitousKeyValueStore()
    public static let didChangeExternallyNotification = Notification.Name("changed")
    public var dictionaryRepresentation: [String: Any] { fatalError() }
    public func set(_ aData: Data?, forKey aKey: String) { fatalError() }
    @discardableResult public func synchronize() -> Bool { fatalError() }
}

// MARK: URLSession

extension URLRequest {
    public var allowsExpensiveNetworkAccess: Bool {
        get { fatalError() }
        set {}
    }

    public var allowsConstrainedNetworkAccess: Bool {
        get { fatalError() }
        set {}
    }
}

extension URLSessionConfiguration {
    public class func background(withIdentifier identifier: String) -> URLSessionConfiguration { fatalError() }

    public var isDiscretionary: Bool {
        get { fatalError() }
        set {}
    }

    public var sessionSendsLaunchEvents: Bool {
        get { fatalError() }
        set {}
    }
}

extension URLSession {
    public convenience init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        fatalError()
    }

    public var allTasks: [URLSessionTask] { get async { fatalError() } }
}

extension URLSessionDownloadTask {
    public func cancelByProducingResumeData() async -> Data? { fatalError() }
}

public let NSURLSessionDownloadTaskResumeData = ""

// The methods are optional on Apple's platforms, where a misspelled one is never called. Here they are required from
// the delegates that implement them, so that a misspelled one is found.

public protocol URLSessionDelegate: NSObjectProtocol, Sendable {}

public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    // Of URLSessionTaskDelegate.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    // Of URLSessionDelegate.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)
}
