import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import { findLosses } from '../../tools/bench/src/mixed-load/find-losses.ts'
import { type MixedLoad, startMixedLoad } from '../../tools/bench/src/mixed-load/mixed-load.ts'
import { ROOT_TOKEN, type ServerProcess } from '../support/server-process.ts'
import { until, untilGrown } from '../support/until.ts'
import { type BrokenDisk, hasBreakableDisks, openBrokenDisk } from './broken-disk.ts'
import { addPage, refusal, TYPES_WITH_PAGES } from './large-pages.ts'
import { openWorld, type World } from './world.ts'

const MAX_WAIT_MS = 60_000
const REFUSAL = refusal('The database cannot write to its disk')
const AWAY = refusal('The database cannot be reached')

const loadOf = (server: ServerProcess): Promise<MixedLoad> =>
  startMixedLoad({
    bases: [server.base],
    token: ROOT_TOKEN,
    writers: 4,
    readers: 2,
    pauseMs: 20,
  })

const statusOfOneMore = async (server: ServerProcess): Promise<number> =>
  (await addPage(server, MAX_WAIT_MS)).answer[0]

/** While the engine reopens the folder, the database is unreachable, which is another 503. */
async function untilRefused(server: ServerProcess): Promise<void> {
  await until(async () => {
    const { answer } = await addPage(server, MAX_WAIT_MS)
    if (answer[0] !== 201) expect([REFUSAL, AWAY]).to.deep.include(answer)
    return isDeepStrictEqual(answer, REFUSAL)
  }, MAX_WAIT_MS)
}

const REFUSED =
  /^embedded engine: cannot write to the disk: .+; writes are refused until that is over$/
const TAKEN = /^embedded engine: writes are taken again$/

/**
 * Output of LMDB itself on stderr, which the engine cannot suppress: an early write of a large
 * transaction has failed.
 */
const OF_LMDB =
  /^(?:Write error: .+? position \d+, size \d+|mdb_page_spill flushing error \d+|mdb_page_spill error \d+)+/

const ownOf = ({ complaints }: ServerProcess): readonly string[] =>
  complaints.map((line) => line.replace(OF_LMDB, '')).filter((line) => line !== '')

/**
 * The log reports a refusal once, for any number of failing writes. The broken disk still accepts
 * blocks that it has already allocated, so the engine may report success and another failure.
 */
function assertToldOnceEach(complaints: readonly string[]): void {
  for (const [index, complaint] of complaints.entries()) {
    expect(complaint, complaints.join('; ')).to.match(index % 2 === 0 ? REFUSED : TAKEN)
  }
  expect(complaints.length % 2, complaints.join('; ')).to.equal(1)
}

const answersOf = (load: MixedLoad) => (): string => JSON.stringify([...load.statuses])

function untilRead(load: MixedLoad, more: number): Promise<void> {
  const read = (): number => load.statuses.get('GET 200') ?? 0
  return untilGrown({ read, by: more }, MAX_WAIT_MS, answersOf(load))
}

function untilAcknowledged(load: MixedLoad, more: number): Promise<void> {
  return untilGrown({ read: () => load.acknowledged, by: more }, MAX_WAIT_MS, answersOf(load))
}

describe('an embedded database on a disk that breaks', function () {
  this.timeout(240_000)
  this.slow(20_000)
  if (!hasBreakableDisks()) {
    it.skip('needs Linux, a superuser and a loop device')
    return
  }
  let world: World
  let disk: BrokenDisk
  let server: ServerProcess
  let load: MixedLoad

  before(async () => {
    world = await openWorld('broken_disk', { types: TYPES_WITH_PAGES, uri: null })
    disk = await openBrokenDisk(world.folder)
    server = await world.start({}, { within: disk.within })
    load = await loadOf(server)
  })

  after(async () => {
    await server.kill()
    await disk.close()
    await world.remove()
  })

  it('refuses failing writes with 503, logs this once and keeps serving reads', async () => {
    await untilAcknowledged(load, 50)
    disk.break()
    await untilRefused(server)
    await untilRead(load, 50)
    assertToldOnceEach(ownOf(server))
  })

  it('stops without an error, and has all acknowledged writes after a restart of the machine', async () => {
    const report = await load.stop()
    expect(await server.stop()).to.equal(0)
    assertToldOnceEach(ownOf(server))
    disk.repair()
    server = await world.start({}, { within: disk.within })
    expect(report.wrong).to.deep.equal([])
    expect(await findLosses(server.base, ROOT_TOKEN, report)).to.deep.equal([])
    expect(await statusOfOneMore(server)).to.equal(201)
  })
})

describe('an embedded database on a disk that fails for a while', function () {
  this.timeout(240_000)
  this.slow(20_000)
  if (spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status !== 0) {
    it.skip('needs Linux and strace')
    return
  }
  let world: World
  let server: ServerProcess
  let load: MixedLoad

  before(async () => {
    world = await openWorld('failing_syncs', { types: TYPES_WITH_PAGES, uri: null })
    server = await world.start()
    load = await loadOf(server)
  })

  after(() => world.remove())

  it('refuses writes while syncs fail, and accepts them again without a restart', async () => {
    await untilAcknowledged(load, 50)
    const inject = '-f -qq -o /dev/null -e trace=fdatasync -e inject=fdatasync:error=EIO'
    const fault = spawn('strace', [...inject.split(' '), '-p', String(server.pid)])
    await untilRefused(server)
    await untilRead(load, 50)
    fault.kill('SIGINT')
    await once(fault, 'exit')
    await until(async () => (await statusOfOneMore(server)) === 201, MAX_WAIT_MS)
    await untilAcknowledged(load, 50)
    const report = await load.stop()
    expect(report.wrong).to.deep.equal([])
    expect(await findLosses(server.base, ROOT_TOKEN, report)).to.deep.equal([])
    expect(server.complaints).to.deep.equal([
      'embedded engine: cannot write to the disk: Input/output error; writes are refused until that is over',
      'embedded engine: writes are taken again',
    ])
  })
})
