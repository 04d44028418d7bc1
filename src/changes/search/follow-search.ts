import { groupBy } from '../../base/group-by.ts'
import type { CommitLog } from '../../mongo/commits/commit-log.ts'
import type { Head } from '../../mongo/commits/heads.ts'
import type { NumberedCommit } from '../../mongo/commits/read-commits.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { pendingDraftsOf } from '../../mongo/search/fresh-drafts.ts'
import type { SearchFollowerRow } from '../../mongo/search/index-progress.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import type { Uid } from '../../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { followLog, readLogStep } from '../follow-log.ts'
import { buildStep, restartBuilds } from './build-index.ts'
import { indexVersions } from './index-versions.ts'
import type { Indexing, SearchWriter } from './search-writer.ts'
import { ensureSearchFollower, openSearchLeadership, type SearchLeadership } from './search-rows.ts'

export interface SearchFollowerOptions {
  readonly database: Database
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly commitLog: Pick<CommitLog, 'head' | 'onHead'>
  readonly writer: SearchWriter
  readonly locales: { current(): Promise<{ readonly defaultCode: string }> }
  readonly now: () => Date
  readonly onBackgroundError: (error: unknown) => void
}

export interface SearchFollower {
  close(): Promise<void>
}

const LEASE_MS = 15_000

/** Drafts are indexed after a pause in their writes, because editors save often. */
const DRAFT_PAUSE_MS = 5_000

const STEP_LIMITS = { commits: 200, items: 1_000 } as const

interface Following extends SearchFollowerOptions {
  readonly types: ReadonlyMap<Uid, ContentTypePlan>
  readonly leadership: SearchLeadership
}

/** Starts the follower. It does nothing if no type has the option `search`. */
export async function openSearchFollower(options: SearchFollowerOptions): Promise<SearchFollower> {
  const { database, schema, commitLog, now, onBackgroundError } = options
  const types = new Map([...schema.contentTypes].filter(([, { search }]) => search !== null))
  if (types.size === 0) return { close: () => Promise.resolve() }
  await ensureSearchFollower(database, commitLog.head())
  const leadership = openSearchLeadership(database, { leaseMs: LEASE_MS, now })
  const following: Following = { ...options, types, leadership }
  const follower = followLog({
    commitLog,
    step: (head) => stepOf(following, head),
    onError: onBackgroundError,
  })
  return {
    close: async () => {
      await follower.close()
      await leadership.release()
    },
  }
}

async function stepOf(following: Following, head: Head): Promise<boolean> {
  const { database, leadership, locales, now, writer } = following
  const row = await leadership.claim()
  if (row === null) return false
  const { defaultCode: defaultLocale } = await locales.current()
  const cursor = await cursorOf(following, row, head)
  const indexing: Indexing = { database, writer, defaultLocale, seq: head.seq, now }
  const hasMoreCommits = await followOnce(following, indexing, cursor, head)
  const hasMoreDrafts = await indexDueDrafts(following, indexing)
  const hasMoreToBuild = await buildNext(following, indexing)
  return hasMoreCommits || hasMoreDrafts || hasMoreToBuild
}

/** After a restored backup the numbers of the former log mean nothing, so all types are built again. */
async function cursorOf(
  { database, leadership, types, writer }: Following,
  row: SearchFollowerRow,
  { log, seq }: Head,
): Promise<number> {
  if (row.log === log) return row.cursor
  for (const plan of types.values()) await writer.startOver({ database }, plan)
  await restartBuilds(database, [...types.keys()])
  await leadership.move({ log, cursor: seq })
  return seq
}

async function followOnce(
  following: Following,
  indexing: Indexing,
  after: number,
  head: Head,
): Promise<boolean> {
  const { database, leadership, types } = following
  if (after >= head.seq) return false
  const step = await readLogStep(database, { after, to: head.seq }, STEP_LIMITS)
  await indexCommits(following, { ...indexing, seq: Math.max(step.reached, 0) }, step.commits)
  if (step.missed !== null) await restartBuilds(database, [...types.keys()])
  const hasMoved = await leadership.move({ log: head.log, cursor: step.reached })
  return hasMoved && step.reached < head.seq
}

async function indexCommits(
  following: Following,
  indexing: Indexing,
  commits: readonly NumberedCommit[],
): Promise<void> {
  const { database, types, now } = following
  const dueAt = new Date(now().getTime() + DRAFT_PAUSE_MS)
  for (const [uid, plan] of types) {
    const items = commits.flatMap(({ items: all }) => all.filter(({ type }) => type === uid))
    if (items.length === 0) continue
    const later = items.filter(({ status, op }) => status === 'draft' && op === 'put')
    const drafts = new Set(later.map((item) => versionId(item.documentId, item)))
    const all = new Set(items.map((item) => versionId(item.documentId, item)))
    const changed = [...all].filter((id) => !drafts.has(id))
    await delayDrafts(database, uid, [...drafts], dueAt)
    if (changed.length > 0) await indexVersions(indexing, plan, changed)
  }
}

async function delayDrafts(
  database: Database,
  type: Uid,
  versions: readonly string[],
  dueAt: Date,
): Promise<void> {
  if (versions.length === 0) return
  await pendingDraftsOf(database).bulkWrite(
    versions.map((version) => ({
      updateOne: {
        filter: { _id: `${type} ${version}` },
        update: { $set: { type, version, dueAt } },
        upsert: true,
      },
    })),
    { ordered: false },
  )
}

const MAX_DRAFTS = 200

async function indexDueDrafts(following: Following, indexing: Indexing): Promise<boolean> {
  const { database, types, now } = following
  const drafts = pendingDraftsOf(database)
  const due = await drafts
    .find({ dueAt: { $lte: now() } })
    .sort({ dueAt: 1 })
    .limit(MAX_DRAFTS)
    .toArray()
  for (const [uid, rows] of groupBy(due, ({ type }) => type)) {
    const plan = types.get(uid)
    if (plan === undefined) continue
    await indexVersions(
      indexing,
      plan,
      rows.map(({ version }) => version),
    )
  }
  // A draft that was written since has a later date and stays.
  for (const { _id, dueAt } of due) await drafts.deleteOne({ _id, dueAt })
  return due.length === MAX_DRAFTS
}

async function buildNext({ types }: Following, indexing: Indexing): Promise<boolean> {
  for (const plan of types.values()) if (await buildStep(indexing, plan)) return true
  return false
}
