import type { Naming } from './identifiers.ts'
import {
  type Language,
  type CaseModel,
  type ConstantModel,
  type FieldModel,
  type QueryModel,
  writeCode,
} from './language.ts'
import type { Code } from './models.ts'

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
public enum JSONValue: Decodable {
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
}

private struct Element: Decodable {
    let component: String
    enum CodingKeys: String, CodingKey { case component = "__component" }
}
`

const SWIFT: Language = {
  naming: NAMING,
  quoting: { dollar: '$', codePoint: (digits) => `\\u{${digits}}` },
  types: { text: 'String', integer: 'Int', number: 'Double', flag: 'Bool', json: 'JSONValue' },
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
  return `/// One of the values below, or one that was declared since.
public struct ${name}: RawRepresentable, Hashable, Decodable {
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
  return `public final class ${name}: Decodable {
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
  return `public enum ${name}: Decodable {
${shown.join('\n')}
    /// A component that was declared since.
    case unknownComponent(String)

    public init(from decoder: Decoder) throws {
        let component = try Element(from: decoder).component
        switch component {
${branches.join('\n')}
        default: self = .unknownComponent(component)
        }
    }
}
`
}

function writeQueries(queries: readonly QueryModel[]): string {
  return `public struct Pagination: Decodable {
    public let total: Int?
    public let pageCount: Int?
    public let nextCursor: String?
}

public struct Meta: Decodable {
    public let pagination: Pagination?
}

/// The result of a named query. For a page, \`Value\` is a list.
public struct Answer<Value: Decodable>: Decodable {
    public let data: Value
    public let meta: Meta
}

/// A named query: \`path\` is below the address of the server.
public struct Query<Value: Decodable> {
    public let path: String
    public let parameters: [URLQueryItem]

    public func read(_ body: Data) throws -> Answer<Value> {
        try JSONDecoder().decode(Answer<Value>.self, from: body)
    }
}

private func given<T>(_ name: String, _ values: [T]?) -> [URLQueryItem] {
    (values ?? []).map { URLQueryItem(name: name, value: String(describing: $0)) }
}

public enum Queries {
${queries.map(writeQuery).join('\n')}}
`
}

function writeQuery({ identifier, path, isOne, model, parameters }: QueryModel): string {
  const taken = parameters.map((one) => {
    return `${one.identifier}: ${one.declared}${one.isOptional ? ' = nil' : ''}`
  })
  const given = parameters.map(({ identifier: value, key, type, isOptional }) => {
    const one = isOptional ? `${value}.map { [$0] }` : `[${value}]`
    return `given(${key}, ${type.kind === 'list' ? value : one})`
  })
  const value = isOne ? model : `[${model}]`
  return `    public static func ${identifier}(${taken.join(', ')}) -> Query<${value}> {
        Query(path: ${path}, parameters: ${given.join(' + ') || '[]'})
    }
`
}
