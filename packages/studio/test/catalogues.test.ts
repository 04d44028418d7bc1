import { expect } from 'chai'
import { english, type TextKey } from '../src/texts/english.ts'
import { german } from '../src/texts/german.ts'

const placeholders = (text: string): readonly string[] =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].sort()

describe('the catalogues of texts', () => {
  it('have the same keys', () => {
    expect(Object.keys(german).sort()).to.deep.equal(Object.keys(english).sort())
  })

  it('have the same placeholders and plural forms in each text', () => {
    const shapeOf = (text: string) => [placeholders(text), text.split(' | ').length]
    for (const key of Object.keys(english) as TextKey[]) {
      expect(german[key], key).to.match(/\S/)
      expect(shapeOf(german[key]), key).to.deep.equal(shapeOf(english[key]))
    }
  })
})
