import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { openNdjsonFile } from '../../src/cli/snapshot/ndjson-file.ts'
import { modelRuns } from '../support/model-runs.ts'
import { FAULT_OPERATIONS, FILE_OPERATIONS, type FaultOperation } from './fault-operations.ts'
import { type FaultyFiles, type FileFault, openFaultyFiles } from './faulty-files.ts'
import {
  type FaultForm,
  type FaultWorld,
  openFaultWorld,
  sweepOperation,
} from './sweep-operation.ts'

/** The number of swept operations. */
const OPERATIONS = modelRuns('FILE_SWEEPS', 1, 10)
const FAULTS: readonly FileFault[] = ['EIO', 'ENOSPC', 'short']

describe('a change of a file while a file operation fails', function () {
  this.slow(20_000)
  this.timeout(180_000)
  let world: FaultWorld
  let files: FaultyFiles

  before(async () => {
    world = await openFaultWorld()
    files = openFaultyFiles(world.folder)
  })
  after(async () => {
    files.restore()
    await world.close()
  })

  const forms: readonly FaultForm[] = FAULTS.map((fault) => ({
    name: fault,
    arm: (_world, position) => {
      files.arm(position, fault)
      return () => {
        const { operations, failed } = files.disarm()
        return { isReached: operations >= position, step: failed }
      }
    },
  }))

  const uploads = FAULT_OPERATIONS.filter(({ name }) => name.startsWith('upload'))
  function sweep(operation: FaultOperation): void {
    it(`has all effects or none: ${operation.name}`, async function () {
      const { steps, injected, faults } = await sweepOperation([world], operation, () => forms)
      if (this.test) this.test.title += `, N = ${steps}, ${injected} faults`
      expect(faults).to.deep.equal([])
      expect(steps).to.be.above(3)
      expect(injected).to.be.at.least(steps * 2)
    })
  }
  for (const operation of [...uploads, ...FILE_OPERATIONS].slice(0, OPERATIONS)) sweep(operation)
})

describe('a snapshot while a file operation fails', () => {
  let folder: string
  let files: FaultyFiles

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-snapshot-'))
    files = openFaultyFiles(folder)
  })
  afterEach(() => {
    files.restore()
    rmSync(folder, { recursive: true, force: true })
  })

  const NEW = '{"a":"ä"}\n{"next":"token","more":false}\n'

  async function write(out: string): Promise<void> {
    const file = await openNdjsonFile(out)
    try {
      await file.apply(['{"a":"ä"}'])
      await file.finish('token')
    } catch (error) {
      await file.abandon()
      throw error
    }
  }

  for (const fault of FAULTS) {
    it(`is whole, or the old file stays: ${fault}`, async () => {
      const out = path.join(folder, 'out.ndjson')
      let [position, isReached] = [0, true]
      while (isReached) {
        position += 1
        writeFileSync(out, 'old')
        files.arm(position, fault)
        const isWritten = await write(out).then(
          () => true,
          () => false,
        )
        const { operations, failed } = files.disarm()
        isReached = operations >= position
        const where = `${failed} at ${position}`
        expect(readFileSync(out, 'utf8'), where).to.equal(isWritten ? NEW : 'old')
        expect(readdirSync(folder), where).to.deep.equal(['out.ndjson'])
      }
      expect(position - 1).to.equal(5)
    })
  }
})
