import { createDocument, RawDocument } from '../bson/values.ts'
import type { Document } from '../bson/values.ts'
import { failedToParse } from '../errors.ts'
import { parseFilter } from '../filter/filter.ts'
import { collectProjectedFields, compileProjection } from '../filter/projection.ts'
import { parseHint } from '../query/hint.ts'
import type { Query, QuerySource } from '../query/run-query.ts'
import { parseSort } from '../filter/sort.ts'
import type { Collection, Record } from '../storage/collection.ts'
import { readStoredFields } from '../storage/view.ts'
import type { CursorOptions } from './cursors.ts'
import { readOptionalCount, readOptionalDocument, getView } from './request.ts'
import type { Request } from './request.ts'
import { getTransactionKey } from './sessions.ts'

export function openSource(request: Request, name: string): QuerySource | null {
  const { data } = request.engine
  const collection = data.collections.get(`${request.database}.${name}`)
  if (!collection) return null
  const view = getView(request)
  // A transaction sees the collection that it creates.
  if (!collection.exists && !view.changes.has(collection)) return null
  request.transaction?.unit.holder?.read.add(collection)
  return { data, view, collection }
}

export function readQuery(body: Document, filterName: 'filter' | 'query'): Query {
  const limit = readOptionalCount(body, 'limit')
  return {
    filter: parseFilter(readOptionalDocument(body, filterName) ?? createDocument()),
    sort: parseSort(readOptionalDocument(body, 'sort') ?? createDocument()),
    skip: readOptionalCount(body, 'skip') ?? 0,
    limit: limit === null || limit === 0 ? Infinity : limit,
    hint: parseHint(body['hint']),
  }
}

/** A larger collection may block others while it is scanned for the next match. */
const MAX_DOCUMENTS_PER_TURN = 10_000

function maySkipFar(source: QuerySource | null): boolean {
  return source !== null && source.collection.count > MAX_DOCUMENTS_PER_TURN
}

export function makeCursorOptions(
  request: Request,
  namespace: string,
  batchSize: number | null,
  source: QuerySource | null = null,
): CursorOptions {
  return {
    namespace,
    batchSize,
    session: request.session,
    transaction: request.transaction ? getTransactionKey(request.transaction) : null,
    endsAt: request.deadline.at,
    moves: request.deadline.turn !== undefined && maySkipFar(source),
  }
}

export function* toResults(
  collection: Collection,
  records: Iterable<Record>,
  projection: Document | null,
): Generator<RawDocument | Document> {
  if (!projection || Object.keys(projection).length === 0) {
    for (const { bytes } of records) yield new RawDocument(bytes)
    return
  }
  const project = compileProjection(projection, true)
  const wanted = collectProjectedFields(projection)
  const variables = new Map()
  for (const record of records)
    yield project(readStoredFields(collection, record, wanted), variables)
}

const TAILS = ['tailable', 'awaitData', 'oplogReplay', 'returnKey', 'showRecordId'] as const

export function refuseTails(body: Document): void {
  for (const name of TAILS)
    if (body[name] === true)
      throw failedToParse(`'${name}' is not supported by the embedded engine`)
}
