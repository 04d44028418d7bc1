import { expect } from 'chai'
import {
  commitId,
  MAX_ITEMS,
  rowsOf,
  timeOfCommit,
} from '../../../src/mongo/connection/commit-record.ts'
import { currentAuthorship, writingAs } from '../../../src/mongo/connection/authorship.ts'
import type { CommitItem } from '../../../src/mongo/connection/database.ts'

const by = { kind: 'apiToken', id: 1, name: 'app' }

function itemsOf(count: number): readonly CommitItem[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'api::a.a',
    documentId: String(index),
    locale: '',
    status: 'published',
    op: 'put',
    revision: 'r',
  }))
}

describe('commitId', () => {
  it('is later than all earlier ids and a given id', () => {
    const ids = Array.from({ length: 1_000 }, () => commitId(null))
    expect(ids).to.deep.equal([...ids].sort())
    expect(new Set(ids).size).to.equal(ids.length)
    expect(Math.abs(timeOfCommit(ids[0] ?? '').getTime() - Date.now())).to.be.below(60_000)
    const ahead = `${(Date.now() + 3_000).toString(16).padStart(12, '0')}ffffffffffff`
    const next = commitId(ahead)
    expect(next > ahead).to.equal(true)
    expect(commitId(null) > ahead, 'as the clock of this process from then on').to.equal(true)
  })
})

describe('rows of a commit', () => {
  it('contain up to a thousand items each', () => {
    const id = commitId(null)
    const commit = { id, by, requestId: 'r1' }
    const [only, ...none] = rowsOf(commit, itemsOf(MAX_ITEMS))
    expect([only?._id, only?.part, none.length]).to.deep.equal([id, undefined, 0])
    const rows = rowsOf(commit, itemsOf(2 * MAX_ITEMS + 1))
    expect(rows.map(({ items, part }) => [items.length, part])).to.deep.equal([
      [1_000, [0, 3]],
      [1_000, [1, 3]],
      [1, [2, 3]],
    ])
    const ids = rows.map(({ _id }) => _id)
    expect(ids).to.deep.equal([...ids].sort())
    expect(
      [commitId(id), id].every((other) => !(other > (ids[0] ?? '') && other < (ids[2] ?? ''))),
    ).to.equal(true)
  })
})

describe('writingAs', () => {
  it('applies only to work inside the call', async () => {
    const seen: unknown[] = []
    const note = (): void => void seen.push(currentAuthorship().by.name)
    await Promise.all([
      writingAs({ by, requestId: null }, async () => {
        await Promise.resolve()
        note()
      }),
      writingAs({ by: { ...by, name: 'other' }, requestId: null }, async () => {
        note()
        await Promise.resolve()
      }),
      Promise.resolve().then(note),
    ])
    note()
    expect(seen).to.have.members(['app', 'other', null, null])
  })

  it('applies to work that starts while another call ends', async () => {
    let letGo = (): void => undefined
    const held = new Promise<void>((resolve) => (letGo = resolve))
    const long = writingAs({ by, requestId: null }, async () => {
      await held
      return currentAuthorship().by.name
    })
    await writingAs({ by: { ...by, name: 'short' }, requestId: null }, () => Promise.resolve())
    letGo()
    expect(await long).to.equal('app')
  })
})
