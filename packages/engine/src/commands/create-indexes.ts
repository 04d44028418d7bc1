import { encodeDocument } from '../bson/encode.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { toDocument, isDocument, createDocument, getType } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'

import { CommandError, failedToParse } from '../errors.ts'
import { parseFilter } from '../filter/filter.ts'
import type { Filter } from '../filter/filter.ts'
import { readCollectionName, refuseCollation } from '../request/request.ts'
import type { Command } from '../request/request.ts'
import { describeIndex } from '../storage/collection.ts'
import type { Collection, Index } from '../storage/collection.ts'
import { assertUnwritten, ensureCollection, persistCollection } from '../storage/database.ts'
import { makePartialKey } from '../storage/partial-form.ts'
import { describeValue } from '../storage/describe-value.ts'
import { buildIndex } from '../storage/rebuild-indexes.ts'

function cannot(message: string): CommandError {
  return new CommandError('CannotCreateIndex', message)
}

const MAX_INDEXES = 64

const INDEX_OPTIONS: ReadonlySet<string> = new Set([
  'v',
  'key',
  'name',
  'unique',
  'sparse',
  'partialFilterExpression',
  'background',
  'hidden',
  'collation',
  'ns',
])

function checkKeyField(path: string, direction: Value): void {
  if (path.includes('$**'))
    throw cannot('wildcard indexes are not supported by the embedded engine')
  if (path.split('.').some((part) => part === '' || part.startsWith('$'))) {
    throw cannot(`Index keys cannot contain an empty or dollar-prefixed field: ${path}`)
  }
  if (typeof direction === 'string')
    throw cannot(`'${direction}' indexes are not supported by the embedded engine`)
  if (!isNumber(direction) || !(Math.abs(toDouble(direction)) > 0)) {
    throw cannot(
      `Values in the index key pattern must be numbers other than 0: ${path} is ${getType(direction)}`,
    )
  }
}

function checkKey(key: Value): Document {
  if (!isDocument(key) || Object.keys(key).length === 0) throw cannot('Index keys cannot be empty.')
  if (Object.keys(key).length > 32)
    throw new CommandError('Location13103', 'too many compound keys')
  for (const path of Object.keys(key)) checkKeyField(path, key[path])
  return key
}

const PARTIAL_COMPARISONS: ReadonlySet<string> = new Set(['compare', 'exists', 'type'])

function checkPartial(filter: Filter): void {
  if (filter.kind === 'all') {
    filter.of.forEach(checkPartial)
    return
  }
  if (!PARTIAL_COMPARISONS.has(filter.kind))
    throw cannot(`Expression not supported in partial index: ${filter.kind}`)
}

function checkPartialOption(partial: Value, sparse: boolean): void {
  if (partial === undefined) return
  if (!isDocument(partial))
    throw new CommandError('TypeMismatch', "The field 'partialFilterExpression' must be an object")
  if (sparse) throw cannot('cannot mix "partialFilterExpression" and "sparse" options')
  checkPartial(parseFilter(partial))
}

function nameOf(key: Document): string {
  return Object.keys(key)
    .map((path) => `${path}_${describeValue(key[path])}`)
    .join('_')
}

function parseSpec(spec: Value): Document {
  if (!isDocument(spec)) throw failedToParse("BSON field 'createIndexes.indexes' must hold objects")
  const unknown = Object.keys(spec).find((option) => !INDEX_OPTIONS.has(option))
  if (unknown !== undefined)
    throw cannot(`the index option '${unknown}' is not supported by the embedded engine`)
  refuseCollation(spec)
  const key = checkKey(spec['key'])
  const name = spec['name'] ?? nameOf(key)
  if (typeof name !== 'string' || name === '') throw cannot('index name cannot be empty')
  const partial = spec['partialFilterExpression']
  checkPartialOption(partial, spec['sparse'] === true)
  const parsed = toDocument({ v: 2, key, name })
  for (const option of ['unique', 'sparse', 'hidden'])
    if (isTrue(spec[option])) parsed[option] = true
  if (partial !== undefined) parsed['partialFilterExpression'] = partial
  return parsed
}

function isTrue(value: Value): boolean {
  return value === true || (isNumber(value) && toDouble(value) !== 0)
}

function isEqual(a: Document, b: Document): boolean {
  return encodeDocument(a).equals(encodeDocument(b))
}

function part(spec: Document): Document {
  const partial = spec['partialFilterExpression']
  const filter = isDocument(partial) ? makePartialKey(parseFilter(partial)) : null
  return toDocument({ key: normal(spec['key']), filter })
}

// 1 and 1.0 are the same direction.
function normal(value: Value): Value {
  return isDocument(value)
    ? toDocument(Object.fromEntries(Object.keys(value).map((name) => [name, normal(value[name])])))
    : isNumber(value) && Number.isInteger(toDouble(value)) && Math.abs(toDouble(value)) < 2147483648
      ? toDouble(value)
      : value
}

function options(spec: Document): string {
  return ['unique', 'sparse', 'hidden'].map((name) => String(spec[name] === true)).join()
}

/** @throws CommandError if an index with the same name or key differs */
function isThere(collection: Collection, spec: Document): boolean {
  const isIdIndex = isEqual(part(spec), part(toDocument({ key: toDocument({ _id: 1 }) })))
  if (isIdIndex) return true
  for (const { spec: known } of collection.indexes) {
    const sameKey = isEqual(part(known), part(spec))
    const sameName = known['name'] === spec['name']
    if (sameKey && sameName && options(known) === options(spec)) return true
    if (sameName)
      throw new CommandError(
        'IndexKeySpecsConflict',
        `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ${describeValue(spec['name'])}`,
      )
    if (sameKey)
      throw new CommandError(
        'IndexOptionsConflict',
        `Index already exists with a different name: ${describeValue(known['name'])}`,
      )
  }
  return false
}

export const createIndexes: Command = {
  options: ['indexes', 'commitQuorum', 'ignoreUnknownIndexOptions'],
  access: 'admin',
  run: (request) => {
    const { data } = request.engine
    const specs = request.body['indexes']
    if (!Array.isArray(specs) || specs.length === 0)
      throw new CommandError('BadValue', 'Must specify at least one index to create')
    const parsed = specs.map((spec) => parseSpec(spec))
    const collection = ensureCollection(data, request.database, readCollectionName(request))
    assertUnwritten(data, collection)
    const wasThere = collection.exists
    const before = collection.indexes
    const added: Index[] = []
    for (const spec of parsed) {
      if (isThere({ ...collection, indexes: [...before, ...added] }, spec)) continue
      added.push(describeIndex(data.nextIndex++, spec))
    }
    if (added.length > 0 && before.length + added.length > MAX_INDEXES)
      throw cannot(`add index fails, too many indexes for ${collection.namespace}`)
    data.store.write(() => {
      for (const index of added) buildIndex(data, collection, index)
      persistCollection(data, { ...collection, indexes: [...before, ...added] })
    })
    data.commits++
    for (const index of added) index.builtAt = data.commits
    collection.indexes = [...before, ...added]
    collection.exists = true
    return reply(before.length, collection.indexes.length, wasThere)
  },
}

function reply(before: number, after: number, wasThere: boolean): Document {
  const result = createDocument()
  result['numIndexesBefore'] = before
  result['numIndexesAfter'] = after
  result['createdCollectionAutomatically'] = !wasThere
  if (before === after) result['note'] = 'all indexes already exist'
  result['ok'] = 1
  return result
}
