import { MigrationError } from '../migration-error.ts'
import type { Data } from '../data.ts'
import { documentIdFrom } from '@quire/schema/derived-id'
import type { MappedFile } from '../map-output.ts'
import type { Notes } from '../notes.ts'
import {
  type ContentfulEntry,
  type ContentfulLocale,
  type ContentfulType,
  linksOf,
} from './export-types.ts'
import { readExport } from './read-export.ts'

export interface FieldFacts {
  readonly targets: Set<string>
  /** Whether all numbers are 32-bit integers. */
  isSmall: boolean
  /** Whether all dates are without time. */
  isDay: boolean
}

export interface ContentfulSurvey {
  readonly types: readonly ContentfulType[]
  readonly locales: readonly ContentfulLocale[]
  readonly defaultLocale: string
  readonly widgets: ReadonlyMap<string, string>
  /** The content-type of each entry and its position within the type. */
  readonly entries: ReadonlyMap<string, { readonly type: string; readonly position: number }>
  readonly assets: ReadonlyMap<string, MappedFile>
  readonly facts: ReadonlyMap<string, FieldFacts>
}

interface Surveying extends ContentfulSurvey {
  readonly types: ContentfulType[]
  readonly locales: ContentfulLocale[]
  readonly widgets: Map<string, string>
  readonly entries: Map<string, { readonly type: string; readonly position: number }>
  readonly assets: Map<string, MappedFile>
  readonly facts: Map<string, FieldFacts>
  /** Linked entries by field. Their types are known at the end. */
  readonly links: Map<string, Set<string>>
  readonly counts: Map<string, number>
}

export async function surveyExport(path: string, notes: Notes): Promise<ContentfulSurvey> {
  const survey: Surveying = {
    types: [],
    locales: [],
    defaultLocale: '',
    widgets: new Map(),
    entries: new Map(),
    assets: new Map(),
    facts: new Map(),
    links: new Map(),
    counts: new Map(),
  }
  const assets: ContentfulEntry[] = []
  const readers = readersOf(survey, assets)
  for await (const { list, value } of readExport(path)) {
    const read = readers.get(list)
    if (read === undefined) notes.add(`${list} are not taken`, '')
    else read(value)
  }
  if (survey.types.length === 0) {
    throw new MigrationError(`${path} is no export of Contentful: it has no contentTypes`)
  }
  const locale = survey.locales.find((one) => one.default === true)
  if (locale === undefined) throw new MigrationError(`${path} names no default locale`)
  for (const asset of assets) noteAsset(survey, asset, locale.code, notes)
  for (const [field, ids] of survey.links) {
    const linked = [...ids].flatMap((id) => survey.entries.get(id)?.type ?? [])
    for (const type of linked) survey.facts.get(field)?.targets.add(type)
  }
  return { ...survey, defaultLocale: locale.code }
}

function readersOf(
  survey: Surveying,
  assets: ContentfulEntry[],
): ReadonlyMap<string, (value: Data) => void> {
  return new Map([
    ['contentTypes', (value: Data) => survey.types.push(value as unknown as ContentfulType)],
    ['locales', (value: Data) => survey.locales.push(value as unknown as ContentfulLocale)],
    ['editorInterfaces', (value: Data) => noteWidgets(survey, value)],
    ['assets', (value: Data) => assets.push(value as unknown as ContentfulEntry)],
    ['entries', (value: Data) => noteEntry(survey, value as unknown as ContentfulEntry)],
  ])
}

export function entryId(id: string): string {
  return documentIdFrom('c', `contentful entry ${id}`)
}

export function factsKey(type: string, field: string): string {
  return `${type}.${field}`
}

function noteWidgets(survey: Surveying, value: Data): void {
  const sys = value['sys'] as Data | undefined
  const type = (sys?.['contentType'] as { readonly sys: Data } | undefined)?.sys['id']
  for (const control of (value['controls'] ?? []) as readonly Data[]) {
    const { fieldId, widgetId } = control
    if (typeof widgetId === 'string') {
      survey.widgets.set(factsKey(String(type), String(fieldId)), widgetId)
    }
  }
}

function noteEntry(survey: Surveying, { sys, fields = {} }: ContentfulEntry): void {
  const type = sys.contentType?.sys.id ?? ''
  const position = survey.counts.get(type) ?? 0
  survey.counts.set(type, position + 1)
  survey.entries.set(sys.id, { type, position })
  for (const [field, values] of Object.entries(fields)) {
    const key = factsKey(type, field)
    const facts = survey.facts.get(key) ?? { targets: new Set(), isSmall: true, isDay: true }
    survey.facts.set(key, facts)
    for (const value of Object.values(values)) noteValue(survey, key, facts, value)
  }
}

function noteValue(survey: Surveying, key: string, facts: FieldFacts, value: unknown): void {
  if (typeof value === 'number' && Math.abs(value) >= 2 ** 31) facts.isSmall = false
  if (typeof value === 'string' && !DAY.test(value)) facts.isDay = false
  const entries = linksOf(value).filter(({ kind }) => kind === 'Entry')
  if (entries.length === 0) return
  const ids = survey.links.get(key) ?? new Set()
  survey.links.set(key, ids)
  for (const { id } of entries) ids.add(id)
}

const DAY = /^\d{4}-\d\d-\d\d$/

function noteAsset(
  survey: Surveying,
  { sys, fields = {} }: ContentfulEntry,
  locale: string,
  notes: Notes,
): void {
  const files = Object.entries(fields['file'] ?? {})
  const [, file = {}] = files.find(([code]) => code === locale) ?? files[0] ?? []
  const { url, fileName, contentType } = file as Data
  if (typeof url !== 'string') {
    notes.add('an asset without a file is not taken', sys.id)
    return
  }
  if (files.some(([, other]) => (other as Data)['url'] !== url)) {
    notes.add('of an asset with a file for each locale that of the default locale is taken', sys.id)
  }
  if (sys.publishedVersion === undefined) {
    notes.add('an asset that is not published is taken all the same: files have no drafts', sys.id)
  }
  const title = textIn(fields['title'], locale)
  survey.assets.set(sys.id, {
    documentId: documentIdFrom('c', `contentful asset ${sys.id}`),
    name: textOr(fileName, sys.id),
    mime: textOr(contentType, 'application/octet-stream'),
    alternativeText: textIn(fields['description'], locale) ?? title,
    caption: title,
    url: url.replace(/^\/\//, 'https://'),
  })
}

function textIn(values: Readonly<Record<string, unknown>> = {}, locale: string): string | null {
  const text = values[locale] ?? Object.values(values)[0]
  return typeof text === 'string' && text !== '' ? text : null
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}
