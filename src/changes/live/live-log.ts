import type { CommitLog } from '../../mongo/commits/commit-log.ts'
import type { Head } from '../../mongo/commits/heads.ts'
import { type NumberedCommit, scanCommits } from '../../mongo/commits/read-commits.ts'
import type { CommitItem, Database } from '../../mongo/connection/database.ts'
import type { WorkQueue } from '../../base/work-queue.ts'

export type LiveItem = Pick<
  CommitItem,
  'type' | 'documentId' | 'locale' | 'status' | 'op' | 'revision' | 'was' | 'is' | 'lost'
>

export interface LiveCommit {
  readonly seq: number
  readonly items: readonly LiveItem[]
}

export interface LiveLog {
  position(): Pick<Head, 'log' | 'seq' | 'floor'>
  /** Returns null if the log has deleted some of the commits after this number. */
  after(seq: number): Promise<readonly LiveCommit[] | null>
  reach(place: Pick<Head, 'log' | 'seq'>): Promise<void>
  close(): Promise<void>
}

export interface LiveLogOptions {
  readonly database: Database
  readonly commitLog: Pick<CommitLog, 'head' | 'refresh' | 'onHead' | 'onLook'>
  readonly turns: WorkQueue
  readonly isHeard: () => boolean
  readonly onCommit: (commit: LiveCommit) => Promise<void>
  /** The log was replaced or has a gap: streams cannot continue from their position. */
  readonly onRestart: () => void
  readonly onBackgroundError: (error: unknown) => void
}

/** Limits of the recent commits in memory, for clients that reconnect after a short interruption. */
const MAX_COMMITS = 512
const MAX_LIVE_ITEMS = 4_096
const BLOCK = 256

const COMMIT_PROJECTION = {
  seq: 1,
  'items.type': 1,
  'items.documentId': 1,
  'items.locale': 1,
  'items.status': 1,
  'items.op': 1,
  'items.revision': 1,
  'items.was': 1,
  'items.is': 1,
  'items.lost': 1,
} as const

export function openLiveLog(options: LiveLogOptions): LiveLog {
  const { database, commitLog, turns } = options
  const recent = openRecent()
  const reader = new Reader(options, recent)
  const follow = (): void => {
    reader.readOn().catch(options.onBackgroundError) // retried at the next poll
  }
  const stops = [commitLog.onHead(follow), commitLog.onLook(follow)]
  return {
    position: () => reader.at,
    after: (seq) => {
      const held = recent.after(seq)
      if (held !== null) return Promise.resolve(held)
      return turns.run(() => readBlock(database, reader.at, seq), { isUrgent: true })
    },
    reach: async ({ log, seq }) => {
      if (log === reader.at.log && seq <= reader.at.seq) return
      await commitLog.refresh()
      await reader.readOn()
    },
    close: async () => {
      for (const stop of stops) stop()
      await reader.close()
    },
  }
}

class Reader {
  readonly #options: LiveLogOptions
  readonly #recent: Recent
  #at: ReturnType<LiveLog['position']>
  #reading: Promise<void> | null = null
  #isClosed = false

  constructor(options: LiveLogOptions, recent: Recent) {
    this.#options = options
    this.#recent = recent
    this.#at = options.commitLog.head()
  }

  get at(): ReturnType<LiveLog['position']> {
    return this.#at
  }

  /** Reads up to the known head. Concurrent calls share one run. */
  readOn(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#reading?.catch(() => undefined)
  }

  async #readAll(): Promise<void> {
    while (!this.#isClosed && (await this.#readSome())) {}
  }

  async #readSome(): Promise<boolean> {
    const { database, commitLog, isHeard, onRestart, onCommit } = this.#options
    const head = commitLog.head()
    if (head.log !== this.#at.log) {
      this.#jumpTo(head)
      onRestart()
    }
    if (head.seq <= this.#at.seq) return false
    const commits = isHeard() ? await readBlock(database, head, this.#at.seq) : []
    if (commits === null || commits.length === 0) this.#jumpTo(head)
    if (commits === null) onRestart()
    for (const commit of commits ?? []) {
      this.#at = { log: head.log, seq: commit.seq, floor: head.floor }
      this.#recent.add(commit)
      await onCommit(commit)
    }
    return true
  }

  #jumpTo(head: Head): void {
    this.#at = head
    this.#recent.clear()
  }
}

async function readBlock(
  database: Database,
  head: Pick<Head, 'seq'>,
  after: number,
): Promise<readonly LiveCommit[] | null> {
  const commits: LiveCommit[] = []
  let isWhole = true as boolean
  const range = { after, limit: BLOCK }
  await scanCommits(database, head, range, COMMIT_PROJECTION, ({ seq, items }: NumberedCommit) => {
    isWhole = seq === after + commits.length + 1
    if (isWhole) commits.push({ seq, items })
    return isWhole
  })
  return isWhole && (commits.length > 0 || after >= head.seq) ? commits : null
}

interface Recent {
  add(commit: LiveCommit): void
  clear(): void
  after(seq: number): readonly LiveCommit[] | null
}

function openRecent(): Recent {
  const commits: LiveCommit[] = []
  let count = 0
  return {
    add: (commit: LiveCommit): void => {
      commits.push(commit)
      count += commit.items.length
      while (commits.length > MAX_COMMITS || (count > MAX_LIVE_ITEMS && commits.length > 1)) {
        count -= commits.shift()?.items.length ?? 0
      }
    },
    clear: (): void => {
      commits.length = 0
      count = 0
    },
    after: (seq: number): readonly LiveCommit[] | null => {
      const first = commits[0]?.seq
      return first !== undefined && first <= seq + 1 ? commits.slice(seq + 1 - first) : null
    },
  }
}
