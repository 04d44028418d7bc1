import { arch, cpus, platform, totalmem } from 'node:os'
import type { FullCache } from './full-cache.ts'
import type { WorkloadResult } from './measure.ts'
import { type Side, SIDES } from './servers.ts'
import type { StartUp } from './start-up.ts'
import type { Spread } from './statistics.ts'

export interface BenchReport {
  readonly machine: string
  readonly database: string
  readonly workloads: readonly WorkloadResult[]
  readonly commands: Readonly<Record<Side, ReadonlyMap<string, number>>>
  readonly startUp: StartUp | null
  /** Resident bytes under load. Null if not measured. */
  readonly memory: readonly number[] | null
  /** Null unless cached responses were measured. */
  readonly fullCache: FullCache | null
}

/** Hardware and versions, without the host name. */
export function describeMachine(): string {
  const [cpu] = cpus()
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${cpu?.model ?? 'unknown'}, ${gigabytes} GB, ${platform()} ${arch()}, Node ${process.version}`
}

const COLUMNS = [
  'workload',
  'posts',
  'at once',
  'side',
  'req/s',
  'p50 ms',
  'p99 ms',
  'commands',
  'bytes',
  'CPU ms',
  'MB',
  'ratio (min–max)',
] as const

export function toBenchTable({ workloads, commands }: BenchReport): string {
  const rows = workloads.flatMap((result) =>
    SIDES.map((side) => rowOf(result, side, commands[side].get(result.workload.name))),
  )
  const widths = COLUMNS.map((name, index) =>
    Math.max(name.length, ...rows.map((row) => (row[index] ?? '').length)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [line(COLUMNS), rule, ...rows.map(line)].join('\n')
}

function rowOf(
  { workload, posts, connections, sides, ratio }: WorkloadResult,
  side: Side,
  commands: number | undefined,
): readonly string[] {
  const found = sides[side]
  return [
    side === 'quire' ? workload.name : '',
    side === 'quire' && workload.about === 'posts' ? String(posts) : '',
    side === 'quire' ? String(connections) : '',
    side,
    found.requestsPerSecond.mean.toFixed(0),
    found.p50Ms.toFixed(2),
    found.p99Ms.toFixed(2),
    String(commands ?? ''),
    found.bytes.toFixed(0),
    found.cpuMs.toFixed(2),
    (found.residentBytes / 2 ** 20).toFixed(0),
    side === 'quire' ? inPercent(ratio) : '',
  ]
}

function inPercent({ mean, min, max }: Spread): string {
  const percent = (value: number): string => (value * 100).toFixed(0)
  return `${percent(mean)} % (${percent(min)}–${percent(max)})`
}

export function toBenchNotes({
  workloads,
  startUp,
  memory,
  fullCache,
}: BenchReport): readonly string[] {
  const p50Of = (name: string): number | undefined =>
    workloads.find(({ workload }) => workload.name === name)?.sides.quire.p50Ms
  const compare = (name: string, with_: string): readonly string[] => {
    const [one, other] = [p50Of(name), p50Of(with_)]
    if (one === undefined || other === undefined) return []
    return [`${name}: p50 is ${(one / other).toFixed(2)} × that of ${with_}`]
  }
  return [
    ...new Set(workloads.map(({ workload }) => `${workload.name}: ${workload.goal}`)),
    ...compare('deep filter', 'indexed filter'),
    ...compare('cursor deep page', 'cursor page 1'),
    ...(startUp === null ? [] : [startUpNote(startUp)]),
    ...(memory === null ? [] : [`resident under load: ${inMegabytes(memory)}`]),
    ...(fullCache === null ? [] : [fullCacheNote(fullCache)]),
  ]
}

function startUpNote({ types, firstMs, laterMs }: StartUp): string {
  const later = `${laterMs.mean.toFixed(0)} ms (${laterMs.min.toFixed(0)}–${laterMs.max.toFixed(0)})`
  return `first answer with ${types} content-types: ${later}; on an empty database ${firstMs.toFixed(0)} ms`
}

function fullCacheNote({ residentBytes, cachedBytes, entries }: FullCache): string {
  const held = `${entries} answers, ${inMegabytes([cachedBytes])}`
  return `resident with the memory for answers full (${held}): ${inMegabytes([residentBytes])}`
}

function inMegabytes(bytes: readonly number[]): string {
  return `${bytes.map((value) => (value / 2 ** 20).toFixed(0)).join(', ')} MB`
}

export function toBenchJson(report: BenchReport): string {
  const { commands, workloads, ...rest } = report
  const shown = workloads.map(({ workload, posts, connections, sides, ratio }) => ({
    name: workload.name,
    posts,
    connections,
    goal: workload.goal,
    ratio,
    ...Object.fromEntries(
      SIDES.map((side) => [side, { ...sides[side], commands: commands[side].get(workload.name) }]),
    ),
  }))
  return JSON.stringify({ ...rest, workloads: shown }, null, 2)
}
