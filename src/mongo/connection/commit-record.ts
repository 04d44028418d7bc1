import { randomUUID } from 'node:crypto'
import { BSON, type ClientSession, type Document } from 'mongodb'
import type { Authorship } from './authorship.ts'
import type { CommitItem } from './database.ts'
import { type HistoryRow, historyRowsOf } from './history-rows.ts'

/** The collection of the commit log (`mongo/commits`), with one row per transaction that changes data. */
export const COMMITS = 'quire_commits'

/** Maximum number of items per row. A larger commit is split into consecutive rows. */
export const MAX_ITEMS = 1_000

export interface NotedItem extends CommitItem {
  /** The whole version, for types with history: its state after a put, or before a delete. */
  readonly content?: Document
  /** The document belongs to a collection that other services write, too. */
  readonly isAdopted?: true
}

export interface PendingRow extends Authorship {
  /** A `commitId`. Pending rows are numbered in the order of their ids. */
  readonly _id: string
  readonly pending: 1
  readonly at: Date
  /** Index and number of parts, if the commit is split into several rows. */
  readonly part?: readonly [number, number]
  /** Set by servers that maintain the states of drafts (`repair-states.ts`). */
  readonly states?: 1
  /** Set if the contents of the items are stored in separate rows (`HistoryRow`). */
  readonly history?: 1
  /** Set if the transaction writes adopted collections, so that its events in their change stream are own ones. */
  readonly adopted?: 1
  readonly items: readonly CommitItem[]
}

/** A later commit has written a version that the transaction replaces. The transaction is retried with a later id. */
export class CommitBehind extends Error {
  readonly after: string

  constructor(after: string) {
    super(`The commit must come after ${after}`)
    this.name = 'CommitBehind'
    this.after = after
  }
}

interface OpenCommit extends Authorship {
  readonly id: string
  /** Keyed by version. The last change of a version wins. */
  readonly items: Map<string, NotedItem>
  isWritten: boolean
}

/** The commits of each open transaction of this process. Several only after `beginNextCommit`. */
const open = new WeakMap<ClientSession, [OpenCommit, ...OpenCommit[]]>()

/** Sorts by time as text: time (12 hex digits), counter (4), random (8). Greater than `after` and all earlier ids. */
export function commitId(after: string | null): string {
  const least = after === null ? 0 : Number.parseInt(after.slice(0, 12), 16) + 1
  const ms = Math.max(Date.now(), last.count < 0xffff ? last.ms : last.ms + 1, least)
  last = { ms, count: ms === last.ms ? last.count + 1 : 0 }
  const time = ms.toString(16).padStart(12, '0')
  const count = last.count.toString(16).padStart(4, '0')
  return `${time}${count}${randomUUID().slice(0, 8)}`
}

let last = { ms: 0, count: 0 }

export function timeOfCommit(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 12), 16))
}

export function beginCommit(
  session: ClientSession,
  authorship: Authorship,
  after: string | null,
): void {
  open.set(session, [newCommit(authorship, after)])
}

/** Starts another commit with its own author and rows, if several authors share a transaction. */
export function beginNextCommit(session: ClientSession, authorship: Authorship): void {
  commitsOf(session).push(newCommit(authorship, null))
}

/** Forgets the changes of the last commit, if they are left out of the transaction. */
export function dropCommit(session: ClientSession): void {
  commitOf(session).items.clear()
}

export function authorshipOf(session: ClientSession): Authorship {
  const { by, requestId, via } = commitOf(session)
  return { by, requestId, ...(via && { via }) }
}

function newCommit(authorship: Authorship, after: string | null): OpenCommit {
  return { ...authorship, id: commitId(after), items: new Map(), isWritten: false }
}

export function commitIdOf(session: ClientSession): string {
  return commitOf(session).id
}

export function noteItems(session: ClientSession, items: readonly NotedItem[]): void {
  const commit = commitOf(session)
  if (commit.isWritten) throw new Error('the commit of this transaction is written already')
  for (const item of items) {
    const key = `${item.type} ${item.documentId} ${item.locale} ${item.status}`
    const before = commit.items.get(key)
    commit.items.delete(key) // reinserted, so that the latest change comes last
    const isNew = before?.isNew === true && item.op === 'put'
    const noted = before === undefined ? item : sinceFirst(before, item)
    commit.items.set(key, isNew ? { ...noted, isNew } : noted)
  }
}

