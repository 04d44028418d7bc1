import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openDiskSpace } from '../../src/storage/disk-space.ts'

const PAGE = Buffer.alloc(4096, 7)

describe('the space for the next write', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-space-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('overwrites no page that was written behind the allocated space', () => {
    const path = join(folder, 'data.mdb')
    writeFileSync(path, PAGE)
    const room = openDiskSpace(path, () => PAGE.length)
    room.begin()
    room.claim(0, 1)
    const allocated = readFileSync(path).length
    appendFileSync(path, PAGE)
    room.begin()
    room.claim(2 * allocated, 1)
    room.close()
    expect(
      readFileSync(path)
        .subarray(allocated, allocated + PAGE.length)
        .equals(PAGE),
    ).to.equal(true)
  })
})
