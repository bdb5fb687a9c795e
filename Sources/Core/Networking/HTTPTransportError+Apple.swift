#if canImport(Darwin)
    internal import VitrineSupport
    internal import Foundation

    // Not built or run on Linux.
    extension HTTPTransportError {
        /// Creates the transport error from the error of a `URLSession` task.
        init(urlError error: any Error) {
            let code: Code =
                switch (error as? URLError)?.code {
                case .timedOut: .timeout
                case .cancelled: .cancelled
                default: .connection
                }
            self.init(code: code, reason: error.localizedDescription)
        }
    }
#endif
