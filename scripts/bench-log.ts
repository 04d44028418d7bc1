import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startEmbedded } from '@quire/engine'
import type { DocumentContext } from '../src/documents/context.ts'
import { createDocument } from '../src/documents/write/create-document.ts'
import { openCommitLog } from '../src/mongo/commits/commit-log.ts'
import { sequenceAll } from '../src/mongo/commits/sequencer.ts'
import { takeRows } from '../src/mongo/connection/commit-record.ts'
import { type Database, openDatabase } from '../src/mongo/connection/database.ts'
import { compileCollections } from '../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../src/mongo/indexes/sync-indexes.ts'
import { openIdAllocator } from '../src/mongo/system/id-allocator.ts'
import { newDocumentId } from '../src/mongo/versions/document-id.ts'
import { compileSchema } from '../src/schema/compile.ts'

// `npm run bench:log`: creations that publish, by eight writers, with the commit log and its sequencer and without, in
// turns of one run. On the embedded engine, or `MONGODB_URI`; `SECONDS` (5) for each turn, `TURNS` (3) of each.

const WRITERS = 8
const SECONDS = Number(process.env['SECONDS'] ?? 5)
const TURNS = Number(process.env['TURNS'] ?? 3)
const BODY = 'x'.repeat(2_000)

const schema = compileSchema({
  contentTypes: [
    {
      uid: 'api::post.post',
      file: 'content-types/post.json',
      kind: 'collectionType',
      collectionName: 'posts',
      singularName: 'post',
      pluralName: 'posts',
      displayName: 'Post',
      draftAndPublish: true,
      localized: false,
      attributes: { title: { type: 'string' }, slug: { type: 'uid' }, body: { type: 'text' } },
    },
  ],
  components: [],
})
const [plan] = schema.contentTypes.values()
if (plan === undefined) throw new Error('there is no content-type')

const engine = await start()
const { uri } = engine
const name = `quire_bench_log_${process.pid}`
const logged = await openDatabase({ uri, name, queryTimeoutMs: 10_000 })
await syncIndexes(logged, [...compileCollections(schema).values()])
const rowsOnly = await openDatabase({ uri, name, queryTimeoutMs: 10_000 })
const bare = unlogged(await openDatabase({ uri, name, queryTimeoutMs: 10_000 }))
const ids = openIdAllocator(logged)

const rates: Record<'with' | 'rows' | 'without', number[]> = { with: [], rows: [], without: [] }
let behind = 0
let seq = 0
await run(bare)
for (let turn = 0; turn < TURNS; turn += 1) {
  rates.without.push(await run(bare))
  rates.rows.push(await run(rowsOnly))
  const log = await openCommitLog({
    database: logged,
    retentionDays: 90,
    historyDays: 90,
    onBackgroundError: (error) => console.error(error),
  })
  await sequenceAll(logged)
  rates.with.push(await run(logged))
  behind = Math.max(behind, (await log.health()).lagMs)
  await log.close()
  seq = log.head().seq
}
const middle = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
const ratio = middle(rates.with) / middle(rates.without)
console.log(`without the log  ${rates.without.map((rate) => rate.toFixed(0)).join('  ')} /s`)
console.log(`with it          ${rates.with.map((rate) => rate.toFixed(0)).join('  ')} /s`)
console.log(`rows, no numbers  ${rates.rows.map((rate) => rate.toFixed(0)).join('  ')} /s`)
console.log(`ratio of the medians ${ratio.toFixed(3)}; the oldest without a number: ${behind} ms`)
console.log(`commits numbered: ${seq}`)
await rowsOnly.close()
await logged.command({ dropDatabase: 1 })
await bare.close()
await logged.close()
await engine.stop()

/** Creations per second. */
async function run(database: Database): Promise<number> {
  const context: DocumentContext = {
    database,
    ids,
    contentType: () => plan as NonNullable<typeof plan>,
    now: () => new Date(),
    newDocumentId,
    hashPassword: (password) => Promise.resolve(password),
  }
  const started = performance.now()
  let made = 0
  const write = async (): Promise<void> => {
    while (performance.now() - started < SECONDS * 1_000) {
      const documentId = newDocumentId()
      const key = { locale: '', status: 'published' } as const
      const writer = { mayRead: () => true, locale: '' }
      const target = { plan: context.contentType('api::post.post'), documentId, key, writer }
      await createDocument(context, target, { title: 'a', slug: documentId, body: BODY })
      made += 1
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, write))
  return (made * 1_000) / (performance.now() - started)
}

/** The same database; what its transactions note is thrown away before it is written. */
function unlogged(database: Database): Database {
  return {
    ...database,
    transact: (work) =>
      database.transact(async (session) => {
        const made = await work(session)
        takeRows(session)
        return made
      }),
  }
}

async function start(): Promise<{ readonly uri: string; stop(): Promise<void> }> {
  const given = process.env['MONGODB_URI']
  if (given !== undefined && given !== '') return { uri: given, stop: () => Promise.resolve() }
  const directory = mkdtempSync(path.join(tmpdir(), 'quire-bench-log-'))
  const engine = await startEmbedded({ directory, durable: true })
  return {
    uri: engine.uri,
    stop: async () => {
      await engine.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
