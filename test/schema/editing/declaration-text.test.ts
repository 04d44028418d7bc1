import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { assert, object, property } from 'fast-check'
import { declarationText } from '../../../src/schema/editing/declaration-text.ts'

const SAMPLE = fileURLToPath(new URL('../../../../content-types', import.meta.url))

describe('declarationText', () => {
  it('reproduces each file of the sample', () => {
    const files = readdirSync(SAMPLE, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json') && !name.startsWith('queries'))
      .map((name) => join(SAMPLE, name))
    expect(files.length).to.be.above(10)
    for (const file of files) {
      const text = readFileSync(file, 'utf8')
      expect(declarationText(JSON.parse(text)), file).to.equal(text)
    }
  })

  it('keeps content and order of any declaration', () => {
    assert(
      property(object({ withNullPrototype: false }), (content) => {
        const plain: unknown = JSON.parse(JSON.stringify(content))
        const text = declarationText(plain)
        expect(JSON.stringify(JSON.parse(text))).to.equal(JSON.stringify(plain))
        expect(declarationText(JSON.parse(text))).to.equal(text)
      }),
    )
  })
})
