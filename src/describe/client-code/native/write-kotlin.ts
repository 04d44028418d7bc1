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
import type { Code } from './models.ts'

const NAMING: Naming = {
  reserved: new Set(
    (
      'as break class continue do else false for fun if in interface is null object package return super this throw true try ' +
      'typealias typeof val var when while'
    ).split(' '),
  ),
  escape: (name) => `\`${name}\``,
}

const HEAD = `// Written by \`quire client kotlin\`: run it again when the content-types change.
// \`from\` takes what a parser of JSON has made of an object: maps, lists, texts, numbers, booleans and nulls.
@file:Suppress("unused", "RemoveRedundantBackticks")

package quire

typealias Json = Map<String, Any?>
`

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

const KOTLIN: Language = {
  naming: NAMING,
  quoting: { dollar: '\\$', codePoint: (digits) => `\\u${digits}` },
  types: { text: 'String', integer: 'Long', number: 'Double', flag: 'Boolean', json: 'Any' },
  listOf: (element) => `List<${element}>`,
  head: HEAD,
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
  json: (value) => `${value} as Any`,
  enumeration: (value, name) => `${name}(${value} as String)`,
  entry: (value, name) => `${name}.from(obj(${value}))`,
  list: (value, read) => `(${value} as List<*>).map { one -> ${read} }`,
}

export function writeKotlin(code: Code): string {
  return writeCode(code, KOTLIN)
}

function writeEnumeration(name: string, constants: readonly ConstantModel[]): string {
  const lines = constants.map(({ identifier, value }) => {
    return `        val ${identifier} = ${name}(${value})`
  })
  return `/** One of the values below, or one that was declared since. */
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
  // A data class needs at least one parameter. Trailing commas require Kotlin 1.4.
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

function writeUnion(name: string, cases: readonly CaseModel[]): string {
  const classes = cases.map(({ identifier, model }) => {
    return `    data class ${className(identifier)}(val value: ${model}) : ${name}()`
  })
  const branches = cases.map(({ identifier, component, model }) => {
    return `            ${component} -> ${className(identifier)}(${model}.from(json))`
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

function writeQueries(queries: readonly QueryModel[]): string {
  return `/** Named queries: \`path\` is below the address of the server, \`read\` takes the whole answer. */
class Query<T>(val path: String, val parameters: List<Pair<String, String>>, val read: (Json) -> T)

data class QueryPage<T>(val entries: List<T>, val total: Long?, val nextCursor: String?)

object Queries {
${queries.map(writeQuery).join('\n')}}
`
}

function writeQuery({ identifier, path, isOne, model, parameters }: QueryModel): string {
  const taken = parameters.map((one) => {
    return `${one.identifier}: ${one.declared}${one.isOptional ? ' = null' : ''}`
  })
  const given = parameters.map(({ identifier: value, key, type }) => {
    return `            given(${key}, ${type.kind === 'list' ? value : `${value}?.let { listOf(it) }`})`
  })
  const answer = isOne ? model : `QueryPage<${model}>`
  const read = isOne
    ? `{ ${model}.from(obj(it["data"])) }`
    : `{ pageOf(it) { one -> ${model}.from(one) } }`
  const parts =
    given.length === 0 ? 'emptyList()' : `listOf(\n${given.join(',\n')}\n        ).flatten()`
  return `    fun ${identifier}(${taken.join(', ')}): Query<${answer}> = Query(
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
