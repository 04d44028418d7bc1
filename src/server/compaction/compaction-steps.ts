import { COMMITS } from '../../mongo/connection/commit-record.ts'
import { findTypesOf, HISTORY_RANGE } from '../../mongo/commits/erase-history.ts'
import type { HistoryRow, HistoryVersion } from '../../mongo/connection/history-rows.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { LOSSLESS } from '../../mongo/adopted/foreign-value.ts'
import type { Rewrite, StoredRow } from '../../mongo/conversions/rewrite-rows.ts'
import { IDEMPOTENCY_KEYS } from '../../mongo/system/idempotency-records.ts'
import { COMMENT_ROWS } from '../../mongo/trash/entry-comments.ts'
import { deletionsIn, TRASHED_VERSIONS } from '../../mongo/trash/trash-rows.ts'
import { API_TOKENS } from '../../people/access/api-token-rows.ts'
import { ROLES } from '../../people/access/role-rows.ts'
import { ADMINISTRATOR_ROLES } from '../../people/administrators/rows.ts'
import type { StoredRuleRow } from '../../people/rules/stored-rule.ts'
import type { Data, Uid } from '../../schema/definition.ts'
import { moveMembers, movePath, movedNames, type PassTable } from './move-members.ts'
import { moveRule } from './move-rule.ts'

export interface VersionCollection {
  /** The stored uid. */
  readonly type: Uid
  readonly collection: string
}

/** All rows with stored names, except those that derive from them. */
export function rewritesOf(
  database: Database,
  collections: readonly VersionCollection[],
  table: PassTable,
): readonly Rewrite[] {
  const types = [...table.keys()].filter((uid) => movedNames(table, uid).length > 0)
  const rewrites: readonly Omit<Rewrite, 'isExact' | 'decoding'>[] = [
    ...collections.filter(({ type }) => types.includes(type)).map((one) => ofVersions(table, one)),
    ofTrash(database, table, types),
    ofHistory(database, table),
    ofCommits(table, types),
    {
      collection: COMMENT_ROWS,
      filter: { attribute: { $ne: null }, type: { $in: types } },
      change: (row) => moveCommented(table, typeIn(row), row),
    },
    {
      collection: IDEMPOTENCY_KEYS,
      filter: { version: { $exists: true }, type: { $in: types } },
      change: (row) => changeAt(row, 'version', (one) => moveMembers(table, typeIn(row), one)),
    },
    ...[ROLES, API_TOKENS, ADMINISTRATOR_ROLES].map((collection) => ({
      collection,
      filter: { rules: { $exists: true } },
      change: (row: StoredRow) =>
        changeList<StoredRuleRow>(row, 'rules', (rule) => moveRule(table, rule)),
    })),
  ]
  return rewrites.map((one) => ({ ...one, isExact: false, decoding: LOSSLESS }))
}

type Step = Omit<Rewrite, 'isExact' | 'decoding'>

function ofVersions(table: PassTable, { type, collection }: VersionCollection): Step {
  return {
    collection,
    filter: { $or: movedNames(table, type).map((name) => ({ [name]: { $exists: true } })) },
    change: (row) => moveMembers(table, type, row) as StoredRow,
  }
}

function ofTrash(database: Database, table: PassTable, types: readonly Uid[]): Step {
  let typeOf = new Map<string, Uid>()
  return {
    collection: TRASHED_VERSIONS,
    filter: {},
    prepare: async (rows) => {
      const which = { _id: { $in: rows.map((row) => String(row['deletion'])) } }
      const found = await deletionsIn(database).find(which).toArray()
      typeOf = new Map(found.map(({ _id, type }) => [_id, type]))
    },
    change: (row) => {
      const type = typeOf.get(String(row['deletion']))
      if (type === undefined || !types.includes(type)) return row
      return changeAt(row, 'version', (one) => moveMembers(table, type, one))
    },
  }
}

function ofHistory(database: Database, table: PassTable): Step {
  let typeOf: ReadonlyMap<string, Uid> = new Map()
  return {
    collection: COMMITS,
    filter: { _id: HISTORY_RANGE },
    prepare: async (rows) => {
      typeOf = await findTypesOf(database, rows as unknown as readonly HistoryRow[])
    },
    change: (row) => {
      const type = typeOf.get(String(row._id))
      if (type === undefined) return row
      const move = (values: Data): Data => moveMembers(table, type, values)
      return changeList<HistoryVersion & Data>(row, 'versions', (version) =>
        changeAt(changeAt(version, 'content', move), 'differs', move),
      )
    },
  }
}

/** Items carry the members that rules of sync compare, and the attribute of a comment. */
function ofCommits(table: PassTable, types: readonly Uid[]): Step {
  return {
    collection: COMMITS,
    filter: {
      $or: [
        { 'items.type': { $in: types }, 'items.was': { $exists: true } },
        { 'items.type': { $in: types }, 'items.is': { $exists: true } },
        { 'items.entryType': { $in: types }, 'items.attribute': { $exists: true } },
      ],
    },
    change: (row) =>
      changeList<Data>(row, 'items', (item) => {
        const move = (values: Data): Data => moveMembers(table, typeIn(item), values)
        const commented = moveCommented(table, String(item['entryType']), item)
        return changeAt(changeAt(commented, 'was', move), 'is', move)
      }),
  }
}

/** A comment, or the item of its commit. */
function moveCommented<Row extends Data>(table: PassTable, uid: Uid, row: Row): Row {
  const before = row['attribute']
  if (typeof before !== 'string') return row
  const attribute = movePath(table, uid, before)
  return attribute === before ? row : { ...row, attribute }
}

function typeIn(row: Data): Uid {
  return String(row['type'])
}

function changeAt<Row extends Data>(row: Row, name: string, change: (values: Data) => Data): Row {
  const before = row[name]
  if (typeof before !== 'object' || before === null) return row
  const after = change(before as Data)
  return after === before ? row : { ...row, [name]: after }
}

function changeList<Element>(
  row: StoredRow,
  name: string,
  change: (element: Element) => Element,
): StoredRow {
  const before = row[name] as readonly Element[]
  const after = before.map(change)
  return after.some((one, place) => one !== before[place]) ? { ...row, [name]: after } : row
}
