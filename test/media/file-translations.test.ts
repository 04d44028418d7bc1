import { expect } from 'chai'
import * as fc from 'fast-check'
import { installedTranslations, textsIn } from '../../src/content/read/localized-files.ts'
import {
  type FileTranslations,
  mergeTranslations,
  type TranslationsChange,
} from '../../src/media/file-translations.ts'

const CODES = ['en', 'de', 'pt-BR', 'fr']
const TEXTS = ['alternativeText', 'caption'] as const

const change: fc.Arbitrary<TranslationsChange> = fc.option(
  fc.dictionary(
    fc.constantFrom(...CODES),
    fc.option(
      fc.record(
        {
          alternativeText: fc.constantFrom(null, '', 'a summit', 'a lake'),
          caption: fc.constantFrom(null, '', 'summer'),
        },
        { requiredKeys: [] },
      ),
      { freq: 5 },
    ),
  ),
  { freq: 8 },
)

/** One cell per locale and text. */
type Cells = ReadonlyMap<string, string>

function applyToCells(cells: Cells, sent: TranslationsChange): Cells {
  if (sent === null) return new Map()
  const after = new Map(cells)
  for (const code of CODES) {
    const texts = sent[code]
    for (const name of TEXTS) {
      const text = texts?.[name]
      const isRemoved = texts === null || text === null || text === ''
      if (isRemoved) after.delete(`${code} ${name}`)
      else if (text !== undefined) after.set(`${code} ${name}`, text)
    }
  }
  return after
}

describe('texts of files by locale', () => {
  it('equal a table of locales and texts after any changes, for any chain of locales', () => {
    let fallbacks = 0
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 6 }),
        fc.uniqueArray(fc.constantFrom(...CODES), { minLength: 1 }),
        (changes, chain) => {
          let stored: FileTranslations | null = null
          let cells: Cells = new Map()
          for (const one of changes) {
            stored = mergeTranslations(stored, one)
            cells = applyToCells(cells, one)
          }
          const count = Object.values(stored ?? {}).flatMap((texts) => Object.keys(texts)).length
          expect(count).to.equal(cells.size)
          expect(
            Object.values(stored ?? {}).every((texts) => Object.keys(texts).length > 0),
          ).to.equal(true)
          const shown = textsIn(stored, chain)
          for (const name of TEXTS) {
            const first = chain.find((code) => cells.has(`${code} ${name}`))
            if (first !== undefined && first !== chain[0]) fallbacks += 1
            const expected = first === undefined ? undefined : cells.get(`${first} ${name}`)
            expect(shown?.[name]).to.equal(expected)
          }
        },
      ),
      { numRuns: 300 },
    )
    expect(fallbacks).to.be.greaterThan(10)
  })

  it('are shown for installed locales only', () => {
    const stored = { de: { caption: 'Sommer' }, fr: { caption: 'été' } }
    const only = (code: string) => ({ has: (one: string) => one === code })
    expect(installedTranslations(stored, only('de'))).to.deep.equal({ de: stored.de })
    expect(installedTranslations(stored, only('en'))).to.equal(null)
    expect(installedTranslations(undefined, only('en'))).to.equal(null)
  })
})
