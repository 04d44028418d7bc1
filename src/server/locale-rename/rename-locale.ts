import { randomUUID } from 'node:crypto'
import type { Locale, Locales } from '../../content/locales/locales.ts'
import { assertLocaleCode } from '../../content/locales/locale-code.ts'
import { fault, NotFoundError, validationError } from '../../base/errors.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { assertNoCompaction } from '../../mongo/conversions/compaction-row.ts'
import { syncReservations } from '../../mongo/indexes/sync-reservations.ts'
import { withLease } from '../../mongo/system/lease.ts'
import { TRASHED_VERSIONS } from '../../mongo/trash/trash-rows.ts'
import type { Schema } from '../../schema/plan.ts'
import { assertAlone, REWRITE_LEASE } from '../../mongo/system/assert-alone.ts'
import {
  assertSameRename,
  beginLocaleRename,
  cancelLocaleRename,
  endLocaleRename,
  localeRun,
  type LocaleRenameRow,
  putLocaleRename,
  readLocaleRename,
  takeLocaleRename,
} from '../../mongo/conversions/locale-rename-row.ts'
import { findRewrites, findVersionCollections, forgetDerived } from './rename-steps.ts'
import { assertFenceable, changeRun, fenceOf } from '../../mongo/conversions/run-row.ts'
import type { LocaleCodes } from '../../mongo/conversions/replace-code.ts'
import { countRows, type Rewrite, rewriteRows } from '../../mongo/conversions/rewrite-rows.ts'

export interface LocaleRename {
  readonly from: string
  readonly to: string
  /** The default is the usual name of the new code, unless the locale has another name than the usual one. */
  readonly name: string | null
}

interface RewritingParts {
  readonly database: Database
  readonly schema: Schema
  readonly locales: () => Promise<Locales>
}

export interface RenamingParts extends RewritingParts {
  readonly now: () => Date
  /** A server was started with these declarations. */
  readonly isKnown: boolean
  /** How long killed processes are waited for. The default is 30 seconds. */
  readonly maxWaitMs?: number
}

export interface RenamedLocale {
  readonly from: string
  readonly to: string
  /** The number of rewritten rows by collection, without collections that have none. */
  readonly rows: Readonly<Record<string, number>>
}

/**
 * Rewrites all rows that name the locale. Continues the same rename after a kill. @throws NotFoundError,
 * ValidationError for a code that exists or has content, ConfigError if a process is running, or without transactions
 */
export async function renameLocale(
  parts: RenamingParts,
  rename: LocaleRename,
): Promise<RenamedLocale> {
  assertLocaleCode(rename.to)
  const { database } = parts
  assertFenceable(database, WORK)
  return withLease(database, REWRITE_LEASE, async () => {
    await assertNoCompaction(database)
    const run = randomUUID()
    const begun = await takeBegunRename(database, run, rename)
    if (begun === null) await beginRename(parts, rename, run)
    else await assertOffline(parts)
    const rows = await rewriteAll(parts, { ...(begun ?? rename), run })
    if (parts.isKnown) await reserveAgain(parts, run)
    await endLocaleRename(database, run)
    return { from: rename.from, to: rename.to, rows }
  })
}

const WORK = 'A locale can be renamed'

/** Null if there is none. A command that was killed before it began has changed no row. */
async function takeBegunRename(
  database: Database,
  run: string,
  rename?: LocaleCodes,
): Promise<LocaleRenameRow | null> {
  for (;;) {
    const found = await readLocaleRename(database)
    if (found === null) return null
    if (found.hasBegun) {
      if (rename !== undefined) assertSameRename(found, rename)
      return takeLocaleRename(database, run)
    }
    if (await cancelLocaleRename(database, found.run)) return null
  }
}

async function beginRename(parts: RenamingParts, rename: LocaleRename, run: string): Promise<void> {
  const { database, now } = parts
  await assertRenamable(parts, rename)
  const row = { _id: 'locale', run, step: 0, hasBegun: false, at: now() } as const
  await putLocaleRename(database, { ...row, ...rename })
  try {
    await assertOffline(parts) // after the row, because processes that start later wait for it
  } catch (error) {
    await cancelLocaleRename(database, run)
    throw error
  }
  await beginLocaleRename(database, run)
}

function assertOffline({ database, maxWaitMs }: RenamingParts): Promise<void> {
  return assertAlone(database, NO_RELEASE, { why: OFFLINE, maxWaitMs })
}

