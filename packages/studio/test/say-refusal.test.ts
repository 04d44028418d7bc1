import { expect } from 'chai'
import { english } from '../src/texts/english.ts'
import { german } from '../src/texts/german.ts'
import { type CodedFault, sayFault, sayRefusal } from '../src/texts/say-refusal.ts'
import { textsOf } from '../src/texts/texts.ts'

/** A list of codes from the server. The Studio cannot import it, but needs a text for each code. */
async function listOf(name: string, module: string): Promise<readonly string[]> {
  const url = new URL(`../../../../dist/src/base/${module}.js`, import.meta.url).href
  return ((await import(url)) as Readonly<Record<string, readonly string[]>>)[name] ?? []
}

const en = textsOf('en', english)
const de = textsOf('de', german)

const SENTENCE = 'title must be at most 120 characters'
const tooLong: CodedFault = {
  path: ['data', 'heroTitle'],
  message: SENTENCE,
  code: 'string.max',
  params: { limit: 1200 },
}

describe('refusals of the server', () => {
  it('have a text for every code in every language', async () => {
    const faultCodes = await listOf('FAULT_CODES', 'fault-codes')
    const errorCodes = await listOf('ERROR_CODES', 'error-codes')
    const wanted = [
      ...faultCodes.map((code) => `fault.${code}`),
      ...errorCodes.map((code) => `refused.${code}`),
    ]
    const own = Object.keys(english).filter((key) => /^(?:fault|refused)\./.test(key))
    const added = new Set(['fault.within', 'fault.near'])
    expect(own.filter((key) => !added.has(key)).sort()).to.deep.equal(wanted.sort())
    for (const catalogue of [english, german]) {
      expect(wanted.filter((key) => !Object.hasOwn(catalogue, key))).to.deep.equal([])
    }
  })

  it('use the language of the user, including numbers', () => {
    expect(sayFault(tooLong, en)).to.equal('At most 1,200 characters')
    expect(sayFault(tooLong, de)).to.equal('Höchstens 1.200 Zeichen')
    const most = (limit: number) => ({ ...tooLong, code: 'array.max', params: { limit } })
    expect(sayFault(most(1), de)).to.equal('Höchstens 1 Element')
    expect(sayFault(most(3), de)).to.equal('Höchstens 3 Elemente')
    const least = { ...tooLong, code: 'number.min', params: { limit: '0.5' } }
    expect(sayFault(least, de)).to.equal('Mindestens 0,5')
    const form = { ...tooLong, code: 'string.match', params: { pattern: '^[A-Z]{2,4}$' } }
    expect(sayFault(form, de)).to.match(/2 bis 4 Großbuchstaben$/)
    const kinds = { ...tooLong, code: 'media.type', params: { allowed: ['images', 'videos'] } }
    expect(sayFault(kinds, de)).to.match(/nur Bilder oder Videos$/)
  })

  it('fall back to the message of the server for unknown codes', () => {
    for (const code of ['string.tomorrow', 'toString', undefined]) {
      const { code: _, ...plain } = tooLong
      const fault = code === undefined ? plain : { ...plain, code }
      expect(sayFault(fault, de)).to.equal(SENTENCE)
      const refusal = { message: SENTENCE, code: 'invalid_payload', faults: [fault] }
      expect(sayRefusal(refusal, de)).to.equal(SENTENCE)
    }
    const other = { message: 'Not today', code: 'not_today', faults: [] }
    expect(sayRefusal(other, de)).to.equal('Not today')
  })

  it('name the attribute outside of a field', () => {
    const refusal = { message: SENTENCE, code: 'invalid_payload', faults: [tooLong] }
    expect(sayRefusal(refusal, de)).to.equal('Hero title: Höchstens 1.200 Zeichen')
    const second = { ...tooLong, path: ['links', '1', 'url'], code: 'any.required', params: {} }
    expect(sayRefusal({ ...refusal, faults: [tooLong, second] }, en)).to.equal(
      'Hero title: At most 1,200 characters; Links › 2 › URL: This field is required',
    )
    expect(sayRefusal({ message: 'x', code: 'write_conflict', faults: [] }, de)).to.match(/^Andere/)
  })
})
