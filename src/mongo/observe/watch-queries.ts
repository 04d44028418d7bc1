import type { Schema } from '../../schema/plan.ts'
import type { CommandMonitor } from '../connection/command-monitor.ts'
import type { Database } from '../connection/database.ts'
import { openQueryStats, type QueryStats } from './query-stats.ts'

export function watchQueries(
  database: Database,
  monitor: CommandMonitor,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
  onBackgroundError: (error: unknown) => void,
): QueryStats | null {
  if (monitor.mode === 'off') return null
  return openQueryStats({
    database,
    monitor,
    collections: new Set([...contentTypes.values()].map(({ collectionName }) => collectionName)),
    now: () => new Date(),
    onBackgroundError,
  })
}
