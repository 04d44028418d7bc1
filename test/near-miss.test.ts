import { expect } from 'chai'
import { didYouMean, nearestTo } from '../src/near-miss.ts'

describe('nearestTo', () => {
  const rows: readonly [string, readonly string[], string | null][] = [
    ['requird', ['repeatable', 'required'], 'required'],
    ['tilte', ['title', 'text'], 'title'],
    ['minlength', ['maxLength', 'minLength'], 'minLength'],
    ['api::writer.writer', ['api::author.author'], null],
    ['icon', ['min', 'enum'], null],
    ['', ['a'], null],
    ['anything', [], null],
  ]
  for (const [word, candidates, nearest] of rows) {
    it(`${word} → ${nearest}`, () => {
      expect(nearestTo(word, candidates)).to.equal(nearest)
    })
  }
})

describe('didYouMean', () => {
  it('says nothing when nothing is near', () => {
    expect(didYouMean('strng', ['string'])).to.equal('; did you mean string?')
    expect(didYouMean('zzz', ['string'])).to.equal('')
  })
})
