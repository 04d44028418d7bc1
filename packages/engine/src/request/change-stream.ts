import { createHash } from 'node:crypto'
import { Binary } from 'bson'
import { decodeDocument, decodeFields } from '../bson/decode.ts'
import { encodeDocument } from '../bson/encode.ts'
import { isDocument, RawDocument, toDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { CommandError, failedToParse } from '../errors.ts'
import { parseFilter } from '../filter/filter.ts'
import { compilePipeline } from '../pipeline/pipeline.ts'
import type { CompiledPipeline, PipelineContext } from '../pipeline/stage.ts'
import { runQuery } from '../query/run-query.ts'
import { findCollection } from '../storage/database.ts'
import type { Data } from '../storage/database.ts'
import { historyLost } from '../storage/history.ts'
import type { Event, History } from '../storage/history.ts'
import { createNewestView } from '../storage/view.ts'
import { describeUpdate } from '../update/describe-update.ts'
import type { ChangeStream, StreamBatch } from './cursors.ts'
import { refuseOption } from './request.ts'

/** A collection, a database (`collection` is null), or all databases. */
export interface Watched {
  readonly database: string | null
  readonly collection: string | null
}

const OPTIONS: ReadonlySet<string> = new Set([
  'fullDocument', 'fullDocumentBeforeChange', 'resumeAfter', 'startAfter', 'startAtOperationTime', 'allChangesForCluster', 'showExpandedEvents',
]) // prettier-ignore
const FILTERING: ReadonlySet<string> = new Set([
  '$match', '$project', '$addFields', '$set', '$unset', '$replaceRoot', '$replaceWith',
]) // prettier-ignore
/** Members of an event that are known before its documents are decoded. */
const HEAD_MEMBERS: ReadonlySet<string> = new Set(['operationType', 'ns', 'to', 'clusterTime'])
const FULL_DOCUMENTS: ReadonlySet<Value> = new Set([undefined, 'default', 'updateLookup'])
const MAX_READY_EVENTS = 1_000
const MAX_READY_BYTES = 16 * 1024 * 1024
const TURN_MS = 50

interface Spec {
  readonly options: Document
  readonly head: CompiledPipeline
  readonly rest: CompiledPipeline
  readonly hasRest: boolean
}

export function isChangeStream(body: Document): boolean {
  const { pipeline } = body
  const [first] = Array.isArray(pipeline) ? pipeline : []
  return isDocument(first) && '$changeStream' in first
}

/** @throws CommandError for options that are not supported, InvalidResumeToken, ChangeStreamHistoryLost */
export function openChangeStream(
  data: Data,
  watched: Watched,
  pipeline: readonly Value[],
  context: PipelineContext,
): ChangeStream {
  const spec = parseSpec(pipeline)
  data.history.start()
  return new OpenStream(data, watched, spec, context)
}

function parseSpec([first, ...stages]: readonly Value[]): Spec {
  const options = isDocument(first) ? first['$changeStream'] : undefined
  if (!isDocument(options)) throw failedToParse('the $changeStream specification must be an object')
  checkOptions(options)
  for (const stage of stages) {
    const [name = ''] = isDocument(stage) ? Object.keys(stage) : []
    if (!FILTERING.has(name))
      throw new CommandError(
        'IllegalOperation',
        `${name} is not permitted in a $changeStream pipeline`,
      )
  }
  const isAboutDocuments = stages.findIndex((stage) => !matchesHead(stage))
  const place = isAboutDocuments < 0 ? stages.length : isAboutDocuments
  return {
    options,
    head: compilePipeline(stages.slice(0, place)),
    rest: compilePipeline(stages.slice(place)),
    hasRest: place < stages.length,
  }
}

function checkOptions(options: Document): void {
  const unknown = Object.keys(options).find((name) => !OPTIONS.has(name))
  if (unknown !== undefined)
    throw new CommandError(
      'Location40415',
      `BSON field '$changeStream.${unknown}' is an unknown field.`,
    )
  // The clock may be set back between two runs, so that a time would skip events.
  refuseOption(options, 'startAtOperationTime')
  refuseOption(options, 'showExpandedEvents')
  const { fullDocument, fullDocumentBeforeChange: before } = options
  if (!FULL_DOCUMENTS.has(fullDocument) || (before !== undefined && before !== 'off'))
    throw failedToParse(
      "the embedded engine supports fullDocument 'default' and 'updateLookup', and no fullDocumentBeforeChange",
    )
  if (options['resumeAfter'] !== undefined && options['startAfter'] !== undefined)
    throw new CommandError(
      'Location50674',
      'Only one type of resume option is allowed, but multiple were found.',
    )
}

function matchesHead(stage: Value): boolean {
  return isDocument(stage) && namesHead(stage['$match'])
}

function namesHead(filter: Value): boolean {
  if (!isDocument(filter)) return false
  return Object.keys(filter).every((path) => {
    const operand = filter[path]
    if (path === '$or' && Array.isArray(operand)) return operand.every(namesHead)
    return HEAD_MEMBERS.has(path.split('.')[0] ?? '')
  })
}

const TOKEN = /^([0-9a-f]{16})([0-9a-f]{12})(i?)$/

function writeToken({ run }: History, seq: number, isInvalidate = false): Document {
  const _data = `${run}${seq.toString(16).padStart(12, '0')}${isInvalidate ? 'i' : ''}`
  return toDocument({ _data })
}

function readToken(history: History, token: Value, name: 'resumeAfter' | 'startAfter'): number {
  const text = isDocument(token) ? token['_data'] : undefined
  const [, run, seq = '', invalid] = TOKEN.exec(typeof text === 'string' ? text : '') ?? []
  if (run === undefined) throw invalidToken(`the value of ${name} is no resume token`)
  if (invalid === 'i' && name === 'resumeAfter')
    throw invalidToken("Attempting to resume a change stream using 'resumeAfter' is not allowed from an invalidate notification.") // prettier-ignore
  const after = Number.parseInt(seq, 16)
  // An engine keeps no events of earlier runs.
  if (run !== history.run || after > history.lastSeq) throw historyLost()
  return after
}

function invalidToken(message: string): CommandError {
  return new CommandError('InvalidResumeToken', message)
}

function findStart({ history }: Data, options: Document): number {
  const { resumeAfter, startAfter } = options
  if (resumeAfter !== undefined) return readToken(history, resumeAfter, 'resumeAfter')
  if (startAfter !== undefined) return readToken(history, startAfter, 'startAfter')
  return history.lastSeq
}

interface Ready {
  readonly raw: RawDocument
  readonly token: Document
}

class OpenStream implements ChangeStream {
  readonly #data: Data
  readonly #watched: Watched
  readonly #spec: Spec
  readonly #context: PipelineContext
  readonly #ready: Ready[] = []
  #seq: number
  #returned: Document
  #isInvalid = false

  constructor(data: Data, watched: Watched, spec: Spec, context: PipelineContext) {
    this.#data = data
    this.#watched = watched
    this.#spec = spec
    this.#context = context
    this.#seq = findStart(data, spec.options)
    this.#returned = writeToken(data.history, this.#seq)
    this.#read()
  }

  async fill(maxMs: number): Promise<void> {
    const endsAt = performance.now() + maxMs
    for (;;) {
      const isCut = this.#read()
      if (this.#ready.length > 0 || this.#isInvalid) return
      const leftMs = endsAt - performance.now()
      if (leftMs <= 0) return
      if (isCut) await new Promise((resolve) => setImmediate(resolve))
      else await this.#data.history.changed(leftMs)
    }
  }

  take(batchSize: number): StreamBatch {
    const batch: RawDocument[] = []
    let bytes = 0
    for (const { raw, token } of this.#ready) {
      bytes += raw.bytes.length
      if (batch.length === batchSize || (batch.length > 0 && bytes > MAX_READY_BYTES)) break
      batch.push(raw)
      this.#returned = token
    }
    this.#ready.splice(0, batch.length)
    const isEmpty = this.#ready.length === 0
    if (isEmpty && !this.#isInvalid) this.#returned = writeToken(this.#data.history, this.#seq)
    return { batch, isDone: isEmpty && this.#isInvalid, token: this.#returned }
  }

  /** Returns true if it stopped before the newest event. */
  #read(): boolean {
    const { history, store } = this.#data
    store.assertSound()
    const endsAt = performance.now() + TURN_MS
    let bytes = this.#ready.reduce((sum, { raw }) => sum + raw.bytes.length, 0)
    if (this.#isInvalid) return false
    for (const event of history.readAfter(this.#seq)) {
      const isFull = this.#ready.length >= MAX_READY_EVENTS || bytes > MAX_READY_BYTES
      if (isFull || performance.now() > endsAt) return true
      this.#seq = event.seq
      if (!isWatched(this.#watched, event)) continue
      bytes += this.#add(event)
      if (!invalidates(this.#watched, event)) continue
      this.#add({ ...event, kind: 'invalidate' })
      this.#isInvalid = true
      return false
    }
    return false
  }

  #add(event: Event): number {
    const token = writeToken(this.#data.history, event.seq, event.kind === 'invalidate')
    const document = this.#describe(event, token)
    if (document === null) return 0
    const id = document['_id']
    if (!isDocument(id) || id['_data'] !== token['_data'])
      throw new CommandError(
        'ChangeStreamFatalError',
        'Encountered an event whose _id field, which contains the resume token, was modified by the pipeline. Modifying the _id field of an event makes it impossible to resume the stream from that point. Only transformations that retain the unmodified _id field are allowed.',
        { labels: ['NonResumableChangeStreamError'] },
      )
    const raw = new RawDocument(encodeDocument(document))
    this.#ready.push({ raw, token })
    return raw.bytes.length
  }

  #describe(event: Event, token: Document): Document | null {
    const { head, rest, hasRest, options } = this.#spec
    const known = toDocument({
      _id: token,
      operationType: event.kind,
      clusterTime: event.time,
      wallTime: event.at,
      ...describeOrigin(event),
    })
    if (event.kind !== 'invalidate') known['ns'] = describeNamespace(event)
    if (first(head.run([known], this.#context)) === null) return null
    const read = (bytes: Buffer): Document | RawDocument =>
      hasRest ? decodeDocument(bytes) : new RawDocument(bytes)
    addDocuments(known, event, read)
    if (event.kind === 'update' && options['fullDocument'] === 'updateLookup')
      known['fullDocument'] = this.#lookUp(event, read)
    return hasRest ? first(rest.run([known], this.#context)) : known
  }

  #lookUp(
    { database, collection: name, after }: Event,
    read: (bytes: Buffer) => Document | RawDocument,
  ): Value {
    const data = this.#data
    const collection = findCollection(data, database, name)
    if (collection === null || after === null) return null
    const filter = parseFilter(toDocument({ _id: toDocument({ $eq: idOf(after) }) }))
    const query = { filter, sort: [], skip: 0, limit: 1 }
    const [record] = runQuery({ data, view: createNewestView(), collection }, query)
    return record ? read(record.bytes) : null
  }
}

function first(documents: Iterable<Document>): Document | null {
  for (const document of documents) return document
  return null
}

function isWatched({ database, collection }: Watched, event: Event): boolean {
  if (database === null) return true
  if (database !== event.database) return false
  if (collection === null) return true
  return collection === event.collection
}

function invalidates({ database, collection }: Watched, { kind }: Event): boolean {
  if (collection !== null) return kind === 'drop'
  return database !== null && kind === 'dropDatabase'
}

function describeNamespace({ database: db, collection: coll }: Event): Document {
  return coll === '' ? toDocument({ db }) : toDocument({ db, coll })
}

/** Without users, MongoDB uses the digest of no name. */
const NO_USER = new Binary(createHash('sha256').update('').digest())

function describeOrigin({ origin }: Event): Readonly<Record<string, Value>> {
  if (origin === null) return {}
  const id = new Binary(Buffer.from(origin.session, 'hex'), Binary.SUBTYPE_UUID)
  return { txnNumber: origin.number, lsid: toDocument({ id, uid: NO_USER }) }
}

const ID: ReadonlySet<string> = new Set(['_id'])

function idOf(bytes: Buffer): Value {
  return decodeFields(bytes, ID)['_id']
}

function addDocuments(
  to: Document,
  { kind, before, after }: Event,
  read: (bytes: Buffer) => Document | RawDocument,
): void {
  const bytes = after ?? before
  if (bytes === null) return
  to['documentKey'] = toDocument({ _id: idOf(bytes) })
  if (after === null) return
  if (kind === 'update' && before !== null)
    to['updateDescription'] = describeUpdate(decodeDocument(before), decodeDocument(after))
  else to['fullDocument'] = read(after)
}
