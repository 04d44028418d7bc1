import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { MongoClient, type Collection, type Document } from 'mongodb'
import { CommandError, diskFault } from '../src/errors.ts'
import type { Request } from '../src/request/request.ts'
import { runOrdered } from '../src/request/write-errors.ts'
import { startEmbedded } from '../src/start-embedded.ts'
import type { EmbeddedEngine } from '../src/start-embedded.ts'
import { temporaryFolder } from './contract/targets.ts'

const FILE_STREAM_FAILED = 39

describe('the embedded engine after its folder was removed', () => {
  let parent: string
  let directory: string
  let engine: EmbeddedEngine
  let client: MongoClient
  let rows: Collection<Document & { _id: number }>

  beforeEach(async () => {
    parent = temporaryFolder()
    directory = join(parent, 'data')
    mkdirSync(directory, { mode: 0o700 })
    engine = await startEmbedded({ directory })
    client = await MongoClient.connect(engine.uri)
    rows = client.db('a').collection('rows')
    await rows.createIndex({ code: 1 }, { unique: true, name: 'code' })
    await rows.insertOne({ _id: 1, code: 'one' })
  })

  afterEach(async () => {
    await client.close()
    await engine.close()
    rmSync(parent, { recursive: true, force: true })
  })

  const move = (): void => renameSync(directory, join(parent, 'elsewhere'))
  const moveBack = (): void => renameSync(join(parent, 'elsewhere'), directory)

  /** The error code of a refused write. Null if it was acknowledged. */
  const refusal = (write: Promise<unknown>): Promise<unknown> =>
    write.then(
      () => null,
      (error: unknown) => (error as { code?: unknown }).code,
    )

  it('acknowledges no write, but still serves reads', async () => {
    rmSync(join(directory, 'data.mdb'))
    expect(await refusal(rows.insertOne({ _id: 2, code: 'two' }))).to.equal(FILE_STREAM_FAILED)
    expect(await refusal(rows.deleteOne({ _id: 1 }))).to.equal(FILE_STREAM_FAILED)
    expect(await refusal(client.db('a').createCollection('more'))).to.equal(FILE_STREAM_FAILED)
    expect(await rows.find().toArray()).to.deep.equal([{ _id: 1, code: 'one' }])
  })

  it('refuses the commit of a transaction', async () => {
    const session = client.startSession()
    session.startTransaction()
    await rows.insertOne({ _id: 2, code: 'two' }, { session })
    move()
    expect(await refusal(session.commitTransaction())).to.equal(FILE_STREAM_FAILED)
    await session.endSession()
    moveBack()
    expect(await rows.countDocuments({})).to.equal(1)
  })

  it('accepts writes when the folder is back', async () => {
    move()
    expect(await refusal(rows.insertOne({ _id: 2, code: 'two' }))).to.equal(FILE_STREAM_FAILED)
    moveBack()
    await rows.insertOne({ _id: 2, code: 'two' })
    expect(await rows.countDocuments({})).to.equal(2)
  })

  it('keeps its catalog when a change of it is refused', async () => {
    move()
    expect(await refusal(rows.dropIndex('code'))).to.equal(FILE_STREAM_FAILED)
    expect(await refusal(client.db('a').createCollection('more'))).to.equal(FILE_STREAM_FAILED)
    expect(await refusal(rows.drop())).to.equal(FILE_STREAM_FAILED)
    moveBack()
    expect((await rows.indexes()).map(({ name }) => name)).to.deep.equal(['_id_', 'code'])
    expect(await refusal(rows.insertOne({ _id: 2, code: 'one' }))).to.equal(11000)
    const names = await client.db('a').listCollections().toArray()
    expect(names.map(({ name }) => name)).to.deep.equal(['rows'])
  })
})

describe('a statement that the disk refuses', () => {
  for (const error of [new CommandError('OutOfDiskSpace', 'full'), diskFault('EIO')]) {
    it(`ends its command with ${error.codeName}, because it may be half applied`, () => {
      const request = { body: { ordered: false }, deadline: { at: Infinity } } as unknown as Request
      const run = (): void => {
        throw error
      }
      expect(() => runOrdered(request, [1, 2], run)).to.throw(error.message)
    })
  }
})
