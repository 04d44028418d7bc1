import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { CounterRow, Ledger, MemberRow } from './ledger.ts'
import { LoadClient } from './load-client.ts'
import type { OneResponse } from './shapes.ts'
import { readContent } from './read-content.ts'
import { readAsVisitor, VISITOR_PERMISSIONS } from './read-as-visitor.ts'
import type { WorkContext } from './work.ts'
import { writeNotes } from './write-notes.ts'
import { changeMembers, countUp, uploadFiles } from './write-shared.ts'

export interface MixedLoadOptions {
  /** Servers on one database, used in turn. Read again for each request. */
  readonly bases: readonly string[]
  /** Needs all permissions, including the management of locales. */
  readonly token: string
  /** The number of clients with their own and shared documents. */
  readonly writers: number
  readonly readers: number
  readonly uploaders?: number
  /** Clients without credentials, whose responses are cached. */
  readonly visitors?: Visitors
  readonly timeoutMs?: number
  /**
   * Maximum pause between two requests of a client.
   * @default 0
   */
  readonly pauseMs?: number
  /** The ledger of an earlier load on the same content. */
  readonly ledger?: Ledger
}

/** The public role gets the required permissions. */
export interface Visitors {
  readonly count: number
  /** The promised maximum age: `CACHE_STALE_MS`. */
  readonly staleMs: number
}

export interface MixedLoad {
  readonly requests: number
  readonly acknowledged: number
  readonly wrong: readonly string[]
  /** Counts so far by method and status, such as `GET 200` or `PUT broken`. */
  readonly statuses: ReadonlyMap<string, number>
  /** Resolves when every request is answered. */
  stop(): Promise<LoadReport>
}

export interface LoadReport {
  readonly requests: number
  readonly statuses: ReadonlyMap<string, number>
  /** Hanging requests, any 5xx except 503 and 504 in the envelope, and impossible reads. */
  readonly wrong: readonly string[]
  readonly ledger: Ledger
}

const LOCALE = 'fr'
const FOLDERS = 3
const COUNTERS = 3
const GROUPS = 3

/**
 * Generates mixed traffic on content of `MIXED_TYPES` and keeps a ledger of acknowledged writes.
 * Documents are deleted again, so the amount of content is bounded.
 * @throws Error if the servers refuse the initial content
 */
export async function startMixedLoad(options: MixedLoadOptions): Promise<MixedLoad> {
  const { bases, token, timeoutMs = 20_000, pauseMs = 0, visitors } = options
  const client = new LoadClient({ bases, token, timeoutMs, pauseMs })
  const nobody = client.as(null)
  const ledger = options.ledger ?? (await prepare(client))
  if (visitors !== undefined) await admitVisitors(client)
  let isStopped = false
  const work: WorkContext = { client, ledger, isOver: () => isStopped }
  const many = (count: number, start: (index: number) => Promise<void>): Promise<void>[] =>
    Array.from({ length: count }, (_, index) => start(index))
  const run = randomBytes(3).toString('hex')
  const ended = Promise.all([
    ...many(options.writers, (index) =>
      (index % 2 === 0 ? writeNotes : writeShared)(work, `${run}-${index}`),
    ),
    ...many(options.readers, () => readContent(work)),
    ...many(options.uploaders ?? 0, () => uploadFiles(work)),
    ...many(visitors?.count ?? 0, () =>
      readAsVisitor({ ...work, client: nobody, staleMs: visitors?.staleMs ?? 0 }),
    ),
  ])
  // `stop` reports the error. Unhandled, it would end the process.
  ended.catch(() => undefined)
  const { statuses, wrong } = client
  return {
    get requests() {
      return client.requests
    },
    get acknowledged() {
      return ledger.acknowledged
    },
    wrong,
    statuses,
    stop: async () => {
      isStopped = true
      await ended
      return { requests: client.requests, statuses, wrong, ledger }
    },
  }
}

async function writeShared(work: WorkContext, writer: string): Promise<void> {
  const rows: MemberRow[] = []
  while (!work.isOver()) {
    if (randomInt(2) === 0) await countUp(work)
    else await changeMembers(work, writer, rows)
  }
}

async function prepare(client: LoadClient): Promise<Ledger> {
  await client.ask('POST', '/admin/locales', {
    body: { code: LOCALE, name: LOCALE },
    expected: [201, 400, 409],
  })
  // Other processes learn of the locale within a second.
  await wait(1_100)
  const many = (count: number, path: string, dataOf: (index: number) => object) =>
    Promise.all(Array.from({ length: count }, (_, index) => create(client, path, dataOf(index))))
  const folders = await many(FOLDERS, '/api/folders', (index) => ({ name: `folder ${index}` }))
  const counters = await many(COUNTERS, '/api/counters', () => ({ count: 0 }))
  const groups = await many(GROUPS, '/api/groups', () => ({}))
  return {
    notes: [],
    folders,
    counters: counters.map((documentId): CounterRow => ({
      documentId,
      acknowledged: 0,
      unknown: 0,
    })),
    groups,
    members: [],
    removed: new Map(),
    files: [],
    acknowledged: 0,
  }
}

async function admitVisitors(client: LoadClient): Promise<void> {
  const body = { permissions: VISITOR_PERMISSIONS }
  await client.ask('PUT', '/admin/roles/public', { body, expected: [200] })
  // Other processes learn of the permissions within a second.
  await wait(2_000)
}

async function create(client: LoadClient, path: string, data: object): Promise<string> {
  const answer = await client.ask('POST', path, { body: { data }, expected: [201] })
  if (answer?.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(answer)}`)
  return (answer.body as OneResponse<{ readonly documentId: string }>).data.documentId
}
