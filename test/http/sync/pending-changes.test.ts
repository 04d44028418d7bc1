import { expect } from 'chai'
import * as fc from 'fast-check'
import { PendingChanges } from '../../../src/http/sync/pending-changes.ts'

const ATTRIBUTES = ['title', 'secret', 'body'] as const

describe('the pending changes of an entry', () => {
  const changes = fc.oneof(
    fc.record({ kind: fc.constant('entry' as const), revision: fc.constantFrom('r1', 'r2', null) }),
    fc.record(
      {
        kind: fc.constant('discussion' as const),
        revision: fc.constant(null),
        attribute: fc.constantFrom(...ATTRIBUTES, null),
        requestId: fc.constantFrom('q1', 'q2', null),
      },
      { requiredKeys: ['kind', 'revision'] },
    ),
  )

  it('are one event of each kind, without comments on hidden attributes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(changes, { maxLength: 8 }), { maxLength: 4 }),
        fc.subarray([...ATTRIBUTES]),
        (batches, shown) => {
          const pending = new PendingChanges()
          for (const batch of batches) {
            for (const change of batch) pending.add(change)
            expect(pending.isEmpty()).to.equal(batch.length === 0)
            const written = batch.flatMap((one) => (one.kind === 'entry' ? [one] : []))
            const requests = batch.flatMap((one) => {
              if (one.kind === 'entry') return []
              const { attribute = null, requestId = null } = one
              return attribute === null || shown.includes(attribute) ? [requestId] : []
            })
            const isOne = new Set(requests).size === 1
            const requestId = isOne ? (requests[0] ?? null) : null
            expect(
              pending.take((attribute) => shown.some((one) => one === attribute)),
            ).to.deep.equal([
              ...written.slice(-1),
              ...(requests.length > 0 ? [{ kind: 'discussion', revision: null, requestId }] : []),
            ])
            expect(pending.isEmpty()).to.equal(true)
          }
        },
      ),
    )
  })
})
