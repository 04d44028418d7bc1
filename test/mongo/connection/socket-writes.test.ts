import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type Database, openDatabase } from '../../../src/mongo/connection/database.ts'
import { testUri } from '../../support/test-database.ts'

/** Far more than a new connection takes, and far less than for ever. */
const HANGS_AFTER_MS = 15_000

describe('a command on a socket that has just been lost', () => {
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

  /** The driver hears of it with the event `close`, which comes a moment later. */
  function loseAll(): void {
    expect(sockets.size).to.be.above(0)
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }

  /** The system refuses what is written next, after it took no more at once: the driver waits for `drain` then. */
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

  it('is sent again on another, and never waits for ever', async () => {
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

  it('is sent again where the system refuses to write it', async () => {
    await Promise.all([read(), read(), read()])
    breakAll()
    expect(await Promise.all([read(), read(), read()])).to.deep.equal([null, null, null])
  })

  it('is sent again where it commits a transaction, which is stored once', async () => {
    const rows = database.collection('written')
    await rows.insertOne({ before: true })
    await database.transact(async (session) => {
      await rows.insertOne({ before: false }, { session })
      if (sockets.size > 0) breakAll()
    })
    expect(await rows.countDocuments({ before: false })).to.equal(1)
  })
})
