import { expect } from 'chai'
import { lookAgainMs, type Schedule } from '../src/api/schedules.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')

function dueIn(seconds: number, state: Schedule['state'] = 'waiting'): Schedule {
  return {
    id: String(seconds),
    kind: 'document',
    title: 'Spring',
    at: new Date(NOW + seconds * 1_000).toISOString(),
    state,
    nextAttemptAt: null,
    failure: null,
    by: { kind: 'administrator', name: 'Ada' },
  }
}

describe('lookAgainMs', () => {
  for (const [what, schedules, wanted] of [
    ['nothing yet', undefined, 15_000],
    ['nothing to come', [], 15_000],
    ['what is due tomorrow', [dueIn(86_400)], 15_000],
    ['what is due next', [dueIn(60), dueIn(4)], 5_000],
    ['what is overdue', [dueIn(-5)], 1_000],
    ['what is long overdue, as clocks differ', [dueIn(-60)], 15_000],
    ['what has failed', [dueIn(-5, 'failed'), dueIn(3, 'failed')], 15_000],
  ] as const) {
    it(`waits ${wanted} ms with ${what}`, () => {
      expect(lookAgainMs(schedules, NOW)).to.equal(wanted)
    })
  }
})
