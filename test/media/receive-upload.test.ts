import { existsSync, mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { clearSpool } from '../../src/media/receive-upload.ts'
import { useTempFolder } from './temp-folder.ts'

describe('clearSpool', () => {
  const folder = useTempFolder()

  it('removes old leftovers but keeps recent uploads', async () => {
    const [old, young] = ['upload-old', 'upload-young'].map((name) => join(folder(), name))
    if (old === undefined || young === undefined) throw new Error('there are two')
    const now = new Date('2024-05-05T12:00:00Z')
    for (const [path, time] of [
      [old, '2024-05-04T11:00:00Z'],
      [young, '2024-05-04T13:00:00Z'],
    ] as const) {
      mkdirSync(path)
      utimesSync(path, new Date(time), new Date(time))
    }
    await clearSpool(folder(), now)
    expect([existsSync(old), existsSync(young)]).to.deep.equal([false, true])
  })

  it('ignores a missing folder', async () => {
    await clearSpool(join(folder(), 'nowhere'), new Date())
  })
})
