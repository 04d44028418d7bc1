import { openPace } from '../base/pace.ts'
import type { CommitLog } from '../mongo/commits/commit-log.ts'
import { type Head, readHead } from '../mongo/commits/heads.ts'
import { type NumberedCommit, scanCommits } from '../mongo/commits/read-commits.ts'
import type { Database, Session } from '../mongo/connection/database.ts'

export interface FollowLogOptions {
  readonly commitLog: Pick<CommitLog, 'head' | 'onHead'>
  readonly step: (head: Head) => Promise<boolean>
  /** Receives errors of steps, which are retried at the next poll. */
  readonly onError: (error: unknown) => void
}

export interface LogFollower {
  wake(): void
  close(): Promise<void>
}

/** Polls in addition to new heads, for cursors that another process moved back. */
const POLL_MS = 2_000

export function followLog({ commitLog, step, onError }: FollowLogOptions): LogFollower {
  const pace = openPace({
    run: async () => {
      try {
        return await step(commitLog.head())
      } catch (error) {
        onError(error)
        return false
      }
    },
  })
  const forget = commitLog.onHead(() => pace.wake())
  const poll = setInterval(() => pace.wake(), POLL_MS)
  poll.unref()
  pace.wake()
  return {
    wake: () => pace.wake(),
    close: async () => {
      forget()
      clearInterval(poll)
      await pace.stop()
    },
  }
}

export interface LogRange {
  readonly after: number
  readonly to: number
}

export interface StepLimits {
  readonly commits: number
  /** A step has at least one commit, with any number of items. */
  readonly items: number
}

export interface MissedCommits {
  readonly from: number
  readonly to: number
}

export interface LogStep {
  readonly commits: readonly NumberedCommit[]
  readonly reached: number
  readonly isWhole: boolean
  readonly missed: MissedCommits | null
}

/** Commit numbers have no gaps. A gap means that retention has deleted commits. */
export async function readLogStep(
  database: Database,
  { after, to }: LogRange,
  limits: StepLimits,
  projection: Readonly<Record<string, 1>> = {},
): Promise<LogStep> {
  const found: NumberedCommit[] = []
  const range = { after, limit: limits.commits }
  await scanCommits(database, { seq: to }, range, projection, (commit) => found.push(commit) > 0)
  const commits = withinItems(found, limits.items)
  const isLast = commits.length === found.length && found.length < limits.commits
  const reached = isLast ? to : (commits.at(-1)?.seq ?? to)
  if (commits.length === reached - after) return { commits, reached, isWhole: true, missed: null }
  const { floor } = await readHead(database)
  const from = after + 1
  return {
    commits: commits.filter(({ seq }) => seq > floor),
    reached: Math.min(Math.max(reached, floor), to),
    isWhole: false,
    missed: floor < from ? null : { from, to: Math.min(floor, to) },
  }
}

function withinItems(
  commits: readonly NumberedCommit[],
  maxItems: number,
): readonly NumberedCommit[] {
  let items = 0
  const last = commits.findIndex((commit, index) => {
    items += commit.items.length
    return index > 0 && items > maxItems
  })
  return last === -1 ? commits : commits.slice(0, last)
}

interface CursorRow {
  readonly _id: string
}

export interface StoredCursor<Row extends CursorRow> {
  readonly collection: string
  readonly limits: StepLimits
  readonly range: (row: Row) => LogRange | null
  readonly take: (row: Row, commits: readonly NumberedCommit[], session: Session) => Promise<void>
  readonly moved: (row: Row, step: LogStep) => Partial<Row>
}

export interface CursorMove {
  readonly hasMore: boolean
  /** Null unless this call moved the cursor past deleted commits. */
  readonly missed: MissedCommits | null
}

/** One transaction, so that concurrent or crashed processes process each commit once. */
export async function moveCursor<Row extends CursorRow>(
  database: Database,
  cursor: StoredCursor<Row>,
  seen: Row,
): Promise<CursorMove> {
  const range = cursor.range(seen)
  if (range === null) return { hasMore: false, missed: null }
  const rows = database.table<CursorRow>(cursor.collection)
  const { _id } = seen
  const step = await readLogStep(database, range, cursor.limits)
  const hasMoved = await database.transact(async (session) => {
    const options = { session, maxTimeMS: database.queryTimeoutMs }
    const row = (await rows.findOne({ _id }, options)) as Row | null
    // Another process moved the cursor, or the row was changed or removed.
    if (row === null || cursor.range(row)?.after !== range.after) return false
    // Before the effects, so that racing processes conflict on this row and never repeat an effect.
    await rows.updateOne({ _id }, { $set: cursor.moved(row, step) }, options)
    await cursor.take(row, step.commits, session)
    return true
  })
  return { hasMore: step.reached < range.to, missed: hasMoved ? step.missed : null }
}
