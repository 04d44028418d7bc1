import type { ContentPlan, Link, ShapePlan, SyncedContent } from './content-plan.ts'
import type { Row, Tables } from './storage.ts'
import { listDocumentIds } from './tables.ts'

export interface EntryPlace {
  readonly shape: ShapePlan
  readonly data: Readonly<Record<string, unknown>>
  readonly name: string | null
  readonly locale: string
}

export interface QueryContext {
  readonly plan: ContentPlan<SyncedContent>
  readonly tables: Tables
}

/** With several locales, each row uses its own. */
export function toPlace(
  { plan }: QueryContext,
  name: string,
  row: Row,
  locale: string,
): EntryPlace {
  const shape = plan.types[name]
  if (shape === undefined) throw new Error(`${name}: no such content-type`)
  return { shape, data: row.data, name, locale: row.locale ?? locale }
}

/** For relations, the targets in the store. */
export function followLink(
  reach: QueryContext,
  place: EntryPlace,
  attribute: string,
  link: Link,
): readonly EntryPlace[] {
  if ('to' in link) return followRelation(reach, place, attribute, link)
  if ('localizations' in link) return otherLocales(reach, place)
  return elementsOf(place.data[attribute]).flatMap((element) => {
    const uid = 'zone' in link ? String(element['__component']) : link.component
    const shape = reach.plan.components[uid]
    return shape === undefined ? [] : [{ shape, data: element, name: null, locale: place.locale }]
  })
}

function followRelation(
  reach: QueryContext,
  place: EntryPlace,
  attribute: string,
  { to, by }: Extract<Link, { readonly to: string }>,
): readonly EntryPlace[] {
  const { tables } = reach
  const { locale } = place
  const rows =
    by === undefined
      ? listDocumentIds(place.data[attribute]).flatMap((id) => tables.get(to, id, locale) ?? [])
      : inOrder(tables.leadingTo(to, by, String(place.data['documentId']), locale))
  return rows.map((row) => toPlace(reach, to, row, locale))
}

function otherLocales(
  reach: QueryContext,
  { name, data, locale }: EntryPlace,
): readonly EntryPlace[] {
  if (name === null) return []
  const rows = reach.tables.localesOf(name, String(data['documentId']))
  return inOrder(rows.filter((row) => row.locale !== locale)).map((row) =>
    toPlace(reach, name, row, locale),
  )
}

/** The server sorts by id. */
function inOrder(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((one, other) => orderOfId(one.data) - orderOfId(other.data))
}

/** Ids of entries that the server has not stored yet are negative. They come last. */
export function orderOfId({ id }: Readonly<Record<string, unknown>>): number {
  const number = Number(id)
  return number < 0 ? Number.MAX_SAFE_INTEGER / 2 - number : number
}

function elementsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (value === null || value === undefined) return []
  return (Array.isArray(value) ? value : [value]) as readonly Readonly<Record<string, unknown>>[]
}
