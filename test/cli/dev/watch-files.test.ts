import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { JSON_FILES, watchFiles } from '../../../src/cli/dev/watch-files.ts'
import { until } from '../../support/until.ts'

describe('watchFiles', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quire-watch-'))
    await mkdir(path.join(folder, 'queries'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('reports a file once that was written in several steps, also in subfolders', async () => {
    let times = 0
    const watching = watchFiles(folder, JSON_FILES, () => (times += 1))
    await writeFile(path.join(folder, 'notes.txt'), 'x')
    const file = path.join(folder, 'queries', 'feed.json')
    for (const text of ['{', '{}']) await writeFile(file, text)
    await until(() => times > 0, 5_000)
    watching.close()
    expect(times).to.equal(1)
  })

  it('reports added and removed files, also in added and removed folders', async () => {
    let times = 0
    const watching = watchFiles(folder, JSON_FILES, () => (times += 1))
    const told = async (work: () => Promise<unknown>): Promise<void> => {
      const before = times
      await work()
      await until(() => times > before, 5_000)
    }
    const file = path.join(folder, 'note.json')
    const put = async (target: string): Promise<void> => {
      await writeFile(`${target}.tmp`, '{}')
      await rename(`${target}.tmp`, target)
    }
    try {
      for (let round = 0; round < 2; round += 1) {
        await told(() => put(file))
        await told(() => put(file))
        await told(() => rm(file))
        const below = path.join(folder, 'components', 'shared')
        await told(async () => {
          await mkdir(below, { recursive: true })
          await put(path.join(below, 'link.json'))
        })
        await told(() => put(path.join(below, 'link.json')))
        await told(() => rm(path.join(folder, 'components'), { recursive: true }))
      }
    } finally {
      watching.close()
    }
  })

  it('reports a file in new nested folders, and in a folder that replaced another one', async () => {
    let times = 0
    const watching = watchFiles(folder, JSON_FILES, () => (times += 1))
    try {
      for (let round = 0; round < 20; round += 1) {
        const top = path.join(folder, `nested-${round % 3}`)
        const below = path.join(top, 'a', 'b', 'c')
        let before = times
        // Without a pause, so that events arrive after the next change.
        rmSync(top, { recursive: true, force: true })
        mkdirSync(below, { recursive: true })
        writeFileSync(path.join(below, 'new.json'), '{}')
        await until(() => times > before, 5_000)
        before = times
        await writeFile(path.join(below, 'new.json'), '{ }')
        await until(() => times > before, 5_000)
      }
    } finally {
      watching.close()
    }
  })
})
