import { spawn, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { startEmbedded } from '../../src/start-embedded.ts'
import { temporaryFolder } from '../contract/targets.ts'
import {
  armDisk,
  buildFaultyDisk,
  disarmDisk,
  DISK_FAULTS,
  type DiskFault,
  type FaultyDisk,
} from './faulty-disk.ts'
import {
  prepareRows,
  stateOf,
  SWEPT_OPERATIONS,
  type SweptOperation,
} from './disk-sweep-operations.ts'

const child = (name: string): string =>
  new URL(`./${name}${import.meta.url.slice(-3)}`, import.meta.url).pathname

/** More calls than a start makes. The first ones create the files, so each of them fails. */
const MAX_POSITION = 300
const REFUSALS = ['FileStreamFailed', 'OutOfDiskSpace']

interface Armed {
  readonly kind: 'armed'
  readonly position: number
}

interface Ran {
  readonly kind: 'ran'
  readonly position: number
  readonly failed: number
  /** Null for a success. */
  readonly refusal: string | null
  readonly recovered: boolean
  readonly state: string
}

interface Report {
  readonly runs: readonly Ran[]
  /**
   * Positions at which the process ended with a signal. An error message of lmdb 3.5.6 about a failed write
   * overflows its buffer (`last_error` in its mdb.c), so such a crash cannot be excluded.
   */
  readonly crashes: readonly number[]
}

interface Swept {
  readonly before: string
  readonly after: string
}

async function withEngine<T>(
  directory: string,
  work: (client: MongoClient) => Promise<T>,
): Promise<T> {
  const engine = await startEmbedded({ directory })
  const client = await MongoClient.connect(engine.uri)
  try {
    return await work(client)
  } finally {
    await client.close()
    await engine.close()
  }
}

/** The states of an operation without a fault. */
async function rehearse(operation: SweptOperation): Promise<Swept> {
  const directory = temporaryFolder()
  try {
    return await withEngine(directory, async (client) => {
      const db = client.db('swept')
      await prepareRows(db, 'k0')
      const before = await stateOf(db, 'k0')
      await operation.run(db, 'k0', client)
      return { before, after: await stateOf(db, 'k0') }
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Starts the child again after each crash, with the next position. */
async function sweep(
  directory: string,
  { env, control }: FaultyDisk,
  operation: SweptOperation,
  fault: DiskFault,
): Promise<Report> {
  const runs: Ran[] = []
  const crashes: number[] = []
  for (let from = 1; ;) {
    let last = 0
    // A crash leaves the disk armed.
    disarmDisk(control)
    const sweeping = spawn(
      process.execPath,
      [child('disk-sweep-child'), directory, control, operation.name, fault.name, String(from)],
      { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...env } },
    )
    const ended = new Promise<string | number | null>((resolve) => {
      sweeping.on('close', (code, signal) => resolve(signal ?? code))
    })
    for await (const line of createInterface(sweeping.stdout)) {
      const told = JSON.parse(line) as Armed | Ran
      if (told.kind === 'armed') last = told.position
      else runs.push(told)
    }
    const end = await ended
    if (end === 0) return { runs, crashes }
    if (typeof end === 'number') throw new Error(`the child ended with ${end} at ${last}`)
    crashes.push(last)
    from = last + 1
  }
}

function judge(
  { position, refusal, recovered, state, failed }: Ran,
  { before, after }: Swept,
): readonly string[] {
  const faults: string[] = []
  if (refusal === null && state !== after) faults.push('acknowledged, but not stored')
  if (refusal !== null && state !== before) faults.push(`refused with ${refusal}, but stored`)
  if (refusal !== null && !REFUSALS.includes(refusal)) faults.push(`refused with ${refusal}`)
  if (refusal !== null && failed === 0) faults.push('refused without a fault')
  if (!recovered) faults.push('takes no writes afterwards')
  return faults.map((fault) => `at ${position}: ${fault}`)
}

/** A new process finds the same content, and after a crash nothing torn. */
async function judgeAgain(
  client: MongoClient,
  { runs, crashes }: Report,
  { before, after }: Swept,
): Promise<readonly string[]> {
  const db = client.db('swept')
  const faults: string[] = []
  for (const { position, state } of runs) {
    if ((await stateOf(db, `k${position}`)) !== state)
      faults.push(`at ${position}: changed by a restart`)
  }
  const unknown = crashes.filter((crash) => runs.every(({ position }) => position !== crash))
  for (const position of unknown) {
    const state = await stateOf(db, `k${position}`)
    if (state !== before && state !== after) faults.push(`at ${position}: torn by a crash`)
  }
  return faults
}

describe('the embedded engine on a disk that fails at each call', function () {
  this.timeout(600_000)
  this.slow(60_000)
  let folder: string
  let disk: FaultyDisk | null
  before(() => {
    folder = temporaryFolder()
    disk = buildFaultyDisk(join(folder, 'library'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const [index, operation] of SWEPT_OPERATIONS.entries()) {
    it(`has all effects of a write or none: ${operation.name}`, async function () {
      if (disk === null) return this.skip()
      const swept = await rehearse(operation)
      expect(swept.after).not.to.equal(swept.before)
      const told: string[] = []
      const counts = { injected: 0, crashes: 0 }
      for (const fault of DISK_FAULTS.filter((_, kind) => kind % 2 === index % 2)) {
        const directory = join(folder, `${index}-${fault.error}-${fault.times}`)
        const report = await sweep(directory, disk, operation, fault)
        counts.injected += report.runs.filter(({ failed }) => failed > 0).length
        counts.crashes += report.crashes.length
        const faults = [
          ...report.runs.flatMap((run) => judge(run, swept)),
          ...(await withEngine(directory, (client) => judgeAgain(client, report, swept))),
        ]
        told.push(...faults.map((what) => `${fault.name}: ${what}`))
      }
      if (this.test) this.test.title += `, ${counts.injected} faults, ${counts.crashes} crashes`
      expect(told).to.deep.equal([])
      expect(counts.injected).to.be.greaterThan(DISK_FAULTS.length)
    })
  }

  it('starts after a first start that failed', async function () {
    if (disk === null) return this.skip()
    const told: string[] = []
    let injected = 0
    for (const fault of DISK_FAULTS.filter(({ times }) => times === 1)) {
      for (let position = 1; position <= MAX_POSITION; position += position < 6 ? 1 : 4) {
        const directory = join(folder, `start-${fault.error}-${fault.times}-${position}`)
        armDisk(disk.control, position, fault)
        const { stdout } = spawnSync(process.execPath, [child('disk-start-child'), directory], {
          encoding: 'utf8',
          env: { ...process.env, ...disk.env },
        })
        const { failed } = disarmDisk(disk.control)
        const found = await rowsIn(directory)
        rmSync(directory, { recursive: true, force: true })
        if (typeof found === 'string' || (stdout === 'stored' && found !== 1))
          told.push(`${fault.name} at ${position}: ${stdout}, then ${found}`)
        if (failed === 0) break
        injected++
      }
    }
    if (this.test) this.test.title += `, ${injected} faults`
    expect(told).to.deep.equal([])
    expect(injected).to.be.greaterThan(DISK_FAULTS.length * 2)
  })
})

/** The number of rows that a start finds, or why it fails. */
async function rowsIn(directory: string): Promise<number | string> {
  try {
    return await withEngine(directory, async (client) => {
      const rows = client.db('swept').collection<{ _id: number }>('rows')
      const found = await rows.countDocuments()
      await rows.insertOne({ _id: 2 })
      return found
    })
  } catch (error) {
    return String(error)
  }
}
