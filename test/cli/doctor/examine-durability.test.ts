import { expect } from 'chai'
import { examineDurability } from '../../../src/cli/doctor/examine-durability.ts'

const HOST = 'mongodb://ada:hunter2@db.example/cms'

describe('examineDurability', () => {
  const weak: readonly [string, string, Readonly<Record<string, unknown>>, RegExp][] = [
    ['w=1', `${HOST}?replicaSet=rs0&w=1`, {}, /^w=1 in MONGODB_URI/],
    ['w=0 in any case', `${HOST}?W=0`, {}, /^w=0 in MONGODB_URI/],
    ['journal=false', `${HOST}?journal=false`, {}, /^journal=false/],
    ['j=false', `${HOST}?j=false`, {}, /^j=false/],
    ['arbiters', HOST, { arbiters: ['c.example:27017'] }, /arbiters \(c\.example:27017\)/],
  ]
  for (const [title, uri, hello, expected] of weak) {
    it(`warns of ${title}`, () => {
      const findings = examineDurability(uri, hello)
      expect(findings.map(({ level }) => level)).to.deep.equal(['warning'])
      expect(findings[0]?.what).to.match(expected).and.not.include('hunter2')
    })
  }

  it('reports no finding for majority writes and members that store data', () => {
    for (const uri of [null, HOST, `${HOST}?w=majority&journal=true`, `${HOST}?w=2`]) {
      expect(examineDurability(uri, { hosts: ['a', 'b'], arbiters: [] })).to.deep.equal([])
      expect(examineDurability(uri, {})).to.deep.equal([])
    }
  })
})
