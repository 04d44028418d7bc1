import { expect } from 'chai'
import { findLosses } from '../../scripts/mixed-load/find-losses.ts'
import {
  type LoadReport,
  type MixedLoad,
  startMixedLoad,
} from '../../scripts/mixed-load/mixed-load.ts'
import { ROOT_TOKEN, type ServerProcess } from '../api/server-process.ts'
import { until, untilGrown } from '../support/until.ts'
import { type AddedPage, addPage, HEADERS, refusal, TYPES_WITH_PAGES } from './large-pages.ts'
import { smallDisks } from './small-disk.ts'
import { openWorld, type World } from './world.ts'

const PATIENCE_MS = 60_000
/**
 * How often the disk fills, and has room again, under one server, whose start is most of what a run costs. Each
 * round is followed by a look for losses; what it wrote is not changed by later ones, and is looked at again after them.
 */
const ROUNDS = Number(process.env['FULL_DISK_ROUNDS'] ?? 1)

describe('an embedded database whose disk is full', function () {
  this.timeout(ROUNDS * 240_000)
  this.slow(20_000)
  const disks = smallDisks()
  if (disks.length === 0) it.skip('needs Linux and either a mount namespace or prlimit')

  for (const disk of disks) {
    describe(`by ${disk.what}`, () => {
      let world: World
      let server: ServerProcess
      let load: MixedLoad
      let report: LoadReport | undefined
      const kept: string[] = []

      before(async () => {
        world = await openWorld('full_engine', { types: TYPES_WITH_PAGES, uri: null })
        server = await world.start({}, { within: disk.within(world.folder) })
      })

      after(() => world.remove())

      const answers = (): string => JSON.stringify([...load.statuses])
      const untilAcknowledged = (more: number): Promise<void> =>
        untilGrown({ read: () => load.acknowledged, by: more }, PATIENCE_MS, answers)
      const untilRead = (more: number): Promise<void> =>
        untilGrown(
          { read: () => load.statuses.get('GET 200') ?? 0, by: more },
          PATIENCE_MS,
          answers,
        )

      async function addOne(): Promise<AddedPage['answer']> {
        const { answer, documentId } = await addPage(server, PATIENCE_MS)
        if (documentId !== null) kept.push(documentId)
        return answer
      }

      async function fillAndRead(): Promise<void> {
        load = await startMixedLoad({
          bases: [server.base],
          token: ROOT_TOKEN,
          writers: 4,
          readers: 2,
          uploaders: 1,
          pauseMs: 20,
          ...(report && { ledger: report.ledger }),
        })
        await untilAcknowledged(50)
        disk.fill(server.pid, world.folder)
        let last = await addOne()
        await until(async () => (last = await addOne())[0] !== 201, PATIENCE_MS)
        expect(last).to.deep.equal(refusal('The database has no space left'))
        await untilRead(50)
        expect((await fetch(`${server.base}/_health`)).status).to.equal(204)
      }

      async function leaveAndWrite(): Promise<void> {
        disk.leave(server.pid, world.folder, Infinity)
        await until(async () => (await addOne())[0] === 201, PATIENCE_MS)
        await untilAcknowledged(50)
        report = await load.stop()
        expect(report.wrong).to.deep.equal([])
        expect(await losses()).to.deep.equal([])
      }

      async function losses(): Promise<readonly string[]> {
        if (report === undefined) throw new Error('the load has not ended')
        return findLosses(server.base, ROOT_TOKEN, report)
      }

      it('refuses what it cannot write with 503, and goes on to be read', async () => {
        for (let round = 1; round < ROUNDS; round += 1) {
          await fillAndRead()
          await leaveAndWrite()
        }
        await fillAndRead()
      })

      it('writes again as soon as there is room, and has lost nothing', async () => {
        await leaveAndWrite()
        for (const documentId of kept) {
          const page = await fetch(`${server.base}/api/pages/${documentId}`, { headers: HEADERS })
          expect(page.status, await page.text()).to.equal(200)
        }
        expect(server.complaints).to.deep.equal([])
      })

      it('ends as always, full or not', async () => {
        disk.fill(server.pid, world.folder)
        await until(async () => (await addOne())[0] !== 201, PATIENCE_MS)
        expect(await server.stop()).to.equal(0)
        expect(server.complaints).to.deep.equal([])
      })

      it('has on the disk what it had in memory', async function () {
        // What is mounted for a process ends with it.
        if (disk.mounts) this.skip()
        server = await world.start()
        expect(await losses()).to.deep.equal([])
        expect(await server.stop()).to.equal(0)
      })
    })
  }
})
