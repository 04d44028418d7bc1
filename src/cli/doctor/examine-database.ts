import { findApiTokenRows } from '../../people/access/api-token-rows.ts'
import type { Config } from '../../base/config/config.ts'
import { judgeStandalone } from '../../server/deployment/refuse-standalone.ts'
import { adviseQueries } from '../../mongo/indexes/advise-queries.ts'
import { compileCollections, explainUnindexed } from '../../mongo/indexes/collection-plan.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { judgeServer } from '../../mongo/connection/server-version.ts'
import { inspectIndexes } from '../../mongo/indexes/inspect-indexes.ts'
import { readQueryStats } from '../../mongo/observe/query-stats.ts'
import { compileQueries } from '../../query/named/compile-queries.ts'
import type { Schema } from '../../schema/plan.ts'
import { examineAdministrators } from './examine-administrators.ts'
import { examineAdopted } from './examine-adopted.ts'
import { adviseIndexes, type IndexAdvice } from './advise-indexes.ts'
import { examineConversion } from './examine-conversion.ts'
import { examineDurability } from './examine-durability.ts'
import { examineJobs } from './examine-jobs.ts'
import { examineCommitLog } from './examine-log.ts'
import { examineExtensions } from './examine-extensions.ts'
import { examineCaches } from './examine-purges.ts'
import { examineQueryRules, examineRules } from './examine-rules.ts'
import { examineSearch } from './examine-search.ts'
import { examineWebhooks } from './examine-webhooks.ts'
import type { Finding } from './finding.ts'

export interface DatabaseReport {
  readonly findings: readonly Finding[]
  readonly advice: readonly IndexAdvice[]
}

export async function examineDatabase(
  database: Database,
  schema: Schema,
  config: Config,
): Promise<DatabaseReport> {
  const declared = compileCollections(schema)
  const plans = [...declared.values()]
  const { collections, ...indexes } = await inspectIndexes(database, plans)
  const queries = compileQueries(schema, config.api)
  const stats = await readQueryStats(database)
  const advice = adviseIndexes(stats, schema.contentTypes.values(), collections)
  return {
    findings: [
      await examineVersion(
        database,
        plans.map(({ name }) => name),
      ),
      ...(await examineTopology(database, config)),
      ...examineIndexes(indexes),
      ...explainUnindexed(declared).map((why) => finding('warning', why)),
      examineAdvice(advice, stats.length),
      ...adviseQueries(queries, collections).map((what): Finding => ({
        check: 'named queries',
        level: 'warning',
        what,
      })),
      ...(await examineRules(database, schema, collections)),
      ...(await examineQueryRules(database, schema, queries)),
      ...(await examineConversion(database)),
      ...(await examineCommitLog(database)),
      ...(await examineCaches(database, config.cache)),
      ...(await examineJobs(database)),
      ...(await examineExtensions(database)),
      ...(await examineSearch(database, schema)),
      ...(await examineAdopted(database, schema)),
      ...(await examineWebhooks(database, schema)),
      ...(await examineAdministrators(database, config.administrators.secondFactor)),
      ...examineTokens(await findApiTokenRows(database)),
    ],
    advice,
  }
}

async function examineVersion(
  database: Database,
  collections: readonly string[],
): Promise<Finding> {
  const check = 'version'
  const { text, refusal } = await judgeServer(database, collections)
  return refusal === null
    ? { check, level: 'ok', what: `it answers as MongoDB ${text}` }
    : { check, level: 'fault', what: refusal }
}

async function examineTopology(database: Database, config: Config): Promise<readonly Finding[]> {
  const hello = await database.hello()
  const verdict = judgeStandalone(database.hasTransactions, config.database.allowStandalone)
  if (verdict.kind !== 'transactional') {
    const level = verdict.kind === 'refused' ? 'fault' : 'warning'
    return [{ check: 'topology', level, what: verdict.why }]
  }
  const { kind, uri } = config.database
  return [
    topologyOf(hello, config),
    ...examineDurability(kind === null || kind === 'uri' ? uri : null, hello),
    await examineTransactions(database),
  ]
}

function topologyOf(
  hello: Awaited<ReturnType<Database['hello']>>,
  { production }: Config,
): Finding {
  if (hello['msg'] === 'isdbgrid') {
    return { check: 'topology', level: 'ok', what: 'a sharded cluster' }
  }
  const hosts: unknown = hello['hosts']
  const members = Array.isArray(hosts) ? hosts.length : 1
  return members > 1
    ? { check: 'topology', level: 'ok', what: `a replica set of ${members}` }
    : {
        check: 'topology',
        level: production ? 'warning' : 'note',
        what: 'a replica set of one: when it is down, so is everything',
      }
}

async function examineTransactions(database: Database): Promise<Finding> {
  try {
    await database.transact((session) => database.table('quire_stamps').findOne({}, { session }))
    return { check: 'transactions', level: 'ok', what: 'they work' }
  } catch (error) {
    const what = `a transaction failed (${(error as Error).message}): writes cannot be atomic`
    return { check: 'transactions', level: 'fault', what }
  }
}

function examineIndexes(indexes: {
  readonly missing: readonly string[]
  readonly outdated: readonly string[]
  readonly strays: readonly string[]
}): readonly Finding[] {
  const { missing, outdated, strays } = indexes
  const found: readonly Finding[] = [
    ...missing.map((name) => finding('warning', `${name} is missing; the next start builds it`)),
    ...outdated.map((name) =>
      finding('warning', `${name} is declared otherwise now; the next start replaces it`),
    ),
    ...strays.map((name) =>
      finding('note', `${name} is not an index of Quire and is left untouched`),
    ),
  ]
  const inPlace = finding('ok', 'all that are declared are in place')
  return missing.length + outdated.length === 0 ? [inPlace, ...found] : found
}

function finding(level: Finding['level'], what: string): Finding {
  return { check: 'indexes', level, what }
}

function examineAdvice(advice: readonly IndexAdvice[], seen: number): Finding {
  const check = 'queries'
  if (seen === 0) {
    return {
      check,
      level: 'note',
      what: 'no query has been seen yet: run servers with MONITOR_COMMANDS=totals for a while',
    }
  }
  const urgent = advice.filter(({ isUrgent }) => isUrgent).length
  const what = `${advice.length} attributes are filtered or sorted without an index, ${urgent} of them at a cost`
  if (advice.length === 0) {
    return { check, level: 'ok', what: `all of ${seen} shapes of queries have their index` }
  }
  return { check, level: urgent > 0 ? 'warning' : 'note', what }
}

function examineTokens(
  tokens: readonly {
    readonly name: string
    readonly type: string
    readonly permissions: readonly string[]
    readonly rules?: readonly unknown[]
  }[],
): readonly Finding[] {
  return tokens
    .filter(
      ({ type, permissions, rules = [] }) =>
        type === 'custom' && permissions.length + rules.length === 0,
    )
    .map(({ name }) => ({
      check: 'API tokens',
      level: 'warning',
      what: `${name} is a custom token without permissions: it may do nothing`,
    }))
}
