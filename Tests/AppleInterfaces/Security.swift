// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.
public import AppleFoundation

public typealias OSStatus = Int32

public let errSecSuccess: OSStatus = 0
public let errSecItemNotFound: OSStatus = -25300

public let kSecAttrAccount = CFString()
public let kSecAttrGeneric = CFString()
public let kSecAttrService = CFString()
public let kSecClass = CFString()
public let kSecClassGenericPassword = CFString()
public let kSecMatchLimit = CFString()
public let kSecMatchLimitOne = CFString()
public let kSecReturnData = CFString()

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    fatalError()
}
