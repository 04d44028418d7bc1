import { expect } from 'chai'
import { checkMedia } from './check-media.ts'
import { FAULT_OPERATIONS, FILE_OPERATIONS, type FaultOperation } from './fault-operations.ts'
import { type BucketFault, type FaultyBucket, openFaultyBucket } from './faulty-bucket.ts'
import {
  type FaultForm,
  type FaultWorld,
  openFaultWorld,
  sweepOperation,
} from './sweep-operation.ts'

const FAULTS: readonly BucketFault[] = ['refused', 'lost']

describe('a change of a file while a request to the bucket fails', function () {
  this.slow(20_000)
  this.timeout(180_000)
  let world: FaultWorld
  let bucket: FaultyBucket

  before(async () => {
    bucket = await openFaultyBucket()
    world = await openFaultWorld(bucket.environment)
  })
  after(async () => {
    await world.close()
    await bucket.close()
  })

  const forms: readonly FaultForm[] = FAULTS.map((fault) => ({
    name: fault,
    arm: (_world, position) => {
      bucket.arm(position, fault)
      return () => {
        const { requests, failed } = bucket.disarm()
        return { isReached: requests >= position, step: failed }
      }
    },
  }))

  function sweep(operation: FaultOperation): void {
    it(`has all effects or none: ${operation.name}`, async function () {
      const { steps, injected, faults } = await sweepOperation([world], operation, () => forms)
      if (this.test) this.test.title += `, N = ${steps}, ${injected} faults`
      expect(faults).to.deep.equal([])
      expect(steps).to.be.at.least(1)
      expect(injected).to.equal(steps * FAULTS.length)
    })
  }
  const uploads = FAULT_OPERATIONS.filter(({ name }) => name.startsWith('upload'))
  for (const operation of [...uploads, ...FILE_OPERATIONS]) sweep(operation)

  it('leaves at most bytes that the check of files can remove', async () => {
    const env = {
      ...bucket.environment,
      MONGODB_URI: world.server.uri,
      MONGODB_DATABASE: world.server.database,
      QUIRE_DATA_DIR: world.folder,
      CONTENT_TYPES_DIR: world.server.contentTypesDir,
    }
    const { files, faults } = await checkMedia(env, 's3')
    expect(files).to.be.above(0)
    const kinds = new Set(faults.map(({ kind }) => kind))
    kinds.delete('file-without-record')
    kinds.delete('leftover')
    expect([...kinds]).to.deep.equal([])
  })
})
