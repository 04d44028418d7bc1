import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import type { Document } from 'mongodb'
import { startEmbedded } from '../../src/start-embedded.ts'
import type { EmbeddedEngine } from '../../src/start-embedded.ts'
import { temporaryFolder } from '../contract/targets.ts'

describe('the fail point failCommand', () => {
  let directory: string
  let engine: EmbeddedEngine
  let client: MongoClient

  const open = async (failPoints: boolean): Promise<void> => {
    directory = temporaryFolder()
    engine = await startEmbedded({ directory, durable: false, strictness: { failPoints } })
    client = await MongoClient.connect(engine.uri, {
      appName: 'tested',
      retryReads: false,
      retryWrites: false,
    })
  }
  afterEach(async () => {
    await client.close()
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  })

  const configure = (mode: unknown, data: Document = {}): Promise<Document> =>
    client.db('admin').command({ configureFailPoint: 'failCommand', mode, data })
  const find = (collection = 'rows'): Promise<string> =>
    outcome(client.db('faults').collection(collection).find().toArray())
  const outcome = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'ok',
      (error: unknown) => {
        const { code, codeName, name } = error as Document
        return code === undefined ? String(name) : `${code} ${codeName}`
      },
    )

  it('requires the option', async () => {
    await open(false)
    expect(await outcome(configure('alwaysOn'))).to.equal('59 CommandNotFound')
  })

  it('fails a number of commands, or all after a number', async () => {
    await open(true)
    await configure({ times: 2 }, { failCommands: ['find'], errorCode: 2 })
    expect([await find(), await find(), await find()]).to.deep.equal([
      '2 BadValue',
      '2 BadValue',
      'ok',
    ])
    await configure({ skip: 1 }, { failCommands: ['find'], errorCode: 17 })
    expect([await find(), await find(), await find()]).to.deep.equal([
      'ok',
      '17 Location17',
      '17 Location17',
    ])
    expect((await configure('off'))['count']).to.equal(4)
    expect(await find()).to.equal('ok')
  })

  it('fails only the collections and applications that it names', async () => {
    await open(true)
    const data = { failCommands: ['find'], errorCode: 2 }
    await configure('alwaysOn', { ...data, namespace: 'faults.rows' })
    expect([await find(), await find('others')]).to.deep.equal(['2 BadValue', 'ok'])
    await configure('alwaysOn', { ...data, appName: 'tested' })
    expect(await find()).to.equal('2 BadValue')
    await configure('alwaysOn', { ...data, appName: 'another' })
    expect(await find()).to.equal('ok')
  })

  it('closes connections before the command runs', async () => {
    await open(true)
    const rows = client.db('faults').collection('rows')
    await configure({ times: 1 }, { failCommands: ['insert'], closeConnection: true })
    expect(await outcome(rows.insertOne({}))).to.equal('MongoNetworkError')
    expect(await rows.countDocuments()).to.equal(0)
  })

  it('adds a write concern error after the command ran', async () => {
    await open(true)
    const rows = client.db('faults').collection('rows')
    const writeConcernError = { code: 91, codeName: 'ShutdownInProgress', errmsg: 'going down' }
    await configure({ times: 1 }, { failCommands: ['insert'], writeConcernError })
    expect(await outcome(rows.insertOne({}))).to.contain('91')
    expect(await rows.countDocuments()).to.equal(1)
  })

  it('blocks commands for a time', async () => {
    await open(true)
    await configure(
      { times: 1 },
      { failCommands: ['find'], blockConnection: true, blockTimeMS: 300 },
    )
    const started = performance.now()
    expect(await find()).to.equal('ok')
    expect(performance.now() - started).to.be.at.least(295)
  })

  it('labels errors as MongoDB does', async () => {
    await open(true)
    await configure('alwaysOn', { failCommands: ['insert'], errorCode: 189 })
    const rows = client.db('faults').collection('rows')
    const labels = await client.withSession(async (session) => {
      session.startTransaction()
      const error: unknown = await rows
        .insertOne({}, { session })
        .catch((reason: unknown) => reason)
      await session.abortTransaction()
      return (error as { errorLabels: string[] }).errorLabels
    })
    expect(labels).to.deep.equal(['TransientTransactionError'])
  })

  it('refuses modes and members that it does not know', async () => {
    await open(true)
    const refused: readonly (readonly [unknown, Document])[] = [
      ['sometimes', { failCommands: [] }],
      [{ activationProbability: 0.5 }, { failCommands: [] }],
      ['alwaysOn', { failCommands: ['find'], errorExtraInfo: {} }],
      ['alwaysOn', {}],
      ['alwaysOn', { failCommands: ['find'], blockConnection: true }],
    ]
    for (const [mode, data] of refused) {
      expect(await outcome(configure(mode, data))).to.equal('9 FailedToParse')
    }
    const other = client.db('admin').command({ configureFailPoint: 'other', mode: 'off' })
    expect(await outcome(other)).to.equal('320 FailPointSetFailed')
  })
})
