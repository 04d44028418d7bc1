import { expect } from 'chai'
import { readHeldToken } from '../../../../src/changes/sync/query/held-token.ts'
import { type SyncToken, writeToken } from '../../../../src/changes/sync/query/sync-token.ts'
import type { ContentTypePlan } from '../../../../src/schema/plan.ts'
import { planOf } from '../../../mongo/commits/log-world.ts'

const BOTH = new Map<string, ContentTypePlan>([
  ['article', planOf('article')],
  ['tag', planOf('tag')],
])
const WITHOUT_TAG = new Map([...BOTH].filter(([name]) => name !== 'tag'))

const TOKEN: SyncToken = {
  asked: { types: 'tag,article', fields: { tag: 'name' }, filters: { article: { title: 'a' } } },
  log: 'log',
  seq: 3,
  item: 0,
  types: [
    { after: 'x', isLost: false, shape: 'of tags' },
    { after: null, isLost: false, shape: 'of articles' },
  ],
  locales: ['en'],
  localeIds: [1],
  absent: [],
}

describe('a sync token sent by a client', () => {
  it('is read as written if all its types exist', () => {
    const { scope, token, gone } = readHeldToken(writeToken(TOKEN), BOTH)
    expect([token, gone]).to.deep.equal([TOKEN, []])
    expect(scope.types.map(({ name }) => name)).to.deep.equal(['tag', 'article'])
  })

  it('drops a deleted type and reports it once', () => {
    const { scope, token, gone } = readHeldToken(writeToken(TOKEN), WITHOUT_TAG)
    expect(gone).to.deep.equal(['tag'])
    expect(scope.types.map(({ name }) => name)).to.deep.equal(['article'])
    expect(token.types).to.deep.equal([TOKEN.types[1]])
    const again = readHeldToken(writeToken(token), WITHOUT_TAG)
    expect([again.gone, again.token]).to.deep.equal([[], token])
  })

  it('adds a restored type again and marks it as lost', () => {
    const without = readHeldToken(writeToken(TOKEN), WITHOUT_TAG).token
    const { scope, token, gone } = readHeldToken(writeToken(without), BOTH)
    expect(gone).to.deep.equal([])
    expect(scope.types.map(({ name, fields }) => [name, fields])).to.deep.equal([
      ['tag', ['name']],
      ['article', 'all'],
    ])
    expect(scope.asked).to.deep.equal(TOKEN.asked)
    expect(token.types.map(({ isLost }) => isLost)).to.deep.equal([true, false])
    expect(token.types[1]).to.deep.equal(TOKEN.types[1])
  })

  it('is refused if none of its types exists', () => {
    expect(() => readHeldToken(writeToken(TOKEN), new Map())).to.throw(/no content-type tag/)
  })
})
