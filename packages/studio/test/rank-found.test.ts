import { expect } from 'chai'
import type { Entry } from '../src/api/entries.ts'
import { oncePerDocument, rankFound } from '../src/api/rank-found.ts'

const titled = (documentId: string, title: string, locale = 'en') =>
  ({ documentId, title, locale }) as unknown as Entry
const ranked = (wanted: string, ...entries: readonly Entry[]): readonly unknown[] =>
  oncePerDocument(rankFound(entries, ({ title }) => String(title), wanted)).map(
    ({ title }) => title,
  )

describe('the order of matches in the palette', () => {
  it('starts with equal titles, then titles or words that start with the text', () => {
    const found = ['Islands', 'Somali', 'New Mali', 'Malia', 'Mali'].map((one) => titled(one, one))
    expect(ranked('mali', ...found)).to.deep.equal([
      'Mali',
      'Malia',
      'New Mali',
      'Somali',
      'Islands',
    ])
  })

  it('keeps the order of equal matches: newest first', () => {
    expect(ranked('an', titled('b', 'Another'), titled('a', 'Answer'))).to.deep.equal([
      'Another',
      'Answer',
    ])
  })

  it('lists a document once, in its best matching language', () => {
    const both = [titled('a', 'Japan', 'en'), titled('a', 'Giappone', 'it'), titled('b', 'Java')]
    expect(ranked('giapp', ...both)).to.deep.equal(['Giappone', 'Java'])
  })
})
