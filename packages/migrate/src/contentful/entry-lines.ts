import type { Data } from '../data.ts'
import type { MappedLine } from '../content-lines.ts'
import type { MapOptions } from '../map-output.ts'
import type { Notes } from '../notes.ts'
import { LINK_CATEGORY, type MappedField, type MappedType, OLD_ID } from './declare-types.ts'
import { type ContentfulEntry, linkOf, linksOf } from './export-types.ts'
import { richTextBlocks } from './rich-text.ts'
import { entryId, type ContentfulSurvey } from './survey.ts'

export interface EntryMapping extends MapOptions {
  readonly survey: ContentfulSurvey
  readonly types: ReadonlyMap<string, MappedType>
  readonly locales: ReadonlyMap<string, string>
  readonly missing: ReadonlySet<string>
  readonly notes: Notes
}

export function entryLines(entry: ContentfulEntry, mapping: EntryMapping): readonly MappedLine[] {
  const { survey, types, locales, notes } = mapping
  const { sys, fields = {}, metadata } = entry
  const type = types.get(sys.contentType?.sys.id ?? '')
  if (type === undefined) {
    notes.add('an entry of a type that is not in the export is not taken', sys.id)
    return []
  }
  if ((metadata?.tags ?? []).length > 0) notes.add('tags of entries are not taken', sys.id)
  const isPublished = publishedOf(entry, notes)
  const given = new Set(Object.values(fields).flatMap((values) => Object.keys(values)))
  const codes = survey.locales
    .map(({ code }) => code)
    .filter((code) => code === survey.defaultLocale || (type.localized && given.has(code)))
    .sort((one, other) => orderOf(one, survey) - orderOf(other, survey))
  return codes.flatMap((code, index): readonly MappedLine[] => {
    const locale = locales.get(code)
    if (locale === undefined) {
      notes.add(`the locale ${code} is no BCP 47 tag, and its content is left out`, sys.id)
      return []
    }
    const values = valuesIn(type, fields, { code, isFirst: index === 0, id: sys.id, mapping })
    const lacking = isPublished ? lackingIn(type, values.data, index === 0) : []
    if (lacking.length > 0) {
      notes.add(
        `what lacks something required is a draft`,
        `${sys.id} (${code}: ${lacking.join(', ')})`,
      )
    }
    const status = isPublished && lacking.length === 0 ? 'published' : 'draft'
    const documentId = entryId(sys.id)
    const { singular } = type.names
    return [{ type: singular, documentId, ...(type.localized && { locale }), status, ...values }]
  })
}

/** The default locale comes first, because it contains the shared values. */
function orderOf(code: string, { defaultLocale }: ContentfulSurvey): number {
  return code === defaultLocale ? 0 : 1
}

/** An export only contains the newest state, so an entry with unpublished changes becomes a draft. */
function publishedOf({ sys }: ContentfulEntry, notes: Notes): boolean {
  if (sys.archivedVersion !== undefined) {
    notes.add('an archived entry is a draft', sys.id)
    return false
  }
  if (sys.publishedVersion === undefined) return false
  // Publishing increments the version.
  const isChanged = sys.version !== undefined && sys.version > sys.publishedVersion + 1
  if (isChanged) {
    notes.add(
      'an entry that has changed since it was published is a draft: the export has not what was published',
      sys.id,
    )
  }
  return !isChanged
}

interface InLocale {
  readonly code: string
  readonly isFirst: boolean
  readonly id: string
  readonly mapping: EntryMapping
}

function valuesIn(
  type: MappedType,
  fields: NonNullable<ContentfulEntry['fields']>,
  place: InLocale,
): Pick<MappedLine, 'data' | 'targets'> {
  const { survey } = place.mapping
  const data: Data = place.isFirst ? { [OLD_ID]: place.id } : {}
  const targets: Record<string, readonly string[]> = {}
  const isOwn = ({ field }: MappedField): boolean => type.localized && field.localized === true
  for (const mapped of type.fields.filter((each) => place.isFirst || isOwn(each))) {
    const { field, name } = mapped
    const code = isOwn(mapped) ? place.code : survey.defaultLocale
    const value = withFallback(fields[field.id] ?? {}, code, survey)
    if (value === null) continue
    const where = `${place.id}.${field.id}`
    const found = valueOf(mapped, value, { ...place.mapping, where })
    if (found === null) continue
    data[name] = found.value
    if (found.targets.length > 0) targets[name] = found.targets
  }
  return { data, targets }
}

