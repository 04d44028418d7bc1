import { computeResidentGrowth, type SoakSample } from './sample.ts'

export interface SoakReport {
  readonly machine: string
  readonly database: string
  /** The first sample precedes the load, the last one ends it. */
  readonly samples: readonly SoakSample[]
  readonly requests: number
  readonly acknowledged: number
  /** Counts by method and status, such as `GET 200` or `PUT broken`. */
  readonly statuses: ReadonlyMap<string, number>
  /** Faults, with a limit per kind. */
  readonly wrong: readonly string[]
  /** Missing or mixed writes at the end. Null if the run ended before the check. */
  readonly losses: readonly string[] | null
}

const TEN_MINUTES = 600

/** A correct server responds with no 5xx and breaks no connection. */
export function countErrors({ statuses, wrong }: Pick<SoakReport, 'statuses' | 'wrong'>): number {
  const failed = [...statuses].filter(([answer]) => / (5\d\d|broken)$/.test(answer))
  // Both lists contain hanging requests and 500s. The larger count is used, so that neither hides
  // the other.
  return Math.max(
    failed.reduce((sum, [, count]) => sum + count, 0),
    wrong.length,
  )
}

export function isSteady(report: SoakReport): boolean {
  return countErrors(report) === 0 && (report.losses ?? []).length === 0
}

export function toSampleLine(sample: SoakSample, statuses: ReadonlyMap<string, number>): string {
  const { seconds, requests, residentBytes, heapUsedBytes, lagMs, keptAnswers } = sample
  return [
    duration(seconds).padStart(8),
    `${requests} requests`,
    byStatus(statuses),
    `${keptAnswers} from memory`,
    `RSS ${megabytes(residentBytes)} MB`,
    `heap ${megabytes(heapUsedBytes)} MB`,
    `lag p99 ${lagMs.toFixed(0)} ms`,
  ].join('  ')
}

/** A Markdown table, followed by the faults. */
export function toSoakText(report: SoakReport): string {
  const { machine, database, samples, requests, acknowledged, statuses, wrong, losses } = report
  const resident = (sample: SoakSample | undefined): string =>
    sample === undefined ? '–' : `${megabytes(sample.residentBytes)} MB`
  const rows = [
    ['', ''],
    ['---', '---'],
    ['under load', duration(samples.at(-1)?.seconds ?? 0)],
    ['RSS at the start', resident(samples[0])],
    ['RSS after 10 min', resident(samples.find(({ seconds }) => seconds >= TEN_MINUTES))],
    ['RSS at the end', resident(samples.at(-1))],
    ['RSS at most', `${megabytes(Math.max(...samples.map((one) => one.residentBytes)))} MB`],
    ['RSS in the second half', `${megabytes(computeResidentGrowth(samples), '+')} MB/h`],
    ['requests', `${requests}: ${byStatus(statuses)}`],
    ['answers from memory', String(samples.at(-1)?.keptAnswers ?? 0)],
    ['writes done', String(acknowledged)],
    ['errors', String(countErrors(report))],
    ['losses', losses === null ? 'not looked for' : String(losses.length)],
  ]
  const table = rows.map(([name, value]) => `| ${name} | ${value} |`)
  return [machine, database, '', ...table, ...wrong, ...(losses ?? [])].join('\n')
}

export function toSoakJson(report: SoakReport): string {
  const statuses = Object.fromEntries(report.statuses)
  const errors = countErrors(report)
  const slope = Math.round(computeResidentGrowth(report.samples))
  const whole = { ...report, statuses, errors, residentBytesPerHour: slope }
  return JSON.stringify(whole, null, 2)
}

/** `200: 812, 404: 3`, for all methods together. */
function byStatus(statuses: ReadonlyMap<string, number>): string {
  const counts = new Map<string, number>()
  for (const [answer, count] of statuses) {
    const status = answer.replace(/^.* /, '')
    counts.set(status, (counts.get(status) ?? 0) + count)
  }
  const sorted = [...counts].sort(([one], [other]) => one.localeCompare(other))
  return sorted.map(([status, count]) => `${status}: ${count}`).join(', ')
}

function megabytes(bytes: number, sign: '+' | '' = ''): string {
  const text = (bytes / 2 ** 20).toFixed(1)
  return sign === '+' && bytes >= 0 ? `+${text}` : text
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(1)} min`
}
