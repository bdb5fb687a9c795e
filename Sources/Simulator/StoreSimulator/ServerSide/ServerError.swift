/// Error response of the App Store Server API, with
/// [Apple's error codes](https://developer.apple.com/documentation/appstoreserverapi/error-codes). The first three
/// digits of a code are the HTTP status.
package struct ServerError: Error, Hashable, Sendable {
    package enum Code: Int, Sendable, CaseIterable, Codable {
        case badRequest = 4_000_000
        case invalidAppIdentifier = 4_000_002
        case invalidRevision = 4_000_005
        case invalidTransactionID = 4_000_006
        case invalidOriginalTransactionID = 4_000_008
        case invalidExtendByDays = 4_000_009
        case invalidExtendReasonCode = 4_000_010
        case invalidRequestIdentifier = 4_000_011
        case startDateTooFarInPast = 4_000_012
        case startDateAfterEndDate = 4_000_013
        case invalidPaginationToken = 4_000_014
        case invalidStartDate = 4_000_015
        case invalidEndDate = 4_000_016
        case paginationTokenExpired = 4_000_017
        case invalidNotificationType = 4_000_018
        case multipleFiltersSupplied = 4_000_019
        case invalidTestNotificationToken = 4_000_020
        case invalidSort = 4_000_021
        case invalidProductType = 4_000_022
        case invalidProductID = 4_000_023
        case invalidSubscriptionGroup = 4_000_024
        case invalidExcludeRevoked = 4_000_025
        case invalidOwnershipType = 4_000_026
        case emptyStorefrontCodes = 4_000_027
        case invalidStorefrontCode = 4_000_028
        case invalidRevoked = 4_000_030
        case invalidStatus = 4_000_031
        case invalidAccountTenure = 4_000_032
        case invalidReportedAccountToken = 4_000_033
        case invalidConsumptionStatus = 4_000_034
        case invalidCustomerConsented = 4_000_035
        case invalidDeliveryStatus = 4_000_036
        case invalidLifetimeDollarsPurchased = 4_000_037
        case invalidLifetimeDollarsRefunded = 4_000_038
        case invalidPlatform = 4_000_039
        case invalidPlayTime = 4_000_040
        case invalidSampleContentProvided = 4_000_041
        case invalidUserStatus = 4_000_042
        case invalidRefundPreference = 4_000_044
        case transactionTypeNotSupported = 4_000_047
        case appTransactionIDNotSupported = 4_000_048
        case invalidAccountToken = 4_000_183
        case familyTransactionNotSupported = 4_000_185
        case notOriginalTransactionID = 4_000_187
        case percentageOfSubscription = 4_000_209
        case extensionIneligible = 4_030_004
        case extensionMaximum = 4_030_005
        case extensionOfFamilyShared = 4_030_007
        case accountNotFound = 4_040_001
        case accountNotFoundRetryable = 4_040_002
        case appNotFound = 4_040_003
        case appNotFoundRetryable = 4_040_004
        case originalTransactionIDNotFound = 4_040_005
        case originalTransactionIDNotFoundRetryable = 4_040_006
        case notificationURLNotFound = 4_040_007
        case testNotificationNotFound = 4_040_008
        case statusRequestNotFound = 4_040_009
        case transactionIDNotFound = 4_040_010
        case appTransactionNotFound = 4_040_019
        case rateLimitExceeded = 4_290_000
        case internalError = 5_000_000
        case internalErrorRetryable = 5_000_001

        /// HTTP status of a response with this code.
        package var status: Int { rawValue / 10_000 }
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}
