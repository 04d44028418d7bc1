import {
  ApplicationError,
  because,
  fault,
  NotFoundError,
  validationError,
} from '../../base/errors.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { CommitItem, Database, Session } from '../../mongo/connection/database.ts'
import { newDocumentId } from '../../mongo/versions/document-id.ts'
import { openVersionedCache } from '../../mongo/system/versioned-cache.ts'
import { assertLocaleCode, localeName } from './locale-code.ts'
import { ensureRow } from '../../mongo/system/system-collections.ts'

export interface Locale {
  readonly id: number
  readonly documentId: string
  readonly name: string
  /** A BCP 47 tag in canonical case, such as `en`, `pt-BR` or `zh-Hant`. */
  readonly code: string
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly publishedAt: Date
  readonly isDefault: boolean
}

export interface LocaleList {
  readonly all: readonly Locale[]
  readonly defaultCode: string
  has(code: string): boolean
}

export interface LocaleInput {
  readonly code: string
  readonly name?: string
  readonly isDefault?: boolean
}

export interface Locales {
  /** Changes by other processes appear within one second. */
  current(): Promise<LocaleList>
  /** @throws ValidationError for an unknown, non-canonical or existing code */
  add(input: LocaleInput): Promise<Locale>
  /** @throws NotFoundError, ValidationError */
  update(code: string, input: Partial<LocaleInput>): Promise<Locale>
  /**
   * Changes the code in the list only, for `renameLocale`. @throws NotFoundError, ValidationError for an existing code
   * @param fence runs in the same transaction, before the change
   */
  rename(
    code: string,
    to: Pick<LocaleInput, 'code' | 'name'>,
    fence: (session: Session) => Promise<void>,
  ): Promise<Locale>
  /** The content reappears if the locale is added again. @throws NotFoundError, ApplicationError for the default */
  remove(code: string): Promise<Locale>
}

export interface LocalesOptions {
  readonly now?: () => Date
}

type StoredLocale = Omit<Locale, 'isDefault' | 'publishedAt'>

interface LocalesRow {
  readonly _id: 'locales'
  readonly defaultCode: string
  readonly list: readonly StoredLocale[]
}

interface ChangeOptions {
  readonly op?: CommitItem['op']
  readonly fence?: (session: Session) => Promise<void>
}

const FIRST = { id: 1, code: 'en', name: 'English (en)' }

function collectionOf(db: Database) {
  return db.table<LocalesRow>('quire_settings')
}

/** Adds `en` as default at the first start. Safe to run concurrently. */
export async function openLocales(db: Database, options: LocalesOptions = {}): Promise<Locales> {
  const now = options.now ?? (() => new Date())
  await ensureRow(collectionOf(db), firstRow(now()))
  const versionedCache = await openVersionedCache({
    db,
    key: 'locales',
    firstChange: FIRST.id,
    load: async (source) => toLocaleList(await getRow(source)),
    now,
  })
  const change = (
    edit: (row: LocalesRow, change: number) => LocalesRow,
    answer: (before: LocalesRow, after: LocalesRow) => Locale,
    { op = 'put', fence }: ChangeOptions = {},
  ): Promise<Locale> =>
    versionedCache.change(async (session, id) => {
      await fence?.(session)
      const before = await getRow(db, session)
      const after = edit(before, id)
      await putRow(db, after, session)
      return noted(session, op, answer(before, after))
    })

  const put = (
    code: string,
    edit: (row: LocalesRow, change: number) => LocalesRow,
    options?: ChangeOptions,
  ): Promise<Locale> => change(edit, (_, after) => localeOf(after, code), options)

  return {
    current: () => versionedCache.current(),
    add: async (input) => {
      assertNew(input)
      const documentId = newDocumentId()
      return put(input.code, (row, id) => withLocale(row, input, { id, documentId, at: now() }))
    },
    update: async (code, input) => {
      assertName(input.name)
      return put(code, (row) => withChanged(row, code, input, now()))
    },
    rename: async (code, to, fence) => {
      assertNew(to)
      return put(to.code, (row) => withCode(row, code, to, now()), { fence })
    },
    remove: (code) =>
      change(
        (row) => without(row, code),
        (before) => localeOf(before, code),
        { op: 'delete' },
      ),
  }
}

function noted(session: Session, op: CommitItem['op'], locale: Locale): Locale {
  const { documentId, code } = locale
  noteRow(session, op, { type: LOCALE_TYPE, documentId, locale: code })
  return locale
}

export const LOCALE_TYPE = 'plugin::i18n.locale'

/** Returns the initial list before the first start. */
export async function readLocales(db: Database): Promise<LocaleList> {
  const row = await collectionOf(db).findOne({ _id: 'locales' })
  return toLocaleList(row ?? firstRow(new Date()))
}

