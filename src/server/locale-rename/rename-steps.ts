import { userContentIn } from '../../content/deleted-users/user-content-rows.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { conversionsIn } from '../../mongo/conversions/conversion-progress.ts'
import type { Fence } from '../../mongo/conversions/run-row.ts'
import { forgetReservations } from '../../mongo/indexes/sync-reservations.ts'
import { pendingDraftsOf } from '../../mongo/search/fresh-drafts.ts'
import { recentRowsOf, segmentRowsOf, textIndexesOf } from '../../mongo/search/index-rows.ts'
import { searchTypesOf } from '../../mongo/search/index-progress.ts'
import { deleteRows } from '../../mongo/system/delete-rows.ts'
import { readLedger } from '../../mongo/system/schema-ledger.ts'
import { API_TOKENS } from '../../people/access/api-token-rows.ts'
import { ROLES } from '../../people/access/role-rows.ts'
import { LIST_VIEWS } from '../../people/administrators/list-views.ts'
import { presenceOf } from '../../people/administrators/presence.ts'
import { deletionsIn, TRASHED_FILE, TRASHED_VERSIONS } from '../../mongo/trash/trash-rows.ts'
import { ADMINISTRATOR_ROLES } from '../../people/administrators/rows.ts'
import { withLocaleCode } from '../../people/rules/locale-in-rule.ts'
import type { StoredRuleRow } from '../../people/rules/stored-rule.ts'
import { FILE_UID } from '../../schema/definition.ts'
import type { Schema } from '../../schema/plan.ts'
import { holdingCode, RENAMED_ROWS, renamedVersions, withCode } from './renamed-rows.ts'
import { type LocaleCodes, replaceCode } from '../../mongo/conversions/replace-code.ts'
import type { Rewrite, StoredRow } from '../../mongo/conversions/rewrite-rows.ts'

/** The collections of all content-types, also of those that are not declared any more. */
export async function findVersionCollections(
  database: Database,
  { contentTypes }: Schema,
): Promise<readonly string[]> {
  const { collections } = await readLedger(database)
  const managed = [...contentTypes.values()].filter(({ adopted }) => adopted === undefined)
  const declared = managed.map(({ collectionName }) => collectionName)
  return [...new Set([...declared, ...Object.values(collections)])]
}

/** All rows that name the locale, except the list of locales. */
export async function findRewrites(
  database: Database,
  schema: Schema,
  codes: LocaleCodes,
): Promise<readonly Rewrite[]> {
  const collections = await findVersionCollections(database, schema)
  const rows = [...collections.map(renamedVersions), ...RENAMED_ROWS]
  const coded = rows.map((one) => ({
    collection: one.collection,
    filter: holdingCode(one, codes.from),
    isExact: true,
    change: (row: StoredRow) => withCode(one, row, codes),
  }))
  return [...coded, ...textRewrites(schema, codes), ...(await findFiles(database, schema, codes))]
}

/** Files have texts by locale. Other rows may have a JSON attribute of this name. */
async function findFiles(
  database: Database,
  { contentTypes }: Schema,
  codes: LocaleCodes,
): Promise<readonly Rewrite[]> {
  const deletions = deletionsIn(database).find({ type: TRASHED_FILE }, { projection: { _id: 1 } })
  const deleted = new Set((await deletions.toArray()).map(({ _id }) => _id))
  const files = contentTypes.get(FILE_UID)
  const rewriteAt = (collection: string, path: string): Rewrite => ({
    collection,
    filter: { [`${path}.${codes.from}`]: { $exists: true } },
    isExact: false,
    change: (row) => replaceCode(row, `${path}.{}`, codes) as StoredRow,
  })
  const trashed = rewriteAt(TRASHED_VERSIONS, 'version.translations')
  const { change } = trashed
  return [
    ...(files === undefined ? [] : [rewriteAt(files.collectionName, 'translations')]),
    {
      ...trashed,
      change: (row) => (deleted.has(String(row['deletion'])) ? change(row) : row),
    },
  ]
}

/** JSON texts that may name the locale. */
function textRewrites(schema: Schema, codes: LocaleCodes): readonly Rewrite[] {
  const inRules = (row: StoredRow): StoredRow => {
    const before = row['rules'] as readonly StoredRuleRow[]
    const rules = before.map((rule) => withLocaleCode(schema, rule, codes))
    return rules.some((rule, place) => rule !== before[place]) ? { ...row, rules } : row
  }
  const inView = (row: StoredRow): StoredRow => {
    const before: unknown = JSON.parse(String(row['json']))
    const after = replaceCode(before, 'locale', codes)
    return after === before ? row : { ...row, json: JSON.stringify(after) }
  }
  const ruled = [ROLES, API_TOKENS, ADMINISTRATOR_ROLES].map((collection) => ({
    collection,
    filter: { rules: { $exists: true } },
    isExact: false,
    change: inRules,
  }))
  return [...ruled, { collection: LIST_VIEWS, filter: {}, isExact: false, change: inView }]
}

/** Deletes rows that are made again from the content, and positions that depend on the old ids. */
export async function forgetDerived(
  database: Database,
  collections: readonly string[],
  fence: Fence,
): Promise<void> {
  await fence(async (session) => {
    await searchTypesOf(database).updateMany({}, { $set: { after: '' } }, { session })
    await conversionsIn(database).updateMany(
      { _id: 'conversion' },
      { $set: { after: '' } },
      { session },
    )
    await userContentIn(database).updateMany({}, { $set: { part: null, after: '' } }, { session })
    await forgetReservations(database, 'all', session)
  })
  await deleteRows(textIndexesOf(database), {}, fence)
  await deleteRows(recentRowsOf(database), {}, fence)
  await deleteRows(pendingDraftsOf(database), {}, fence)
  for (const collectionName of collections) {
    await deleteRows(segmentRowsOf(database, { collectionName }), {}, fence)
  }
  await deleteRows(presenceOf(database), {}, fence)
}