/** Applies locale fallbacks like the delivery API. */
function withFallback(
  values: Readonly<Record<string, unknown>>,
  code: string,
  { locales }: ContentfulSurvey,
): unknown {
  const tried = new Set<string>()
  let at: string | null | undefined = code
  while (typeof at === 'string' && !tried.has(at)) {
    const value = values[at] ?? null
    if (value !== null) return value
    tried.add(at)
    const current: string = at
    at = locales.find((locale) => locale.code === current)?.fallbackCode
  }
  return null
}

interface Placed extends EntryMapping {
  readonly where: string
}

interface MappedValue {
  readonly value: unknown
  readonly targets: readonly string[]
}

function valueOf({ mapping }: MappedField, value: unknown, placed: Placed): MappedValue | null {
  switch (mapping.kind) {
    case 'value':
      return plain(scalarOf(mapping.type, mapping.choices, value, placed))
    case 'blocks':
      return plain(richTextBlocks(value, richTextContext(placed)))
    case 'media': {
      const files = linksOf(value).flatMap(({ id }) => assetOf(id, placed)?.documentId ?? [])
      return plain(mapping.multiple ? files : (files[0] ?? null))
    }
    case 'relation': {
      const named = entriesOf(value, new Set([mapping.target]), placed)
      const ids = named.map(({ documentId }) => documentId)
      const [first = null] = ids
      return { value: mapping.multiple ? ids : first, targets: ids }
    }
    case 'zone':
      return zoneOf(entriesOf(value, mapping.targets, placed))
  }
}

function zoneOf(named: readonly NamedEntry[]): MappedValue {
  const elements = named.map(({ documentId, singular }) => {
    return { __component: `${LINK_CATEGORY}.${singular}`, entry: documentId }
  })
  return { value: elements, targets: named.map(({ documentId }) => documentId) }
}

interface NamedEntry {
  readonly documentId: string
  readonly singular: string
}

function plain(value: unknown): MappedValue | null {
  return value === null ? null : { value, targets: [] }
}

function entriesOf(
  value: unknown,
  targets: ReadonlySet<string>,
  { survey, types, notes, where }: Placed,
): readonly NamedEntry[] {
  return linksOf(value).flatMap(({ id }) => {
    const entry = survey.entries.get(id)
    const type = entry === undefined ? undefined : types.get(entry.type)
    if (type !== undefined && targets.has(type.id)) {
      return [{ documentId: entryId(id), singular: type.names.singular }]
    }
    notes.add('a link to an entry that is not in the export is left out', where)
    return []
  })
}

function assetOf(id: string, { survey, missing, notes, where }: Placed) {
  const asset = survey.assets.get(id)
  if (asset !== undefined && !missing.has(asset.documentId)) return asset
  notes.add('a link to an asset that is not there is left out', where)
  return null
}

function richTextContext(placed: Placed) {
  return {
    asset: (id: string) => {
      const asset = assetOf(id, placed)
      if (asset === null) return null
      const { documentId, mime, name } = asset
      return { documentId, isImage: mime.startsWith('image/'), name }
    },
    note: (sentence: string) => placed.notes.add(sentence, placed.where),
    tables: placed.tables,
  }
}

const DAY = /^\d{4}-\d\d-\d\d$/
const ZONE = /(?:Z|[+-]\d\d:?\d\d)$/

function scalarOf(
  type: string,
  choices: ReadonlySet<string> | null,
  value: unknown,
  { notes, where }: Placed,
): unknown {
  if (choices !== null && !choices.has(String(value))) {
    notes.add('a value that its validation does not allow is left out', where)
    return null
  }
  if (type !== 'datetime') return linkOf(value) === null ? value : null
  const text = String(value)
  if (!DAY.test(text) && !ZONE.test(text))
    notes.add('a time without a zone is taken for UTC', where)
  const time = new Date(DAY.test(text) || ZONE.test(text) ? text : `${text}Z`)
  if (!Number.isNaN(time.getTime())) return time.toISOString()
  notes.add('a date that is none is left out', where)
  return null
}

/** Returns the missing required attributes. Only the first line contains shared values. */
function lackingIn(type: MappedType, data: Data, isFirst: boolean): readonly string[] {
  const attributes = type.declaration['attributes'] as Readonly<Record<string, Data>>
  return type.fields
    .filter(({ field, name }) => {
      const isAsked = attributes[name]?.['required'] === true
      return isAsked && (isFirst || field.localized === true) && data[name] === undefined
    })
    .map(({ name }) => name)
}
