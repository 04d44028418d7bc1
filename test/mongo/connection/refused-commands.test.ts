import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Collection, Document } from 'mongodb'
import { CmsError, ValidationError } from '../../../src/base/errors.ts'
import type { Database, Session } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { type FaultProxy, openFaultProxy } from '../../faults/fault-proxy.ts'
import { FAULT_KINDS } from '../../faults/wire-fault-table.ts'
import { testUri } from '../../support/test-database.ts'

/** For all attempts of a transaction together. */
const TIMEOUT_MS = 50
const TARGETS = 'targets'
const MAX_ATTEMPTS = 50

type Send = (targets: Collection, session: Session) => Promise<unknown>

const COMMANDS: Readonly<Record<string, Send>> = {
  find: (targets, session) => targets.find({}, { session }).toArray(),
  insertOne: (targets, session) => targets.insertOne({ n: 1 }, { session }),
  insertMany: (targets, session) => targets.insertMany([{ n: 1 }, { n: 2 }], { session }),
  updateMany: (targets, session) => targets.updateMany({}, { $inc: { n: 1 } }, { session }),
  deleteMany: (targets, session) => targets.deleteMany({ n: -1 }, { session }),
  findOneAndUpdate: (targets, session) =>
    targets.findOneAndUpdate({ n: 1 }, { $inc: { n: 1 } }, { session }),
  bulkWrite: (targets, session) =>
    targets.bulkWrite(
      [{ updateOne: { filter: { n: 0 }, update: { $set: { n: 1 } }, upsert: true } }],
      { session },
    ),
}

const isCommit = (command: Document): boolean => 'commitTransaction' in command
const isEnd = (command: Document): boolean => isCommit(command) || 'abortTransaction' in command
const isOfTargets = (command: Document): boolean =>
  Object.values(command).slice(0, 1).includes(TARGETS)

describe('a transaction with a fault in every attempt', function () {
  this.slow(5_000)
  let proxy: FaultProxy
  let database: Database

  const open = (to: FaultProxy, selectionMs: number): Promise<Database> =>
    openDatabase({
      uri: `${to.uri}&serverSelectionTimeoutMS=${selectionMs}`,
      name: `quire_test_refused_${randomBytes(4).toString('hex')}`,
      queryTimeoutMs: 10_000,
      transactionTimeoutMs: TIMEOUT_MS,
      conflictTimeoutMs: TIMEOUT_MS,
    })
  /** Opens again if a busy machine takes longer than the selection of a server may take in the test. */
  const openPatiently = async (to: FaultProxy, selectionMs: number): Promise<Database> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await open(to, selectionMs)
      } catch (error) {
        if (attempt === MAX_ATTEMPTS) throw error
      }
    }
  }
  const makeCollections = async (of: Database): Promise<void> => {
    for (const name of ['rows', TARGETS]) await of.collection(name).insertOne({ n: 0 })
  }

  before(async () => {
    proxy = await openFaultProxy(await testUri())
    database = await open(proxy, 5_000)
    await makeCollections(database)
  })
  afterEach(() => proxy.disarm())
  after(async () => {
    await database.command({ dropDatabase: 1 })
    await database.close()
    await proxy.close()
  })

  const failureOf = (
    of: Database,
    send: Send,
    between: () => Promise<void> = () => Promise.resolve(),
  ): Promise<unknown> =>
    of
      .transact(async (session) => {
        await of.collection('rows').insertOne({}, { session })
        await between()
        await send(of.collection(TARGETS), session)
      })
      .then(
        () => null,
        (error: unknown) => error,
      )
  const expectAway = (failure: unknown, command: string): void => {
    expect(failure, command).to.be.instanceOf(CmsError)
    expect((failure as CmsError).status, command).to.be.oneOf([503, 504])
  }

  for (const { name, suits, fault } of FAULT_KINDS) {
    it(`responds with 503 or 504: ${name}`, async () => {
      for (const [command, send] of Object.entries(COMMANDS)) {
        const met: Document[] = []
        proxy.arm((sent) => {
          if (!isOfTargets(sent) || !suits(sent)) return null
          met.push(sent)
          return fault
        })
        const failure = await failureOf(database, send)
        proxy.disarm()
        if (met.length > 0) expectAway(failure, command)
        else expect(failure, command).to.equal(null)
      }
    })

    it(`responds with 503 or 504 on commit, or stores the write: ${name}`, async () => {
      proxy.arm((sent) => (isCommit(sent) && suits(sent) ? fault : null))
      const failure = await failureOf(database, () => Promise.resolve())
      proxy.disarm()
      if (failure !== null) expectAway(failure, 'commit')
    })

    it(`throws its own error if the abort fails: ${name}`, async () => {
      const own = new ValidationError('x')
      proxy.arm((sent) => (isEnd(sent) && suits(sent) ? fault : null))
      const failure = await failureOf(database, () => Promise.reject(own))
      proxy.disarm()
      expect(failure).to.equal(own)
    })
  }

  for (const [command, send] of Object.entries(COMMANDS)) {
    it(`responds with 503 if no server is left: ${command}`, async () => {
      const door = await openFaultProxy(await testUri())
      const lost = await openPatiently(door, 300)
      await makeCollections(lost)
      const failure = await failureOf(lost, send, async () => {
        await door.close()
        await lost.ping().catch(() => undefined) // lets the driver notice that the server is gone
      })
      await lost.close()
      expectAway(failure, command)
    })
  }
})
