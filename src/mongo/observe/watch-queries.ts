import type { Schema } from '../../schema/plan.ts'
import type { CommandMonitor } from '../connection/command-monitor.ts'
import { openQueryStats, type QueryStats, type QueryStatsOptions } from './query-stats.ts'

export function watchQueries(
  { database, explainer }: Pick<QueryStatsOptions, 'database' | 'explainer'>,
  monitor: CommandMonitor,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
  onBackgroundError: (error: unknown) => void,
): QueryStats | null {
  if (monitor.mode === 'off') return null
  return openQueryStats({
    database,
    explainer,
    monitor,
    collections: new Set([...contentTypes.values()].map(({ collectionName }) => collectionName)),
    now: () => new Date(),
    onBackgroundError,
  })
}
