import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Database } from '../../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../../src/mongo/connection/open-database.ts'
import { testUri } from '../../../support/test-database.ts'

/** Far longer than a new connection takes, and far shorter than forever. */
const HANGS_AFTER_MS = 15_000

describe('a command on a lost socket', () => {
  const sockets = new Set<Socket>()
  const note = (message: unknown): void => {
    sockets.add((message as { readonly socket: Socket }).socket)
  }
  let database: Database

  before(async () => {
    diagnostics.subscribe('net.client.socket', note)
    database = await openDatabase({
      uri: await testUri(),
      name: 'quire_test_lost_sockets',
      queryTimeoutMs: 10_000,
    })
  })
  after(async () => {
    diagnostics.unsubscribe('net.client.socket', note)
    await database.command({ dropDatabase: 1 })
    await database.close()
  })

  /** The driver learns of it with the `close` event a moment later. */
  function loseAll(): void {
    expect(sockets.size).to.be.above(0)
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }

  /** The next write fails after the socket buffer was full, so the driver waits for `drain`. */
  function breakAll(): void {
    expect(sockets.size).to.be.above(0)
    for (const socket of sockets) {
      socket.write = () => {
        const error = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' })
        setImmediate(() => socket.destroy(error))
        return false
      }
    }
    sockets.clear()
  }

  const read = (): Promise<unknown> => database.collection('rows').findOne({ _id: 1 as never })

  it('is sent again on another socket and never hangs', async () => {
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([read(), read(), read()])
      loseAll()
      const answers = Promise.all([read(), read(), read()])
      expect(await Promise.race([answers, wait(HANGS_AFTER_MS, 'hangs')])).to.deep.equal([
        null,
        null,
        null,
      ])
    }
  })

  it('is sent again if the write fails', async () => {
    await Promise.all([read(), read(), read()])
    breakAll()
    expect(await Promise.all([read(), read(), read()])).to.deep.equal([null, null, null])
  })

  it('is sent again for a commit, which is stored once', async () => {
    const rows = database.collection('written')
    await rows.insertOne({ before: true })
    await database.transact(async (session) => {
      await rows.insertOne({ before: false }, { session })
      if (sockets.size > 0) breakAll()
    })
    expect(await rows.countDocuments({ before: false })).to.equal(1)
  })
})
