import { randomUUID } from 'node:crypto'
import { ConfigError } from '../../base/errors.ts'
import type { Database } from '../../mongo/connection/database.ts'
import {
  cancelCompaction,
  changeCompaction,
  compactionRun,
  type CompactionPhase,
  type CompactionRow,
  putCompaction,
  readCompaction,
  takeCompaction,
} from '../../mongo/conversions/compaction-row.ts'
import { assertFenceable, type Fence, fenceOf } from '../../mongo/conversions/run-row.ts'
import { assertNoLocaleRename } from '../../mongo/conversions/locale-rename-row.ts'
import { countRows, rewriteRows } from '../../mongo/conversions/rewrite-rows.ts'
import { dropIndexesOf } from '../../mongo/indexes/sync-indexes.ts'
import { deleteReservations } from '../../mongo/indexes/sync-reservations.ts'
import { queryStatsOf } from '../../mongo/observe/query-stats.ts'
import { findUntypedKey } from '../../mongo/system/idempotency-records.ts'
import { assertAlone, REWRITE_LEASE } from '../../mongo/system/assert-alone.ts'
import { deleteRows } from '../../mongo/system/delete-rows.ts'
import { withLease } from '../../mongo/system/lease.ts'
import { readLedger, replaceMarked } from '../../mongo/system/schema-ledger.ts'
import { presenceOf } from '../../people/administrators/presence.ts'
import type { ComputedByType, Uid } from '../../schema/definition.ts'
import { compactLedger, type Moves, planMoves } from '../../schema/ledger/compact-names.ts'
import type { Ledger } from '../../schema/ledger/ledger.ts'
import type { Schema } from '../../schema/plan.ts'
import type { EnteredDefinitions } from '../../schema/ledger/enter-definitions.ts'
import { assertMovedRules, movedSchema } from './assert-moved-rules.ts'
import { rewritesOf, type VersionCollection } from './compaction-steps.ts'
import {
  compactedHolders,
  declaredNamesOf,
  findUnknownCollections,
  findUnknownComponents,
} from './holder-tables.ts'
import { movedNames, type PassTable, passTables } from './move-members.ts'

