import { EventEmitter } from 'node:events'
import { expect } from 'chai'
import { openShutdown } from '../../../src/http/router/shutdown.ts'
import type { Context } from '../../../src/http/router/state.ts'
import { untilChanged, type Seen } from '../../../src/http/sync/until-changed.ts'
import type { Head } from '../../../src/mongo/commits/heads.ts'
import { parseScope } from '../../../src/changes/sync/query/parse-scope.ts'
import { planOf } from '../../mongo/commits/log-world.ts'

const TAG = planOf('tag')
const ROLE = 'plugin::users-permissions.role'
const SEEN: Seen = {
  scope: parseScope({ types: 'tag' }, new Map([['tag', TAG]])),
  next: {
    asked: { types: 'tag' },
    log: 'log',
    seq: 5,
    item: 0,
    types: [{ after: null, isLost: false, shape: 'shape' }],
    locales: ['en'],
    localeIds: [1],
    absent: [],
  },
  rightsSeq: 5,
}

function headOf(types: Readonly<Record<string, number>>, log = 'log'): Head {
  const known = Object.entries(types).map(([type, seq]) => ({ type, seq }))
  const seq = Math.max(5, ...Object.values(types))
  return { log, seq, floor: 0, version: 1, assigning: null, types: known } as unknown as Head
}

/** Opens a log that the test advances, and a client that waits for a change. */
function wait(first: Head, waitMs: number) {
  const listeners = new Set<(head: Head) => void>()
  const res = new EventEmitter()
  let followers = 0
  const shutdown = openShutdown()
  const commitLog = {
    head: () => first,
    onHead: (listener: (head: Head) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    follow: () => {
      followers += 1
      return () => {
        followers -= 1
      }
    },
  }
  const ctx = { res, set: () => undefined } as unknown as Context
  const deadline = performance.now() + waitMs
  return {
    shutdown,
    res,
    answer: untilChanged({ commitLog, shutdown }, SEEN, deadline, ctx),
    move: (head: Head): void => {
      for (const listen of listeners) listen(head)
    },
    isForgotten: () => listeners.size === 0 && followers === 0 && res.listenerCount('close') === 0,
  }
}

describe('a client that waits for a change', () => {
  it('continues immediately if the log changed while its page was read', async () => {
    expect(await wait(headOf({ [TAG.uid]: 6 }), 1_000).answer).to.equal(true)
    expect(await wait(headOf({ [ROLE]: 6 }), 1_000).answer).to.equal(true)
    expect(await wait(headOf({}, 'another'), 1_000).answer).to.equal(true)
  })

  it('continues only for a change of its types, of roles or of the log', async () => {
    for (const head of [headOf({ [TAG.uid]: 7 }), headOf({ [ROLE]: 7 }), headOf({}, 'another')]) {
      const waiting = wait(headOf({ [TAG.uid]: 5 }), 5_000)
      waiting.move(headOf({ [TAG.uid]: 5, 'api::other.other': 6 }))
      expect(waiting.isForgotten()).to.equal(false)
      waiting.move(head)
      expect(await waiting.answer).to.equal(true)
      expect(waiting.isForgotten()).to.equal(true)
    }
  })

  it('stops at the timeout, on disconnect and on shutdown', async () => {
    expect(await wait(headOf({}), 20).answer).to.equal(false)
    const gone = wait(headOf({}), 5_000)
    gone.res.emit('close')
    expect(await gone.answer).to.equal(false)
    const stopped = wait(headOf({}), 5_000)
    stopped.shutdown.begin()
    expect(await stopped.answer).to.equal(false)
    for (const one of [gone, stopped]) expect(one.isForgotten()).to.equal(true)
  })
})
