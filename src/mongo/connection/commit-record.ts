import { randomUUID } from 'node:crypto'
import type { ClientSession, Document } from 'mongodb'
import type { Authorship } from './authorship.ts'
import { type HistoryRow, historyRowsOf } from './history-rows.ts'

/** The collection of the commit log (`mongo/commits`), with one row per transaction that changes data. */
export const COMMITS = 'quire_commits'

/** Maximum number of items per row. A larger commit is split into consecutive rows. */
export const MOST_ITEMS = 1_000

export interface CommitItem {
  /** The uid of the content-type. Roles, API tokens and locales have type names of their own. */
  readonly type: string
  readonly documentId: string
  readonly locale: string
  readonly status: 'draft' | 'published'
  readonly op: 'put' | 'delete'
  /** The revision after a put; null for types without revisions. */
  readonly revision: string | null
  /** Set if a put has created the version. */
  readonly isNew?: true
}

export interface NotedItem extends CommitItem {
  /** The whole version, for types with history: its state after a put, or before a delete. */
  readonly content?: Document
}

/** Called with the items and the row ids of a stored commit. */
export type CommitListener = (items: readonly CommitItem[], ids: readonly string[]) => void

export interface PendingRow extends Authorship {
  /** A `commitId`. Pending rows are numbered in the order of their ids. */
  readonly _id: string
  readonly pending: 1
  readonly at: Date
  /** Index and number of parts, if the commit is split into several rows. */
  readonly part?: readonly [number, number]
  /** Set by servers that maintain the states of drafts (`repair-states.ts`). */
  readonly states?: 1
  /** Set if the contents of the items are stored in separate rows (`KeptRow`). */
  readonly history?: 1
  readonly items: readonly CommitItem[]
}

/**
 * A later commit has written a version that the transaction replaces. The transaction is retried with a later id.
 */
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

/**
 * Returns an id that sorts by time as text: time (12 hex digits), counter (4) and random digits (8). It is greater
 * than `after` and all earlier ids of this process, even if the clock goes back.
 */
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
  const { by, requestId } = commitOf(session)
  return { by, requestId }
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
    commit.items.set(key, isNew ? { ...item, isNew } : item)
  }
}

/** Records a change of a role, a token or an administrator. Such rows have no versions or revisions. */
export function noteRow(
  session: ClientSession,
  op: CommitItem['op'],
  {
    type,
    documentId,
    locale = '',
  }: Pick<CommitItem, 'type' | 'documentId'> & { readonly locale?: string },
): void {
  noteItems(session, [{ type, documentId, locale, status: 'published', op, revision: null }])
}

/**
 * Checks that this commit sorts after the previous commit of the version. Commits of one document are thus
 * numbered in order. Has no effect outside of a transaction.
 * @throws CommitBehind if it does not; the transaction is then retried
 */
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
  { id, by, requestId }: Authorship & { readonly id: string },
  noted: readonly NotedItem[],
): readonly PendingRow[] {
  const row = { pending: 1, states: 1, at: timeOfCommit(id), by, requestId } as const
  const items = noted.map(({ content: _kept, ...item }): CommitItem => item)
  const ids = rowIds(id, items.length)
  if (ids.length === 1) return [{ _id: id, ...row, items }]
  return ids.map((_id, part) => ({
    _id,
    ...row,
    part: [part, ids.length] as const,
    items: items.slice(part * MOST_ITEMS, (part + 1) * MOST_ITEMS),
  }))
}

function rowIds(id: string, items: number): readonly string[] {
  const parts = Math.ceil(items / MOST_ITEMS)
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
