import { expect } from 'chai'
import { jobFindings } from '../../../src/cli/doctor/examine-jobs.ts'
import { newJob } from '../../../src/mongo/jobs/job-queue.ts'
import type { ExtensionJobRow } from '../../../src/server/extensions/job-rows.ts'

const NOW = new Date('2026-06-01T12:00:00Z')
const EARLIER = new Date('2026-06-01T11:00:00Z')
const LATER = new Date('2026-06-01T13:00:00Z')

function row(more: Partial<ExtensionJobRow> = {}): ExtensionJobRow {
  return { _id: 'shop/digest', ...newJob(LATER), cron: '0 * * * *', timeZone: 'UTC', ...more }
}

const ok = { at: EARLIER, endedAt: EARLIER, error: null }

describe('the findings of doctor about jobs', () => {
  const cases: readonly [string, readonly ExtensionJobRow[], readonly [string, string][]][] = [
    ['nothing without jobs', [], []],
    ['jobs that run', [row({ last: ok })], [['ok', '1 jobs run at their times']]],
    [
      'a failed run',
      [row({ last: { ...ok, error: 'no mail' } })],
      [['warning', 'shop/digest failed at 2026-06-01T11:00:00.000Z: no mail']],
    ],
    [
      'missed times without a later run',
      [row({ missed: { count: 3, latest: EARLIER, caughtUp: false } })],
      [['warning', 'shop/digest missed 3 of its times until 2026-06-01T11:00:00.000Z']],
    ],
    [
      'missed times with catchUp',
      [row({ last: ok, missed: { count: 3, latest: EARLIER, caughtUp: true } })],
      [['note', 'shop/digest missed 3 of its times until 2026-06-01T11:00:00.000Z']],
    ],
    [
      'no times that were missed before the last run',
      [row({ last: ok, missed: { count: 3, latest: new Date(0), caughtUp: false } })],
      [['ok', '1 jobs run at their times']],
    ],
    [
      'a job that no server runs',
      [row({ last: ok, dueAt: EARLIER })],
      [
        [
          'note',
          'shop/digest was due at 2026-06-01T11:00:00.000Z: no server runs it, or no extension has it any more',
        ],
      ],
    ],
    [
      'no job that is running',
      [row({ last: ok, dueAt: EARLIER, lease: 'x' })],
      [['ok', '1 jobs run at their times']],
    ],
  ]
  for (const [label, rows, findings] of cases) {
    it(`include ${label}`, () => {
      const found = jobFindings(rows, NOW)
      expect(found.map(({ level, what }) => [level, what])).to.deep.equal(findings)
      for (const { check } of found) expect(check).to.equal('jobs')
    })
  }
})
