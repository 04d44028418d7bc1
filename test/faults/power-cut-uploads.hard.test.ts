import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openLocalStorage } from '../../src/media/storage/local-storage.ts'
import { useTempFolder } from '../media/temp-folder.ts'
import { type BrokenDisk, hasBreakableDisks, openBrokenDisk } from './broken-disk.ts'

describe('files of a local storage after a power cut', () => {
  const temporary = useTempFolder()
  let disk: BrokenDisk

  before(async function () {
    if (!hasBreakableDisks()) this.skip()
    const folder = join(temporary(), 'disk')
    mkdirSync(folder)
    disk = await openBrokenDisk(folder)
  })
  after(async () => {
    await (disk as BrokenDisk | undefined)?.close()
  })

  it('keeps stored files complete and under their names', async () => {
    const storage = await openLocalStorage(join(disk.path, 'uploads'))
    const bytes = randomBytes(300_000)
    for (const [name, spool] of [
      ['same.bin', disk.path],
      ['other.bin', temporary()],
      ['renamed.bin', disk.path],
    ] as const) {
      const source = join(spool, `source-of-${name}`)
      writeFileSync(source, bytes)
      await storage.put(name, source)
    }
    await storage.rename('renamed.bin', 'renamed-0.bin')
    const left = join(disk.afterPowerCut(), 'uploads')
    expect(readdirSync(left).sort()).to.deep.equal(['other.bin', 'renamed-0.bin', 'same.bin'])
    for (const name of readdirSync(left)) {
      expect(readFileSync(join(left, name)).equals(bytes), name).to.equal(true)
    }
  })
})
