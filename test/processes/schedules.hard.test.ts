import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type Db, MongoClient } from 'mongodb'
import type { ScheduleRow } from '../../src/content/planning/schedule-rows.ts'
import { declare } from '../support/server.ts'
import { ROOT_TOKEN, type ServerProcess } from '../support/server-process.ts'
import { openWorld, type World } from '../faults/world.ts'
import { until } from '../support/until.ts'
import { type Batch, countDone, expectOnce, type Planned } from './planned-batch.ts'
import { type Answer, ask } from './processes.ts'

const KILLS = Number(process.env['QUIRE_TEST_KILLS'] ?? 3)
const NOTE = 'api::note.note'
const CLOCK = new URL('../faults/shifted-clock.js', import.meta.url).href

/** Documents with the same due time, and the time between two such moments. */
const CONCURRENCY = 8
const APART_MS = 2_000
const USUAL_MOMENTS = 5
const RELEASED = 50
/** The time to send all scheduling requests on a busy machine. */
const LEAD_MS = 4_000

/** The documented bound. */
const WITHIN_MS = 2_000
const LEASE_MS = { document: 1_000, release: 1_500 } as const
/** An action on many documents takes longer. */
const RELEASE_WITHIN_MS = 10_000
/** A process is killed this long before a moment. */
const AHEAD_MS = 100
/** Extra time for single documents on a busy machine that keeps starting processes. */
const BUSY_MS = 3_000
const MAX_WAIT_MS = 60_000

/** The observations of a permanent poll of the rows. */
interface Seen {
  /** The delay of each id in milliseconds. It is negative if the action came too early. */
  readonly lateness: ReadonlyMap<string, number>
  /**
   * The observed attempts of each id, possibly one too few, because the last attempt may be too
   * short to be seen.
   */
  readonly attempts: ReadonlyMap<string, number>
}

