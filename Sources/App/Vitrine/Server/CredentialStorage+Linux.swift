#if !canImport(Security)
    extension Home {
        /// Returns the storage of the credentials of this device: a file in the storage directory.
        func credentialStorage(ofApp app: String) -> any CredentialStorage {
            CredentialFile(url: credentials)
        }
    }
#endif
