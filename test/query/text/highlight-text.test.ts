import { expect } from 'chai'
import { array, assert as assertProperty, constantFrom, property, string } from 'fast-check'
import { type Analyzer, analyzerFor } from '../../../src/query/text/analyze-text.ts'
import { highlightText } from '../../../src/query/text/highlight-text.ts'
import { queryTerms } from '../../../src/query/text/query-terms.ts'

describe('highlights of a text', () => {
  let analyzer: Analyzer

  before(async () => {
    analyzer = await analyzerFor('en')
  })

  const highlight = (text: string, query: string) =>
    highlightText(text, queryTerms(query, analyzer), analyzer)

  const LONG = `${'far '.repeat(30)}blue ${'away '.repeat(60)}`

  const SHOWN: readonly (readonly [string, string, string, readonly string[] | null])[] = [
    ['a word', 'A blue boat', 'blue ', ['A ', 'blue', ' boat']],
    ['other forms', 'She walked', 'walking ', ['She ', 'walked', '']],
    ['the start of a word', 'Mountains', 'mount', ['', 'Mountains', '']],
    ['no start of a complete word', 'Mountains', 'mount ', null],
    ['accents', 'Un Cafe\u0301!', 'cafe ', ['Un ', 'Cafe\u0301', '!']],
    [
      'several words',
      'blue sky, blue sea',
      'sea blue ',
      ['', 'blue', ' sky, ', 'blue', ' ', 'sea', ''],
    ],
    ['words of scripts without spaces', '京都のお寺', '京都', ['', '京都', 'のお寺']],
    ['line breaks as spaces', 'a\n\nblue', 'blue ', ['a ', 'blue', '']],
    ['nothing without a match', 'A red boat', 'blue ', null],
  ]
  for (const [what, text, query, expected] of SHOWN) {
    it(`show ${what}`, () => {
      expect(highlight(text, query)).to.deep.equal(expected)
    })
  }

  it('show the part of a long text around the first match', () => {
    const [before = '', match, after = ''] = highlight(LONG, 'blue ') ?? []
    expect([before.startsWith('…far'), match, after.endsWith('away…')]).to.deep.equal([
      true,
      'blue',
      true,
    ])
    expect(before.length + after.length).to.be.within(150, 200)
  })

  it('cut a match that is longer than the shown part, and split no character', () => {
    const word = '😀a'.repeat(5).replaceAll('😀', '𝒳'.repeat(50))
    const text = (highlight(word, word.slice(0, 60)) ?? []).join('')
    expect(text.length).to.be.within(190, 202)
    expect(text).to.not.match(/\p{Cs}/u)
  })

  it('look for matches near the start of huge texts only', () => {
    expect(highlight(`${'far '.repeat(2_500)}blue`, 'blue ')).to.equal(null)
  })

  it('are a bounded part of the text that starts with a match or 40 characters before it', () => {
    const text = array(constantFrom('blue', 'far', 'boats', '京都', 'é', '😀', ' ', '\n', '. '), {
      maxLength: 300,
    })
    assertProperty(
      property(text, string(), (words, noise) => {
        const whole = `${words.join(' ')}${noise}`
        const pieces = highlight(whole, 'blue boat ')
        const hasMatch = analyzer
          .tokens(whole)
          .some(({ stem }) => stem === 'blue' || stem === 'boat')
        expect(pieces !== null).to.equal(hasMatch)
        if (pieces === null) return
        expect(pieces.length % 2).to.equal(1)
        const shown = pieces.join('').replace(/^…|…$/gu, '')
        expect(whole.replace(/\s+/gu, ' ')).to.include(shown)
        expect(shown.length).to.be.at.most(200)
        for (const [place, piece] of pieces.entries()) {
          if (place % 2 === 1) expect(analyzer.tokens(piece).length).to.equal(1)
        }
      }),
    )
  })
})
