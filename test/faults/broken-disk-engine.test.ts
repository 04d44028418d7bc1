import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { MIXED_TYPES } from '../../scripts/mixed-load/content-types.ts'
import { findLosses } from '../../scripts/mixed-load/find-losses.ts'
import { type MixedLoad, startMixedLoad } from '../../scripts/mixed-load/mixed-load.ts'
import { ROOT_TOKEN, type ServerProcess } from '../api/server-process.ts'
import { until } from '../until.ts'
import { type BrokenDisk, hasBreakableDisks, openBrokenDisk } from './broken-disk.ts'
import { openWorld, type World } from './world.ts'

const TYPES = {
  ...MIXED_TYPES,
  page: {
    kind: 'collectionType',
    info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
    attributes: { text: { type: 'text' } },
  },
}

const HEADERS = { authorization: `Bearer ${ROOT_TOKEN}`, 'content-type': 'application/json' }
const PATIENCE_MS = 60_000
const REFUSAL = [
  503,
  {
    data: null,
    error: {
      status: 503,
      name: 'ServiceUnavailableError',
      message: 'The database cannot write to its disk',
      details: {},
    },
  },
  '1',
]

const loadOf = (server: ServerProcess): Promise<MixedLoad> =>
  startMixedLoad({
    bases: [server.base],
    token: ROOT_TOKEN,
    writers: 4,
    readers: 2,
    pauseMs: 20,
  })

/** What one more page is answered, which needs room. */
async function addPage(server: ServerProcess): Promise<readonly [number, unknown, string | null]> {
  const response = await fetch(`${server.base}/api/pages`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ data: { text: randomBytes(100_000).toString('hex') } }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  return [response.status, await response.json(), response.headers.get('retry-after')]
}

async function untilRefused(server: ServerProcess): Promise<void> {
  let refusal = await addPage(server)
  await until(async () => (refusal = await addPage(server))[0] === 503, PATIENCE_MS)
  expect(refusal).to.deep.equal(REFUSAL)
}

async function untilRead(load: MixedLoad, more: number): Promise<void> {
  const read = load.statuses.get('GET 200') ?? 0
  await until(() => (load.statuses.get('GET 200') ?? 0) > read + more, PATIENCE_MS)
}

async function untilAcknowledged(load: MixedLoad, more: number): Promise<void> {
  const wanted = load.acknowledged + more
  await until(() => load.acknowledged >= wanted, PATIENCE_MS)
}

describe('an embedded database whose disk breaks', function () {
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
    world = await openWorld('broken_disk', { types: TYPES, uri: null })
    disk = await openBrokenDisk(world.folder)
    server = await world.start({}, { within: disk.within })
    load = await loadOf(server)
  })

  after(async () => {
    await server.kill()
    await disk.close()
    await world.remove()
  })

  it('refuses with 503 what it cannot write, says so once, and goes on to be read', async () => {
    await untilAcknowledged(load, 50)
    disk.break()
    await untilRefused(server)
    await untilRead(load, 50)
    expect(server.complaints).to.have.length(1)
    expect(server.complaints[0]).to.match(
      /^embedded engine: cannot write to the disk: .+; writes are refused until that is over$/,
    )
  })

  it('ends without complaint, and has what it acknowledged after a new start of the machine', async () => {
    const report = await load.stop()
    expect(await server.stop()).to.equal(0)
    expect(server.complaints).to.have.length(1)
    disk.repair()
    server = await world.start({}, { within: disk.within })
    expect(report.wrong).to.deep.equal([])
    expect(await findLosses(server.base, ROOT_TOKEN, report)).to.deep.equal([])
    expect((await addPage(server))[0]).to.equal(201)
  })
})

describe('an embedded database whose disk fails for a while', function () {
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
    world = await openWorld('failing_syncs', { types: TYPES, uri: null })
    server = await world.start()
    load = await loadOf(server)
  })

  after(() => world.remove())

  it('refuses writes while nothing can be synced, and takes them again without a new start', async () => {
    await untilAcknowledged(load, 50)
    const inject = '-f -qq -o /dev/null -e trace=fdatasync -e inject=fdatasync:error=EIO'
    const fault = spawn('strace', [...inject.split(' '), '-p', String(server.pid)])
    await untilRefused(server)
    await untilRead(load, 50)
    fault.kill('SIGINT')
    await once(fault, 'exit')
    await until(async () => (await addPage(server))[0] === 201, PATIENCE_MS)
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
