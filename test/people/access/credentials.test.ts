import { expect } from 'chai'
import {
  bearerCredential,
  createAccessKey,
  hashCredential,
  isSameHash,
  isUserToken,
} from '../../../src/people/access/credentials.ts'

describe('credentials', () => {
  it('creates unique keys of 256 hexadecimal characters', () => {
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
    it(`parses the header ${JSON.stringify(header)}`, () => {
      expect(bearerCredential(header)).to.equal(credential)
    })
  }

  it('compares hashes by value', () => {
    expect(isSameHash(hashCredential('a'), hashCredential('a'))).to.equal(true)
    expect(isSameHash(hashCredential('a'), hashCredential('b'))).to.equal(false)
    expect(isSameHash(hashCredential('a'), Buffer.alloc(0))).to.equal(false)
  })

  it('recognizes a user token by its three dot-separated parts', () => {
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
