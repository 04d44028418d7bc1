import { ConfigError } from '../../base/errors.ts'
import type { Database } from '../../mongo/connection/database.ts'
import {
  changeCompaction,
  type CompactionRow,
  endCompaction,
  putCompaction,
  readCompaction,
} from '../../mongo/conversions/compaction-row.ts'
import { countRows, rewriteRows } from '../../mongo/conversions/rewrite-rows.ts'
import { dropIndexesOf } from '../../mongo/indexes/sync-indexes.ts'
import { deleteReservations } from '../../mongo/indexes/sync-reservations.ts'
import { forgetQueryStats } from '../../mongo/observe/query-stats.ts'
import { findUntypedKey } from '../../mongo/system/idempotency-records.ts'
import { assertAlone } from '../../mongo/system/assert-alone.ts'
import { withLease } from '../../mongo/system/lease.ts'
import { readLedger, replaceLedger } from '../../mongo/system/schema-ledger.ts'
import { presenceOf } from '../../people/administrators/presence.ts'
import type { Uid } from '../../schema/definition.ts'
import { compactLedger, type Moves, planMoves } from '../../schema/ledger/compact-names.ts'
import type { Ledger } from '../../schema/ledger/ledger.ts'
import type { Schema } from '../../schema/plan.ts'
import type { EnteredDefinitions } from '../../schema/ledger/enter-definitions.ts'
import { rewritesOf, type VersionCollection } from './compaction-steps.ts'
import { compactedHolders, declaredNamesOf, findUnknownComponents } from './holder-tables.ts'
import { movedNames, type PassTable, passTables } from './move-members.ts'

export interface CompactionParts {
  readonly database: Database
  readonly schema: Schema
  readonly entered: Pick<EnteredDefinitions, 'digest' | 'retyped' | 'ledger'>
  readonly now: () => Date
  /** How long killed processes are waited for. The default is 30 seconds. */
  readonly maxWaitMs?: number
}

export interface Compaction {
  readonly moved: readonly MovedColumn[]
  /** The number of rewritten rows by collection, without collections that have none. */
  readonly rows: Readonly<Record<string, number>>
}

export interface MovedColumn {
  /** The stored uid of the content-type or component. */
  readonly uid: Uid
  readonly from: string
  readonly to: string
}

const LEASE = 'compact schema'

/** No process has this release, so all others count. */
const NO_RELEASE = ''

const OFFLINE = 'Values can be moved only while no server is running, and these processes are'

/**
 * Moves all values to the names of their attributes. Continues after a kill.
 * @throws ConfigError if a process is running, or if a start would change the ledger
 */
export async function compactSchema(parts: CompactionParts): Promise<Compaction> {
  const { database, maxWaitMs } = parts
  return withLease(database, LEASE, async () => {
    let row = await readCompaction(database)
    const hasBegun = row?.hasBegun === true
    if (!hasBegun) {
      const ledger = await readLedger(database)
      const holders = await planHolders(parts, ledger)
      if (movesIn(holders).length === 0) {
        await endCompaction(database) // of a command that was killed before it began
        return { moved: [], rows: {} }
      }
      const { compactions = 0 } = ledger
      row = { _id: 'compaction', hasBegun, at: parts.now(), compactions, pass: 0, holders }
      await endCompaction(database)
      await putCompaction(database, row)
    }
    if (row === null) throw new Error('the row of the compaction is missing')
    // After the row, because processes that start later wait for it.
    try {
      await assertAlone(database, NO_RELEASE, { why: OFFLINE, maxWaitMs })
    } catch (error) {
      if (!hasBegun) await endCompaction(database)
      throw error
    }
    await changeCompaction(database, { hasBegun: true })
    return moveAll(database, row)
  })
}

/** Counts the rows that a compaction rewrites, without a change. @throws ConfigError as `compactSchema` */
export async function planCompaction(parts: CompactionParts): Promise<Compaction> {
  const { database } = parts
  const row = await readCompaction(database)
  const ledger = await readLedger(database)
  const holders = row?.hasBegun === true ? row.holders : await planHolders(parts, ledger)
  const moved = movesIn(holders)
  const [table] = passTables(holders).slice(row?.hasBegun === true ? row.pass : 0)
  if (moved.length === 0 || table === undefined) return { moved, rows: {} }
  const rewrites = rewritesOf(database, collectionsOf(ledger), table)
  return { moved, rows: await addRows(rewrites, (one) => countRows(database, one)) }
}

type FinishLog = (facts: object, message: string) => void

/** Called by each start, before it reads the ledger. Waits for a command that moves values. */
export async function finishCompaction(database: Database, log: FinishLog): Promise<void> {
  if ((await readCompaction(database)) === null) return
  await withLease(
    database,
    LEASE,
    async () => {
      const row = await readCompaction(database)
      if (row === null) return
      // The command was killed before it knew that no process was running.
      if (!row.hasBegun) return endCompaction(database)
      log({ moved: movesIn(row.holders) }, 'The move of values continues after an interruption')
      const { rows } = await moveAll(database, row)
      log({ rows }, 'Values were moved to the names of their attributes')
    },
    Infinity,
  )
}

