import { createStore, memoryStorage, sqliteStorage, type StoreStorage } from '@quire/client/sync'
import type { ContentPlan, SyncedContent } from '@quire/client'
import sqlite from 'node-sqlite3-wasm'
import { computePercentile } from './statistics.ts'

const ROWS = 100_000
const BATCH = 1_000
const ROUNDS = 21

const content: ContentPlan<SyncedContent> = {
  types: {
    notes: {
      name: 'note',
      kind: 'collection',
      kinds: { createdAt: 'date' },
      links: { list: { to: 'lists', many: false } },
    },
    lists: { name: 'list', kind: 'collection', kinds: {}, links: {} },
  },
  components: {},
}

/** Pages of 20 notes among 100,000, as an app asks for them. */
const QUERIES: readonly (readonly [string, object])[] = [
  ['first page by title', { sort: 'title', pageSize: 20 }],
  ['page 2,500 by title', { sort: 'title', page: 2_500, pageSize: 20 }],
  ['newest of a list', { filters: { rank: 7 }, sort: 'createdAt:desc', pageSize: 20 }],
  ['text in 10,000 titles', { filters: { title: { $containsi: 'note 77' } }, pageSize: 20 }],
  ['by relation', { filters: { list: { documentId: 'list42' } }, sort: 'title', pageSize: 20 }],
]

const kindOf = process.argv[3] ?? 'sqlite'
const storage = kindOf === 'memory' ? memoryStorage() : sqliteStorage(openDatabase())
await fill(storage)
globalThis.gc?.()
const before = process.memoryUsage().rss
const opened = performance.now()
const store = await createStore({
  content,
  client: { $send: () => Promise.reject(new TypeError('offline')) },
  types: ['notes', 'lists'] as never[],
  locale: ['en'],
  storage,
})
console.log(`${kindOf}, ${ROWS} rows: opened in ${(performance.now() - opened).toFixed(0)} ms`)
const { notes } = store as unknown as { notes: { query(asked: object): { total: number } } }
for (const [name, query] of QUERIES) {
  const times: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const begun = performance.now()
    notes.query(query)
    times.push(performance.now() - begun)
  }
  const [first = 0, ...later] = times
  console.log(
    `${name.padEnd(24)} ${computePercentile(later, 0.5).toFixed(2).padStart(8)} ms, the first time ${first.toFixed(0)} ms`,
  )
}
globalThis.gc?.()
console.log(`memory: ${((process.memoryUsage().rss - before) / 2 ** 20).toFixed(0)} MB more`)

function openDatabase() {
  const database = new sqlite.Database(process.argv[4] ?? ':memory:')
  const inTransaction = (task: () => void): void => {
    database.exec('BEGIN')
    task()
    database.exec('COMMIT')
  }
  return {
    execAsync: (sql: string) => Promise.resolve(database.exec(sql)),
    runAsync: (sql: string, values: (string | number | null)[]) =>
      Promise.resolve(database.run(sql, values)),
    getAllAsync: <T>(sql: string, values: (string | number | null)[]) =>
      Promise.resolve(database.all(sql, values) as T[]),
    withTransactionAsync: (task: () => Promise<void>) => task(),
    execSync: (sql: string) => database.exec(sql),
    runSync: (sql: string, values: (string | number | null)[]) => database.run(sql, values),
    getAllSync: <T>(sql: string, values: (string | number | null)[]) =>
      database.all(sql, values) as T[],
    withTransactionSync: inTransaction,
  }
}

async function fill(target: StoreStorage): Promise<void> {
  for (let at = 0; at < ROWS; at += BATCH) {
    const changes = Array.from({ length: BATCH }, (_, index) => {
      const n = at + index
      const time = new Date(1.7e12 + ((n * 7_919) % ROWS) * 60_000).toISOString()
      const data = {
        id: n + 1,
        documentId: `note${n}`,
        title: `Note ${(n * 104_729) % ROWS}`,
        body: `The text of a note that somebody wrote on a device, number ${n}. `.repeat(6),
        rank: n % 100,
        isDone: n % 3 === 0,
        list: `list${n % 500}`,
        createdAt: time,
        updatedAt: time,
      }
      const lists = n % 200 === 0 ? [listRow(n / 200)] : []
      const row = { type: 'note', documentId: data.documentId, locale: null, round: 1, data }
      return [row, ...lists].map((one) => ({ op: 'put' as const, row: one }))
    }).flat()
    const version = at / BATCH + 1
    const mark = { scope: '', token: null, round: 1, isComplete: true, isStale: false, version }
    await target.commit(changes, mark)
  }
}

function listRow(n: number) {
  const data = { id: n + 1, documentId: `list${n}`, name: `List ${n}` }
  return { type: 'list', documentId: data.documentId, locale: null, round: 1, data }
}
