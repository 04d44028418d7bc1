import { expect } from 'chai'
import {
  bearerCredential,
  createAccessKey,
  hashCredential,
  isSameHash,
  isUserToken,
} from '../../../src/people/access/credentials.ts'

describe('access/credentials', () => {
  it('makes keys of 256 hexadecimal characters, each another', () => {
    const keys = new Set(Array.from({ length: 100 }, createAccessKey))
    expect(keys.size).to.equal(100)
    for (const key of keys) expect(key).to.match(/^[0-9a-f]{256}$/)
  })

  const headers: readonly [string | undefined, string | null][] = [
    [undefined, null],
    ['', null],
    ['Bearer', null],
    ['Bearer ', null],
    ['Basic x', null],
    ['Token x', null],
    ['deadbeef', null],
    ['Bearer a b', null],
    ['Bearerx', null],
    ['Bearer a', 'a'],
    ['bearer a', 'a'],
    ['BEARER\t a ', 'a'],
    ['  Bearer    a.b.c', 'a.b.c'],
  ]
  for (const [header, credential] of headers) {
    it(`reads ${JSON.stringify(header)}`, () => {
      expect(bearerCredential(header)).to.equal(credential)
    })
  }

  it('compares hashes', () => {
    expect(isSameHash(hashCredential('a'), hashCredential('a'))).to.equal(true)
    expect(isSameHash(hashCredential('a'), hashCredential('b'))).to.equal(false)
    expect(isSameHash(hashCredential('a'), Buffer.alloc(0))).to.equal(false)
  })

  it('recognises the token of a user by its form', () => {
    for (const [credential, is] of [
      ['a.b.c', true],
      ['..', true],
      ['a.b', false],
      ['a.b.c.d', false],
      ['a.b.c.d.e', false],
      ['f'.repeat(256), false],
    ] as const) {
      expect(isUserToken(credential), credential).to.equal(is)
    }
  })
})
