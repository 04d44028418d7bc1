import type { Naming } from './identifiers.ts'
import {
  type Language,
  type CaseModel,
  type ConstantModel,
  type FieldModel,
  type QueryModel,
  writeCode,
} from './language.ts'
import type { Code } from './code.ts'

const MEMBERS: ReadonlySet<string> = new Set(['self', 'Self', 'Type', 'Protocol', 'init'])

const NAMING: Naming = {
  reserved: new Set(
    (
      'associatedtype class deinit enum extension fileprivate func import init inout internal let open operator private ' +
      'precedencegroup protocol public rethrows static struct subscript typealias var break case catch continue default defer do else ' +
      'fallthrough for guard if in repeat return throw switch where while Any as false is nil self Self super throws true try Type Protocol'
    ).split(' '),
  ),
  // After a dot these words have a special meaning, even in backticks.
  escape: (name) => (MEMBERS.has(name) ? `${name}_` : `\`${name}\``),
}

const HEAD = `// Written by \`quire client swift\`: run it again when the content-types change.
import Foundation

/// Any JSON.
public enum JSONValue: Codable {
    case null, bool(Bool), number(Double), string(String), array([JSONValue]), object([String: JSONValue])

    public init(from decoder: Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() { self = .null }
        else if let value = try? container.decode(Bool.self) { self = .bool(value) }
        else if let value = try? container.decode(Double.self) { self = .number(value) }
        else if let value = try? container.decode(String.self) { self = .string(value) }
        else if let value = try? container.decode([JSONValue].self) { self = .array(value) }
        else { self = .object(try container.decode([String: JSONValue].self)) }
    }

    public func encode(to encoder: Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONDecoder {
    /// Decodes the dates of the server.
    public static var quire: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            let formatter = ISO8601DateFormatter()
            formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
            if let date = formatter.date(from: text) { return date }
            formatter.formatOptions = [.withInternetDateTime]
            if let date = formatter.date(from: text) { return date }
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "No date: " + text)
        }
        return decoder
    }
}

extension JSONEncoder {
    /// Encodes dates as the server does.
    public static var quire: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(dateText(date))
        }
        return encoder
    }
}

private func dateText(_ date: Date) -> String {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    return formatter.string(from: date)
}

private struct Element: Codable {
    let component: String
    enum CodingKeys: String, CodingKey { case component = "__component" }
}
`

const SWIFT: Language = {
  naming: NAMING,
  quoting: { dollar: '$', codePoint: (digits) => `\\u{${digits}}` },
  types: {
    text: 'String',
    integer: 'Int',
    number: 'Double',
    flag: 'Bool',
    date: 'Date',
    json: 'JSONValue',
  },
  listOf: (element) => `[${element}]`,
  head: HEAD,
  enumeration: writeEnumeration,
  model: writeModel,
  union: writeUnion,
  queries: writeQueries,
}

export function writeSwift(code: Code): string {
  return writeCode(code, SWIFT)
}

function writeEnumeration(name: string, constants: readonly ConstantModel[]): string {
  const lines = constants.map(({ identifier, value }) => {
    return `    public static let ${identifier} = ${name}(rawValue: ${value})`
  })
  return `/// A declared value. The server may know newer ones.
public struct ${name}: RawRepresentable, Hashable, Codable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
${lines.join('\n')}
}
`
}

/** Classes instead of structs, because entries may contain entries of their own type. */
function writeModel(name: string, fields: readonly FieldModel[]): string {
  const properties = fields.map(({ identifier, declared }) => {
    return `    public let ${identifier}: ${declared}`
  })
  const keys = fields.map(({ identifier, key }) => `        case ${identifier} = ${key}`)
  return `public final class ${name}: Codable {
${properties.join('\n')}

    enum CodingKeys: String, CodingKey {
${keys.join('\n')}
    }
}
`
}

function writeUnion(name: string, cases: readonly CaseModel[]): string {
  const shown = cases.map(({ identifier, model }) => `    case ${identifier}(${model})`)
  const branches = cases.map(({ identifier, component, model }) => {
    return `        case ${component}: self = .${identifier}(try ${model}(from: decoder))`
  })
  const encoded = cases.map(({ identifier, component }) => {
    return `        case .${identifier}(let value):
            try Element(component: ${component}).encode(to: encoder)
            try value.encode(to: encoder)`
  })
  return `public enum ${name}: Codable {
${shown.join('\n')}
    /// An unknown component of a newer server.
    case unknownComponent(JSONValue)

    public init(from decoder: Decoder) throws {
        let component = try Element(from: decoder).component
        switch component {
${branches.join('\n')}
        default: self = .unknownComponent(try JSONValue(from: decoder))
        }
    }

    public func encode(to encoder: Encoder) throws {
        switch self {
${encoded.join('\n')}
        case .unknownComponent(let value): try value.encode(to: encoder)
        }
    }
}
`
}

function writeQueries(queries: readonly QueryModel[]): string {
  return `public struct QuirePagination: Decodable {
    public let total: Int?
    public let pageCount: Int?
    public let nextCursor: String?
}

public struct QuireMeta: Decodable {
    public let pagination: QuirePagination?
    /// In the result of an aggregate: whether there are more groups.
    public let capped: Bool?
}

/// The result of a named query. For a page and for groups, \`Value\` is a list.
public struct QuireAnswer<Value: Decodable>: Decodable {
    public let data: Value
    public let meta: QuireMeta
}

/// A named query: \`path\` is below the address of the server.
public struct QuireQuery<Value: Decodable> {
    public let path: String
    public let parameters: [URLQueryItem]

    public func read(_ body: Data) throws -> QuireAnswer<Value> {
        try JSONDecoder.quire.decode(QuireAnswer<Value>.self, from: body)
    }
}

private func given<T>(_ name: String, _ values: [T]?) -> [URLQueryItem] {
    (values ?? []).map { URLQueryItem(name: name, value: ($0 as? Date).map(dateText) ?? String(describing: $0)) }
}

public enum Queries {
${queries.map(writeQuery).join('\n')}}
`
}

function writeQuery({ identifier, path, shows, model, parameters }: QueryModel): string {
  const taken = parameters.map((one) => {
    return `${one.identifier}: ${one.declared}${one.isOptional ? ' = nil' : ''}`
  })
  const given = parameters.map(({ identifier: value, key, type, isOptional }) => {
    const one = isOptional ? `${value}.map { [$0] }` : `[${value}]`
    return `given(${key}, ${type.kind === 'list' ? value : one})`
  })
  const value = shows === 'one' ? model : `[${model}]`
  return `    public static func ${identifier}(${taken.join(', ')}) -> QuireQuery<${value}> {
        QuireQuery(path: ${path}, parameters: ${given.join(' + ') || '[]'})
    }
`
}
