import { expect } from 'chai'
import { schedulesRefreshMs, type Schedule } from '../src/api/schedules.ts'

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
  for (const [situation, schedules, wanted] of [
    ['no response yet', undefined, 15_000],
    ['no schedules', [], 15_000],
    ['a schedule for tomorrow', [dueIn(86_400)], 15_000],
    ['two schedules, the next in 4 s', [dueIn(60), dueIn(4)], 5_000],
    ['an overdue schedule', [dueIn(-5)], 1_000],
    ['a long overdue schedule, because clocks differ', [dueIn(-60)], 15_000],
    ['failed schedules', [dueIn(-5, 'failed'), dueIn(3, 'failed')], 15_000],
  ] as const) {
    it(`returns ${wanted} ms for ${situation}`, () => {
      expect(schedulesRefreshMs(schedules, NOW)).to.equal(wanted)
    })
  }
})
