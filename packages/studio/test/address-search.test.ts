import { expect } from 'chai'
import { readListSearch } from '../src/screens/list/list-search.ts'
import { readMediaSearch } from '../src/screens/media/media-search.ts'
import { ownPath, readSignInSearch } from '../src/shell/sign-in-search.ts'

/** What the router makes of a raw search and of the validated one. */
const merged = (raw: object, read: (given: Record<string, unknown>) => object) =>
  JSON.parse(JSON.stringify({ ...raw, ...read({ ...raw }) })) as unknown

describe('search parameters of an address', () => {
  for (const to of [
    'https://evil.example/studio',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    'evil.example',
    '',
    7,
    ['/'],
  ]) {
    it(`drops the sign-in target ${JSON.stringify(to)}`, () => {
      expect(ownPath(to)).to.equal(undefined)
      expect(merged({ to }, readSignInSearch)).to.deep.equal({})
    })
  }

  it('keeps a sign-in target within the Studio', () => {
    for (const to of ['/', '/content/articles?locale=de&q=a//b', '/settings#keys']) {
      expect(merged({ to }, readSignInSearch)).to.deep.equal({ to })
    }
  })

  it('drops invalid values of every parameter', () => {
    expect(merged({ problem: 'constructor' }, readSignInSearch)).to.deep.equal({})
    expect(
      merged(
        { locale: {}, q: [], sort: 'x:y', filters: 'x', after: {}, skipped: -1 },
        readListSearch,
      ),
    ).to.deep.equal({})
    const media = { folder: 1, q: {}, kind: 'x', unused: 'x', sort: 'x', view: 'x', page: 'x' }
    expect(merged(media, readMediaSearch)).to.deep.equal({})
  })
})
