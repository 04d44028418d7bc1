import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { VARIABLES } from '../../../src/base/config/variables.ts'
import { SIGN_IN_MEMBERS } from '../../../src/base/config/sign-in-providers.ts'
import { readConfig } from '../../../src/base/config/config.ts'

const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8')

interface Row {
  readonly name: string
  readonly preset: string
  readonly member: string
}

function rows(): Row[] {
  const found = page.matchAll(/^\| +`([A-Z0-9_]+)` +\| +(.+?) +\| +`([\w.]+)` +\|/gm)
  return [...found].map(([, name = '', preset = '', member = '']) => ({ name, preset, member }))
}

describe('docs/configuration.md', () => {
  it('lists every variable exactly once', () => {
    const names = rows().map(({ name }) => name)
    expect(names.sort()).to.deep.equal(Object.keys(VARIABLES).sort())
  })

  it('names the member of each variable', () => {
    const declared = Object.entries(VARIABLES).map(([name, { member }]) => ({ name, member }))
    const listed = rows().map(({ name, member }) => ({ name, member }))
    expect(listed).to.have.deep.members(declared)
  })

  it('names the member of each variable of a sign-in provider', () => {
    const listed = [
      ...page.matchAll(/^\| `SIGN_IN_<NAME>_(\w+)` +\| `signIn\.<name>\.(\w+)` +\|/gm),
    ]
    const declared = Object.entries(SIGN_IN_MEMBERS).map(([member, { suffix }]) => [suffix, member])
    expect(listed.map(([, suffix, member]) => [suffix, member])).to.have.deep.members(declared)
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
