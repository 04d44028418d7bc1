import { identifiersFor, literal, type Naming } from './identifiers.ts'
import type { Code, Enumeration, Model, QueryCode, Union, ValueType } from './models.ts'

const MEMBERS: ReadonlySet<string> = new Set(['self', 'Self', 'Type', 'Protocol', 'init'])

const NAMING: Naming = {
  reserved: new Set(
    (
      'associatedtype class deinit enum extension fileprivate func import init inout internal let open operator private ' +
      'precedencegroup protocol public rethrows static struct subscript typealias var break case catch continue default defer do else ' +
      'fallthrough for guard if in repeat return throw switch where while Any as false is nil self Self super throws true try Type Protocol'
    ).split(' '),
  ),
  // After a dot these mean something else, backticks or not.
  escape: (name) => (MEMBERS.has(name) ? `${name}_` : `\`${name}\``),
}

/** A file of Swift that needs Foundation alone: classes that `JSONDecoder` decodes. */
export function writeSwift(code: Code): string {
  return [
    HEAD,
    ...code.enumerations.map(writeEnumeration),
    ...code.models.map(writeModel),
    ...code.unions.map(writeUnion),
    writeQueries(code.queries),
  ].join('\n')
}

const HEAD = `// Written by \`quire client swift\`: write it anew when the content-types change.
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

function writeEnumeration({ name, values }: Enumeration): string {
  const names = identifiersFor(values, NAMING)
  const constants = values.map((value, index) => {
    return `    public static let ${names[index] ?? ''} = ${name}(rawValue: ${quoted(value)})`
  })
  return `/// One of the values below, or one that was declared since.
public struct ${name}: RawRepresentable, Hashable, Decodable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
${constants.join('\n')}
}
`
}

/** Classes, as entries may hold entries of their own type. */
function writeModel({ name, fields }: Model): string {
  const names = identifiersFor(
    fields.map(({ key }) => key),
    NAMING,
  )
  const properties = fields.map(({ type, isOptional }, index) => {
    return `    public let ${names[index] ?? ''}: ${typeOf(type)}${isOptional ? '?' : ''}`
  })
  const keys = fields.map(({ key }, index) => {
    return `        case ${names[index] ?? ''} = ${quoted(key)}`
  })
  return `public final class ${name}: Decodable {
${properties.join('\n')}

    enum CodingKeys: String, CodingKey {
${keys.join('\n')}
    }
}
`
}

function writeUnion({ name, cases }: Union): string {
  const names = identifiersFor(
    cases.map(({ component }) => component),
    NAMING,
  )
  const shown = cases.map(({ model }, index) => `    case ${names[index] ?? ''}(${model})`)
  const branches = cases.map(({ component, model }, index) => {
    return `        case ${quoted(component)}: self = .${names[index] ?? ''}(try ${model}(from: decoder))`
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

function writeQueries(queries: readonly QueryCode[]): string {
  const names = identifiersFor(
    queries.map(({ name }) => name),
    NAMING,
  )
  const functions = queries.map((query, index) => writeQuery(query, names[index] ?? ''))
  return `public struct Pagination: Decodable {
    public let total: Int?
    public let pageCount: Int?
    public let nextCursor: String?
}

public struct Meta: Decodable {
    public let pagination: Pagination?
}

/// What a named query answers: of a page \`Value\` is a list.
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
${functions.join('\n')}}
`
}

function writeQuery({ name, isOne, model, parameters }: QueryCode, identifier: string): string {
  const names = identifiersFor(
    parameters.map((parameter) => parameter.name),
    NAMING,
  )
  const taken = parameters.map(({ type, isRequired }, index) => {
    return `${names[index] ?? ''}: ${typeOf(type)}${isRequired ? '' : '? = nil'}`
  })
  const given = parameters.map(({ name: key, type, isRequired }, index) => {
    const value = names[index] ?? ''
    const one = isRequired ? `[${value}]` : `${value}.map { [$0] }`
    return `given(${quoted(key)}, ${type.kind === 'list' ? value : one})`
  })
  const value = isOne ? model : `[${model}]`
  return `    public static func ${identifier}(${taken.join(', ')}) -> Query<${value}> {
        Query(path: ${quoted(`/api/_q/${name}`)}, parameters: ${given.join(' + ') || '[]'})
    }
`
}

const TYPES = {
  text: 'String',
  integer: 'Int',
  number: 'Double',
  flag: 'Bool',
  json: 'JSONValue',
} as const

function typeOf(type: ValueType): string {
  if (type.kind === 'list') return `[${typeOf(type.of)}]`
  return 'name' in type ? type.name : TYPES[type.kind]
}

function quoted(text: string): string {
  return literal(text, 'swift')
}
