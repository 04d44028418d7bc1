import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { watchFolder } from '../../scripts/dev/watch-folder.ts'
import { until } from '../until.ts'

describe('watchFolder', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quire-watch-'))
    await mkdir(path.join(folder, 'queries'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('tells once of what was written in several steps, below the folder too', async () => {
    let times = 0
    const watching = watchFolder(folder, () => (times += 1))
    await writeFile(path.join(folder, 'notes.txt'), 'x')
    const file = path.join(folder, 'queries', 'feed.json')
    for (const text of ['{', '{}']) await writeFile(file, text)
    await until(() => times > 0, 5_000)
    watching.close()
    expect(times).to.equal(1)
  })
})
