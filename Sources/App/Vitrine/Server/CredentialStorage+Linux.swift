#if !canImport(Security)
    extension Home {
        /// Returns the storage of the credentials of this device: a file in the storage directory, or in the folder of an
        /// App Store account.
        ///
        /// - Parameter account: Name of the folder of the App Store account; `nil` for the first account.
        func credentialStorage(ofApp app: String, account: String?) -> any CredentialStorage {
            CredentialFile(url: credentials)
        }
    }
#endif