function firstRow(at: Date): LocalesRow {
  const first = { ...FIRST, documentId: newDocumentId(), createdAt: at, updatedAt: at }
  return { _id: 'locales', defaultCode: first.code, list: [first] }
}

async function getRow(db: Database, session?: Session): Promise<LocalesRow> {
  const row = await collectionOf(db).findOne({ _id: 'locales' }, { session })
  if (row === null) throw new Error('The locales are missing from quire_settings')
  return row
}

async function putRow(db: Database, row: LocalesRow, session: Session): Promise<void> {
  const { _id, ...changed } = row
  await collectionOf(db).updateOne({ _id }, { $set: changed }, { session })
}

function assertNew({ code, name }: Pick<LocaleInput, 'code' | 'name'>): void {
  assertLocaleCode(code)
  assertName(name)
}

function assertName(name: string | undefined): void {
  if (name === undefined || /^(?!\s)[^\p{Cc}]{1,255}(?<!\s)$/u.test(name)) return
  throw validationError([
    fault(['name'], 'name must be one line without spaces around it', name, {
      code: 'string.line',
    }),
  ])
}

function withLocale(
  row: LocalesRow,
  input: LocaleInput,
  made: { readonly id: number; readonly documentId: string; readonly at: Date },
): LocalesRow {
  const { code, name = localeName(code), isDefault = false } = input
  assertNewCode(row, code)
  const { id, documentId, at } = made
  const locale: StoredLocale = { id, documentId, code, name, createdAt: at, updatedAt: at }
  return {
    ...row,
    defaultCode: isDefault ? code : row.defaultCode,
    list: [...row.list, locale],
  }
}

function assertNewCode({ list }: Pick<LocalesRow, 'list'>, code: string): void {
  if (!list.some((locale) => locale.code === code)) return
  throw validationError([
    fault(['code'], `the locale ${code} exists already`, code, { code: 'any.unique' }),
  ])
}

/** A usual name follows the code. */
function withCode(
  row: LocalesRow,
  code: string,
  to: Pick<LocaleInput, 'code' | 'name'>,
  at: Date,
): LocalesRow {
  const locale = row.list.find((one) => one.code === code)
  if (locale === undefined) throw noSuchLocale(code)
  assertNewCode(row, to.code)
  const usual = locale.name === localeName(code) ? localeName(to.code) : locale.name
  const renamed = { ...locale, code: to.code, name: to.name ?? usual, updatedAt: at }
  return {
    ...row,
    defaultCode: row.defaultCode === code ? to.code : row.defaultCode,
    list: row.list.map((one) => (one === locale ? renamed : one)),
  }
}

function withChanged(
  row: LocalesRow,
  code: string,
  input: Partial<LocaleInput>,
  at: Date,
): LocalesRow {
  const locale = row.list.find((one) => one.code === code)
  if (locale === undefined) throw noSuchLocale(code)
  if (input.code !== undefined && input.code !== code) {
    throw validationError([
      fault(['code'], 'code cannot be changed', input.code, { code: 'any.fixed' }),
    ])
  }
  if (input.isDefault === false && row.defaultCode === code) {
    throw validationError([
      fault(['isDefault'], 'make another locale the default instead', false, {
        code: 'locale.default',
      }),
    ])
  }
  const changed = { ...locale, name: input.name ?? locale.name, updatedAt: at }
  return {
    ...row,
    defaultCode: input.isDefault === true ? code : row.defaultCode,
    list: row.list.map((one) => (one === locale ? changed : one)),
  }
}

function without(row: LocalesRow, code: string): LocalesRow {
  if (!row.list.some((locale) => locale.code === code)) throw noSuchLocale(code)
  if (row.defaultCode === code) {
    const message = `The default locale ${code} cannot be removed`
    throw new ApplicationError(message, {}, because(message, 'locale.isDefault'))
  }
  return { ...row, list: row.list.filter((locale) => locale.code !== code) }
}

function toLocaleList({ defaultCode, list }: LocalesRow): LocaleList {
  const all = list.map((stored) => toLocale(stored, defaultCode))
  const codes = new Set(all.map((locale) => locale.code))
  return { all, defaultCode, has: (code) => codes.has(code) }
}

function localeOf({ defaultCode, list }: LocalesRow, code: string): Locale {
  const stored = list.find((locale) => locale.code === code)
  if (stored === undefined) throw noSuchLocale(code)
  return toLocale(stored, defaultCode)
}

function toLocale(stored: StoredLocale, defaultCode: string): Locale {
  const { id, documentId, name, code, createdAt, updatedAt } = stored
  const isDefault = code === defaultCode
  return { id, documentId, name, code, createdAt, updatedAt, publishedAt: createdAt, isDefault }
}

function noSuchLocale(code: string): NotFoundError {
  return new NotFoundError(`There is no locale ${code}`, {}, { code: 'unknown_locale' })
}
