import { examineFollowers, type FollowerHealth } from '../../changes/extensions/follower-health.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { Finding } from './finding.ts'

/** More commits are unusual while a server runs. */
const MANY_COMMITS = 1_000

export async function examineExtensions(database: Database): Promise<readonly Finding[]> {
  return (await examineFollowers(database)).flatMap(followerFindings)
}

export function followerFindings(health: FollowerHealth): readonly Finding[] {
  const { extension, behind, pending, dead, missed } = health
  const check = 'extensions'
  const problems = [
    ...(behind > MANY_COMMITS
      ? [`${extension} is ${behind} commits behind: is a server with this extension running?`]
      : []),
    ...(dead > 0
      ? [`${dead} calls of ${extension} failed for good; see \`quire extension failures\``]
      : []),
    ...(missed === null
      ? []
      : [
          `${extension} missed the commits ${missed.from} to ${missed.to}, which the log no longer holds`,
        ]),
  ]
  if (problems.length > 0) return problems.map((what) => ({ check, level: 'warning', what }))
  const retried = pending === 0 ? '' : `, ${pending} documents are retried`
  return [{ check, level: 'ok', what: `${extension} follows the commits${retried}` }]
}
