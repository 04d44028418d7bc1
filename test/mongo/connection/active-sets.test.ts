import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { MongoClient } from 'mongodb'
import { patchActiveSets, ActiveSet } from '../../../src/mongo/connection/active-sets.ts'
import { testUri } from '../../support/test-database.ts'

const SCRIPT = fileURLToPath(new URL('./come-and-go.js', import.meta.url))

/** Room for all of it: else V8 collects the whole heap in between, when a version of it thinks fit. */
const FLAGS = ['--expose-gc', '--initial-old-space-size=512']

/** How much of 16 MB that came and went only a collection of the whole heap finds, in bytes. */
async function leftBy(holder: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, SCRIPT, holder])
  return Number(stdout)
}

describe('ActiveSet', () => {
  it('holds what a set would', () => {
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

  it('may lose things while they are gone through', () => {
    const things = new ActiveSet<number>().add(1).add(2).add(3)
    const seen = Array.from(things, (thing) => {
      things.delete(thing)
      return thing
    })
    expect(seen).to.have.members([1, 2, 3])
    expect([...things]).to.deep.equal([])
  })

  it('lets a collection of the young find what has left', async () => {
    expect(await leftBy('ActiveSet')).to.be.below(1_000_000)
  })

  it('is needed: a set lets it find nothing', async () => {
    expect(await leftBy('Set')).to.be.above(15_000_000)
  })
})

describe('patchActiveSets', () => {
  it('finds both sets in the driver, which ends with a client what is in them', async () => {
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

  it('keeps nothing of what has been read', async () => {
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
