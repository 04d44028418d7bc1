import { expect } from 'chai'
import * as fc from 'fast-check'
import { locateMember } from '../../../src/extensions/configuration/locate-member.ts'

const SOURCE = `import { defineConfig } from '@quire/server'
// database: { uri: 'a comment' }
const other = { database: { uri: 1 } }
const text = \`database: {
  uri: \${'x'}\`

export default defineConfig({
  logLevel: 'warn', // http: {
  'database': {
    nested: { uri: 1 },
    uri: process.env.MONGODB_URI ?? ['a', 'b'][0],
    name,
  },
  http,
  extensions: [one({ cache: 1 }), two],
  cache: { bytes: 1 },
})
`

describe('locateMember', () => {
  const lines: readonly [string, number][] = [
    ['logLevel', 8],
    ['database', 9],
    ['database.uri', 11],
    ['database.name', 12],
    ['database.kind', 9],
    ['http.port', 14],
    ['cache.bytes', 16],
    ['unknown', 7],
  ]
  for (const [path, line] of lines) {
    it(`finds ${path} in line ${line}`, () => {
      expect(locateMember(SOURCE, path.split('.'))).to.equal(line)
    })
  }

  it('finds members of an object without defineConfig, and of a CommonJS module', () => {
    expect(locateMember('\nexport default {\n  http: {} }', ['http'])).to.equal(3)
    expect(locateMember('module.exports = {\n  http: {} }', ['http'])).to.equal(2)
  })

  it('finds items of lists by their index', () => {
    const source =
      'export default {\n  a: {\n    b: [\n      { c: [1, 2] },\n      {\n        c: 3 },\n    ] } }'
    const lineOf = (path: string) => locateMember(source, path.split('.'))
    expect(['a.b.0.c', 'a.b.1', 'a.b.1.c', 'a.b.2', 'a.b.x'].map(lineOf)).to.deep.equal([
      4, 5, 6, 3, 3,
    ])
  })

  it('returns a line of the source for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (source) => {
        const count = source.split('\n').length
        expect(locateMember(source, ['http', 'port'])).to.be.within(1, count)
      }),
    )
  })
})
