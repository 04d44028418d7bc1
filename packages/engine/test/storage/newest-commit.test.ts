import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { openStore } from '../../src/storage/store.ts'
import { startEmbedded } from '../../src/start-embedded.ts'
import { temporaryFolder } from '../contract/targets.ts'
import { hideLastCommit } from './hidden-commit.ts'

describe('a commit that another process hides', () => {
  let directory: string
  beforeEach(() => (directory = temporaryFolder()))
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  it('is kept, and the next write is refused until the file is open again', async () => {
    const first = openStore({ directory, durable: false })
    const names = ['a', 'b', 'c'].map((name) => Buffer.from(name))
    for (const name of names) first.write(() => first.put(first.records, name, name))
    hideLastCommit(directory, 'data.mdb')
    const late = Buffer.from('d')
    expect(() => first.write(() => first.put(first.records, late, late))).to.throw('last commit')
    await first.close()

    const second = openStore({ directory, durable: false })
    second.write(() => second.put(second.records, late, late))
    expect([...second.records.getKeys()].map(String)).to.deep.equal(['a', 'b', 'c', 'd'])
    await second.close()
  })

  it('is found by a client whose next write waits for the engine', async () => {
    const engine = await startEmbedded({ directory, durable: false })
    const client = await MongoClient.connect(engine.uri)
    const rows = client.db('a').collection<{ _id: number }>('rows')
    try {
      for (const _id of [1, 2, 3]) await rows.insertOne({ _id })
      hideLastCommit(directory, 'data.mdb')
      while (!(await rows.insertOne({ _id: 4 }).catch(() => null))) await wait(10)
      expect(await rows.find().sort({ _id: 1 }).toArray()).to.deep.equal(
        [1, 2, 3, 4].map((_id) => ({ _id })),
      )
    } finally {
      await client.close()
      await engine.close()
    }
  })
})
