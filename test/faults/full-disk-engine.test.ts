import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { MIXED_TYPES } from '../../scripts/mixed-load/content-types.ts'
import { findLosses } from '../../scripts/mixed-load/find-losses.ts'
import { type MixedLoad, startMixedLoad } from '../../scripts/mixed-load/mixed-load.ts'
import { ROOT_TOKEN, type ServerProcess } from '../api/server-process.ts'
import { until } from '../until.ts'
import { smallDisks } from './small-disk.ts'
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

describe('an embedded database whose disk is full', function () {
  this.timeout(240_000)
  this.slow(20_000)
  const disks = smallDisks()
  if (disks.length === 0) it.skip('needs Linux and either a mount namespace or prlimit')

  for (const disk of disks) {
    describe(`by ${disk.what}`, () => {
      let world: World
      let server: ServerProcess
      let load: MixedLoad
      const kept: string[] = []

      before(async () => {
        world = await openWorld('full_engine', { types: TYPES, uri: null })
        server = await world.start({}, { within: disk.within(world.folder) })
        load = await startMixedLoad({
          bases: [server.base],
          token: ROOT_TOKEN,
          writers: 4,
          readers: 2,
          uploaders: 1,
          pauseMs: 20,
        })
      })

      after(() => world.remove())

      const untilAcknowledged = (more: number): Promise<void> => {
        const wanted = load.acknowledged + more
        return until(() => load.acknowledged >= wanted, PATIENCE_MS)
      }

      /** The status of one more page, which needs room; what it is told with 503. */
      async function addPage(): Promise<readonly [number, unknown, string | null]> {
        const response = await fetch(`${server.base}/api/pages`, {
          method: 'POST',
          headers: HEADERS,
          body: JSON.stringify({ data: { text: randomBytes(100_000).toString('hex') } }),
          signal: AbortSignal.timeout(PATIENCE_MS),
        })
        const body = (await response.json()) as { readonly data: { documentId: string } | null }
        if (body.data !== null) kept.push(body.data.documentId)
        return [response.status, body, response.headers.get('retry-after')]
      }

      it('refuses what it cannot write with 503, and goes on to be read', async () => {
        await untilAcknowledged(50)
        disk.fill(server.pid, world.folder)
        let refusal = await addPage()
        await until(async () => (refusal = await addPage())[0] !== 201, PATIENCE_MS)
        expect(refusal).to.deep.equal([
          503,
          {
            data: null,
            error: {
              status: 503,
              name: 'ServiceUnavailableError',
              message: 'The database has no space left',
              details: {},
            },
          },
          '1',
        ])
        const read = load.statuses.get('GET 200') ?? 0
        await until(() => (load.statuses.get('GET 200') ?? 0) > read + 50, PATIENCE_MS)
        expect((await fetch(`${server.base}/_health`)).status).to.equal(204)
      })

      it('writes again as soon as there is room, and has lost nothing', async () => {
        disk.leave(server.pid, world.folder, Infinity)
        await until(async () => (await addPage())[0] === 201, PATIENCE_MS)
        await untilAcknowledged(50)
        const report = await load.stop()
        expect(report.wrong).to.deep.equal([])
        expect(await findLosses(server.base, ROOT_TOKEN, report)).to.deep.equal([])
        for (const documentId of kept) {
          const page = await fetch(`${server.base}/api/pages/${documentId}`, { headers: HEADERS })
          expect(page.status, await page.text()).to.equal(200)
        }
        expect(server.complaints).to.deep.equal([])
      })

      it('ends as always, full or not', async () => {
        disk.fill(server.pid, world.folder)
        await until(async () => (await addPage())[0] !== 201, PATIENCE_MS)
        expect(await server.stop()).to.equal(0)
        expect(server.complaints).to.deep.equal([])
      })
    })
  }
})
