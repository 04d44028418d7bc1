import { createReadStream, readdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import {
  openResumableUploads,
  type ResumableUploads,
} from '../../../src/media/resumable/resumable-uploads.ts'
import { type NewUpload, UPLOADS } from '../../../src/media/resumable/upload-rows.ts'
import { openGridFsStorage } from '../../../src/media/storage/gridfs-storage.ts'
import type { MediaStorage } from '../../../src/media/storage/storage.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { useTempFolder } from '../temp-folder.ts'

const DAY_MS = 86_400_000
const OWNER = 'user:a'

describe('resumable uploads', () => {
  const folder = useTempFolder()
  let test: TestDatabase
  let storage: MediaStorage
  let now: Date
  let uploads: ResumableUploads

  beforeEach(async () => {
    test = await openTestDatabase('resumable')
    storage = openGridFsStorage(test.database)
    now = new Date('2026-01-01T00:00:00Z')
    uploads = await open(storage)
  })
  afterEach(() => test.drop())

  const open = (stored: MediaStorage): Promise<ResumableUploads> =>
    openResumableUploads({
      database: test.database,
      storage: stored,
      spoolFolder: join(folder(), 'spool'),
      now: () => now,
    })
  const upload = (_id: string, length = 10): NewUpload => {
    const file = { name: 'a', type: '', fileInfo: null }
    return { _id, owner: OWNER, length, metadata: '', isStored: false, ...file }
  }
  const later = (ms: number): void => {
    now = new Date(now.getTime() + ms)
  }
  const requestOf = (text: string): IncomingMessage => {
    const path = join(folder(), 'body')
    writeFileSync(path, text)
    return Object.assign(createReadStream(path), { complete: true }) as unknown as IncomingMessage
  }
  const send = (id: string, text: string, to = uploads): Promise<unknown> =>
    to.holding(id, OWNER, (lock) => lock.receive(requestOf(text)))
  const stored = async (): Promise<readonly string[]> => {
    const names: string[] = []
    for await (const { name } of storage.list()) names.push(name)
    return names
  }

  const change = async (_id: string, set: object): Promise<void> => {
    await test.database.table<{ _id: string }>(UPLOADS).updateOne({ _id }, { $set: set })
  }

  it('expire a day after their last bytes, with their parts', async () => {
    await uploads.create(upload('one'))
    await uploads.create(upload('other'))
    later(DAY_MS / 2)
    await send('one', 'hello')
    later(DAY_MS / 2)
    expect(await uploads.sweep()).to.equal(1)
    expect((await uploads.find('one', OWNER)).offset).to.equal(5)
    later(DAY_MS / 2)
    await expectRejected(uploads.find('one', OWNER), 404)
    expect(await stored()).to.have.length(1)
    expect(await uploads.sweep()).to.equal(1)
    expect(await stored()).to.deep.equal([])
    expect(await uploads.storedNames()).to.deep.equal([])
  })

  it('are not swept while a request holds them', async () => {
    await uploads.create(upload('one'))
    later(DAY_MS - 2_000)
    await uploads.holding('one', OWNER, async () => {
      later(4_000)
      expect(await uploads.sweep()).to.equal(0)
    })
    expect(await uploads.sweep()).to.equal(1)
  })

  it('lose no acknowledged byte and leave no part after a failure of any step', async () => {
    for (const step of ['before', 'after'] as const) {
      const id = `failing-${step}`
      await uploads.create(upload(id))
      await send(id, 'abc')
      const failing = await open({
        ...storage,
        put: async (name, path) => {
          if (step === 'after') await storage.put(name, path)
          throw new Error('killed')
        },
      })
      await send(id, 'def', failing).then(
        () => expect.fail('the write must fail'),
        () => undefined,
      )
      expect((await uploads.find(id, OWNER)).offset).to.equal(3)
      await send(id, 'defghij')
      const bytes = await uploads.holding(id, OWNER, (lock) =>
        lock.complete(async ({ files: [file] }) => {
          expect(file?.head.toString()).to.equal('abcdefghij')
          return buffer(createReadStream(file?.path ?? ''))
        }),
      )
      expect(bytes.toString()).to.equal('abcdefghij')
      expect(await stored()).to.deep.equal([])
    }
  })

  it('keep their parts if the completion fails', async () => {
    await uploads.create(upload('one', 5))
    await send('one', 'hello')
    const failed = uploads.holding('one', OWNER, (lock) =>
      lock.complete(() => Promise.reject(new Error('refused'))),
    )
    await failed.catch(() => undefined)
    const { offset, isStored } = await uploads.find('one', OWNER)
    expect([offset, isStored]).to.deep.equal([5, false])
    expect(await stored()).to.have.length(1)
    expect(readdirSync(join(folder(), 'spool'))).to.deep.equal([])
  })

  it('are free again after the lease of a killed process', async () => {
    await uploads.create(upload('one'))
    await change('one', { holder: 'killed', heldUntil: new Date(now.getTime() + 15_000) })
    await expectRejected(send('one', 'hello'), 423)
    later(16_000)
    await send('one', 'hello')
    expect((await uploads.find('one', OWNER)).offset).to.equal(5)
  })

  it('are missing if another machine has their parts', async () => {
    await uploads.create(upload('one'))
    await send('one', 'abc')
    const elsewhere = await open({ ...storage, get: () => Promise.resolve(null) })
    await expectRejected(elsewhere.find('one', OWNER), 404)
    await expectRejected(send('one', 'def', elsewhere), 404)
  })

  it('refuse endless tiny parts, but take the rest of the file in one request', async () => {
    await uploads.create(upload('one', 5_000))
    await change('one', { names: Array.from({ length: 1_002 }, () => 'x') })
    await expectRejected(send('one', 'a'), 400)
    await send('one', 'a'.repeat(5_000))
    expect((await uploads.find('one', OWNER)).offset).to.equal(5_000)
  })

  it('keep the bytes of a request that ended too early', async () => {
    await uploads.create(upload('one'))
    const body = Object.assign(new PassThrough(), { complete: false })
    const sent = uploads.holding('one', OWNER, (lock) =>
      lock.receive(body as unknown as IncomingMessage),
    )
    body.write('hello')
    setImmediate(() => body.destroy())
    await expectRejected(sent, 400)
    expect((await uploads.find('one', OWNER)).offset).to.be.within(0, 5)
  })
})

async function expectRejected(work: Promise<unknown>, status: number): Promise<void> {
  const result = await work.then(
    () => null,
    (error: unknown) => error,
  )
  expect(result).to.have.property('status', status)
}
