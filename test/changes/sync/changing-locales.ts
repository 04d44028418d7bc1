import * as fc from 'fast-check'
import type { SyncLocales } from '../../../src/changes/sync/query/synced-locales.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { rewriteRows } from '../../../src/mongo/conversions/rewrite-rows.ts'
import { versionsOf } from '../../../src/mongo/versions/stored-version.ts'
import {
  holdingCode,
  RENAMED_ROWS,
  renamedVersions,
  withCode,
} from '../../../src/server/locale-rename/renamed-rows.ts'
import { planOf } from '../../mongo/commits/log-world.ts'

export const CODES = ['en', 'fr', 'nl'] as const

/** Existing locales, as `quire_settings` has them. */
export interface LocaleState {
  readonly defaultCode: string
  readonly list: readonly { readonly code: string; readonly id: number }[]
  readonly lastId: number
}

export const FIRST_LOCALES: LocaleState = {
  defaultCode: 'en',
  list: [
    { code: 'en', id: 1 },
    { code: 'fr', id: 2 },
  ],
  lastId: 2,
}

export interface LocaleEdit {
  /** `replace` renames a locale, and adds another one with its code. */
  readonly what: 'add' | 'remove' | 'rename' | 'replace' | 'swap' | 'default'
  readonly code: string
  readonly to: string
}

const code = fc.constantFrom(...CODES)
export const localeEdit: fc.Arbitrary<LocaleEdit> = fc.record({
  what: fc.constantFrom('add', 'remove', 'rename', 'replace', 'replace', 'swap', 'swap', 'default'),
  code,
  to: code,
})

export function hasLocale({ list }: LocaleState, wanted: string): boolean {
  return list.some((one) => one.code === wanted)
}

export function rulesOf(state: LocaleState): SyncLocales {
  const { defaultCode, list } = state
  return { defaultCode, all: list, has: (wanted) => hasLocale(state, wanted) }
}

/** Refused changes have no effect. */
export async function editLocales(
  database: Database,
  state: LocaleState,
  { what, code, to }: LocaleEdit,
): Promise<LocaleState> {
  switch (what) {
    case 'add':
      return add(state, code)
    case 'remove':
      if (code === state.defaultCode) return state
      return { ...state, list: state.list.filter((one) => one.code !== code) }
    case 'default':
      return hasLocale(state, code) ? { ...state, defaultCode: code } : state
    case 'rename':
      return rename(database, state, code, to)
    case 'replace':
      return add(await rename(database, state, code, to), code)
    case 'swap':
      return swap(database, state, code, to)
  }
}

const PASSING = 'de'

function add(state: LocaleState, code: string): LocaleState {
  if (hasLocale(state, code)) return state
  const id = state.lastId + 1
  return { ...state, lastId: id, list: [...state.list, { code, id }] }
}

async function swap(
  database: Database,
  state: LocaleState,
  one: string,
  other: string,
): Promise<LocaleState> {
  if (one === other || !hasLocale(state, one) || !hasLocale(state, other)) return state
  const aside = await rename(database, state, one, PASSING)
  return rename(database, await rename(database, aside, other, one), PASSING, other)
}

async function rename(
  database: Database,
  state: LocaleState,
  from: string,
  to: string,
): Promise<LocaleState> {
  const articles = planOf('article')
  if (!hasLocale(state, from) || hasLocale(state, to)) return state
  if ((await versionsOf(database, articles).findOne({ locale: to })) !== null) return state
  for (const rows of [renamedVersions(articles.collectionName), ...RENAMED_ROWS]) {
    await rewriteRows(database, {
      collection: rows.collection,
      filter: holdingCode(rows, from),
      isExact: true,
      change: (row) => withCode(rows, row, { from, to }),
    })
  }
  return {
    ...state,
    defaultCode: state.defaultCode === from ? to : state.defaultCode,
    list: state.list.map((one) => (one.code === from ? { ...one, code: to } : one)),
  }
}
