import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { VARIABLES } from '../../../src/base/config/variables.ts'
import { readConfig } from '../../../src/base/config/config.ts'

const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8')

function rows(): { readonly name: string; readonly preset: string }[] {
  const found = page.matchAll(/^\| +`([A-Z0-9_]+)` +\| +(.+?) +\|/gm)
  return [...found].map(([, name = '', preset = '']) => ({ name, preset }))
}

describe('docs/configuration.md', () => {
  it('lists every variable exactly once', () => {
    const names = rows().map(({ name }) => name)
    expect(names.sort()).to.deep.equal(Object.keys(VARIABLES).sort())
  })

  it('shows the real defaults', () => {
    const literal = rows().flatMap(({ name, preset }) => {
      const value = /^`([^`]+)`$/.exec(preset)?.[1]
      return value === undefined ? [] : [[name, value] as const]
    })
    expect(literal.length).to.be.above(10)
    expect(readConfig(Object.fromEntries(literal))).to.deep.equal(readConfig({}))
  })
})
