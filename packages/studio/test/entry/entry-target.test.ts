import { expect } from 'chai'
import { withoutTargetUrls } from '../../src/entry/entry-target.ts'
import { isSameValue } from '../../src/entry/same-value.ts'

const ENTRY = { type: 'api::person.person', documentId: 'a'.repeat(24) }

const link = (url: string, entry?: object): object => ({
  type: 'link',
  url,
  ...(entry !== undefined && { entry }),
  children: [{ type: 'text', text: 'x' }],
})
const list = (...children: readonly object[]): readonly object[] => [
  { type: 'list', format: 'ordered', children: [{ type: 'list-item', children }] },
]

describe('links to entries in a form', () => {
  const isSame = (one: unknown, other: unknown): boolean =>
    isSameValue({ type: 'blocks' }, one, other, new Map())

  it('are the same with any URL, because the server fills it', () => {
    expect(isSame(list(link('', ENTRY)), list(link('/persons/emily', ENTRY)))).to.equal(true)
    const other = { ...ENTRY, documentId: 'b'.repeat(24) }
    expect(isSame(list(link('', ENTRY)), list(link('', other)))).to.equal(false)
    expect(isSame(list(link('/a')), list(link('/b')))).to.equal(false)
  })

  it('lose their URLs in a copy', () => {
    const blocks = list(link('/a'), link('/persons/emily', ENTRY))
    expect(withoutTargetUrls(blocks)).to.deep.equal(list(link('/a'), link('', ENTRY)))
    expect(withoutTargetUrls(null)).to.equal(null)
  })
})
