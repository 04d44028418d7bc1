import { SYSTEM } from '../../../src/mongo/connection/authorship.ts'
import { expect } from 'chai'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { versionsOf } from '../../../src/mongo/versions/stored-version.ts'
import { assertNotHeld, holding } from '../../../src/mongo/write/hold-documents.ts'
import { lockDocument, lockDocuments } from '../../../src/mongo/write/lock-document.ts'
import { patchVersion } from '../../../src/mongo/write/write-versions.ts'
import { createDocument } from '../../../src/content/write/create-document.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { contextOf, openWorld, planOf } from '../commits/log-world.ts'

const DOCUMENTS = 12
const PLAN = planOf('tag')
const KEY = { locale: '', status: 'published' } as const

describe('held documents', () => {
  let test: TestDatabase
  let database: Database
  const documentIds = Array.from({ length: DOCUMENTS }, (_, index) => `${index}`.padStart(24, 'h'))

  before(async () => {
    test = await openTestDatabase('held')
    ;({ database } = test)
    await openWorld(database)
    const writer = { mayRead: () => true, locale: 'en' }
    for (const documentId of documentIds) {
      const target = { plan: PLAN, documentId, writer, origin: SYSTEM, key: KEY }
      await createDocument(contextOf(database), target, { name: 'a' })
    }
  })
  after(() => test.drop())

  const save = (documentId: string): Promise<unknown> =>
    database.transact((session) =>
      patchVersion(database, PLAN, { documentId, key: KEY }, { name: 'b' }, session),
    )
  const lockAll = (): Promise<void> =>
    database.transact((session) => lockDocuments(database, PLAN, documentIds, session))
  const locks = async (): Promise<readonly unknown[]> =>
    (await versionsOf(database, PLAN).find().toArray()).map((row) => row['_lock'])
  const isHold = (lock: unknown): boolean => String(lock).startsWith('hold:')

  it('can all be locked although their writers never pause', async () => {
    let isOver = false
    let saved = 0
    const ended = (): boolean => isOver
    const edit = async (index: number): Promise<void> => {
      while (!ended()) {
        await save(documentIds[index] ?? '')
        saved += 1
      }
    }
    const editors = Promise.all([0, 1, 2, 3].map(edit))
    try {
      await holding(database, [{ plan: PLAN, documentIds }], lockAll)
    } finally {
      isOver = true
    }
    await editors
    expect((await locks()).filter(isHold)).to.deep.equal([])
    expect(saved).to.be.above(0)
  })

  it('block writers until the work has ended', async () => {
    const order: string[] = []
    const [first = ''] = documentIds
    let saving: Promise<unknown> = Promise.resolve()
    await holding(database, [{ plan: PLAN, documentIds }], async () => {
      expect((await locks()).every(isHold)).to.equal(true)
      saving = save(first).then(() => order.push('saved'))
      await lockAll()
      order.push('locked')
    })
    await saving
    expect(order).to.deep.equal(['locked', 'saved'])
  })

  it('are released if the work fails', async () => {
    const failing = holding(database, [{ plan: PLAN, documentIds }], () =>
      Promise.reject(new Error('on the way')),
    )
    expect(await failing.then(String, String)).to.include('on the way')
    expect((await locks()).filter(isHold)).to.deep.equal([])
    await save(documentIds[0] ?? '')
  })

  it('refuse a writer of several versions as well, as a retryable conflict', async () => {
    const attempt = (): Promise<unknown> =>
      database.transact(async (session) => {
        await lockDocument(database, PLAN, documentIds[0] ?? '', session).catch(
          (error: unknown) => {
            throw new Error(String(error)) // only the first attempt matters
          },
        )
      })
    await holding(database, [{ plan: PLAN, documentIds }], async () => {
      expect(await attempt().then(String, String)).to.include('about to lock')
    })
  })

  it('are ignored if their expiry is implausible', () => {
    const hold = (inMs: number): string => `hold:${Date.now() + inMs}:0123456789abcdef`
    expect(() => assertNotHeld(hold(5_000))).to.throw('about to lock')
    for (const lock of [undefined, 'f00d', hold(-1), hold(3_600_000)]) assertNotHeld(lock)
  })
})
