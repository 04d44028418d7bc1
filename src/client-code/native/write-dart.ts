import { identifiersFor, literal, type Naming } from './identifiers.ts'
import type { Code, Enumeration, Model, QueryCode, Union, ValueType } from './models.ts'

const NAMING: Naming = {
  reserved: new Set(
    (
      'assert await break case catch class const continue default do else enum extends false final finally for if in is new null rethrow ' +
      'return super switch this throw true try var void while with yield fromJson hashCode runtimeType toString noSuchMethod'
    ).split(' '),
  ),
  escape: (name) => `${name}_`,
}

/** Constants stand beside the text that they are of. */
const OF_VALUES: Naming = { ...NAMING, reserved: new Set([...NAMING.reserved, 'value']) }

/** A file of Dart that needs nothing: what `jsonDecode` has made of an answer, as classes. */
export function writeDart(code: Code): string {
  return [
    HEAD,
    ...code.enumerations.map(writeEnumeration),
    ...code.models.map(writeModel),
    ...code.unions.map(writeUnion),
    writeQueries(code.queries),
  ].join('\n')
}

const HEAD = `// Written by \`quire client dart\`: write it anew when the content-types change.
// It needs Dart 3.3; \`fromJson\` takes what \`jsonDecode\` has made of an object.
// ignore_for_file: non_constant_identifier_names

typedef Json = Map<String, dynamic>;
`

function writeEnumeration({ name, values }: Enumeration): string {
  const names = identifiersFor(values, OF_VALUES)
  const constants = values.map((value, index) => {
    return `  static const ${names[index] ?? ''} = ${name}(${quoted(value)});`
  })
  return `/// One of the values below, or one that was declared since.
extension type const ${name}(String value) {
${constants.join('\n')}
}
`
}

function writeModel({ name, fields }: Model): string {
  const names = identifiersFor(
    fields.map(({ key }) => key),
    NAMING,
  )
  const properties = fields.map(({ type, isOptional }, index) => {
    return `  final ${typeOf(type)}${isOptional ? '?' : ''} ${names[index] ?? ''};`
  })
  const values = fields.map(({ key, type, isOptional }, index) => {
    const value = `json[${quoted(key)}]`
    const read = readOf(type, value)
    return `        ${names[index] ?? ''} = ${isOptional ? `${value} == null ? null : ${read}` : read}`
  })
  return `class ${name} {
${properties.join('\n')}

  ${name}.fromJson(Json json)
      : ${values.join(',\n').trimStart()};
}
`
}

function writeUnion({ name, cases }: Union): string {
  const named = cases.map(({ component, model }, index) => {
    return { component, model, wrapper: `${name}${index + 1}${model}` }
  })
  const classes = named.map(({ model, wrapper }) => {
    return `class ${wrapper} extends ${name} {
  final ${model} value;
  ${wrapper}(this.value);
}
`
  })
  const branches = named.map(({ component, model, wrapper }) => {
    return `      case ${quoted(component)}:
        return ${wrapper}(${model}.fromJson(json));`
  })
  return `sealed class ${name} {
  ${name}();

  factory ${name}.fromJson(Json json) {
    switch (json['__component']) {
${branches.join('\n')}
      default:
        return ${name}Unknown(json);
    }
  }
}

${classes.join('\n')}
/// A component that was declared since.
class ${name}Unknown extends ${name} {
  final Json json;
  ${name}Unknown(this.json);
}
`
}

function writeQueries(queries: readonly QueryCode[]): string {
  const names = identifiersFor(
    queries.map(({ name }) => name),
    NAMING,
  )
  const functions = queries.map((query, index) => writeQuery(query, names[index] ?? ''))
  return `/// A named query: \`path\` is below the address of the server, \`read\` takes the whole answer.
class Query<T> {
  final String path;
  final Map<String, List<String>> parameters;
  final T Function(Json) read;
  const Query(this.path, this.parameters, this.read);
}

class QueryPage<T> {
  final List<T> entries;
  final int? total;
  final String? nextCursor;
  const QueryPage(this.entries, this.total, this.nextCursor);

  QueryPage.of(Json answer, T Function(Json) read)
      : entries = (answer['data'] as List).map((one) => read(one as Json)).toList(),
        total = (answer['meta'] as Json)['pagination']['total'] as int?,
        nextCursor = (answer['meta'] as Json)['pagination']['nextCursor'] as String?;
}

Map<String, List<String>> _given(Map<String, List<Object>?> values) => {
      for (final one in values.entries)
        if (one.value != null) one.key: [for (final value in one.value!) value.toString()],
    };

abstract final class Queries {
${functions.join('\n')}}
`
}

function writeQuery({ name, isOne, model, parameters }: QueryCode, identifier: string): string {
  const names = identifiersFor(
    parameters.map((parameter) => parameter.name),
    NAMING,
  )
  const taken = parameters.map(({ type, isRequired }, index) => {
    const required = isRequired ? 'required ' : ''
    return `${required}${typeOf(type)}${isRequired ? '' : '?'} ${names[index] ?? ''}`
  })
  const given = parameters.map(({ name: key, type, isRequired }, index) => {
    const value = names[index] ?? ''
    if (type.kind === 'list') return `${quoted(key)}: ${value}`
    return `${quoted(key)}: ${isRequired ? '' : `${value} == null ? null : `}[${value}]`
  })
  const answer = isOne ? model : `QueryPage<${model}>`
  const read = isOne
    ? `(answer) => ${model}.fromJson(answer['data'] as Json)`
    : `(answer) => QueryPage.of(answer, ${model}.fromJson)`
  const signature = taken.length === 0 ? '' : `{${taken.join(', ')}}`
  return `  static Query<${answer}> ${identifier}(${signature}) => Query(
        ${quoted(`/api/_q/${name}`)},
        _given({${given.join(', ')}}),
        ${read},
      );
`
}

const TYPES = {
  text: 'String',
  integer: 'int',
  number: 'double',
  flag: 'bool',
  json: 'Object',
} as const

function typeOf(type: ValueType): string {
  if (type.kind === 'list') return `List<${typeOf(type.of)}>`
  return 'name' in type ? type.name : TYPES[type.kind]
}

function readOf(type: ValueType, value: string): string {
  switch (type.kind) {
    case 'number':
      return `(${value} as num).toDouble()`
    case 'text':
    case 'integer':
    case 'flag':
    case 'json':
      return `${value} as ${TYPES[type.kind]}`
    case 'enumeration':
      return `${type.name}(${value} as String)`
    case 'model':
    case 'union':
      return `${type.name}.fromJson(${value} as Json)`
    case 'list':
      return `(${value} as List).map((one) => ${readOf(type.of, 'one')}).toList()`
  }
}

function quoted(text: string): string {
  return literal(text, 'dart')
}
