import { expect } from 'chai'
import { judgeStandalone } from '../../../src/server/deployment/refuse-standalone.ts'

describe('judgeStandalone', () => {
  it('accepts a replica set and mongos regardless of the setting', () => {
    for (const allowed of [true, false]) {
      expect(judgeStandalone(true, allowed).kind).to.equal('transactional')
    }
  })

  it('refuses a standalone and explains how to make it a replica set', () => {
    const verdict = judgeStandalone(false, false)
    expect(verdict).to.deep.equal({
      kind: 'refused',
      why:
        'The database is a standalone mongod, which has no transactions. Start it with ' +
        '--replSet rs0 and run rs.initiate() once in mongosh, or set QUIRE_ALLOW_STANDALONE=1 ' +
        'to accept writes that are not atomic.',
    })
  })

  it('accepts a standalone with a warning if the setting allows it', () => {
    const verdict = judgeStandalone(false, true)
    expect(verdict).to.have.property('kind', 'accepted')
    expect(verdict).to.have.property('why').that.includes('writes are not atomic')
  })
})
