import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { type BulkSlot, openBulkSlots } from '../../../src/http/content/bulk-slots.ts'

const IDLE_MS = 5_000

describe('slots for bulk requests', () => {
  let now: number
  let cut: string[]

  beforeEach(() => {
    now = 0
    cut = []
  })

  const open = (most: number) => openBulkSlots(most, { idleMs: IDLE_MS, clock: () => now })
  const request = (name: string): IncomingMessage =>
    ({ destroy: () => cut.push(name) }) as unknown as IncomingMessage

  /** Sends a line after `waitMs` and processes it for `workMs`. */
  async function line(place: BulkSlot, waitMs: number, workMs: number): Promise<void> {
    const sent = async function* (): AsyncGenerator<number> {
      now += waitMs
      yield await Promise.resolve(1)
    }
    for await (const _line of place.watch(sent())) {
      await place.run(() => {
        now += workMs
        return Promise.resolve()
      })
    }
  }

  it('are taken from an idle request but not from a busy one', async () => {
    const places = open(2)
    const busy = places.take(request('busy'))
    places.take(request('silent'))
    expect(() => places.take(request('late'))).to.throw('Too many bulk requests')
    now = IDLE_MS + 1
    await busy.run(() => {
      places.take(request('next'))
      return Promise.resolve()
    })
    expect(cut).to.deep.equal(['silent'])
  })

  it('are taken from a request that only sends a line now and then', async () => {
    const places = open(2)
    const steady = places.take(request('steady'))
    const slow = places.take(request('slow'))
    for (let count = 0; count < 12; count += 1) {
      await line(slow, IDLE_MS - 500, 1)
      await line(steady, 1, IDLE_MS - 500)
    }
    places.take(request('next'))
    expect(cut).to.deep.equal(['slow'])
    expect(() => places.take(request('one more'))).to.throw('Too many bulk requests')
  })

  it('are kept by a request that works as long as it waits', async () => {
    const places = open(1)
    const place = places.take(request('one'))
    for (let count = 0; count < 50; count += 1) await line(place, 400, 400)
    expect(() => places.take(request('next'))).to.throw('Too many bulk requests')
    expect(cut).to.deep.equal([])
  })
})