/** Counts the rows that a rename rewrites, without a change. @throws as `renameLocale` */
export async function planLocaleRename(
  parts: RenamingParts,
  rename: LocaleRename,
): Promise<RenamedLocale> {
  const { database, schema } = parts
  const { from, to } = rename
  assertLocaleCode(to)
  assertFenceable(database, WORK)
  const found = await readLocaleRename(database)
  if (found?.hasBegun === true) assertSameRename(found, rename)
  else await assertRenamable(parts, rename)
  const rewrites = await findRewrites(database, schema, { from, to })
  return { from, to, rows: await addRows(rewrites, (one) => countRows(database, one)) }
}

type FinishLog = (facts: object, message: string) => void

/** Called by each start, before it reads content. Waits for a command that renames. */
export async function finishLocaleRename(parts: RewritingParts, log: FinishLog): Promise<void> {
  const { database } = parts
  if ((await readLocaleRename(database)) === null) return
  assertFenceable(database, WORK)
  await withLease(
    database,
    REWRITE_LEASE,
    async () => {
      const row = await takeBegunRename(database, randomUUID())
      if (row === null) return
      const { from, to, run } = row
      log({ from, to }, 'The rename of a locale continues after an interruption')
      const rows = await rewriteAll(parts, row)
      await endLocaleRename(database, run)
      log({ from, to, rows }, 'A locale was renamed')
    },
    Infinity,
  )
}

/** No process has this release, so all others count. */
const NO_RELEASE = ''

const OFFLINE = 'A locale can be renamed only while no server is running, and these processes are'

type StartedRename = LocaleRename & Pick<LocaleRenameRow, 'run'>

async function rewriteAll(
  { database, schema, locales }: RewritingParts,
  rename: StartedRename,
): Promise<RenamedLocale['rows']> {
  const { from, to, run } = rename
  const fence = fenceOf(database, localeRun(run))
  const rewrites = await findRewrites(database, schema, { from, to })
  const rows = await addRows(rewrites, (one) => rewriteRows(database, one, fence))
  await forgetDerived(database, await findVersionCollections(database, schema), fence)
  await renameInList(database, await locales(), rename)
  return rows
}

async function addRows(
  rewrites: readonly Rewrite[],
  run: (rewrite: Rewrite) => Promise<number>,
): Promise<RenamedLocale['rows']> {
  const rows: Record<string, number> = {}
  for (const rewrite of rewrites) {
    const count = await run(rewrite)
    if (count > 0) rows[rewrite.collection] = (rows[rewrite.collection] ?? 0) + count
  }
  return rows
}

/** The last change of content, so it may be the only one that was done before a kill. */
async function renameInList(
  database: Database,
  locales: Locales,
  { from, to, name, run }: StartedRename,
): Promise<void> {
  const { all } = await locales.current()
  if (all.some(({ code }) => code === to) && all.every(({ code }) => code !== from)) return
  await locales.rename(from, { code: to, ...(name !== null && { name }) }, (session) =>
    changeRun(database, localeRun(run), {}, session),
  )
}

async function reserveAgain({ database, schema }: RewritingParts, run: string): Promise<void> {
  const plans = [...schema.contentTypes.values()].filter(({ adopted }) => adopted === undefined)
  await syncReservations(database, plans, fenceOf(database, localeRun(run)))
}

async function assertRenamable(parts: RewritingParts, { from, to }: LocaleCodes): Promise<void> {
  const { all } = await (await parts.locales()).current()
  const has = ({ code }: Locale, wanted: string): boolean => code === wanted
  if (!all.some((one) => has(one, from))) {
    throw new NotFoundError(`There is no locale ${from}`, {}, { code: 'unknown_locale' })
  }
  if (all.some((one) => has(one, to))) {
    throw validationError([
      fault(['code'], `the locale ${to} exists already`, to, { code: 'any.unique' }),
    ])
  }
  await assertWithoutContent(parts, to)
}

/** A removed locale keeps its content, which a rename would mix with other content. */
async function assertWithoutContent(
  { database, schema }: RewritingParts,
  code: string,
): Promise<void> {
  const collections = await findVersionCollections(database, schema)
  for (const collection of [...collections, TRASHED_VERSIONS]) {
    const row = await database
      .table(collection)
      .findOne({ locale: code }, { projection: { _id: 1 } })
    if (row === null) continue
    const message = `the removed locale ${code} still has content in ${collection}; add it again and delete its content first`
    throw validationError([fault(['code'], message, code, { code: 'any.unique' })])
  }
}
