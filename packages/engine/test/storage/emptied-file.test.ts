import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
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

describe('a data file with less than two pages', () => {
  let directory: string
  beforeEach(async () => {
    directory = temporaryFolder()
    await (await startEmbedded({ directory })).close()
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const cut = (name: string, bytes: number): void => truncateSync(join(directory, name), bytes)
  const start = (): Promise<string> =>
    startEmbedded({ directory }).then(
      async (engine) => {
        await engine.close()
        return 'started'
      },
      (error: unknown) => String(error),
    )

  for (const bytes of [10, 52, 4096, 8191]) {
    it(`is refused with ${bytes} bytes`, async () => {
      cut('data.mdb', bytes)
      expect(await start()).to.match(/data\.mdb is (?:no database|cut off: what it held is lost)/)
    })

    it(`is created again after a first start that failed at ${bytes} bytes`, async () => {
      cut('data.mdb', bytes)
      writeFileSync(join(directory, 'data.mdb-new'), '')
      expect(await start()).to.equal('started')
      expect(readdirSync(directory)).to.include('data.mdb').and.not.include('data.mdb-new')
      cut('data.mdb', 0)
      expect(await start()).to.include('data.mdb is empty')
    })

    it(`starts with an owner record of ${bytes} bytes, unless it is another file`, async () => {
      cut('owner.mdb', bytes)
      expect(await start()).to.match(bytes < 52 ? /is no database/ : /^started$/)
    })
  }
})