/** Called by each start after it is registered as a process. @throws ConfigError for a start to repeat */
export async function assertNotCompacted(database: Database, entered: Ledger): Promise<void> {
  const ignore: FinishLog = () => undefined
  await finishCompaction(database, ignore)
  const { compactions = 0 } = await readLedger(database)
  if (compactions === (entered.compactions ?? 0)) return
  throw new ConfigError(['Values were moved to the names of their attributes. Start again.'])
}

async function planHolders(
  { database, schema, entered, now }: CompactionParts,
  ledger: Ledger,
): Promise<CompactionRow['holders']> {
  const isKnown = ledger.releases.some(({ digest }) => digest === entered.digest)
  const isMoved = (ledger.compactions ?? 0) !== (entered.ledger.compactions ?? 0)
  const isConverting = Object.values(ledger.holders).some(({ columns }) =>
    columns.some((column) => column.isConverting === true),
  )
  if (!isKnown || isMoved || isConverting || entered.retyped.length > 0) {
    throw new ConfigError([
      'No server was started with these content-types. Start one first, and stop it.',
    ])
  }
  const moves = planMoves(ledger, declaredNamesOf(schema))
  if (moves.size === 0) return []
  const until = await findUntypedKey(database, now())
  if (until !== null) {
    throw new ConfigError([
      `Responses for an Idempotency-Key are stored without their content-type. They expire until ${until.toISOString()}. Try again then.`,
    ])
  }
  const unknown = findUnknownComponents(ledger)
  if (unknown.length > 0) {
    throw new ConfigError([
      `The ledger does not know the components of ${unknown.join(', ')}. Declare these attributes again, and start a server.`,
    ])
  }
  return compactedHolders(ledger, schema, moves)
}

async function moveAll(database: Database, row: CompactionRow): Promise<Compaction> {
  const { holders } = row
  const collections = collectionsOf(await readLedger(database))
  const rows: Record<string, number> = {}
  for (const [pass, table] of passTables(holders).entries()) {
    if (pass < row.pass) continue
    await changeCompaction(database, { pass })
    await dropIndexes(database, collections, table)
    const moved = await addRows(rewritesOf(database, collections, table), (one) =>
      rewriteRows(database, one),
    )
    for (const [name, count] of Object.entries(moved)) rows[name] = Math.max(rows[name] ?? 0, count)
  }
  await forgetDerived(database)
  await enterMoves(database, row)
  await endCompaction(database)
  return { moved: movesIn(holders), rows }
}

async function enterMoves(database: Database, row: CompactionRow): Promise<void> {
  for (;;) {
    const ledger = await readLedger(database)
    if ((ledger.compactions ?? 0) > row.compactions) return
    const moves = movesOf(row.holders)
    if (await replaceLedger(database, ledger, compactLedger(ledger, moves))) return
  }
}

/** A unique index may refuse the values of another attribute while they move. */
async function dropIndexes(
  database: Database,
  collections: readonly VersionCollection[],
  table: PassTable,
): Promise<void> {
  for (const { type, collection } of collections) {
    const names = new Set(movedNames(table, type))
    if (names.size > 0) await dropIndexesOf(database, collection, names)
  }
}

/** Deletes rows that the next start, or the next request, makes again. */
async function forgetDerived(database: Database): Promise<void> {
  await deleteReservations(database)
  await forgetQueryStats(database)
  await presenceOf(database).deleteMany({})
}

/** Of all content-types, also of those that are not declared any more. */
function collectionsOf({ collections, types }: Ledger): readonly VersionCollection[] {
  return types.columns.flatMap(({ stored: type }) => {
    const collection = collections[type]
    return collection === undefined ? [] : [{ type, collection }]
  })
}

function movesOf(holders: CompactionRow['holders']): Moves {
  return new Map(
    holders.map(({ uid, members }) => {
      const moved = members.filter(({ stored, to }) => stored !== to)
      return [uid, new Map(moved.map(({ stored, to }) => [stored, to]))] as const
    }),
  )
}

function movesIn(holders: CompactionRow['holders']): readonly MovedColumn[] {
  return [...movesOf(holders)].flatMap(([uid, own]) =>
    [...own].map(([from, to]) => ({ uid, from, to })),
  )
}

async function addRows<One extends { readonly collection: string }>(
  rewrites: readonly One[],
  run: (rewrite: One) => Promise<number>,
): Promise<Compaction['rows']> {
  const rows: Record<string, number> = {}
  for (const rewrite of rewrites) {
    const count = await run(rewrite)
    if (count > 0) rows[rewrite.collection] = (rows[rewrite.collection] ?? 0) + count
  }
  return rows
}
