import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { CounterRow, Ledger, MemberRow } from './ledger.ts'
import { LoadClient } from './load-client.ts'
import type { One } from './shapes.ts'
import { readContent } from './read-content.ts'
import { readKept, VISITOR_PERMISSIONS } from './read-kept.ts'
import type { Work } from './work.ts'
import { writeNotes } from './write-notes.ts'
import { changeMembers, countUp, uploadFiles } from './write-shared.ts'

export interface MixedLoadOptions {
  /** Servers of one database, asked in turn. Read anew for each request. */
  readonly bases: readonly string[]
  /** One that may do everything, the management of locales included. */
  readonly token: string
  /** Clients of documents of their own and of shared ones, at once. */
  readonly writers: number
  readonly readers: number
  readonly uploaders?: number
  /** Clients that nobody has signed in, who are answered from memory. */
  readonly visitors?: Visitors
  /** A request without an answer for so long hangs. */
  readonly timeoutMs?: number
  /** Between two requests of a client, at most; none unless told otherwise. */
  readonly pauseMs?: number
  /** Of an earlier load on the same content: its documents stay as they were left. */
  readonly ledger?: Ledger
}

/** The public role is given what they ask for. */
export interface Visitors {
  readonly count: number
  /** What the servers promise: `CACHE_STALE_MS`. */
  readonly staleMs: number
}

export interface MixedLoad {
  readonly requests: number
  /** Writes that were answered as done. */
  readonly acknowledged: number
  /** What no server may answer, so far. */
  readonly wrong: readonly string[]
  /** How often each answer came so far, such as `GET 200` or `PUT broken`. */
  readonly statuses: ReadonlyMap<string, number>
  /** Resolves when every request has an answer. */
  stop(): Promise<LoadReport>
}

export interface LoadReport {
  readonly requests: number
  readonly statuses: ReadonlyMap<string, number>
  /** Hanging requests, any 5xx but 503 and 504 in the envelope, reads that cannot be. */
  readonly wrong: readonly string[]
  readonly ledger: Ledger
}

const LOCALE = 'fr'
const FOLDERS = 3
const COUNTERS = 3
const GROUPS = 3

/**
 * Traffic of every kind on content of `MIXED_TYPES`, with a ledger of what was acknowledged. How
 * much content there is stays bounded: what is made is deleted again.
 *
 * @throws Error when the servers do not take what the load begins with
 */
export async function startMixedLoad(options: MixedLoadOptions): Promise<MixedLoad> {
  const { bases, token, timeoutMs = 20_000, pauseMs = 0, visitors } = options
  const client = new LoadClient({ bases, token, timeoutMs, pauseMs })
  const nobody = client.as(null)
  const ledger = options.ledger ?? (await prepare(client))
  if (visitors !== undefined) await admitVisitors(client)
  let isStopped = false
  const work: Work = { client, ledger, isOver: () => isStopped }
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
      readKept({ ...work, client: nobody, staleMs: visitors?.staleMs ?? 0 }),
    ),
  ])
  // Told by `stop`; without it a bug of a client's would end the process that runs the load.
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

async function writeShared(work: Work, writer: string): Promise<void> {
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
  // Another process may not know of the locale yet: it does within a second.
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
  // The other processes know of it within a second.
  await wait(2_000)
}

async function create(client: LoadClient, path: string, data: object): Promise<string> {
  const answer = await client.ask('POST', path, { body: { data }, expected: [201] })
  if (answer?.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(answer)}`)
  return (answer.body as One<{ readonly documentId: string }>).data.documentId
}
