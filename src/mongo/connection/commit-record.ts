import { randomBytes } from 'node:crypto'
import type { ClientSession, Document } from 'mongodb'
import type { Authorship } from './authorship.ts'
import { type KeptRow, keptRowsOf } from '../history/kept-content.ts'

/** One row for each transaction that changes something: the commit log (`mongo/commits`). */
export const COMMITS = 'quire_commits'

/** What one row may hold; a transaction that changes more has several rows, which follow one another. */
export const MOST_ITEMS = 1_000

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
}

/** The same as a transaction notes it. */
export interface NotedItem extends CommitItem {
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
  /** Content of its items is kept in rows beside it (`KeptRow`). */
  readonly history?: 1
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
  readonly items: Map<string, NotedItem>
  isWritten: boolean
}

/** Of each transaction that is under way in this process: one commit, or several (`beginNextCommit`). */
const open = new WeakMap<ClientSession, [OpenCommit, ...OpenCommit[]]>()

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
  open.set(session, [newCommit(authorship, after)])
}

/**
 * What is noted from now on is a commit of its own, with rows and an author of its own: where writes of several authors
 * share a transaction.
 */
export function beginNextCommit(session: ClientSession, authorship: Authorship): void {
  commitsOf(session).push(newCommit(authorship, null))
}

function newCommit(authorship: Authorship, after: string | null): OpenCommit {
  return { ...authorship, id: commitId(after), items: new Map(), isWritten: false }
}

/** What the versions that this transaction writes name as their last commit. */
export function commitIdOf(session: ClientSession): string {
  return commitOf(session).id
}

/** Notes what the transaction changes; it is written with it (`takeRows`). */
export function noteItems(session: ClientSession, items: readonly NotedItem[]): void {
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
export function takeRows(session: ClientSession): readonly (PendingRow | KeptRow)[] {
  return commitsOf(session).flatMap(takeRowsOf)
}

function takeRowsOf(commit: OpenCommit): readonly (PendingRow | KeptRow)[] {
  if (commit.isWritten || commit.items.size === 0) return []
  commit.isWritten = true
  const items = [...commit.items.values()]
  const kept = keptRowsOf(commit.id, items)
  if (kept.length === 0) return rowsOf(commit, items)
  return [...rowsOf(commit, items).map((row) => ({ ...row, history: 1 as const })), ...kept]
}

/** What the transaction of this session has noted. */
export function itemsOf(session: ClientSession): readonly CommitItem[] {
  return commitsOf(session).flatMap(({ items }) => [...items.values()])
}

/** The rows that the commits of this transaction consist of. */
export function rowIdsOf(session: ClientSession): readonly string[] {
  return commitsOf(session).flatMap(({ id, items }) => rowIds(id, items.size))
}

/** Items as rows of one commit, without what they were. */
export function rowsOf(
  { id, by, requestId }: Authorship & { readonly id: string },
  noted: readonly NotedItem[],
): readonly PendingRow[] {
  const row = { pending: 1, at: timeOfCommit(id), by, requestId } as const
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

/** The one that is being noted. */
function commitOf(session: ClientSession): OpenCommit {
  const commits = commitsOf(session)
  return commits.at(-1) ?? commits[0]
}

function commitsOf(session: ClientSession): [OpenCommit, ...OpenCommit[]] {
  const commits = open.get(session)
  if (commits === undefined) throw new Error('this session is of no transaction of `transact`')
  return commits
}
