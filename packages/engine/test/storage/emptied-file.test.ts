import { readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { startEmbedded } from '../../src/start-embedded.ts'
import { temporaryFolder } from '../contract/targets.ts'

describe('an emptied data file', () => {
  it('is refused', async () => {
    const directory = temporaryFolder()
    try {
      await (await startEmbedded({ directory })).close()
      truncateSync(join(directory, 'data.mdb'), 0)
      const error = await startEmbedded({ directory }).then(
        (engine) => engine.close(),
        (thrown: unknown) => thrown,
      )
      expect(String(error)).to.include('data.mdb is empty')
      rmSync(join(directory, 'data.mdb'))
      await (await startEmbedded({ directory })).close()
      expect(readdirSync(directory)).to.include('data.mdb')
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
