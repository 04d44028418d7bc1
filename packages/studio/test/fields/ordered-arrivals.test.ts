import { expect } from 'chai'
import { OrderedArrivals } from '../../src/fields/media/ordered-arrivals.ts'

function open(ids: readonly number[]) {
  const delivered: string[] = []
  const arrivals = new OrderedArrivals<string>(ids, {
    deliver: (_id, value) => {
      if (value === 'faulty') throw new Error(value)
      delivered.push(value)
    },
    onFault: (id, error) => void delivered.push(`${id}: ${(error as Error).message}`),
  })
  return { arrivals, delivered }
}

describe('files of one paste', () => {
  it('are delivered in their order', () => {
    const { arrivals, delivered } = open([1, 2, 3, 4])
    arrivals.settle(3, 'c')
    arrivals.settle(1, 'a')
    expect(delivered).to.deep.equal(['a'])
    arrivals.settle(2, null)
    arrivals.settle(4, 'd')
    expect(delivered).to.deep.equal(['a', 'c', 'd'])
  })

  it('are delivered after a fault of an earlier one', () => {
    const { arrivals, delivered } = open([1, 2])
    arrivals.settle(2, 'b')
    arrivals.settle(1, 'faulty')
    expect(delivered).to.deep.equal(['1: faulty', 'b'])
  })

  it('are delivered without those that were discarded, before or after their arrival', () => {
    const { arrivals, delivered } = open([1, 2, 3, 4])
    arrivals.settle(2, 'b')
    arrivals.discard(2)
    arrivals.settle(4, 'd')
    arrivals.discard(3)
    arrivals.settle(3, 'late')
    arrivals.settle(1, 'a')
    expect(delivered).to.deep.equal(['a', 'd'])
    arrivals.discard(4)
    arrivals.discard(5)
    expect(delivered).to.deep.equal(['a', 'd'])
  })

  it('are not held back by a discarded one', () => {
    const { arrivals, delivered } = open([1, 2])
    arrivals.settle(2, 'b')
    arrivals.discard(1)
    expect(delivered).to.deep.equal(['b'])
  })

  it('are delivered without a stalled one when the form closes', () => {
    const { arrivals, delivered } = open([1, 2, 3, 4])
    arrivals.settle(2, 'b')
    arrivals.settle(4, 'd')
    arrivals.flush()
    expect(delivered).to.deep.equal(['b', 'd'])
    arrivals.settle(1, 'late')
    arrivals.settle(3, null)
    arrivals.flush()
    expect(delivered).to.deep.equal(['b', 'd'])
  })
})