/** The last state of a version after its state before the first change of the commit. */
function sinceFirst({ was }: NotedItem, { was: _later, ...item }: NotedItem): NotedItem {
  return was === undefined ? item : { ...item, was }
}

/** Records a change of a role, a token or an administrator. Such rows have no versions or revisions. */
export function noteRow(
  session: ClientSession,
  op: CommitItem['op'],
  {
    type,
    documentId,
    locale = '',
    ...about
  }: Pick<CommitItem, 'type' | 'documentId' | 'entryType' | 'attribute'> & {
    readonly locale?: string
  },
): void {
  const item = { type, documentId, locale, status: 'published', op, revision: null } as const
  noteItems(session, [{ ...item, ...about }])
}

/** In a transaction, keeps the commits of a document in order. @throws CommitBehind, after which it is retried */
export function assertLater(session: ClientSession, before: unknown): void {
  const { id } = commitOf(session)
  if (typeof before === 'string' && before > id && session.inTransaction()) {
    throw new CommitBehind(before)
  }
}

/** Returns the rows to write. Later calls return none. */
export function takeRows(session: ClientSession): readonly (PendingRow | HistoryRow)[] {
  return commitsOf(session).flatMap(takeRowsOf)
}

function takeRowsOf(commit: OpenCommit): readonly (PendingRow | HistoryRow)[] {
  if (commit.isWritten || commit.items.size === 0) return []
  commit.isWritten = true
  const items = [...commit.items.values()]
  const kept = historyRowsOf(commit.id, items)
  if (kept.length === 0) return rowsOf(commit, items)
  return [...rowsOf(commit, items).map((row) => ({ ...row, history: 1 as const })), ...kept]
}

export function itemsOf(session: ClientSession): readonly CommitItem[] {
  return commitsOf(session).flatMap(({ items }) => [...items.values()])
}

export function rowIdsOf(session: ClientSession): readonly string[] {
  return commitsOf(session).flatMap(({ id, items }) => rowIds(id, items.size))
}

/** Splits the items into the rows of one commit, without their contents. */
export function rowsOf(
  { id, by, requestId, via }: Authorship & { readonly id: string },
  noted: readonly NotedItem[],
): readonly PendingRow[] {
  const at = timeOfCommit(id)
  const adopted = noted.some(({ isAdopted }) => isAdopted) && ({ adopted: 1 } as const)
  const row = { pending: 1, states: 1, at, by, requestId, ...(via && { via }), ...adopted } as const
  const items = noted.map(({ content: _kept, isAdopted: _own, ...item }) =>
    withinCarriedLimit(item),
  )
  const ids = rowIds(id, items.length)
  if (ids.length === 1) return [{ _id: id, ...row, items }]
  return ids.map((_id, part) => ({
    _id,
    ...row,
    part: [part, ids.length] as const,
    items: items.slice(part * MAX_ITEMS, (part + 1) * MAX_ITEMS),
  }))
}

/** Limits the size of the log. Readers treat a state that is missing as unknown. */
const MAX_CARRIED_BYTES = 1_024

function withinCarriedLimit(item: CommitItem): CommitItem {
  const { was, is, ...rest } = item
  if (was === undefined && is === undefined) return item
  const carried = { ...(was !== undefined && { was }), ...(is !== undefined && { is }) }
  return BSON.calculateObjectSize(carried) <= MAX_CARRIED_BYTES ? item : rest
}

function rowIds(id: string, items: number): readonly string[] {
  const parts = Math.ceil(items / MAX_ITEMS)
  if (parts <= 1) return items === 0 ? [] : [id]
  return Array.from({ length: parts }, (_, part) => `${id}.${String(part).padStart(6, '0')}`)
}

function commitOf(session: ClientSession): OpenCommit {
  const commits = commitsOf(session)
  return commits.at(-1) ?? commits[0]
}

function commitsOf(session: ClientSession): [OpenCommit, ...OpenCommit[]] {
  const commits = open.get(session)
  if (commits === undefined) throw new Error('this session is of no transaction of `transact`')
  return commits
}
