@_exported import OpenStoreKitTest
