import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { type EmbeddedEngine, startEmbedded } from '../../src/start-embedded.ts'

// LMDB pages have 4,096 bytes. After a split, a row larger than a third of a page fills a page
// alone.
const SIZES = [900, 1_000, 1_250, 1_300, 1_340, 1_360, 1_400, 1_500, 1_700, 1_900, 1_990, 2_100]

describe('the space for one write of many rows', () => {
  let folder = ''
  let engine: EmbeddedEngine
  let client: MongoClient
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'engine-large-rows-'))
    engine = await startEmbedded({ directory: folder })
    client = await new MongoClient(engine.uri).connect()
  })
  afterEach(async () => {
    await client.close()
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const size of SIZES) {
    it(`suffices for 3,000 rows of ${size} bytes in a new folder`, async () => {
      const rows = client.db('test').collection('rows')
      for (let batch = 0; batch < 3; batch += 1) {
        const text = 'x'.repeat(size)
        await rows.insertMany(Array.from({ length: 1_000 }, () => ({ batch, text })))
      }
      expect(await rows.countDocuments()).to.equal(3_000)
      await rows.updateMany({}, { $set: { text: 'y'.repeat(size) } })
      expect(await rows.countDocuments({ text: 'y'.repeat(size) })).to.equal(3_000)
    })
  }
})
