import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { MongoClient } from 'mongodb'
import {
  patchActiveSets,
  ActiveSet,
} from '../../../../src/mongo/connection/driver-patches/active-sets.ts'
import { testUri } from '../../../support/test-database.ts'

const SCRIPT = fileURLToPath(new URL('./come-and-go.js', import.meta.url))

/** Enough space, so that V8 does not collect the whole heap in between. */
const FLAGS = ['--expose-gc', '--initial-old-space-size=512']

/** Returns how many bytes of 16 MB garbage only a full collection frees. */
async function leftBy(holder: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, SCRIPT, holder])
  return Number(stdout)
}

describe('ActiveSet', () => {
  it('behaves like a set', () => {
    const step = fc.tuple(fc.constantFrom('add', 'delete', 'clear'), fc.nat(5))
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const model = new Set<number>()
        const things = new ActiveSet<number>()
        for (const [name, thing] of steps) {
          if (name === 'clear') {
            model.clear()
            things.clear()
          } else if (name === 'add') {
            model.add(thing)
            things.add(thing)
          } else {
            expect(things.delete(thing)).to.equal(model.delete(thing))
          }
          expect([...things]).to.have.members([...model])
        }
      }),
    )
  })

  it('supports removal during iteration', () => {
    const things = new ActiveSet<number>().add(1).add(2).add(3)
    const seen = Array.from(things, (thing) => {
      things.delete(thing)
      return thing
    })
    expect(seen).to.have.members([1, 2, 3])
    expect([...things]).to.deep.equal([])
  })

  it('lets a minor garbage collection free removed items', async () => {
    expect(await leftBy('ActiveSet')).to.be.below(1_000_000)
  })

  it('is needed because a native set keeps removed items until a full collection', async () => {
    expect(await leftBy('Set')).to.be.above(15_000_000)
  })
})

describe('patchActiveSets', () => {
  it('replaces both sets of the driver, which still closes their content with the client', async () => {
    const client = new MongoClient(await testUri())
    patchActiveSets(client)
    const { activeSessions, activeCursors } = Reflect.get(client, 's') as Record<string, unknown>
    expect(activeSessions).to.be.instanceOf(ActiveSet)
    expect(activeCursors).to.be.instanceOf(ActiveSet)
    const session = client.startSession()
    const cursor = client.db('quire_test_under_way').collection('rows').find()
    expect([...(activeSessions as ActiveSet<unknown>)]).to.deep.equal([session])
    expect([...(activeCursors as ActiveSet<unknown>)]).to.deep.equal([cursor])
    await client.close()
    expect(session.hasEnded).to.equal(true)
    expect(cursor.closed).to.equal(true)
  })

  it('is empty after a completed read', async () => {
    const client = new MongoClient(await testUri())
    patchActiveSets(client)
    const { activeSessions, activeCursors } = Reflect.get(client, 's') as Record<
      string,
      ActiveSet<unknown>
    >
    await client.db('quire_test_under_way').collection('rows').find().toArray()
    expect([...(activeSessions ?? [0])]).to.deep.equal([])
    expect([...(activeCursors ?? [0])]).to.deep.equal([])
    await client.close()
  })
})
