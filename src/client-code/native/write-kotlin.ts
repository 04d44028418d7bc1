import { identifiersFor, literal, type Naming } from './identifiers.ts'
import type { Code, Enumeration, Model, QueryCode, Union, ValueType } from './models.ts'

const NAMING: Naming = {
  reserved: new Set(
    (
      'as break class continue do else false for fun if in interface is null object package return super this throw true try ' +
      'typealias typeof val var when while'
    ).split(' '),
  ),
  escape: (name) => `\`${name}\``,
}

/** A file of Kotlin with no dependency: what any parser of JSON has made of an answer, as data classes. */
export function writeKotlin(code: Code): string {
  return [
    HEAD,
    ...code.enumerations.map(writeEnumeration),
    ...code.models.map(writeModel),
    ...code.unions.map(writeUnion),
    writeQueries(code.queries),
    HELPERS,
  ].join('\n')
}

const HEAD = `// Written by \`quire client kotlin\`: write it anew when the content-types change.
// \`from\` takes what a parser of JSON has made of an object: maps, lists, texts, numbers, booleans and nulls.
@file:Suppress("unused", "RemoveRedundantBackticks")

package quire

typealias Json = Map<String, Any?>
`

function writeEnumeration({ name, values }: Enumeration): string {
  const names = identifiersFor(values, NAMING)
  const constants = values.map(
    (value, index) => `        val ${names[index] ?? ''} = ${name}(${quoted(value)})`,
  )
  return `/** One of the values below, or one that was declared since. */
data class ${name}(val value: String) {
    companion object {
${constants.join('\n')}
    }
}
`
}

function writeModel({ name, fields }: Model): string {
  const names = identifiersFor(
    fields.map(({ key }) => key),
    NAMING,
  )
  const properties = fields.map(({ type, isOptional }, index) => {
    return `    val ${names[index] ?? ''}: ${typeOf(type)}${isOptional ? '?' : ''},`
  })
  const values = fields.map(({ key, type, isOptional }, index) => {
    const value = `json[${quoted(key)}]`
    const read = isOptional ? `${value}?.let { ${readOf(type, 'it')} }` : readOf(type, value)
    return `            ${names[index] ?? ''} = ${read},`
  })
  // A class has a parameter at least where it holds data; trailing commas are of Kotlin 1.4.
  return `data class ${name}(
${withoutLastComma(properties)}
) {
    companion object {
        fun from(json: Json): ${name} = ${name}(
${withoutLastComma(values)}
        )
    }
}
`
}

function writeUnion({ name, cases }: Union): string {
  const names = identifiersFor(
    cases.map(({ component }) => component),
    NAMING,
  ).map((one) => one.replaceAll('`', ''))
  // Not the model's own name, which the class within would hide.
  const classes = cases.map(({ model }, index) => {
    return `    data class Is${capital(names[index])}(val value: ${model}) : ${name}()`
  })
  const branches = cases.map(({ component, model }, index) => {
    return `            ${quoted(component)} -> Is${capital(names[index])}(${model}.from(json))`
  })
  return `sealed class ${name} {
${classes.join('\n')}
    /** A component that was declared since. */
    data class Unknown(val json: Json) : ${name}()

    companion object {
        fun from(json: Json): ${name} = when (json["__component"]) {
${branches.join('\n')}
            else -> Unknown(json)
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
  return `/** Named queries: \`path\` is below the address of the server, \`read\` takes the whole answer. */
class Query<T>(val path: String, val parameters: List<Pair<String, String>>, val read: (Json) -> T)

data class QueryPage<T>(val entries: List<T>, val total: Long?, val nextCursor: String?)

object Queries {
${functions.join('\n')}}
`
}

function writeQuery({ name, isOne, model, parameters }: QueryCode, identifier: string): string {
  const names = identifiersFor(
    parameters.map((parameter) => parameter.name),
    NAMING,
  )
  const taken = parameters.map(({ type, isRequired }, index) => {
    return `${names[index] ?? ''}: ${typeOf(type)}${isRequired ? '' : '? = null'}`
  })
  const given = parameters.map(({ name: key, type }, index) => {
    return `            given(${quoted(key)}, ${listed(type, names[index] ?? '')})`
  })
  const answer = isOne ? model : `QueryPage<${model}>`
  const read = isOne
    ? `{ ${model}.from(obj(it["data"])) }`
    : `{ pageOf(it) { one -> ${model}.from(one) } }`
  const parts =
    given.length === 0 ? 'emptyList()' : `listOf(\n${given.join(',\n')}\n        ).flatten()`
  return `    fun ${identifier}(${taken.join(', ')}): Query<${answer}> = Query(
        ${quoted(`/api/_q/${name}`)},
        ${parts},
        ${read}
    )
`
}

function listed(type: ValueType, name: string): string {
  return type.kind === 'list' ? name : `${name}?.let { listOf(it) }`
}

const TYPES = {
  text: 'String',
  integer: 'Long',
  number: 'Double',
  flag: 'Boolean',
  json: 'Any',
} as const

function typeOf(type: ValueType): string {
  if (type.kind === 'list') return `List<${typeOf(type.of)}>`
  return 'name' in type ? type.name : TYPES[type.kind]
}

function readOf(type: ValueType, value: string): string {
  switch (type.kind) {
    case 'text':
      return `${value} as String`
    case 'integer':
      return `(${value} as Number).toLong()`
    case 'number':
      return `(${value} as Number).toDouble()`
    case 'flag':
      return `${value} as Boolean`
    case 'json':
      return `${value} as Any`
    case 'enumeration':
      return `${type.name}(${value} as String)`
    case 'model':
    case 'union':
      return `${type.name}.from(obj(${value}))`
    case 'list':
      return `(${value} as List<*>).map { one -> ${readOf(type.of, 'one')} }`
  }
}

const HELPERS = `@Suppress("UNCHECKED_CAST")
private fun obj(value: Any?): Json = value as Json

private fun given(name: String, values: List<Any>?): List<Pair<String, String>> =
    (values ?: emptyList<Any>()).map { Pair(name, it.toString()) }

private fun <T> pageOf(answer: Json, read: (Json) -> T): QueryPage<T> {
    val pagination = obj(obj(answer["meta"])["pagination"])
    return QueryPage(
        (answer["data"] as List<*>).map { read(obj(it)) },
        (pagination["total"] as Number?)?.toLong(),
        pagination["nextCursor"] as String?
    )
}
`

function quoted(text: string): string {
  return literal(text, 'kotlin')
}

function capital(name = ''): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** Before 1.4 none is allowed. */
function withoutLastComma(lines: readonly string[]): string {
  return lines.join('\n').replace(/,$/, '')
}
