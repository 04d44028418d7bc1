import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { MongoClient } from 'mongodb'
import { MIXED_TYPES } from '../../tools/bench/src/mixed-load/content-types.ts'
import { findLosses } from '../../tools/bench/src/mixed-load/find-losses.ts'
import { type MixedLoad, startMixedLoad } from '../../tools/bench/src/mixed-load/mixed-load.ts'
import {
  ROOT_TOKEN,
  type ServerProcess,
  startServerProcess,
  writeContentTypes,
} from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { findInconsistencies } from './find-inconsistencies.ts'

/** Two servers on one database, under load. */
export interface LoadedServers {
  readonly load: MixedLoad
  /** Waits for this number of further acknowledged writes, without a restart of the servers. */
  untilServed(writes: number, deadlineMs: number): Promise<void>
  /** Waits until this number of further requests got a 503 or 504. */
  untilMissed(requests: number, deadlineMs: number): Promise<void>
  /** Ends the load. Returns invalid responses and inconsistent stored data. */
  faults(): Promise<readonly string[]>
  remove(): Promise<void>
}

const PROCESSES = 2
/** Unique values of notes have reservations, those of members have an index. */
const TYPES = {
  ...MIXED_TYPES,
  note: { ...MIXED_TYPES['note'], options: { draftAndPublish: true, sharded: true } },
}
/** A request that takes longer counts as hanging. */
const HANGS_AFTER_MS = 45_000

/** The log line with the cause of a 500. */
const isBug = (line: string): boolean => line.includes('"unexpected error"')

export async function startLoadedServers(uri: string): Promise<LoadedServers> {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-faults-'))
  const types = writeContentTypes(TYPES)
  const database = `quire_test_faults_${randomBytes(4).toString('hex')}`
  const servers: ServerProcess[] = []
  for (let index = 0; index < PROCESSES; index += 1) {
    servers.push(
      await startServerProcess({
        MONGODB_URI: uri,
        MONGODB_DATABASE: database,
        QUIRE_DATA_DIR: folder,
        CONTENT_TYPES_DIR: types,
        RATE_LIMIT: 'off',
      }),
    )
  }
  const bases = servers.map(({ base }) => base)
  const load = await startMixedLoad({
    bases,
    token: ROOT_TOKEN,
    writers: 8,
    readers: 3,
    uploaders: 1,
    timeoutMs: HANGS_AFTER_MS,
  })
  const missed = (): number => {
    const counts = [...load.statuses].filter(([what]) => / 50[34]$/.test(what))
    return counts.reduce((sum, [, count]) => sum + count, 0)
  }
  return {
    load,
    untilServed: async (writes, deadlineMs) => {
      const goal = load.acknowledged + writes
      await until(() => load.acknowledged >= goal, deadlineMs)
    },
    untilMissed: async (requests, deadlineMs) => {
      const goal = missed() + requests
      await until(() => missed() >= goal, deadlineMs)
    },
    faults: async () => {
      const report = await load.stop()
      const [base = ''] = bases
      const asked = await Promise.all(bases.map((each) => findLosses(each, ROOT_TOKEN, report)))
      const stored = await findInconsistencies({ base, token: ROOT_TOKEN, uri, database })
      const bugs = servers.flatMap(({ complaints }) => complaints.filter(isBug))
      return [...report.wrong, ...new Set(asked.flat()), ...stored, ...bugs]
    },
    remove: async () => {
      await load.stop().catch(() => undefined)
      await Promise.all(servers.map((server) => server.kill()))
      const client = await MongoClient.connect(uri)
      await client.db(database).dropDatabase()
      await client.close()
      for (const made of [folder, types]) rmSync(made, { recursive: true, force: true })
    },
  }
}
