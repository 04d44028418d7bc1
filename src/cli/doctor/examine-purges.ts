import type { CacheConfig } from '../../base/config/sections.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { examinePurges, type PurgeHealth } from '../../changes/purges/purge-health.ts'
import type { Finding } from './finding.ts'

/** A responding cache is purged within about three seconds plus `CACHE_STALE_MS`. */
const LATE_MS = 30_000

export async function examineCaches(
  database: Database,
  { purge, staleMs }: Pick<CacheConfig, 'purge' | 'staleMs'>,
): Promise<readonly Finding[]> {
  if (purge === null) return []
  return [purgeFinding(await examinePurges(database, new Date()), staleMs)]
}

export function purgeFinding({ behind, lagMs, failures }: PurgeHealth, staleMs: number): Finding {
  const check = 'purges'
  const stand = behind === 0 ? 'all commits are purged' : `${behind} commits are not purged yet`
  if (lagMs <= LATE_MS + staleMs) return { check, level: 'ok', what: stand }
  const failed = failures === 0 ? 'no purge failed: is a server running?' : `${failures} failed`
  const what = `${stand}, for ${Math.round(lagMs / 1000)} s; ${failed}; see the log of the servers for "Purges"`
  return { check, level: 'warning', what }
}
