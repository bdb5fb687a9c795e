#if canImport(Darwin)
    internal import Foundation

    // Not built or run on Linux.
    extension HTTPTransportError {
        /// What `URLSession` says about the end of a task.
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
