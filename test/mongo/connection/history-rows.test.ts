import { expect } from 'chai'
import * as fc from 'fast-check'
import { commitId, type NotedItem } from '../../../src/mongo/connection/commit-record.ts'
import {
  commitOfHistoryId,
  contentIn,
  HISTORY_PREFIX,
  historyId,
  historyRowsOf,
} from '../../../src/mongo/connection/history-rows.ts'

const value = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc.integer(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }),
  fc.array(fc.record({ name: fc.string({ maxLength: 2 }) }), { maxLength: 2 }),
)
const content = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value)
const item: fc.Arbitrary<NotedItem> = fc.record(
  {
    type: fc.constant('api::a.a'),
    documentId: fc.constantFrom('one', 'two', 'two:0'),
    locale: fc.constant(''),
    status: fc.constantFrom('draft', 'published'),
    op: fc.constant('put'),
    revision: fc.constantFrom('r1', 'r2'),
    content,
  },
  { requiredKeys: ['type', 'documentId', 'locale', 'status', 'op', 'revision'] },
)

describe('the kept content of a commit', () => {
  it('contains the content of each item, by document', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), (items) => {
        const commit = commitId(null)
        const rows = historyRowsOf(commit, items)
        for (const { _id } of rows) expect(commitOfHistoryId(_id)).to.equal(commit)
        for (const [index, { documentId, content: noted }] of items.entries()) {
          const row = rows.find(({ _id }) => _id === historyId(documentId, commit))
          expect(row && contentIn(row, index)).to.deep.equal(noted)
        }
      }),
    )
  })

  it('stores a draft and its identical copy once', () => {
    const shared = { ...put('draft'), content: { id: 1, body: 'long', tags: ['a'] } }
    const copy = { ...put('published'), content: { id: 2, body: 'long', tags: ['a'] } }
    const [row] = historyRowsOf(commitId(null), [shared, copy])
    expect(row?.versions[1]).to.deep.equal({
      item: 1,
      locale: '',
      revision: 'r',
      differs: { id: 2 },
    })
  })

  it('is omitted for a commit with many or large versions', () => {
    const small = { ...put('draft'), content: { body: 'a' } }
    const of = (count: number) => Array.from({ length: count }, () => small)
    expect(historyRowsOf(commitId(null), of(20))).to.have.length(1)
    expect(historyRowsOf(commitId(null), of(21))).to.deep.equal([])
    const large = { ...put('draft'), content: { body: 'a'.repeat(1_048_577) } }
    expect(historyRowsOf(commitId(null), [large])).to.deep.equal([])
  })

  it('sorts after all commits', () => {
    expect(HISTORY_PREFIX > 'f'.repeat(24)).to.equal(true)
  })
})

function put(status: 'draft' | 'published'): NotedItem {
  return { type: 'api::a.a', documentId: 'one', locale: '', status, op: 'put', revision: 'r' }
}
