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
      'as break class continue do else false for fun if in interface is null object package return super this throw true try ' +
      'typealias typeof val var when while'
    ).split(' '),
  ),
  escape: (name) => `\`${name}\``,
}

const head = (
  packageName: string,
): string => `// Written by \`quire client kotlin\`: run it again when the content-types change.
// \`from\` takes an object of a JSON parser: maps, lists, texts, numbers, booleans and nulls. \`toJson\` returns one.
@file:Suppress("unused", "RemoveRedundantBackticks")

package ${packageName}

import java.time.Instant

typealias Json = Map<String, Any?>
`

const HELPERS = `@Suppress("UNCHECKED_CAST")
private fun obj(value: Any?): Json = value as Json

private fun given(name: String, values: List<Any>?): List<Pair<String, String>> =
    (values ?: emptyList<Any>()).map { Pair(name, it.toString()) }

private fun <T> pageOf(answer: Json, read: (Json) -> T): QuirePage<T> {
    val pagination = obj(obj(answer["meta"])["pagination"])
    return QuirePage(
        (answer["data"] as List<*>).map { read(obj(it)) },
        (pagination["total"] as Number?)?.toLong(),
        pagination["nextCursor"] as String?
    )
}

private fun <T> groupsOf(answer: Json, read: (Json) -> T): QuireGroups<T> =
    QuireGroups((answer["data"] as List<*>).map { read(obj(it)) }, obj(answer["meta"])["capped"] as Boolean)
`

const KOTLIN: Omit<Language, 'head'> = {
  naming: NAMING,
  quoting: { dollar: '\\$', codePoint: (digits) => `\\u${digits}` },
  types: {
    text: 'String',
    integer: 'Long',
    number: 'Double',
    flag: 'Boolean',
    date: 'Instant',
    json: 'Any',
  },
  listOf: (element) => `List<${element}>`,
  tail: HELPERS,
  enumeration: writeEnumeration,
  model: writeModel,
  union: writeUnion,
  queries: writeQueries,
}

const READERS: Readers = {
  text: (value) => `${value} as String`,
  integer: (value) => `(${value} as Number).toLong()`,
  number: (value) => `(${value} as Number).toDouble()`,
  flag: (value) => `${value} as Boolean`,
  date: (value) => `Instant.parse(${value} as String)`,
  json: (value) => `${value} as Any`,
  enumeration: (value, name) => `${name}(${value} as String)`,
  entry: (value, name) => `${name}.from(obj(${value}))`,
  list: (value, read) => `(${value} as List<*>).map { one -> ${read} }`,
}

const plain = (value: string): string => value

const WRITERS: Readers = {
  text: plain,
  integer: plain,
  number: plain,
  flag: plain,
  date: (value) => `${value}.toString()`,
  json: plain,
  enumeration: (value) => `${value}.value`,
  entry: (value) => `${value}.toJson()`,
  list: (value, write) => (write === 'one' ? value : `${value}.map { one -> ${write} }`),
}

export function writeKotlin(code: Code, packageName = 'quire'): string {
  return writeCode(code, { ...KOTLIN, head: head(packageName) })
}

/** Optional values are encoded by `?.`, and `toJson` leaves out null. */
function encoded({ identifier, type, isOptional }: FieldModel): string {
  const text = readValue(type, identifier, WRITERS)
  const rest = text.slice(identifier.length)
  return isOptional && rest !== '' ? `${identifier}?${rest}` : text
}

function writeEnumeration(name: string, constants: readonly ConstantModel[]): string {
  const lines = constants.map(({ identifier, value }) => {
    return `        val ${identifier} = ${name}(${value})`
  })
  return `/** A declared value. The server may know newer ones. */
data class ${name}(val value: String) {
    companion object {
${lines.join('\n')}
    }
}
`
}

function writeModel(name: string, fields: readonly FieldModel[]): string {
  const properties = fields.map(({ identifier, declared }) => `    val ${identifier}: ${declared},`)
  const values = fields.map(({ identifier, key, type, isOptional }) => {
    const value = `json[${key}]`
    const read = isOptional
      ? `${value}?.let { ${readValue(type, 'it', READERS)} }`
      : readValue(type, value, READERS)
    return `            ${identifier} = ${read},`
  })
  const members = fields.map((field) => `        ${field.key} to ${encoded(field)},`)
  // A data class needs at least one parameter. Trailing commas require Kotlin 1.4.
  return `data class ${name}(
${withoutLastComma(properties)}
) {
    fun toJson(): Json = mapOf<String, Any?>(
${withoutLastComma(members)}
    ).filterValues { it != null }

    companion object {
        fun from(json: Json): ${name} = ${name}(
${withoutLastComma(values)}
        )
    }
}
`
}

function writeUnion(name: string, cases: readonly CaseModel[]): string {
  const classes = cases.map(({ identifier, component, model }) => {
    return `    data class ${className(identifier)}(val value: ${model}) : ${name}() {
        override fun toJson(): Json = mapOf<String, Any?>("__component" to ${component}) + value.toJson()
    }`
  })
  const branches = cases.map(({ identifier, component, model }) => {
    return `            ${component} -> ${className(identifier)}(${model}.from(json))`
  })
  return `sealed class ${name} {
    abstract fun toJson(): Json

${classes.join('\n')}
    /** An unknown component of a newer server. */
    data class Unknown(val json: Json) : ${name}() {
        override fun toJson(): Json = json
    }

    companion object {
        fun from(json: Json): ${name} = when (json["__component"]) {
${branches.join('\n')}
            else -> Unknown(json)
        }
    }
}
`
}

function writeQueries(queries: readonly QueryModel[]): string {
  return `/** Named queries: \`path\` is below the address of the server, \`read\` takes the whole answer. */
class QuireQuery<T>(val path: String, val parameters: List<Pair<String, String>>, val read: (Json) -> T)

data class QuirePage<T>(val entries: List<T>, val total: Long?, val nextCursor: String?)

/** The result of an aggregate. \`capped\` says whether there are more groups. */
data class QuireGroups<T>(val groups: List<T>, val capped: Boolean)

object Queries {
${queries.map(writeQuery).join('\n')}}
`
}

function writeQuery({ identifier, path, shows, model, parameters }: QueryModel): string {
  const taken = parameters.map((one) => {
    return `${one.identifier}: ${one.declared}${one.isOptional ? ' = null' : ''}`
  })
  const given = parameters.map(({ identifier: value, key, type }) => {
    return `            given(${key}, ${type.kind === 'list' ? value : `${value}?.let { listOf(it) }`})`
  })
  const [answer, read] = {
    one: [model, `{ ${model}.from(obj(it["data"])) }`],
    page: [`QuirePage<${model}>`, `{ pageOf(it) { one -> ${model}.from(one) } }`],
    groups: [`QuireGroups<${model}>`, `{ groupsOf(it) { one -> ${model}.from(one) } }`],
  }[shows]
  const parts =
    given.length === 0 ? 'emptyList()' : `listOf(\n${given.join(',\n')}\n        ).flatten()`
  return `    fun ${identifier}(${taken.join(', ')}): QuireQuery<${answer}> = QuireQuery(
        ${path},
        ${parts},
        ${read}
    )
`
}

/** Avoids the model's own name, which the nested class would hide. */
function className(identifier: string): string {
  const name = identifier.replaceAll('`', '')
  return `Is${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

/** Kotlin before 1.4 allows no trailing comma. */
function withoutLastComma(lines: readonly string[]): string {
  return lines.join('\n').replace(/,$/, '')
}
