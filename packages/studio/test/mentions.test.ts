import { expect } from 'chai'
import * as fc from 'fast-check'
import { mentionAt, mentionedIn, partsOf, withMention } from '../src/screens/comments/mentions.ts'

const ADA = { id: 'a', name: 'Ada Lovelace' }
const ADAM = { id: 'm', name: 'Adam' }
const ODD = { id: 'o', name: 'C.* (x)' }
const PEOPLE = [ADA, ADAM, ODD]

describe('mentions in comments', () => {
  const offeredFor = (text: string, caret = text.length): readonly string[] | undefined =>
    mentionAt(text, caret, PEOPLE)?.offered.map(({ id }) => id)

  it('offer people by each word of their names', () => {
    expect(offeredFor('@')).to.deep.equal(['a', 'm', 'o'])
    expect(offeredFor('Ask @ad')).to.deep.equal(['a', 'm'])
    expect(offeredFor('(@LOVE')).to.deep.equal(['a'])
    expect(offeredFor('@ad and more', 3)).to.deep.equal(['a', 'm'])
  })

  it('offer no people in addresses, for unknown names and after the name', () => {
    for (const text of ['', 'ad', 'mail@ad', '@nobody', '@ada ', '@@']) {
      expect(offeredFor(text), text).to.equal(undefined)
    }
  })

  it('replace the typed name and keep the text around it', () => {
    const text = 'Ask @ad about it'
    const { at } = mentionAt(text, 7, PEOPLE) ?? { at: -1 }
    expect(withMention(text, 7, { at, person: ADA })).to.deep.equal({
      text: 'Ask @Ada Lovelace about it',
      caret: 'Ask @Ada Lovelace '.length,
    })
  })

  it('count while their names are in the text', () => {
    expect(mentionedIn('@Adam and @Adam', [ADAM, ADAM, ADA])).to.deep.equal(['m'])
    expect(mentionedIn('Adam', [ADAM])).to.deep.equal([])
  })

  it('are every second part of the text', () => {
    expect(partsOf('Hi @C.* (x)!', PEOPLE)).to.deep.equal(['Hi ', '@C.* (x)', '!'])
    expect(partsOf('Hi', [])).to.deep.equal(['Hi'])
  })

  it('leave the text as it is, for any names', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string(), { maxLength: 5 }), (text, names) => {
        const people = names.map((name, index) => ({ id: String(index), name }))
        const parts = partsOf(text, people)
        expect(parts.join('')).to.equal(text)
        for (const [index, part] of parts.entries()) {
          if (index % 2 === 1) expect(names).to.include(part.slice(1))
        }
      }),
    )
  })
})
