import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import type { Collection, Document } from 'mongodb'
import { startEmbedded } from '@quire/engine'
import { makeDocument } from './documents.ts'

// Compares the writes of the embedded engine with other deployments, given as `name=mongodb://…`.
// Each workload runs on all deployments in turn, ROUNDS times. The median of the rounds counts.

type Row = Document & { _id: string }

interface Target {
  readonly name: string
  readonly client: MongoClient
  readonly rows: Collection<Row>
  readonly close: () => Promise<void>
}

type Write = (target: Target, id: string, i: number) => Promise<unknown>

const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 1000)
const STORED = 5_000
const MANY = 1_000

async function open(name: string, uri: string, end: () => Promise<void>): Promise<Target> {
  const client = await MongoClient.connect(uri)
  const database = client.db(`bench_writes_${process.pid}`)
  const rows = database.collection<Row>('rows')
  await rows.createIndex({ status: 1, id: 1 })
  await rows.createIndex({ slug: 1 }, { unique: true })
  await rows.createIndex({ tags: 1 })
  const stored = Array.from({ length: STORED }, (_, i) => rowOf(`stored-${i}`, i))
  for (let i = 0; i < STORED; i += 1000) await rows.insertMany(stored.slice(i, i + 1000))
  const close = async (): Promise<void> => {
    await database.dropDatabase()
    await client.close()
    await end()
  }
  return { name, client, rows, close }
}

async function openEmbedded(name: string, durable: boolean): Promise<Target> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'))
  const engine = await startEmbedded({ directory, durable })
  return open(name, engine.uri, async () => {
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  })
}

function rowOf(_id: string, i: number): Row {
  return { ...makeDocument(i), _id, slug: _id }
}

const WRITES: Readonly<Record<string, Write>> = {
  insert: ({ rows }, id, i) => rows.insertOne(rowOf(id, i)),
  'update without index': ({ rows }, _, i) =>
    rows.updateOne({ _id: `stored-${i % STORED}` }, { $set: { body: `body ${i}` } }),
  'update with index': ({ rows }, _, i) =>
    rows.updateOne({ _id: `stored-${i % STORED}` }, { $set: { slug: `slug-${i}` } }),
  transaction: ({ client, rows }, id, i) =>
    client.withSession((session) =>
      session.withTransaction(async () => {
        await rows.insertOne(rowOf(id, i), { session })
        await rows.updateOne({ _id: id }, { $set: { status: 'published' } }, { session })
      }),
    ),
  [`updateMany of ${MANY}`]: ({ rows }, _, i) =>
    rows.updateMany({ id: { $lt: MANY } }, { $set: { body: `body ${i}` } }),
  [`insertMany and deleteMany of ${MANY}`]: async ({ rows }, id, i) => {
    const made = Array.from({ length: MANY }, (_, at) => rowOf(`${id}-${at}`, at))
    await rows.insertMany(made.map((row) => ({ ...row, group: i })))
    await rows.deleteMany({ _id: { $gte: `${id}-`, $lt: `${id}.` } })
  },
}

let made = 0

/** Returns writes per second. */
async function measure(target: Target, write: Write, clients: number): Promise<number> {
  const start = performance.now()
  let count = 0
  const go = async (): Promise<void> => {
    while (performance.now() - start < ROUND_MS) {
      made += 1
      await write(target, `made-${made}`, made)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, go))
  return (count * 1000) / (performance.now() - start)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}

const others = process.argv.slice(2).map((word) => word.split(/=(.*)/s))
const targets = [
  await openEmbedded('engine', true),
  await openEmbedded('engine without sync', false),
  ...(await Promise.all(others.map(([name = '', uri = '']) => open(name, uri, async () => {})))),
]
async function compare(what: string, write: Write, clients: number): Promise<void> {
  const rates = targets.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, target] of targets.entries())
      rates[at]?.push(await measure(target, write, clients))
  }
  const figures = targets.map(({ name }, at) => `${name} ${median(rates[at] ?? []).toFixed(0)}/s`)
  console.log(`${what}, ${clients} at once`.padEnd(48), figures.join('   '))
}

for (const [what, write] of Object.entries(WRITES)) {
  for (const clients of what.includes('Many') ? [1] : [1, 10]) await compare(what, write, clients)
}
for (const target of targets) await target.close()
