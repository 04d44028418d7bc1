import type { Naming } from './identifiers.ts'
import {
  type Language,
  type CaseModel,
  type ConstantModel,
  type FieldModel,
  type QueryModel,
  type Readers,
  readValue,
  writeCode,
} from './language.ts'
import type { Code } from './code.ts'

const NAMING: Naming = {
  reserved: new Set(
    (
      'assert await break case catch class const continue default do else enum extends false final finally for if in is new null rethrow ' +
      'return super switch this throw true try var void while with yield fromJson hashCode runtimeType toString toJson noSuchMethod'
    ).split(' '),
  ),
  escape: (name) => `${name}_`,
}

/** Constants are members next to `value`. */
const OF_VALUES: Naming = { ...NAMING, reserved: new Set([...NAMING.reserved, 'value']) }

const HEAD = `// Written by \`quire client dart\`: run it again when the content-types change.
// It needs Dart 3.3; \`fromJson\` takes an object that \`jsonDecode\` has returned, \`toJson\` returns one.
// ignore_for_file: non_constant_identifier_names

typedef Json = Map<String, dynamic>;
`

const DART: Language = {
  naming: NAMING,
  constantNaming: OF_VALUES,
  quoting: { dollar: '\\$', codePoint: (digits) => `\\u${digits}` },
  types: {
    text: 'String',
    integer: 'int',
    number: 'double',
    flag: 'bool',
    date: 'DateTime',
    json: 'Object',
  },
  listOf: (element) => `List<${element}>`,
  head: HEAD,
  enumeration: writeEnumeration,
  model: writeModel,
  union: writeUnion,
  queries: writeQueries,
}

const READERS: Readers = {
  text: (value) => `${value} as String`,
  integer: (value) => `${value} as int`,
  number: (value) => `(${value} as num).toDouble()`,
  flag: (value) => `${value} as bool`,
  date: (value) => `DateTime.parse(${value} as String)`,
  json: (value) => `${value} as Object`,
  enumeration: (value, name) => `${name}(${value} as String)`,
  entry: (value, name) => `${name}.fromJson(${value} as Json)`,
  list: (value, read) => `(${value} as List).map((one) => ${read}).toList()`,
}

const plain = (value: string): string => value

const WRITERS: Readers = {
  text: plain,
  integer: plain,
  number: plain,
  flag: plain,
  date: (value) => `${value}.toUtc().toIso8601String()`,
  json: plain,
  enumeration: (value) => `${value}.value`,
  entry: (value) => `${value}.toJson()`,
  list: (value, write) => (write === 'one' ? value : `${value}.map((one) => ${write}).toList()`),
}

/** Optional values are encoded by `?.`, and `toJson` leaves out null. */
function encoded({ identifier, type, isOptional }: FieldModel): string {
  const text = readValue(type, identifier, WRITERS)
  const rest = text.slice(identifier.length)
  return isOptional && rest !== '' ? `${identifier}?${rest}` : text
}

export function writeDart(code: Code): string {
  return writeCode(code, DART)
}

function writeEnumeration(name: string, constants: readonly ConstantModel[]): string {
  const lines = constants.map(({ identifier, value }) => {
    return `  static const ${identifier} = ${name}(${value});`
  })
  return `/// A declared value. The server may know newer ones.
extension type const ${name}(String value) {
${lines.join('\n')}
}
`
}

function writeModel(name: string, fields: readonly FieldModel[]): string {
  const properties = fields.map(({ identifier, declared }) => `  final ${declared} ${identifier};`)
  const values = fields.map(({ identifier, key, type, isOptional }) => {
    const value = `json[${key}]`
    const read = readValue(type, value, READERS)
    return `        ${identifier} = ${isOptional ? `${value} == null ? null : ${read}` : read}`
  })
  const members = fields.map((field) => `        ${field.key}: ${encoded(field)},`)
  return `class ${name} {
${properties.join('\n')}

  ${name}.fromJson(Json json)
      : ${values.join(',\n').trimStart()};

  Json toJson() => {
${members.join('\n')}
      }..removeWhere((key, value) => value == null);
}
`
}

function writeUnion(name: string, cases: readonly CaseModel[]): string {
  const named = cases.map(({ component, model }, index) => {
    return { component, model, wrapper: `${name}${index + 1}${model}` }
  })
  const classes = named.map(({ component, model, wrapper }) => {
    return `class ${wrapper} extends ${name} {
  final ${model} value;
  ${wrapper}(this.value);

  @override
  Json toJson() => {'__component': ${component}, ...value.toJson()};
}
`
  })
  const branches = named.map(({ component, model, wrapper }) => {
    return `      case ${component}:
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

  Json toJson();
}

${classes.join('\n')}
/// An unknown component of a newer server.
class ${name}Unknown extends ${name} {
  final Json json;
  ${name}Unknown(this.json);

  @override
  Json toJson() => json;
}
`
}

function writeQueries(queries: readonly QueryModel[]): string {
  return `/// A named query: \`path\` is below the address of the server, \`read\` takes the whole answer.
class QuireQuery<T> {
  final String path;
  final Map<String, List<String>> parameters;
  final T Function(Json) read;
  const QuireQuery(this.path, this.parameters, this.read);
}

class QuirePage<T> {
  final List<T> entries;
  final int? total;
  final String? nextCursor;
  const QuirePage(this.entries, this.total, this.nextCursor);

  QuirePage.of(Json answer, T Function(Json) read)
      : entries = (answer['data'] as List).map((one) => read(one as Json)).toList(),
        total = (answer['meta'] as Json)['pagination']['total'] as int?,
        nextCursor = (answer['meta'] as Json)['pagination']['nextCursor'] as String?;
}

/// The result of an aggregate. \`capped\` says whether there are more groups.
class QuireGroups<T> {
  final List<T> groups;
  final bool capped;
  const QuireGroups(this.groups, this.capped);

  QuireGroups.of(Json answer, T Function(Json) read)
      : groups = (answer['data'] as List).map((one) => read(one as Json)).toList(),
        capped = (answer['meta'] as Json)['capped'] as bool;
}

Map<String, List<String>> _given(Map<String, List<Object>?> values) => {
      for (final one in values.entries)
        if (one.value != null) one.key: [
            for (final value in one.value!)
              value is DateTime ? value.toUtc().toIso8601String() : value.toString()
          ],
    };

abstract final class Queries {
${queries.map(writeQuery).join('\n')}}
`
}

function writeQuery({ identifier, path, shows, model, parameters }: QueryModel): string {
  const taken = parameters.map((one) => {
    return `${one.isOptional ? '' : 'required '}${one.declared} ${one.identifier}`
  })
  const given = parameters.map(({ identifier: value, key, type, isOptional }) => {
    if (type.kind === 'list') return `${key}: ${value}`
    return `${key}: ${isOptional ? `${value} == null ? null : ` : ''}[${value}]`
  })
  const [answer, read] = {
    one: [model, `(answer) => ${model}.fromJson(answer['data'] as Json)`],
    page: [`QuirePage<${model}>`, `(answer) => QuirePage.of(answer, ${model}.fromJson)`],
    groups: [`QuireGroups<${model}>`, `(answer) => QuireGroups.of(answer, ${model}.fromJson)`],
  }[shows]
  const signature = taken.length === 0 ? '' : `{${taken.join(', ')}}`
  return `  static QuireQuery<${answer}> ${identifier}(${signature}) => QuireQuery(
        ${path},
        _given({${given.join(', ')}}),
        ${read},
      );
`
}
