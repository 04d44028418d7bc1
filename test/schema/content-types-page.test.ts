import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { ATTRIBUTE_OPTIONS, COMMON_OPTIONS } from '../../src/schema/check/declaration-shape.ts'

describe('docs/content-types.md', () => {
  const page = readFileSync(new URL('../../../docs/content-types.md', import.meta.url), 'utf8')
  const rows = new Map(
    [...page.matchAll(/^\| `(\w+)` +\| (`[^|]*`) +\|/gm)].map(([, type = '', options = '']) => [
      type,
      [...options.matchAll(/`(\w+)`/g)].map(([, option = '']) => option).sort(),
    ]),
  )

  it('has a row with the right options for each attribute type', () => {
    const declared = Object.fromEntries(
      Object.entries(ATTRIBUTE_OPTIONS).map(([type, options]) => [
        type,
        Object.keys(options)
          .filter((option) => !(option in COMMON_OPTIONS))
          .sort(),
      ]),
    )
    expect(Object.fromEntries(rows)).to.deep.equal(declared)
  })

  it('explains every option', () => {
    const options = Object.values(ATTRIBUTE_OPTIONS).flatMap((map) => Object.keys(map))
    const missing = [...new Set(options)].filter((option) => !page.includes(`\`${option}`))
    expect(missing).to.deep.equal([])
  })
})
