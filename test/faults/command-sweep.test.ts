import { expect } from 'chai'
import { FAULT_OPERATIONS } from './fault-operations.ts'
import { commandForm, type FaultWorld, openFaultWorld, sweepOperation } from './sweep-operation.ts'
import { SWEPT_KINDS } from './wire-fault-table.ts'

/** A small part of `wire-faults.hard.test.ts`. */
describe('a creation with relations while a command to the database fails', function () {
  this.slow(20_000)
  this.timeout(120_000)
  let world: FaultWorld | null = null

  before(async () => {
    world = await openFaultWorld()
  })
  after(() => world?.close())

  const forms = SWEPT_KINDS.filter(({ name }) => /breaks|no driver/.test(name)).map((kind) =>
    commandForm(kind),
  )

  it('has all effects or none for each command', async () => {
    const [operation] = FAULT_OPERATIONS
    if (world === null || operation === undefined) throw new Error('no world')
    const { steps, injected, faults } = await sweepOperation([world], operation, () => forms)
    expect(faults).to.deep.equal([])
    expect(steps).to.be.within(8, 20)
    expect(injected).to.be.at.least(3 * (steps - 1))
  })

  it('leaves a commit log without gaps that gives the stored versions', async () => {
    const closing = world?.close()
    world = null
    await closing
  })
})
