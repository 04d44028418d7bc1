import { randomBytes } from 'node:crypto'
import { BSON, type ClientSession, type Document } from 'mongodb'
import type { Authorship } from './authorship.ts'

/** One row for each transaction that changes something: the commit log (`mongo/commits`). */
export const COMMITS = 'quire_commits'

/** What one row may hold; a transaction that changes more has several rows, which follow one another. */
export const MOST_ITEMS = 1_000

/** A commit of more keeps no content. */
const MOST_WITH_CONTENT = 20
const MOST_CONTENT_BYTES = 1_048_576

/** One version that a commit has written or removed. */
export interface CommitItem {
  /** The uid of its content-type, or of what is no content: roles, API tokens, locales. */
  readonly type: string
  readonly documentId: string
  readonly locale: string
  readonly status: 'draft' | 'published'
  readonly op: 'put' | 'delete'
  /** Of a put, what the version is since then; null where there are no revisions. */
  readonly revision: string | null
  /** Of a put: there was no such version before. */
  readonly isNew?: true
  /** The whole version, of types that keep their history: as it is since then, or was before it was removed. */
  readonly content?: Document
}

/** A row as a transaction writes it: without a number, which the sequencer gives it later. */
export interface PendingRow extends Authorship {
  /** `commitId`: ascending by time, so that pending rows are numbered by it. */
  readonly _id: string
  readonly pending: 1
  readonly at: Date
  /** Where several rows are one commit: which of how many this is. */
  readonly part?: readonly [number, number]
  readonly items: readonly CommitItem[]
}

/** Of what a transaction was to replace a later commit has written: it is to be tried again as a later one. */
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
  /** By the version that they are about: the last word on each counts. */
  readonly items: Map<string, CommitItem>
  isWritten: boolean
}

/** Of each transaction that is under way in this process. */
const open = new WeakMap<ClientSession, OpenCommit>()

/**
 * A time in twelve hexadecimal digits, a count in four, and eight by chance; as text in the order of time. It is later than
 * `after`, and than all that this process has made: whatever the clock says.
 */
export function commitId(after: string | null): string {
  const least = after === null ? 0 : Number.parseInt(after.slice(0, 12), 16) + 1
  const ms = Math.max(Date.now(), last.count < 0xffff ? last.ms : last.ms + 1, least)
  last = { ms, count: ms === last.ms ? last.count + 1 : 0 }
  const time = ms.toString(16).padStart(12, '0')
  const count = last.count.toString(16).padStart(4, '0')
  return `${time}${count}${randomBytes(4).toString('hex')}`
}

let last = { ms: 0, count: 0 }

export function timeOfCommit(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 12), 16))
}

/** Begins what an attempt of a transaction will have changed. */
export function beginCommit(
  session: ClientSession,
  authorship: Authorship,
  after: string | null,
): void {
  open.set(session, { ...authorship, id: commitId(after), items: new Map(), isWritten: false })
}

/** What the versions that this transaction writes name as their last commit. */
export function commitIdOf(session: ClientSession): string {
  return commitOf(session).id
}

/** Notes what the transaction changes; it is written with it (`takeRows`). */
export function noteItems(session: ClientSession, items: readonly CommitItem[]): void {
  const commit = commitOf(session)
  if (commit.isWritten) throw new Error('the commit of this transaction is written already')
  for (const item of items) {
    const key = `${item.type} ${item.documentId} ${item.locale} ${item.status}`
    const before = commit.items.get(key)
    commit.items.delete(key) // what was changed last comes last
    const isNew = before?.isNew === true && item.op === 'put'
    commit.items.set(key, isNew ? { ...item, isNew } : item)
  }
}

/** Notes something that is no content, and has neither versions nor revisions: a role, a token, an administrator. */
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
 * Makes sure that this commit comes after the one that has written what it replaces, so that the commits of one document
 * are numbered in their order. @throws CommitBehind, for the transaction to be run again; not where there is none
 */
export function assertLater(session: ClientSession, before: unknown): void {
  const { id } = commitOf(session)
  if (typeof before === 'string' && before > id && session.inTransaction()) {
    throw new CommitBehind(before)
  }
}

/** The rows of what was noted, once; none where nothing was, or they were taken before. */
export function takeRows(session: ClientSession): readonly PendingRow[] {
  const commit = commitOf(session)
  if (commit.isWritten || commit.items.size === 0) return []
  commit.isWritten = true
  return rowsOf(commit, withinBounds([...commit.items.values()]))
}

/** A commit of many versions, or large ones, keeps no history of them: the log stays smaller than content. */
function withinBounds(items: readonly CommitItem[]): readonly CommitItem[] {
  const held = items.filter(({ content }) => content !== undefined)
  if (held.length === 0) return items
  const isSmall =
    items.length <= MOST_WITH_CONTENT && BSON.calculateObjectSize({ held }) <= MOST_CONTENT_BYTES
  return isSmall ? items : items.map(({ content: _left, ...item }) => item)
}

/** What the transaction of this session has noted. */
export function itemsOf(session: ClientSession): readonly CommitItem[] {
  return [...commitOf(session).items.values()]
}

/** The rows that the commit of this transaction consists of. */
export function rowIdsOf(session: ClientSession): readonly string[] {
  return rowsOf(commitOf(session), itemsOf(session)).map(({ _id }) => _id)
}

/** Items as rows of one commit. */
export function rowsOf(
  { id, by, requestId }: Authorship & { readonly id: string },
  items: readonly CommitItem[],
): readonly PendingRow[] {
  const row = { pending: 1, at: timeOfCommit(id), by, requestId } as const
  if (items.length <= MOST_ITEMS) return [{ _id: id, ...row, items }]
  const parts = Math.ceil(items.length / MOST_ITEMS)
  return Array.from({ length: parts }, (_, part) => ({
    _id: `${id}.${String(part).padStart(6, '0')}`,
    ...row,
    part: [part, parts] as const,
    items: items.slice(part * MOST_ITEMS, (part + 1) * MOST_ITEMS),
  }))
}

function commitOf(session: ClientSession): OpenCommit {
  const commit = open.get(session)
  if (commit === undefined) throw new Error('this session is of no transaction of `transact`')
  return commit
}
