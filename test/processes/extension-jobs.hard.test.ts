import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { type Db, MongoClient } from 'mongodb'
import { EXTENSION_JOBS, type ExtensionJobRow } from '../../src/server/extensions/job-rows.ts'
import { openWorld, type World } from '../faults/world.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { ask } from './processes.ts'

const PROCESSES = 3
const ROUNDS = 8
const WAIT_MS = 60_000
/** The documented time after which another process notices a kill, and extra time for a busy machine. */
const TAKEN_OVER_MS = 15_000 + 10_000

/** Each job writes a line when it begins and when it ends. While the file `hold` exists, it does not end. */
const configuration = (folder: string): string => `
import { appendFileSync, existsSync } from 'node:fs'
const note = (word, name, at) =>
  appendFileSync(${JSON.stringify(path.join(folder, 'runs.txt'))}, [word, name, process.pid, at.toISOString()].join(' ') + '\\n')
const job = (name, catchUp) => ({
  name,
  cron: '0 0 1 1 *',
  catchUp,
  async run({ at, content, signal }) {
    note('begin', name, at)
    await content.notes.create({ name }, { as: 'system' })
    while (existsSync(${JSON.stringify(path.join(folder, 'hold'))}) && !signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    note('end', name, at)
  },
})
export default { extensions: [{ name: 'shop', jobs: [job('again', true), job('once', false)] }] }
`

interface Run {
  readonly word: string
  readonly name: string
  readonly pid: number
  readonly at: string
}

describe('jobs of extensions in several processes', () => {
  let world: World
  let client: MongoClient
  let db: Db
  let servers: ServerProcess[]

  before(async () => {
    world = await openWorld('extension_jobs')
    writeFileSync(path.join(world.folder, 'quire.config.mjs'), configuration(world.folder))
    appendFileSync(runsFile(), '')
    client = await MongoClient.connect(String(world.env['MONGODB_URI']))
    db = client.db(world.env['MONGODB_DATABASE'])
    servers = await Promise.all(Array.from({ length: PROCESSES }, start))
  })
  after(async () => {
    await world.remove()
    await client.close()
  })

  const start = (): Promise<ServerProcess> => world.start({}, { cwd: world.folder })
  const runsFile = (): string => path.join(world.folder, 'runs.txt')
  const holdFile = (): string => path.join(world.folder, 'hold')
  const rows = () => db.collection<ExtensionJobRow>(EXTENSION_JOBS)
  const runs = (): readonly Run[] =>
    readFileSync(runsFile(), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [word = '', name = '', pid = '', at = ''] = line.split(' ')
        return { word, name, pid: Number(pid), at }
      })
  const runsAt = (at: Date, word: string): readonly Run[] =>
    runs().filter((run) => run.at === at.toISOString() && run.word === word)
  /** Makes both jobs due now. Returns the time. */
  const makeDue = async (): Promise<Date> => {
    const at = new Date()
    await rows().updateMany({}, { $set: { dueAt: at } })
    return at
  }
  const settled = (): Promise<void> =>
    until(async () => {
      const all = await rows().find({}).toArray()
      return all.every(({ lease, dueAt }) => lease === null && dueAt.getTime() > Date.now())
    }, WAIT_MS)

  it('run once in the cluster at each time', async () => {
    const times: Date[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      times.push(await makeDue())
      await settled()
    }
    for (const at of times) {
      for (const word of ['begin', 'end']) {
        const names = runsAt(at, word).map(({ name }) => name)
        expect([...names].sort(), at.toISOString()).to.deep.equal(['again', 'once'])
      }
    }
    const [server] = servers
    const { body } = await ask(server ?? { base: '' }, 'GET', '/api/notes')
    expect(body.meta.pagination.total).to.equal(2 * ROUNDS)
  })

  it('are taken over from a process that was killed in the middle', async () => {
    writeFileSync(holdFile(), '')
    const at = await makeDue()
    await until(() => runsAt(at, 'begin').length === 2, WAIT_MS)
    const killed = new Set(runsAt(at, 'begin').map(({ pid }) => pid))
    const dead = servers.filter(({ pid }) => killed.has(pid))
    const alive = servers.filter(({ pid }) => !killed.has(pid))
    expect(dead.length).to.equal(killed.size)
    expect(alive.length).to.be.above(0)
    const killedAt = Date.now()
    await Promise.all(dead.map((server) => server.kill()))
    await until(() => runsSince(at).length === 3, TAKEN_OVER_MS)
    expect(Date.now() - killedAt).to.be.below(TAKEN_OVER_MS)
    rmSync(holdFile())
    await settled()
    const [, , again] = runsSince(at)
    expect(again?.name).to.equal('again')
    expect(alive.map(({ pid }) => pid)).to.include(again?.pid)
    const ended = runs().filter((run) => run.word === 'end' && run.pid === again?.pid)
    expect(ended.at(-1)).to.include({ name: 'again' })
    const lines = alive.flatMap(({ lastLines }) => lastLines).join('\n')
    expect(lines).to.include('The job was interrupted; it runs once now')
    expect(lines).to.include('The job was interrupted; it runs at its next time')
    servers = [...alive, ...(await Promise.all(dead.map(start)))]
  })

  it('go on in the remaining processes, and in new ones', async () => {
    const at = await makeDue()
    await settled()
    const names = runsAt(at, 'end').map(({ name }) => name)
    expect([...names].sort()).to.deep.equal(['again', 'once'])
  })

  /** The beginnings of runs since a time, including runs for a later time. */
  function runsSince(at: Date): readonly Run[] {
    return runs().filter((run) => run.word === 'begin' && new Date(run.at) >= at)
  }
})
