import { expect } from 'chai'
import { ForbiddenError, ServiceUnavailableError } from '../../../src/base/errors.ts'
import { type ClaimedJob, type JobChange, LeaseLost } from '../../../src/mongo/jobs/job-queue.ts'
import type { PlanningContext } from '../../../src/content/planning/planning.ts'
import { runSchedule } from '../../../src/content/planning/run-schedule.ts'
import type { ScheduleRow } from '../../../src/content/planning/schedule-rows.ts'

const NOW = new Date('2026-01-31T12:00:00Z')
/** As documented in docs/scheduling.md. */
const RESTS_S = [1, 5, 30, 60, 300, 600, 1_800, 3_600, 7_200, 21_600]

describe('a failed schedule', () => {
  const context = {
    documents: {},
    access: { ruledPrincipalOfAuthor: () => Promise.resolve({ kind: 'root' }) },
    now: () => NOW,
  } as unknown as PlanningContext

  /** Returns the changes of the row after a failed attempt. */
  async function after(attempts: number, error: Error): Promise<readonly JobChange<ScheduleRow>[]> {
    const changes: JobChange<ScheduleRow>[] = []
    const queue: Parameters<typeof runSchedule>[1] = {
      claim: () => Promise.resolve(null),
      nextWithin: () => Promise.resolve(null),
      hold: (_job, work) => work(),
      finish: () => Promise.reject(error),
      settle: (_job, change) => {
        changes.push(change)
        return Promise.resolve()
      },
    }
    const job = {
      _id: 'one',
      kind: 'document',
      attempts,
      by: { kind: 'root', id: null, name: null },
    } as unknown as ClaimedJob<ScheduleRow>
    await runSchedule(context, queue, job)
    return changes
  }

  it('is retried ten times after 1 s to 6 h if the error is temporary', async () => {
    const rests: unknown[] = []
    for (let attempts = 1; attempts <= 11; attempts += 1) {
      const [change] = await after(attempts, new ServiceUnavailableError('The database is away'))
      expect(change?.set?.failure).to.include({ name: 'ServiceUnavailableError', at: NOW })
      rests.push(change?.kind === 'later' ? (change.dueAt.getTime() - NOW.getTime()) / 1000 : null)
    }
    expect(rests).to.deep.equal([...RESTS_S, null])
  })

  it('fails immediately if a request would be refused', async () => {
    const [change] = await after(1, new ForbiddenError('Forbidden'))
    expect(change?.kind).to.equal('done')
    expect(change?.set?.failure).to.include({ name: 'ForbiddenError', message: 'Forbidden' })
  })

  it('is left to the worker that now has its lease', async () => {
    expect(await after(1, new LeaseLost('one'))).to.deep.equal([])
  })

  it('writes as its author, also without an async context', async () => {
    const origins: unknown[] = []
    const queue: Parameters<typeof runSchedule>[1] = {
      claim: () => Promise.resolve(null),
      nextWithin: () => Promise.resolve(null),
      hold: (_job, work) => work(),
      finish: (_job, _effect, origin) => {
        origins.push(origin)
        return Promise.resolve()
      },
      settle: () => Promise.resolve(),
    }
    const by = { kind: 'root', id: null, name: null }
    const job = {
      _id: 'one',
      kind: 'document',
      attempts: 1,
      by,
    } as unknown as ClaimedJob<ScheduleRow>
    await runSchedule(context, queue, job)
    expect(origins).to.deep.equal([{ authorship: { by, requestId: 'schedule:one' }, caller: null }])
  })
})
