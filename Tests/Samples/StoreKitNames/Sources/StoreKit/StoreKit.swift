@_exported import OpenStoreKit