export interface CompactionParts {
  readonly database: Database
  readonly schema: Schema
  readonly computed: ComputedByType
  readonly entered: Pick<
    EnteredDefinitions,
    'digest' | 'retyped' | 'ledger' | 'definitions' | 'storedNames'
  >
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

export interface MovedValues extends Compaction {
  /** The run that may build the indexes. Null if no value was moved. */
  readonly run: string | null
}

/** No process has this release, so all others count. */
const NO_RELEASE = ''

const OFFLINE = 'Values can be moved only while no server is running, and these processes are'

/**
 * Moves all values to the names of their attributes. Continues after a kill. The row stays until the indexes are built.
 * @throws ConfigError if a process is running, or if a start would change the ledger
 */
export async function compactSchema(parts: CompactionParts): Promise<MovedValues> {
  const { database } = parts
  assertFenceable(database, WORK)
  return withLease(database, REWRITE_LEASE, async () => {
    await assertNoLocaleRename(database)
    const run = randomUUID()
    const found = await takeBegun(database, run)
    if (found?.phase === 'indexes') return { run, moved: movesIn(found.holders), rows: {} }
    if (found !== null) await assertOffline(parts)
    const row = found ?? (await begin(parts, run))
    if (row === null) return { run: null, moved: [], rows: {} }
    return { run, ...(await moveAll(database, row)) }
  })
}

/** Null if there is none. A command that was killed before it began has changed no value. */
async function takeBegun(database: Database, run: string): Promise<CompactionRow | null> {
  for (;;) {
    const row = await readCompaction(database)
    if (row === null) return null
    if (row.phase !== 'planned') return takeCompaction(database, run)
    if (await cancelCompaction(database, row.run)) return null
  }
}

/** Plans again if a process has changed the ledger. Null if no value has to move. */
async function begin(parts: CompactionParts, run: string): Promise<CompactionRow | null> {
  const { database } = parts
  for (;;) {
    const ledger = await readLedger(database)
    const holders = await planHolders(parts, ledger)
    if (movesIn(holders).length === 0) return null
    const { compactions = 0 } = ledger
    const names = { _id: 'compaction', run, step: 0, phase: 'planned' } as const
    const row: CompactionRow = { ...names, at: parts.now(), compactions, pass: 0, holders }
    await putCompaction(database, row)
    try {
      await assertOffline(parts) // after the row, because processes that start later refuse or wait
      const marked = { ...ledger, version: ledger.version + 1, compacting: run }
      if (await enter(database, row, 'moving', [ledger, marked])) return { ...row, phase: 'moving' }
    } catch (error) {
      await cancelCompaction(database, run)
      throw error
    }
    await cancelCompaction(database, run)
  }
}

function assertOffline({ database, maxWaitMs }: CompactionParts): Promise<void> {
  return assertAlone(database, NO_RELEASE, { why: OFFLINE, maxWaitMs })
}

class LedgerChanged extends Error {}

/** Changes the ledger and the row in one transaction. Returns false if the ledger is another one. */
async function enter(
  database: Database,
  { run }: CompactionRow,
  phase: CompactionPhase,
  [before, after]: readonly [Ledger, Ledger],
): Promise<boolean> {
  try {
    await database.transact(async (session) => {
      await changeCompaction(database, run, { phase }, session)
      if (!(await replaceMarked(database, before, after, session))) throw new LedgerChanged()
    })
    return true
  } catch (error) {
    if (error instanceof LedgerChanged) return false
    throw error
  }
}

const WORK = 'Values can be moved'

/** Counts the rows that a compaction rewrites, without a change. @throws ConfigError as `compactSchema` */
export async function planCompaction(parts: CompactionParts): Promise<Compaction> {
  const { database } = parts
  assertFenceable(database, WORK)
  const begun = await readBegun(database)
  const ledger = await readLedger(database)
  const holders = begun?.holders ?? (await planHolders(parts, ledger))
  const moved = movesIn(holders)
  if (begun?.phase === 'indexes') return { moved, rows: {} }
  const [table] = passTables(holders).slice(begun?.pass ?? 0)
  if (moved.length === 0 || table === undefined) return { moved, rows: {} }
  const rewrites = rewritesOf(database, collectionsOf(ledger), table)
  return { moved, rows: await addRows(rewrites, (one) => countRows(database, one)) }
}

async function readBegun(database: Database): Promise<CompactionRow | null> {
  const row = await readCompaction(database)
  return row?.phase === 'planned' ? null : row
}

type FinishLog = (facts: object, message: string) => void

/** Called by each start, before it reads the ledger. Waits for a command that moves values. */
export async function finishCompaction(database: Database, log: FinishLog): Promise<void> {
  if (hasMoved(await readCompaction(database))) return
  assertFenceable(database, WORK)
  await withLease(
    database,
    REWRITE_LEASE,
    async () => {
      const row = await takeBegun(database, randomUUID())
      if (row === null || hasMoved(row)) return
      log({ moved: movesIn(row.holders) }, 'The move of values continues after an interruption')
      const { rows } = await moveAll(database, row)
      log({ rows }, 'Values were moved to the names of their attributes')
    },
    Infinity,
  )
}

/** A start builds the indexes, and ends the row then. */
function hasMoved(row: CompactionRow | null): boolean {
  return row === null || row.phase === 'indexes'
}

/** Called by each start after it is registered as a process. @throws ConfigError for a start to repeat */
export async function assertNotCompacted(database: Database, entered: Ledger): Promise<void> {
  const ignore: FinishLog = () => undefined
  await finishCompaction(database, ignore)
  const { compactions = 0 } = await readLedger(database)
  if (compactions !== (entered.compactions ?? 0)) {
    throw new ConfigError(['Values were moved to the names of their attributes. Start again.'])
  }
  const row = await readCompaction(database)
  // A command that still builds indexes stops, because the start builds those of its own declarations.
  if (row?.phase === 'indexes') await takeCompaction(database, randomUUID())
}

async function planHolders(
  { database, schema, computed, entered, now }: CompactionParts,
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
  compactLedger(ledger, moves) // refuses equal stored names
  const holders = compactedHolders(ledger, schema, moves)
  assertCollections(ledger, holders)
  const after = movedSchema(schema, entered, moves, computed)
  await assertMovedRules(database, holders, { before: schema, after })
  return holders
}

function assertCollections(ledger: Ledger, holders: CompactionRow['holders']): void {
  const tables = passTables(holders)
  const unknown = findUnknownCollections(ledger).filter((uid) =>
    tables.some((table) => movedNames(table, uid).length > 0),
  )
  if (unknown.length === 0) return
  throw new ConfigError([
    `The ledger does not know the collections of ${unknown.join(', ')}. Declare these content-types again, and start a server.`,
  ])
}

async function moveAll(database: Database, row: CompactionRow): Promise<Compaction> {
  const { run, holders } = row
  const fence = fenceOf(database, compactionRun(run))
  const collections = collectionsOf(await readLedger(database))
  const rows: Record<string, number> = {}
  for (const [pass, table] of passTables(holders).entries()) {
    if (pass < row.pass) continue
    await changeCompaction(database, run, { pass })
    await dropIndexes(database, run, collections, table)
    const moved = await addRows(rewritesOf(database, collections, table), (one) =>
      rewriteRows(database, one, fence),
    )
    for (const [name, count] of Object.entries(moved)) rows[name] = Math.max(rows[name] ?? 0, count)
  }
  await forgetDerived(database, fence)
  await enterMoves(database, row)
  return { moved: movesIn(holders), rows }
}

async function enterMoves(database: Database, row: CompactionRow): Promise<void> {
  const moves = movesOf(row.holders)
  for (;;) {
    const ledger = await readLedger(database)
    if (await enter(database, row, 'indexes', [ledger, compactLedger(ledger, moves)])) return
  }
}

/** A unique index may refuse the values of another attribute while they move. */
async function dropIndexes(
  database: Database,
  run: string,
  collections: readonly VersionCollection[],
  table: PassTable,
): Promise<void> {
  for (const { type, collection } of collections) {
    const names = new Set(movedNames(table, type))
    if (names.size === 0) continue
    await changeCompaction(database, run, {}) // as late as possible, because no transaction drops indexes
    await dropIndexesOf(database, collection, names)
  }
}

/** Deletes rows that the next start, or the next request, makes again. */
async function forgetDerived(database: Database, fence: Fence): Promise<void> {
  await deleteReservations(database, fence)
  await deleteRows(queryStatsOf(database), {}, fence)
  await deleteRows(presenceOf(database), {}, fence)
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
      const moved = members.filter(({ stored, to, isStray }) => stored !== to && isStray !== true)
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
