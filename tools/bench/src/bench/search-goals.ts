import type { Deployment } from '../../../../src/server/deployment/deployment.ts'
import { computePercentile } from './statistics.ts'

/** In milliseconds, for searches and places with one client and no other work. */
export interface LatencyGoal {
  readonly p50: number
  readonly p99: number
}

const EMBEDDED: LatencyGoal = { p50: 40, p99: 150 }
const MONGODB: LatencyGoal = { p50: 15, p99: 60 }

export function chooseGoal({ kind }: Pick<Deployment, 'kind'>): LatencyGoal {
  return kind === 'embedded' ? EMBEDDED : MONGODB
}

/** Both percentiles, each with its goal. */
export function showTimes(times: readonly number[], goal: LatencyGoal): string {
  return (['p50', 'p99'] as const)
    .map((name) => {
      const ms = computePercentile(times, name === 'p50' ? 0.5 : 0.99)
      const sign = ms <= goal[name] ? '≤' : '>'
      return `${name} ${ms.toFixed(1)} ms (${sign} ${goal[name]})`
    })
    .join(', ')
}
