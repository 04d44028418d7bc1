import { newDocument, RawDocument } from '../bson/values.ts'
import type { Document } from '../bson/values.ts'
import { failedToParse } from '../errors.ts'
import { parseFilter } from '../filter/filter.ts'
import { compileProjection } from '../filter/projection.ts'
import { parseHint } from '../query/hint.ts'
import type { Query, Source } from '../query/run-query.ts'
import { parseSort } from '../filter/sort.ts'
import type { Collection, Record } from '../storage/collection.ts'
import { documentOfRecord } from '../storage/view.ts'
import type { CursorOptions } from './cursors.ts'
import { optionalCount, optionalDocument, viewOf } from './request.ts'
import type { Request } from './request.ts'
import { transactionKey } from './sessions.ts'

export function openSource(request: Request, name: string): Source | null {
  const { data } = request.engine
  const collection = data.collections.get(`${request.database}.${name}`)
  if (!collection) return null
  const view = viewOf(request)
  // A transaction sees the collection that it creates.
  if (!collection.exists && !view.changes.has(collection)) return null
  request.transaction?.unit.holder?.read.add(collection)
  return { data, view, collection }
}

export function readQuery(body: Document, filterName: 'filter' | 'query'): Query {
  const limit = optionalCount(body, 'limit')
  return {
    filter: parseFilter(optionalDocument(body, filterName) ?? newDocument()),
    sort: parseSort(optionalDocument(body, 'sort') ?? newDocument()),
    skip: optionalCount(body, 'skip') ?? 0,
    limit: limit === null || limit === 0 ? Infinity : limit,
    hint: parseHint(body['hint']),
  }
}

/** A larger collection may block others while it is scanned for the next match. */
const MOST_OF_A_TURN = 10_000

function maySkipFar(source: Source | null): boolean {
  return source !== null && source.collection.count > MOST_OF_A_TURN
}

export function cursorOptions(
  request: Request,
  namespace: string,
  batchSize: number | null,
  source: Source | null = null,
): CursorOptions {
  return {
    namespace,
    batchSize,
    session: request.session,
    transaction: request.transaction ? transactionKey(request.transaction) : null,
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
  const variables = new Map()
  for (const record of records) yield project(documentOfRecord(collection, record, null), variables)
}

const TAILS = ['tailable', 'awaitData', 'oplogReplay', 'returnKey', 'showRecordId'] as const

export function refuseTails(body: Document): void {
  for (const name of TAILS)
    if (body[name] === true)
      throw failedToParse(`'${name}' is not supported by the embedded engine`)
}
