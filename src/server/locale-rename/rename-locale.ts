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
  endLocaleRename,
  type LocaleRenameRow,
  putLocaleRename,
  readLocaleRename,
} from '../../mongo/conversions/locale-rename-row.ts'
import { findRewrites, findVersionCollections, forgetDerived } from './rename-steps.ts'
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
 * ValidationError for a code that exists or has content, ConfigError if a process is running
 */
export async function renameLocale(
  parts: RenamingParts,
  rename: LocaleRename,
): Promise<RenamedLocale> {
  assertLocaleCode(rename.to)
  const { database, maxWaitMs } = parts
  return withLease(database, REWRITE_LEASE, async () => {
    await assertNoCompaction(database)
    const found = await readLocaleRename(database)
    if (found?.hasBegun === true) {
      assertSameRename(found, rename)
    } else {
      await assertRenamable(parts, rename)
      await endLocaleRename(database) // of a command that was killed before it began
      await putLocaleRename(database, {
        _id: 'locale',
        ...rename,
        hasBegun: false,
        at: parts.now(),
      })
    }
    // After the row, because processes that start later wait for it.
    try {
      await assertAlone(database, NO_RELEASE, { why: OFFLINE, maxWaitMs })
    } catch (error) {
      if (found?.hasBegun !== true) await endLocaleRename(database)
      throw error
    }
    await beginLocaleRename(database)
    const rows = await rewriteAll(parts, found?.hasBegun === true ? found : rename)
    if (parts.isKnown) await reserveAgain(parts)
    return { from: rename.from, to: rename.to, rows }
  })
}

/** Counts the rows that a rename rewrites, without a change. @throws as `renameLocale` */
export async function planLocaleRename(
  parts: RenamingParts,
  rename: LocaleRename,
): Promise<RenamedLocale> {
  const { database, schema } = parts
  const { from, to } = rename
  assertLocaleCode(to)
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
  await withLease(
    database,
    REWRITE_LEASE,
    async () => {
      const row = await readLocaleRename(database)
      if (row === null) return
      // The command was killed before it knew that no process was running.
      if (!row.hasBegun) return endLocaleRename(database)
      const { from, to } = row
      log({ from, to }, 'The rename of a locale continues after an interruption')
      const rows = await rewriteAll(parts, row)
      log({ from, to, rows }, 'A locale was renamed')
    },
    Infinity,
  )
}

/** No process has this release, so all others count. */
const NO_RELEASE = ''

const OFFLINE = 'A locale can be renamed only while no server is running, and these processes are'

async function rewriteAll(
  { database, schema, locales }: RewritingParts,
  { from, to, name }: LocaleRename | LocaleRenameRow,
): Promise<RenamedLocale['rows']> {
  const rewrites = await findRewrites(database, schema, { from, to })
  const rows = await addRows(rewrites, (one) => rewriteRows(database, one))
  await forgetDerived(database, await findVersionCollections(database, schema))
  await renameInList(await locales(), { from, to, name })
  await endLocaleRename(database)
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

/** The last step, so it may be the only one that was done before a kill. */
async function renameInList(locales: Locales, { from, to, name }: LocaleRename): Promise<void> {
  const { all } = await locales.current()
  if (all.some(({ code }) => code === to) && all.every(({ code }) => code !== from)) return
  await locales.rename(from, { code: to, ...(name !== null && { name }) })
}

async function reserveAgain({ database, schema }: RewritingParts): Promise<void> {
  const plans = [...schema.contentTypes.values()].filter(({ adopted }) => adopted === undefined)
  await syncReservations(database, plans)
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