describe('schedules and a release of several processes', () => {
  /** One process that is never killed, two that are, and one with a wrong clock. */
  let steady: ServerProcess
  const mortal: ServerProcess[] = []
  let wrong: ServerProcess
  let world: World
  let client: MongoClient
  let db: Db
  const tokens: { readonly name: string; readonly token: string }[] = []

  before(async () => {
    world = await openWorld('schedules', {
      types: {
        note: declare('note', { text: { type: 'string' } }, { draftAndPublish: true }),
      },
    })
    client = await MongoClient.connect(String(world.env['MONGODB_URI']))
    db = client.db(world.env['MONGODB_DATABASE'])
    steady = await start()
    mortal.push(await start(), await start())
    const shifted = { SHIFTED_CLOCK: path.join(world.folder, 'clock'), ...ENVIRONMENT }
    wrong = await world.start(shifted, { nodeOptions: ['--import', CLOCK] })
    for (const name of ['one', 'other']) {
      const body = { name, type: 'full-access' }
      const { data } = await ok(ask(steady, 'POST', '/admin/api-tokens', { body }))
      tokens.push({ name, token: data.accessKey })
    }
  })
  after(async () => {
    await world.remove()
    await client.close()
  })

  const ENVIRONMENT = { RATE_LIMIT: 'off', SLOW_REQUEST_MS: '0' }
  const start = (): Promise<ServerProcess> => world.start(ENVIRONMENT)
  const schedules = () => db.collection<ScheduleRow>('quire_schedules')

  async function ok(request: Promise<Answer>): Promise<Answer['body']> {
    const { status, body } = await request
    expect(status, JSON.stringify(body)).to.be.oneOf([200, 201, 202])
    return body
  }

  /** Shifts the clock of that process, and waits until a new row shows it. */
  async function shiftClock(shiftMs: number): Promise<void> {
    writeFileSync(path.join(world.folder, 'clock'), String(shiftMs))
    wrong.signal('SIGUSR2')
    await until(async () => {
      const body = { data: { text: 'now' } }
      const { data } = await ok(ask(wrong, 'POST', '/api/notes?status=draft', { body }))
      return Math.abs(Date.parse(data.createdAt) - Date.now() - shiftMs) < 900
    }, MAX_WAIT_MS)
  }

  /** One of four documents is unpublished. */
  const actionOf = (index: number): Planned['action'] => (index % 4 === 3 ? 'unpublish' : 'publish')

  async function makeDocument(action: Planned['action']): Promise<string> {
    const status = action === 'publish' ? 'draft' : 'published'
    const body = { data: { text: action } }
    return (await ok(ask(steady, 'POST', `/api/notes?status=${status}`, { body }))).data.documentId
  }

  /** Schedules documents for each moment, and a release for the middle one. */
  async function plan(moments: number): Promise<Batch> {
    const ids = await inTurns(moments * CONCURRENCY, (index) => makeDocument(actionOf(index)))
    const items = await inTurns(RELEASED, async (index) => {
      const action = actionOf(index)
      return { uid: NOTE, documentId: await makeDocument(action), action }
    })
    const { data: release } = await ok(
      ask(steady, 'POST', '/admin/releases', { body: { data: { name: 'all' } } }),
    )
    const target = `/admin/releases/${release.id}`
    await ok(ask(steady, 'POST', `${target}/items`, { body: { data: { items } } }))
    const first = Date.now() + LEAD_MS
    const momentAt = (moment: number): number => first + moment * APART_MS
    const documents = await inTurns(ids.length, (index) =>
      planOne(ids[index] ?? '', index, momentAt(Math.floor(index / CONCURRENCY))),
    )
    const at = momentAt(Math.floor(moments / 2))
    const body = { data: { at: new Date(at).toISOString() } }
    await ok(ask(steady, 'POST', `${target}/actions/publish`, { body }))
    const released = new Map(items.map(({ documentId, action }) => [documentId, action]))
    return { documents, release: { id: release.id, at }, released }
  }

  async function planOne(documentId: string, index: number, at: number): Promise<Planned> {
    const action = actionOf(index)
    const { name: by, token } = tokens[index % tokens.length] ?? { name: 'root', token: ROOT_TOKEN }
    const body = { data: { at: new Date(at).toISOString() } }
    const target = `/api/notes/${documentId}/actions/${action}`
    const { data } = await ok(ask(steady, 'POST', target, { body, token }))
    return { schedule: data.id, documentId, action, at, by }
  }

  /** Polls until no row is left, and checks that no reader could see a part of the release. */
  async function watch({ documents, release, released }: Batch): Promise<Seen> {
    const dueAt = new Map([
      [release.id, release.at],
      ...documents.map(({ schedule, at }) => [schedule, at] as const),
    ])
    const lateness = new Map<string, number>()
    const attempts = new Map<string, number>()
    await until(
      async () => {
        const rows = await schedules().find().toArray()
        const now = Date.now()
        expect(rows.flatMap(({ open, failure }) => (open === 1 ? [] : [failure]))).to.deep.equal([])
        for (const row of rows) attempts.set(row._id, row.attempts)
        const left = new Set(rows.map(({ _id }) => _id))
        for (const [id, at] of dueAt) {
          if (!left.has(id) && !lateness.has(id)) lateness.set(id, now - at)
        }
        expect(await countDone(client, db, released), 'a part of the release').to.be.oneOf([
          0,
          released.size,
        ])
        return rows.length === 0
      },
      MAX_WAIT_MS,
      () => `${dueAt.size - lateness.size} are left`,
    )
    return { lateness, attempts }
  }

  /** The delays of the documents, ascending. */
  const ofDocuments = ({ documents }: Batch, { lateness }: Seen): readonly number[] =>
    documents.map(({ schedule }) => lateness.get(schedule) ?? NaN).toSorted((a, b) => a - b)

  function tell(what: string, batch: Batch, seen: Seen): void {
    if (process.env['QUIRE_TEST_KILLS'] === undefined) return
    const late = ofDocuments(batch, seen)
    const release = seen.lateness.get(batch.release.id)
    const again = [...seen.attempts.values()].filter((attempts) => attempts > 1).length
    process.stdout.write(
      `${what}: ${late.length} documents, ms late ${late[0]} to ${late.at(-1)}, median ${shareOf(late, 0.5)}, p95 ${shareOf(late, 0.95)}; release ${release}; ${again} begun again\n`,
    )
  }

  it('runs each action once, never early, and 95 % within 2 s, with a clock 3 s behind', async () => {
    await shiftClock(-3_000)
    const batch = await plan(USUAL_MOMENTS)
    const seen = await watch(batch)
    tell('no kill', batch, seen)
    await expectOnce(client, db, batch)
    const late = ofDocuments(batch, seen)
    expect(late[0]).to.be.at.least(0)
    expect(shareOf(late, 0.95)).to.be.at.most(WITHIN_MS)
    expect(late.at(-1)).to.be.at.most(WITHIN_MS + BUSY_MS)
    expect(seen.lateness.get(batch.release.id)).to.be.within(0, RELEASE_WITHIN_MS)
  })

  it(`runs each action once, and 95 % within 2 s, with ${KILLS} kills of running processes`, async () => {
    await shiftClock(-3_000)
    const batch = await plan(Math.max(USUAL_MOMENTS, KILLS + 2))
    const first = batch.documents[0]?.at ?? 0
    const [seen] = await Promise.all([watch(batch), killAt(first + APART_MS)])
    tell(`${KILLS} kills`, batch, seen)
    await expectOnce(client, db, batch)
    const late = ofDocuments(batch, seen)
    expect(late[0]).to.be.at.least(0)
    expect(shareOf(late, 0.95)).to.be.at.most(WITHIN_MS)
    expect(late.at(-1)).to.be.at.most(WITHIN_MS + BUSY_MS)
    const releaseLeasesMs = (seen.attempts.get(batch.release.id) ?? 1) * LEASE_MS.release
    const releaseMs = releaseLeasesMs + RELEASE_WITHIN_MS
    expect(seen.lateness.get(batch.release.id)).to.be.within(0, releaseMs)
    const again = [...seen.attempts.values()].filter((attempts) => attempts > 1)
    expect(again, 'what was killed was at nothing').not.to.have.length(0)
  })

  /** At each moment, kills a process that runs an action and starts another one. */
  async function killAt(first: number): Promise<void> {
    const starting: Promise<void>[] = []
    const isHeld = async (): Promise<boolean> =>
      (await schedules().countDocuments({ open: 1, lease: { $ne: null } })) > 0
    for (let kill = 0; kill < KILLS; kill += 1) {
      await until(() => mortal.length > 0, MAX_WAIT_MS)
      await wait(Math.max(0, first + kill * APART_MS - AHEAD_MS - Date.now()))
      await until(async () => !(await isHeld()), MAX_WAIT_MS)
      const victim = mortal.splice(Math.floor(Math.random() * mortal.length), 1)[0]
      // Stops the others, so that this process starts the action.
      const others = [steady, wrong, ...mortal]
      for (const other of others) other.signal('SIGSTOP')
      try {
        await until(isHeld, APART_MS).catch(() => undefined) // a stopped process may hold a needed lock
        await wait(Math.random() * 10)
        await victim?.kill()
      } finally {
        for (const other of others) other.signal('SIGCONT')
      }
      starting.push(start().then((server) => void mortal.push(server)))
    }
    await Promise.all(starting)
  }

  it('runs each action once with a clock that jumps ahead by more than a lease', async () => {
    const aheadMs = LEASE_MS.document + 2_000
    await shiftClock(0)
    const batch = await plan(USUAL_MOMENTS)
    const first = batch.documents[0]?.at ?? 0
    const jump = async (): Promise<void> => {
      await wait(first - Date.now())
      await shiftClock(aheadMs)
    }
    const [seen] = await Promise.all([watch(batch), jump()])
    tell('7 s ahead', batch, seen)
    await expectOnce(client, db, batch)
    expect(ofDocuments(batch, seen)[0]).to.be.at.least(-aheadMs)
  })
})

/** The maximum of this share of an ascending list. */
function shareOf(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? NaN
}

/** Makes this number of values in order, a few at a time. */
async function inTurns<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  while (made.length < count) {
    const turn = Array.from({ length: Math.min(CONCURRENCY, count - made.length) }, (_, index) =>
      make(made.length + index),
    )
    made.push(...(await Promise.all(turn)))
  }
  return made
}
