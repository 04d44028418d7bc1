import { expect } from 'chai'
import type { Json } from '../support/server.ts'
import { BATCH_OPERATIONS } from './batch-operations.ts'
import { FAULT_OPERATIONS, type FaultOperation } from './fault-operations.ts'
import {
  commandForm,
  type FaultForm,
  type FaultWorld,
  openFaultWorld,
  sweepOperation,
} from './sweep-operation.ts'
import { FAULT_KINDS, SWEPT_KINDS } from './wire-fault-table.ts'

/** `all` tries every fault at every command, once, twice and four times, which takes an hour. */
const IS_WHOLE = process.env['QUIRE_TEST_WIRE_FAULTS'] === 'all'
const WORLDS = 4
const TIMES = [1, 2, 4] as const

describe('a failing command to the database', function () {
  this.slow(60_000)
  this.timeout(IS_WHOLE ? 1_800_000 : 300_000)
  const worlds: Readonly<Record<'local' | 'gridfs', FaultWorld[]>> = { local: [], gridfs: [] }

  before(async () => {
    for (const storage of ['local', 'gridfs'] as const) {
      const count = storage === 'local' ? WORLDS : WORLDS / 2
      for (let index = 0; index < count; index += 1)
        worlds[storage].push(await openFaultWorld({ UPLOAD_STORAGE: storage }))
    }
  })

  const close = async (): Promise<void> => {
    for (const world of [...worlds.local.splice(0), ...worlds.gridfs.splice(0)]) await world.close()
  }
  after(close)

  function sweep(operation: FaultOperation, storage: 'local' | 'gridfs' = 'local'): void {
    it(`has all effects or none: ${operation.name}, ${storage}`, async function () {
      const { steps, injected, faults, slowest } = await sweepOperation(
        worlds[storage],
        operation,
        chooseForms,
      )
      const longest = `at most ${slowest.ms} ms (${slowest.where})`
      if (this.test) this.test.title += `, N = ${steps}, ${injected} faults, ${longest}`
      expect(faults).to.deep.equal([])
      expect(steps).to.be.at.least(2)
      expect(injected).to.be.above(steps * 2)
    })
  }

  for (const operation of [...FAULT_OPERATIONS, ...BATCH_OPERATIONS]) sweep(operation)
  for (const operation of FAULT_OPERATIONS)
    if (operation.name.startsWith('upload')) sweep(operation, 'gridfs')

  it('leaves a commit log without gaps that gives the stored versions', close)
})

function chooseForms(command: Json): readonly FaultForm[] {
  const kinds = IS_WHOLE ? FAULT_KINDS : SWEPT_KINDS
  return kinds
    .filter(({ suits }) => suits(command))
    .flatMap((kind) => (IS_WHOLE ? TIMES : [1]).map((times) => commandForm(kind, times)))
}
