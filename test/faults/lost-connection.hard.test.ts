import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { MIXED_TYPES } from '../../tools/bench/src/mixed-load/content-types.ts'
import { findLosses } from '../../tools/bench/src/mixed-load/find-losses.ts'
import { type MixedLoad, startMixedLoad } from '../../tools/bench/src/mixed-load/mixed-load.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts'
import { ROOT_TOKEN, type ServerProcess } from '../support/server-process.ts'
import { testUri } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { checkMedia } from './check-media.ts'
import { openWorld, type World } from './world.ts'

/** The duration of a fault that does not end by itself. */
const FAULT_MS = Number(process.env['QUIRE_FAULT_MS'] ?? 300)
/** The storages of files. With `gridfs` files use the same connection. */
const STORAGES = (process.env['QUIRE_FAULT_STORAGES'] ?? 'gridfs').split(',')
const ROUNDS = Number(process.env['QUIRE_FAULT_ROUNDS'] ?? 1)
const RECOVERY_MS = 30_000
const HANGS_AFTER_MS = 25_000

interface Fault {
  readonly label: string
  readonly begin: (proxy: DatabaseProxy, load: MixedLoad) => void | Promise<void>
  readonly end?: (proxy: DatabaseProxy) => void
}

const count = ({ statuses }: MixedLoad, status: string): number =>
  [...statuses].reduce((sum, [name, times]) => sum + (name.endsWith(status) ? times : 0), 0)

const FAULTS: readonly Fault[] = [
  { label: 'all connections are cut at once', begin: (proxy) => proxy.cut() },
  {
    label: 'one connection is cut after the other',
    begin: async (proxy) => {
      for (let left = FAULT_MS; left > 0; left -= 20) {
        proxy.cut(1)
        await wait(20)
      }
    },
  },
  { label: 'it breaks within a command', begin: (proxy) => proxy.cutInMessage('client') },
  { label: 'it breaks within a reply', begin: (proxy) => proxy.cutInMessage('database') },
  {
    label: 'it stalls and continues',
    begin: (proxy) => proxy.stall(),
    end: (proxy) => proxy.resume(),
  },
  {
    label: 'it stalls and breaks',
    begin: (proxy) => proxy.stall(),
    end: (proxy) => proxy.open(),
  },
  {
    label: 'it stalls until requests fail, and continues',
    begin: async (proxy, load) => {
      proxy.stall()
      const before = count(load, ' 503')
      await until(() => count(load, ' 503') > before, RECOVERY_MS)
    },
    end: (proxy) => proxy.resume(),
  },
  {
    label: 'it has a high and varying latency',
    begin: (proxy) => proxy.behave({ latencyMs: 5, jitterMs: 60 }),
    end: (proxy) => proxy.behave(),
  },
  {
    label: 'it sends a few bytes at a time',
    begin: (proxy) => proxy.behave({ latencyMs: 2, pieceBytes: 100 }),
    end: (proxy) => proxy.behave(),
  },
  {
    label: 'new connections are refused for a while',
    begin: async (proxy, load) => {
      proxy.shut()
      const before = count(load, ' 503')
      await until(() => count(load, ' 503') > before, RECOVERY_MS)
    },
    end: (proxy) => proxy.open(),
  },
]

describe('a connection to the database', function () {
  this.timeout(FAULT_MS * ROUNDS + 120_000)
  this.slow(20_000)

  for (const storage of STORAGES) {
    describe(`under mixed load with files in ${storage}`, () => {
      let proxy: DatabaseProxy
      let world: World
      let server: ServerProcess
      let load: MixedLoad

      before(async () => {
        proxy = await openDatabaseProxy(await testUri())
        world = await openWorld('lost', { types: MIXED_TYPES, uri: proxy.uri })
        server = await world.start({ UPLOAD_STORAGE: storage, SLOW_REQUEST_MS: '0' })
        load = await startMixedLoad({
          bases: [server.base],
          token: ROOT_TOKEN,
          writers: 6,
          readers: 2,
          uploaders: 2,
          timeoutMs: HANGS_AFTER_MS,
          pauseMs: 10,
        })
      })

      after(async () => {
        await world.remove()
        await proxy.close()
      })

      /** Waits for acknowledged writes of every kind, and for reads. */
      async function untilServed(): Promise<void> {
        const { acknowledged } = load
        const read = load.statuses.get('GET 200') ?? 0
        const isServed = (): boolean =>
          load.acknowledged > acknowledged + 10 && (load.statuses.get('GET 200') ?? 0) > read + 10
        await until(isServed, RECOVERY_MS)
        await until(async () => (await fetch(`${server.base}/_ready`)).status === 204, RECOVERY_MS)
      }

      for (const { label, begin, end } of FAULTS) {
        it(`recovers when ${label}`, async () => {
          for (let round = 0; round < ROUNDS; round += 1) {
            await untilServed()
            await begin(proxy, load)
            await wait(FAULT_MS)
            expect((await fetch(`${server.base}/_health`)).status).to.equal(204)
            end?.(proxy)
            await untilServed()
          }
          expect(load.wrong).to.deep.equal([])
          expect(server.complaints).to.deep.equal([])
        })
      }

      it('has lost no write, and repeated none', async () => {
        const report = await load.stop()
        expect(report.wrong).to.deep.equal([])
        expect(await findLosses(server.base, ROOT_TOKEN, report)).to.deep.equal([])
        const { faults } = await checkMedia(world.env, storage)
        expect(faults.filter(({ kind }) => kind.endsWith('without-file'))).to.deep.equal([])
        expect(server.complaints).to.deep.equal([])
        expect(await server.stop()).to.equal(0)
      })
    })
  }
})
