import { expect } from 'chai'
import type { SyncPage } from '../../../src/changes/sync/read-page.ts'
import { openSharedPages } from '../../../src/http/reads/shared-pages.ts'

const PAGE = { items: [], more: false } as unknown as SyncPage
const RIGHTS = new Set(['api::tag.tag.sync'])

describe('shared pages', () => {
  it('are read once for concurrent requests with equal scope and permissions', async () => {
    const pages = openSharedPages(1_000)
    let reads = 0
    const read = async (): Promise<SyncPage> => {
      reads += 1
      await new Promise(setImmediate)
      return PAGE
    }
    const many = Array.from({ length: 600 }, () => pages.read(RIGHTS, 'a', read))
    expect(await Promise.all(many)).to.deep.equal(many.map(() => PAGE))
    expect(reads).to.equal(1)
    await Promise.all([
      pages.read(RIGHTS, 'a', read),
      pages.read(new Set(RIGHTS), 'a', read),
      pages.read(RIGHTS, 'b', read),
    ])
    expect(reads, 'anew, by others, of others').to.equal(4)
  })

  it('run one at a time for different scopes and report their own failures', async () => {
    const pages = openSharedPages(1_000)
    let running = 0
    let most = 0
    const read = async (): Promise<SyncPage> => {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
      if (most > 0) throw new Error('no database')
      return PAGE
    }
    const many = Array.from({ length: 300 }, (_, index) => pages.read(RIGHTS, String(index), read))
    const answers = await Promise.allSettled(many)
    expect(answers.every(({ status }) => status === 'rejected')).to.equal(true)
    expect(most).to.equal(8)
  })
})
