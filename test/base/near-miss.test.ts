import { expect } from 'chai'
import { didYouMean, nearestTo } from '../../src/base/near-miss.ts'

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
    it(`returns ${nearest} for ${word}`, () => {
      expect(nearestTo(word, candidates)).to.equal(nearest)
    })
  }
})

describe('nearestTo with long words', () => {
  it('reads no candidate for words above 100 characters', () => {
    const candidates: Iterable<string> = {
      [Symbol.iterator]: () => {
        throw new Error('a candidate was read')
      },
    }
    expect(nearestTo('y'.repeat(101), candidates)).to.equal(null)
    expect(() => nearestTo('y'.repeat(100), candidates)).to.throw('a candidate was read')
  })

  it('compares candidates of similar length only', () => {
    let compared = 0
    const long = Object.assign(new String('y'.repeat(5_000)), {
      toLowerCase: () => {
        compared += 1
        return ''
      },
    }) as unknown as string
    expect(nearestTo('y'.repeat(90), [long])).to.equal(null)
    expect(compared).to.equal(0)
  })
})

describe('didYouMean', () => {
  it('is empty without a near candidate', () => {
    expect(didYouMean('strng', ['string'])).to.equal('; did you mean string?')
    expect(didYouMean('zzz', ['string'])).to.equal('')
  })
})
