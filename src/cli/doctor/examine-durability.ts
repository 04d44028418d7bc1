import type { Finding } from './finding.ts'

/** Includes arbiters, because they store no data. */
export function examineDurability(
  uri: string | null,
  hello: Readonly<Record<string, unknown>>,
): readonly Finding[] {
  const check = 'durability'
  const options = optionsIn(uri ?? '')
  const found: string[] = []
  const w = options.get('w')
  if (w === '0' || w === '1') {
    found.push(
      `w=${w} in MONGODB_URI: a failover can lose acknowledged writes outside of transactions; leave it out, so that a majority confirms writes`,
    )
  }
  for (const name of ['journal', 'j']) {
    if (options.get(name) !== 'false') continue
    found.push(`${name}=false in MONGODB_URI: a crash can lose acknowledged writes; leave it out`)
  }
  const arbiters: unknown = hello['arbiters']
  if (Array.isArray(arbiters) && arbiters.length > 0) {
    found.push(
      `the replica set has arbiters (${arbiters.join(', ')}), which store nothing: if a member fails, no majority may confirm writes; replace them by members with data`,
    )
  }
  return found.map((what) => ({ check, level: 'warning', what }))
}

/** The driver ignores the case of option names. */
function optionsIn(uri: string): ReadonlyMap<string, string> {
  const [, query = ''] = uri.split('?')
  return new Map(
    [...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]),
  )
}
