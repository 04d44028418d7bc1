import { expect } from 'chai'
import { parseScope } from '../../../../src/changes/sync/query/parse-scope.ts'
import {
  hasSameLocales,
  keptCodes,
  localesOf,
  type SyncLocales,
} from '../../../../src/changes/sync/query/synced-locales.ts'
import { planOf } from '../../../mongo/commits/log-world.ts'

const TAGS = new Map([['tag', planOf('tag')]])

const RULES: SyncLocales = {
  defaultCode: 'en',
  all: [
    { code: 'en', id: 1 },
    { code: 'de', id: 7 },
  ],
  has: (code) => code === 'en' || code === 'de',
}

const inScope = (asked: object) => localesOf(parseScope({ types: 'tag', ...asked }, TAGS), RULES)

describe('the locales of a sync token', () => {
  it('are the existing ones of the scope, with their ids', () => {
    expect(inScope({})).to.deep.equal({ locales: ['en'], localeIds: [1] })
    expect(inScope({ locale: '*' })).to.deep.equal({ locales: ['en', 'de'], localeIds: [1, 7] })
    expect(inScope({ locale: 'fr,de' })).to.deep.equal({ locales: ['de'], localeIds: [7] })
  })

  it('are kept under the same code and id', () => {
    const present = inScope({ locale: '*' })
    const kept = (localeIds: readonly number[]) =>
      keptCodes({ locales: ['de', 'en', 'fr'], localeIds }, present)
    expect(kept([7, 1, 3])).to.deep.equal(['de', 'en'])
    expect(kept([1, 7, 3])).to.deep.equal([])
    expect(kept([7, 2, 1])).to.deep.equal(['de'])
  })

  it('are kept by their codes if an older server wrote the token, which is then written again', () => {
    const present = inScope({ locale: '*' })
    const older = { ...present, localeIds: [] }
    expect(keptCodes(older, present)).to.deep.equal(['en', 'de'])
    expect(hasSameLocales(older, present)).to.equal(false)
    expect(hasSameLocales(present, inScope({ locale: 'en,de' }))).to.equal(true)
  })
})
