import Foundation

extension BodyDescription {
    private static let token = #""00000000-0000-4000-8000-00000000000d""#

    /// All requests with a body.
    static let all = [
        BodyDescription(
            testDescription: "account token", method: "PUT", path: "/inApps/v1/transactions/{coins}/appAccountToken",
            fields: [BodyField(name: "appAccountToken", kind: .uuid(mayBeEmpty: false), code: 4_000_183)],
            good: ["appAccountToken": token]),
        BodyDescription(
            testDescription: "consumption", method: "PUT", path: "/inApps/v2/transactions/consumption/{coins}",
            fields: [
                BodyField(name: "customerConsented", kind: .flag(mustBeTrue: true), code: 4_000_035),
                BodyField(name: "sampleContentProvided", kind: .flag(mustBeTrue: false), code: 4_000_041),
                BodyField(name: "deliveryStatus", kind: .choice(["DELIVERED"]), code: 4_000_036),
                BodyField(
                    name: "consumptionPercentage", kind: .integer(0...100_000), code: 4_000_000, isRequired: false),
                BodyField(
                    name: "refundPreference", kind: .choice(["DECLINE"]), code: 4_000_044, isRequired: false),
            ],
            good: ["customerConsented": "true", "sampleContentProvided": "false", "deliveryStatus": #""DELIVERED""#]),
        BodyDescription(
            testDescription: "first consumption", method: "PUT", path: "/inApps/v1/transactions/consumption/{coins}",
            fields: [
                BodyField(name: "customerConsented", kind: .flag(mustBeTrue: true), code: 4_000_035),
                BodyField(name: "consumptionStatus", kind: .integer(0...3), code: 4_000_034),
                BodyField(name: "platform", kind: .integer(0...2), code: 4_000_039),
                BodyField(name: "sampleContentProvided", kind: .flag(mustBeTrue: false), code: 4_000_041),
                BodyField(name: "deliveryStatus", kind: .integer(0...5), code: 4_000_036),
                BodyField(name: "appAccountToken", kind: .uuid(mayBeEmpty: true), code: 4_000_033),
                BodyField(name: "accountTenure", kind: .integer(0...7), code: 4_000_032),
                BodyField(name: "playTime", kind: .integer(0...7), code: 4_000_040),
                BodyField(name: "lifetimeDollarsRefunded", kind: .integer(0...7), code: 4_000_038),
                BodyField(name: "lifetimeDollarsPurchased", kind: .integer(0...7), code: 4_000_037),
                BodyField(name: "userStatus", kind: .integer(0...4), code: 4_000_042),
                BodyField(name: "refundPreference", kind: .integer(0...3), code: 4_000_044, isRequired: false),
            ],
            good: [
                "customerConsented": "true", "consumptionStatus": "0", "platform": "0",
                "sampleContentProvided": "false", "deliveryStatus": "0", "appAccountToken": #""""#,
                "accountTenure": "0", "playTime": "0", "lifetimeDollarsRefunded": "0",
                "lifetimeDollarsPurchased": "0", "userStatus": "0",
            ]),
        BodyDescription(
            testDescription: "extension", method: "PUT", path: "/inApps/v1/subscriptions/extend/{silver}",
            fields: extensionFields
                + [BodyField(name: "requestIdentifier", kind: .text(1...128), code: 4_000_011)],
            good: ["extendByDays": "5", "extendReasonCode": "1", "requestIdentifier": #""request""#]),
        BodyDescription(
            testDescription: "mass extension", method: "POST", path: "/inApps/v1/subscriptions/extend/mass",
            fields: extensionFields + [
                BodyField(name: "requestIdentifier", kind: .uuid(mayBeEmpty: false), code: 4_000_011),
                BodyField(name: "productId", kind: .known, code: 4_000_023),
                BodyField(name: "storefrontCountryCodes", kind: .countries, code: 4_000_028, isRequired: false),
            ],
            good: [
                "extendByDays": "5", "extendReasonCode": "1", "requestIdentifier": token,
                "productId": #""club.silver""#,
            ]),
        BodyDescription(
            testDescription: "notification history", method: "POST", path: "/inApps/v1/notifications/history",
            fields: [
                BodyField(name: "startDate", kind: .integer(0...9_007_199_254_740_992), code: 4_000_015),
                BodyField(name: "endDate", kind: .integer(0...9_007_199_254_740_992), code: 4_000_016),
                BodyField(name: "notificationType", kind: .known, code: 4_000_018, isRequired: false),
                BodyField(name: "notificationSubtype", kind: .known, code: 4_000_018, isRequired: false),
                BodyField(name: "transactionId", kind: .digits, code: 4_000_006, isRequired: false),
                BodyField(name: "onlyFailures", kind: .flag(mustBeTrue: false), code: 4_000_000, isRequired: false),
            ],
            good: ["startDate": "1799900000000", "endDate": "1800000000000"]),
    ]

    private static let extensionFields = [
        BodyField(name: "extendByDays", kind: .integer(1...90), code: 4_000_009),
        BodyField(name: "extendReasonCode", kind: .integer(0...3), code: 4_000_010),
    ]
}
