import { SYSTEM } from '../../../src/mongo/connection/authorship.ts'
import { expect } from 'chai'
import type { Database, Session } from '../../../src/mongo/connection/database.ts'
import { writingAs } from '../../../src/mongo/connection/authorship.ts'
import type { Caller } from '../../../src/base/caller.ts'
import { patchVersion } from '../../../src/mongo/write/write-versions.ts'
import { takeDocuments } from '../../../src/mongo/sharing/write-turns.ts'
import { createDocument } from '../../../src/content/write/create-document.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { contextOf, openWorld, planOf } from '../commits/log-world.ts'

const PLAN = planOf('tag')
const KEY = { locale: '', status: 'published' } as const
const WRITERS = 40
const ids = ['one', 'two'].map((name) => name.padEnd(24, 'x'))
const [ONE = '', TWO = ''] = ids

function newGate() {
  let open = (): void => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open: () => open() }
}

describe('writers of one document', () => {
  let test: TestDatabase
  let database: Database

  before(async () => {
    test = await openTestDatabase('turns')
    ;({ database } = test)
    await openWorld(database)
    const writer = { mayRead: () => true, locale: 'en' }
    for (const documentId of ids) {
      const target = { plan: PLAN, documentId, writer, origin: SYSTEM, key: KEY }
      await createDocument(contextOf(database), target, { name: 'new' })
    }
  })
  after(() => test.drop())

  const save = (documentId: string, name: string, session: Session): Promise<unknown> =>
    patchVersion(database, PLAN, { documentId, key: KEY }, { name }, session)
  /** Holds a document in a transaction until the test ends it. */
  const holdOpen = (documentId: string) => {
    const gate = newGate()
    const isOpen = newGate()
    const ended = database.transact(async (session) => {
      await save(documentId, 'held', session)
      isOpen.open()
      await gate.passed
    })
    return { isOpen: isOpen.passed, end: gate.open, ended }
  }

  it('run in the order of arrival with at most one retry each', async () => {
    const runs = Array.from({ length: WRITERS }, () => 0)
    const arrived: number[] = []
    const order: number[] = []
    await Promise.all(
      runs.map(async (_, index) => {
        await database.transact(async (session) => {
          if (runs[index] === 0) arrived.push(index)
          runs[index] = (runs[index] ?? 0) + 1
          await save(ONE, `name ${index}`, session)
        })
        order.push(index)
      }),
    )
    expect(Math.max(...runs)).to.be.at.most(2)
    expect(order).to.deep.equal(arrived)
  })

  it('do not delay writers of other documents', async () => {
    const held = holdOpen(ONE)
    await held.isOpen
    const waiting = database.transact((session) => save(ONE, 'after', session))
    await database.transact((session) => save(TWO, 'beside', session))
    held.end()
    await Promise.all([held.ended, waiting])
  })

  it('do not deadlock with two documents in opposite orders', async () => {
    const both = (order: readonly string[]): Promise<void> =>
      database.transact(async (session) => {
        for (const documentId of order) await save(documentId, order.join(), session)
      })
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => both(index % 2 === 0 ? [ONE, TWO] : [TWO, ONE])),
    )
  })

  it('are skipped if their caller leaves the queue', async () => {
    const held = holdOpen(ONE)
    await held.isOpen
    const listeners: (() => void)[] = []
    const listening = newGate()
    const caller: Caller = {
      hasLeft: () => false,
      onLeave: (listener) => {
        listeners.push(listener)
        listening.open()
        return () => undefined
      },
    }
    let runs = 0
    const authorship = { by: { kind: 'system', id: null, name: null }, requestId: null }
    const left = writingAs(
      authorship,
      () =>
        database.transact((session) => {
          runs += 1
          takeDocuments(PLAN, [ONE], session)
          return save(ONE, 'too late', session)
        }),
      caller,
    ).catch((error: unknown) => error)
    await listening.passed
    for (const leave of listeners) leave()
    expect(await left).to.include({ status: 503, errorCode: 'write_conflict' })
    held.end()
    await held.ended
    expect(runs).to.equal(1)
  })
})
