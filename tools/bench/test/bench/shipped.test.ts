import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { readShipped } from '../../src/bench/shipped.ts'

describe('readShipped', () => {
  it('reads the options of Node and malloc from the Dockerfile', () => {
    const { options, env } = readShipped()
    expect(options).to.include('--enable-source-maps')
    expect(env).to.include.keys('MALLOC_ARENA_MAX')
  })

  it('matches the options of `npm start`', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly scripts: { readonly start: string }
    }
    expect(scripts.start.split(' ').filter((word) => word.startsWith('--'))).to.deep.equal(
      readShipped().options,
    )
  })
})
