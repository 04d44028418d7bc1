import { expect } from 'chai'
import { findLosses } from '../../tools/bench/src/mixed-load/find-losses.ts'
import {
  type LoadReport,
  type MixedLoad,
  startMixedLoad,
} from '../../tools/bench/src/mixed-load/mixed-load.ts'
import { ROOT_TOKEN, type ServerProcess } from '../support/server-process.ts'
import { until, untilGrown } from '../support/until.ts'
import { type AddedPage, addPage, HEADERS, refusal, TYPES_WITH_PAGES } from './large-pages.ts'
import { smallDisks } from './small-disk.ts'
import { openWorld, type World } from './world.ts'

const MAX_WAIT_MS = 60_000
/**
 * How often the disk fills and gets space again under one server. The start of the server is most
 * of the cost of a run. Each round checks for losses, including those of earlier rounds.
 */
const ROUNDS = Number(process.env['FULL_DISK_ROUNDS'] ?? 1)

describe('an embedded database on a full disk', function () {
  this.timeout(ROUNDS * 240_000)
  this.slow(20_000)
  const disks = smallDisks()
  if (disks.length === 0) it.skip('needs Linux and either a mount namespace or prlimit')

  for (const disk of disks) {
    describe(`by ${disk.label}`, () => {
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
        untilGrown({ read: () => load.acknowledged, by: more }, MAX_WAIT_MS, answers)
      const untilRead = (more: number): Promise<void> =>
        untilGrown(
          { read: () => load.statuses.get('GET 200') ?? 0, by: more },
          MAX_WAIT_MS,
          answers,
        )

      async function addOne(): Promise<AddedPage['answer']> {
        const { answer, documentId } = await addPage(server, MAX_WAIT_MS)
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
        await until(async () => (last = await addOne())[0] !== 201, MAX_WAIT_MS)
        expect(last).to.deep.equal(refusal('The database has no space left'))
        await untilRead(50)
        expect((await fetch(`${server.base}/_health`)).status).to.equal(204)
      }

      async function leaveAndWrite(): Promise<void> {
        disk.leave(server.pid, world.folder, Infinity)
        await until(async () => (await addOne())[0] === 201, MAX_WAIT_MS)
        await untilAcknowledged(50)
        report = await load.stop()
        expect(report.wrong).to.deep.equal([])
        expect(await losses()).to.deep.equal([])
      }

      async function losses(): Promise<readonly string[]> {
        if (report === undefined) throw new Error('the load has not ended')
        return findLosses(server.base, ROOT_TOKEN, report)
      }

      it('refuses failing writes with 503 and keeps serving reads', async () => {
        for (let round = 1; round < ROUNDS; round += 1) {
          await fillAndRead()
          await leaveAndWrite()
        }
        await fillAndRead()
      })

      it('writes again once there is space, and has lost no data', async () => {
        await leaveAndWrite()
        for (const documentId of kept) {
          const page = await fetch(`${server.base}/api/pages/${documentId}`, { headers: HEADERS })
          expect(page.status, await page.text()).to.equal(200)
        }
        expect(server.complaints).to.deep.equal([])
      })

      it('stops without an error on a full disk', async () => {
        disk.fill(server.pid, world.folder)
        await until(async () => (await addOne())[0] !== 201, MAX_WAIT_MS)
        expect(await server.stop()).to.equal(0)
        expect(server.complaints).to.deep.equal([])
      })

      it('has the same data on the disk as in memory', async function () {
        // The mount of a process ends with the process.
        if (disk.mounts) this.skip()
        server = await world.start()
        expect(await losses()).to.deep.equal([])
        expect(await server.stop()).to.equal(0)
      })
    })
  }
})
