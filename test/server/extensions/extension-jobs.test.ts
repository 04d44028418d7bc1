import { pino } from 'pino'
import { expect } from 'chai'
import type { ExtensionJob, JobEvent } from '../../../src/extensions/extension-job.ts'
import { openHost } from '../../../src/extensions/extension-host.ts'
import { EXTENSION_JOBS, type ExtensionJobRow } from '../../../src/server/extensions/job-rows.ts'
import { type ExtensionJobs, openExtensionJobs } from '../../../src/server/extensions/open-jobs.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'

const NOON = Date.parse('2026-06-01T12:00:00Z')
const MINUTE = 60_000
const HOUR = 3_600_000

describe('jobs of extensions', () => {
  let opened: TestDatabase
  let clock: number
  let lines: Record<string, unknown>[]
  let processes: ExtensionJobs[]

  beforeEach(async () => {
    opened = await openTestDatabase('extension_jobs')
    clock = NOON
    lines = []
    processes = []
  })
  afterEach(async () => {
    for (const one of processes) await one.close()
    await opened.drop()
  })

  async function open(...jobs: readonly ExtensionJob[]): Promise<ExtensionJobs> {
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) })
    const host = { ...openHost(), content: () => Object.freeze({}) }
    const process = await openExtensionJobs({
      database: opened.database,
      extensions: { jobs: jobs.map((job) => ({ extension: 'shop', job })), host },
      log,
      now: () => new Date(clock),
      leaseMs: 300,
    })
    processes.push(process)
    return process
  }

  async function close(process: ExtensionJobs): Promise<void> {
    processes.splice(processes.indexOf(process), 1)
    await process.close()
  }

  function rowOf(name: string): Promise<ExtensionJobRow | null> {
    return opened.database.table<ExtensionJobRow>(EXTENSION_JOBS).findOne({ _id: `shop/${name}` })
  }

  const messages = (): readonly unknown[] => lines.map(({ msg }) => msg)

  /** A job that counts its runs. */
  function counting(more: Partial<ExtensionJob> = {}) {
    const times: string[] = []
    const run = ({ at }: JobEvent): void => void times.push(at.toISOString())
    return { times, job: { name: 'digest', cron: '0 * * * *', run, ...more } }
  }

  it('run once per time in the cluster, however many processes there are', async () => {
    const { times, job } = counting()
    for (let count = 0; count < 4; count += 1) await open(job)
    expect((await rowOf('digest'))?.dueAt.toISOString()).to.equal('2026-06-01T13:00:00.000Z')
    for (const hour of [13, 14, 15]) {
      clock = Date.parse(`2026-06-01T${hour}:00:00Z`)
      await until(async () => (await rowOf('digest'))?.dueAt.getTime() === clock + HOUR, 20_000)
    }
    expect(times).to.deep.equal([13, 14, 15].map((hour) => `2026-06-01T${hour}:00:00.000Z`))
    expect((await rowOf('digest'))?.last).to.deep.equal({
      at: new Date(clock),
      endedAt: new Date(clock),
      error: null,
    })
    expect(messages()).to.deep.equal([])
  })

  it('follow the time zone over changes of daylight saving', async () => {
    clock = Date.parse('2026-10-24T12:00:00Z')
    await open(counting({ cron: '0 6 * * *', timeZone: 'Europe/Paris' }).job)
    expect((await rowOf('digest'))?.dueAt.toISOString()).to.equal('2026-10-25T05:00:00.000Z')
  })

  it('report missed times after a restart and run at the next one', async () => {
    const { times, job } = counting()
    await close(await open(job))
    clock = NOON + 5 * HOUR + MINUTE
    await open(job)
    await until(async () => (await rowOf('digest'))?.dueAt.getTime() === NOON + 6 * HOUR, 20_000)
    expect(times).to.deep.equal([])
    expect((await rowOf('digest'))?.missed).to.deep.equal({
      count: 5,
      latest: new Date(NOON + 5 * HOUR),
      caughtUp: false,
    })
    expect(messages()).to.deep.equal(['The job missed 5 of its times; it runs at its next time'])
  })

  it('run once after missed times with catchUp', async () => {
    const { times, job } = counting({ catchUp: true })
    await close(await open(job))
    clock = NOON + 5 * HOUR + 2 * MINUTE
    await Promise.all([open(job), open(job)])
    await until(async () => (await rowOf('digest'))?.dueAt.getTime() === NOON + 6 * HOUR, 20_000)
    expect(times).to.deep.equal([new Date(NOON + 5 * HOUR).toISOString()])
    expect((await rowOf('digest'))?.missed?.caughtUp).to.equal(true)
  })

  it('keep the next time if the schedule is the same, and replace it if it changes', async () => {
    await close(await open(counting().job))
    clock = NOON + 30 * MINUTE
    await close(await open(counting().job))
    expect((await rowOf('digest'))?.dueAt.getTime()).to.equal(NOON + HOUR)
    await close(await open(counting({ cron: '45 * * * *' }).job))
    expect((await rowOf('digest'))?.dueAt.getTime()).to.equal(NOON + 45 * MINUTE)
  })

  it('are not run by processes with another schedule', async () => {
    const old = counting()
    await open(old.job)
    const renewed = counting({ cron: '30 * * * *' })
    await open(renewed.job)
    clock = NOON + 30 * MINUTE
    await until(() => renewed.times.length === 1, 20_000)
    await until(async () => (await rowOf('digest'))?.dueAt.getTime() === NOON + 90 * MINUTE, 20_000)
    expect(old.times).to.deep.equal([])
  })

  const failures: readonly [string, Partial<ExtensionJob>, string][] = [
    ['throws', { run: () => Promise.reject(new Error('no mail')) }, 'no mail'],
    [
      'throws at once',
      {
        run: () => {
          throw new Error('no mail')
        },
      },
      'no mail',
    ],
    [
      'hangs',
      { timeoutMs: 20, run: () => new Promise(() => undefined) },
      'The job did not finish within 20 ms',
    ],
  ]
  for (const [label, more, error] of failures) {
    it(`record the error of a job that ${label}, and go on`, async () => {
      await open(counting(more).job)
      clock = NOON + HOUR
      await until(async () => (await rowOf('digest'))?.last?.error === error, 20_000)
      expect((await rowOf('digest'))?.dueAt.getTime()).to.equal(NOON + 2 * HOUR)
      expect(lines.map(({ extension, job }) => [extension, job])).to.deep.equal([
        ['shop', 'digest'],
      ])
    })
  }

  it('abort the signal at the deadline, and refuse the content service afterwards', async () => {
    const seen: unknown[] = []
    const run = ({ signal }: JobEvent): Promise<void> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          seen.push(signal.aborted)
          resolve()
        })
      })
    await open(counting({ timeoutMs: 20, run }).job)
    clock = NOON + HOUR
    await until(async () => (await rowOf('digest'))?.last !== undefined, 20_000)
    expect(seen).to.deep.equal([true])
    expect((await rowOf('digest'))?.last?.error).to.equal(null)
  })

  it('are aborted when the server stops, and run again with catchUp', async () => {
    const { times, job } = counting({ catchUp: true })
    let begun = 0
    const stuck = {
      ...job,
      run: ({ signal }: JobEvent): Promise<void> =>
        new Promise((_, reject) => {
          begun += 1
          signal.addEventListener('abort', () => reject(new Error('stopped')))
        }),
    }
    const process = await open(stuck)
    clock = NOON + HOUR
    await until(() => begun === 1, 20_000)
    await close(process)
    await open(job)
    await until(async () => (await rowOf('digest'))?.dueAt.getTime() === NOON + 2 * HOUR, 20_000)
    expect(times).to.deep.equal([new Date(NOON + HOUR).toISOString()])
  })

  it('are taken over from a process that died, which is reported', async () => {
    for (const catchUp of [true, false]) {
      const name = `digest-${catchUp}`
      const { times, job } = counting({ name, catchUp })
      await close(await open(job))
      // A process claimed the job and died.
      const dead = { lease: 'dead', leasedUntil: new Date(clock + 300), attempts: 1 }
      const dueAt = new Date(clock)
      await opened.database
        .table<ExtensionJobRow>(EXTENSION_JOBS)
        .updateOne({ _id: `shop/${name}` }, { $set: { ...dead, dueAt } })
      clock += 1_000
      await close(
        await open(job).then(async (process) => {
          await until(async () => (await rowOf(name))?.lease === null, 20_000)
          return process
        }),
      )
      expect(times).to.have.length(catchUp ? 1 : 0)
      expect((await rowOf(name))?.missed?.caughtUp).to.equal(catchUp)
    }
    expect(messages()).to.deep.equal([
      'The job was interrupted; it runs once now',
      'The job was interrupted; it runs at its next time',
    ])
  })

  it('cause no collection and no work without jobs', async () => {
    await open()
    expect(await opened.database.table(EXTENSION_JOBS).countDocuments({})).to.equal(0)
  })
})
