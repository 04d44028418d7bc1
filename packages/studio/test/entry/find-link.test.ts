import { expect } from 'chai'
import { findLink } from '../../src/entry/find-link.ts'

const links = (more: boolean, ...ids: readonly string[]): object => ({
  items: ids.map((documentId) => ({ documentId, title: documentId })),
  more,
})

describe('the place of a link', () => {
  const values = {
    author: links(false, 'a'),
    quotes: [
      { $key: 'one', speaker: links(false, 'b') },
      {
        $key: 'two',
        speaker: links(true, 'c'),
        book: { $key: 'three', editors: links(true, 'd') },
      },
      { $key: 'four', speaker: links(false, 'e') },
    ],
  }

  it('is in the component that has the link', () => {
    expect(findLink(values, ['author'], 'a')).to.deep.equal(['author'])
    expect(findLink(values, ['quotes', 'speaker'], 'e')).to.deep.equal([
      'quotes',
      'four',
      'speaker',
    ])
  })

  it('is the relation whose other entries were not read', () => {
    const place = ['quotes', 'two', 'speaker']
    expect(findLink(values, ['quotes', 'speaker'], 'x')).to.deep.equal(place)
    const deeper = ['quotes', 'two', 'book', 'editors']
    expect(findLink(values, ['quotes', 'book', 'editors'], 'x')).to.deep.equal(deeper)
  })

  it('is the first attribute if the link is gone', () => {
    expect(findLink(values, ['author'], 'x')).to.deep.equal(['author'])
    const read = { quotes: [{ $key: 'one', speaker: links(false, 'b') }] }
    expect(findLink(read, ['quotes', 'speaker'], 'x')).to.deep.equal(['quotes'])
    expect(findLink(read, ['constructor', 'name'], 'x')).to.deep.equal(['constructor'])
  })
})
