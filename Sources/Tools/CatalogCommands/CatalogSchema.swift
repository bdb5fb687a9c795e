import VitrineCatalog
internal import VitrineCommandSupport
import VitrinePropertyList

/// [JSON Schema 2020-12](https://json-schema.org/draft/2020-12) of catalogs in JSON.
///
/// The product keys are the keys that the lint rules know. Unknown keys are accepted, because the rules only warn about
/// them.
enum CatalogSchema {
    static var document: JSONObject {
        [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Product catalog of Vitrine",
            "$defs": [
                "product": product, "wallet": wallet, "grandfathering": grandfathering, "date": date,
            ] as JSONObject,
            "if": ["type": "array"] as JSONObject,
            "then": products,
            "else": catalog,
        ]
    }

    private static var products: JSONObject {
        [
            "type": "array", "maxItems": CatalogLimits.products,
            "items": [
                "anyOf": [["type": "string"] as JSONObject, ["$ref": "#/$defs/product"] as JSONObject]
            ] as JSONObject,
        ]
    }

    private static var catalog: JSONObject {
        [
            "type": "object", "required": ["products"],
            "properties": [
                "products": products,
                "catalogVersion": ["type": "integer", "description": "Version of the catalog; the higher one wins."]
                    as JSONObject,
                "expires": ["$ref": "#/$defs/date"] as JSONObject,
                "wallets": [
                    "type": "object", "maxProperties": CatalogLimits.wallets,
                    "propertyNames": ["minLength": 1] as JSONObject,
                    "additionalProperties": ["$ref": "#/$defs/wallet"] as JSONObject,
                ] as JSONObject,
                "grandfathering": [
                    "type": "object", "additionalProperties": ["$ref": "#/$defs/grandfathering"] as JSONObject,
                ] as JSONObject,
            ] as JSONObject,
        ]
    }

    /// Schema of a date, which is a string in JSON, in Coordinated Universal Time and whole seconds.
    private static var date: JSONObject {
        [
            "description": "A date in the form 2030-03-01T00:00:00Z.", "type": "string", "format": "date-time",
            "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
        ]
    }

    private static var wallet: JSONObject {
        [
            "type": "object",
            "properties": [
                "startingBalance": ["type": "integer", "minimum": 0] as JSONObject,
                "refundPolicy": ["enum": RefundPolicy.allCases.map(\.rawValue)] as JSONObject,
            ] as JSONObject,
        ]
    }

    /// Schema of a grandfathering rule or an array of rules.
    private static var grandfathering: JSONObject {
        [
            "if": ["type": "array"] as JSONObject,
            "then": ["items": rule] as JSONObject,
            "else": rule,
        ]
    }

    private static var rule: JSONObject {
        [
            "type": "object",
            "properties": [
                "beforeBuild": ["type": ["integer", "string"]] as JSONObject,
                "beforeVersion": ["type": "string"] as JSONObject,
                "beforeDate": ["$ref": "#/$defs/date"] as JSONObject,
                "platform": ["type": "string"] as JSONObject,
            ] as JSONObject,
            "additionalProperties": false,
            "anyOf": ["beforeBuild", "beforeVersion", "beforeDate"].map { ["required": [$0]] as JSONObject },
        ]
    }

    // MARK: Products

    private static var product: JSONObject {
        [
            "type": "object", "maxProperties": CatalogLimits.keys, "required": ["productIdentifier"],
            "properties": JSONObject(CatalogKeyDescription.all.map { ($0.name, property($0)) }),
            "anyOf": [["required": ["consumable"]] as JSONObject, ["required": ["type"]] as JSONObject],
            "allOf": [
                [
                    "if": has("consumable", true),
                    "then": [
                        "properties": ["type": ["const": "consumable"] as JSONObject] as JSONObject
                    ] as JSONObject,
                ] as JSONObject,
                [
                    "if": has("consumable", false),
                    "then": [
                        "properties": ["type": ["not": ["const": "consumable"] as JSONObject] as JSONObject]
                            as JSONObject
                    ] as JSONObject,
                ] as JSONObject,
                [
                    "if": ["anyOf": [has("consumable", true), has("type", "consumable")]] as JSONObject,
                    "then": [
                        "required": ["productValue"],
                        "anyOf": [
                            ["required": ["storageKey"]] as JSONObject, ["required": ["localStorageKey"]] as JSONObject,
                        ],
                    ] as JSONObject,
                    "else": ["if": has("hosted", true), "then": ["required": ["localContentPath"]] as JSONObject]
                        as JSONObject,
                ] as JSONObject,
            ],
        ]
    }

    private static var formerDuration: JSONObject {
        [
            "type": "object", "required": ["duration", "until"],
            "properties": [
                "duration": ["type": "string"] as JSONObject, "until": ["$ref": "#/$defs/date"] as JSONObject,
            ] as JSONObject,
            "additionalProperties": false,
        ]
    }

    /// Returns a schema for objects that have a given value for a key.
    private static func has(_ key: String, _ value: any Encodable) -> JSONObject {
        ["required": [key], "properties": JSONObject([(key, ["const": value] as JSONObject)])]
    }

    private static func property(_ key: CatalogKeyDescription) -> JSONObject {
        let types = Set(key.types.map(name)).sorted()
        guard key.type != .grandfathering else {
            return ["description": key.meaning, "type": types, "$ref": "#/$defs/grandfathering"]
        }
        guard key.type != .formerDurations else {
            return [
                "description": key.meaning, "type": types, "maxItems": CatalogLimits.formerDurations,
                "items": formerDuration,
            ]
        }
        func element(in container: PropertyListValue.Kind) -> JSONObject? {
            guard key.type.accepts(container) else { return nil }
            return key.type.elementKind(in: container).map { ["type": name($0)] }
        }
        return [
            "description": key.meaning,
            // Any value is accepted by a key that accepts all types that JSON has.
            "type": key.type == .any ? nil : types,
            "enum": key.type == .productKind ? ProductKind.allCases.filter { $0 != .unknown }.map(\.rawValue) : nil,
            "minimum": key.type == .integer ? key.least : nil,
            "minLength": key.type == .string ? key.least : nil,
            "maximum": key.type == .integer ? Int.max : nil,
            "items": element(in: .array),
            "additionalProperties": element(in: .dictionary),
        ]
    }

    /// Returns the JSON Schema name of a property list type.
    private static func name(_ type: PropertyListValue.Kind) -> String {
        switch type {
        case .array: "array"
        case .dictionary: "object"
        case .boolean: "boolean"
        case .integer: "integer"
        case .real: "number"
        case .string, .date, .data, .uid: "string"
        }
    }
}
