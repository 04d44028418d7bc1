import { toJson } from './build-patch.ts'
import { localizeFile } from './file-texts.ts'
import type { Link, ShapePlan } from './content-plan.ts'
import { followLink, type EntryPlace, type QueryContext } from './query-context.ts'

export interface EntrySelection {
  readonly fields?: readonly string[]
  readonly populate?: '*' | readonly string[] | Readonly<Record<string, true | Options>>
  readonly filters?: object
  readonly sort?: string | readonly string[]
}

interface Options extends EntrySelection {
  readonly on?: Readonly<Record<string, true | EntrySelection>>
  readonly pagination?: { readonly start?: number; readonly limit?: number }
}

type Arrange = (
  reach: QueryContext,
  places: readonly EntryPlace[],
  asked: EntrySelection,
) => readonly EntryPlace[]

/** Shapes an entry as the server does. @throws Error for an unknown attribute */
export function showEntry(
  reach: QueryContext,
  place: EntryPlace,
  asked: EntrySelection,
  arrange: Arrange,
): object {
  const { data, shape } = place
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(data)) {
    if (shape.links[name] === undefined && isShown(name, asked, shape)) shown[name] = copied(value)
  }
  for (const [name, options] of populatedBy(asked.populate, shape.links)) {
    const link = shape.links[name]
    if (link === undefined) throw new Error(`populate: ${name} leads to nothing`)
    shown[name] = showLink(reach, { place, name, link }, options === true ? {} : options, arrange)
  }
  return shown
}

function isShown(name: string, { fields }: EntrySelection, { onRequest }: ShapePlan): boolean {
  if (fields === undefined) return onRequest?.includes(name) !== true
  return name === 'id' || name === 'documentId' || name === '__component' || fields.includes(name)
}

function populatedBy(
  populate: EntrySelection['populate'],
  links: Readonly<Record<string, Link>>,
): readonly (readonly [string, true | Options])[] {
  if (populate === undefined) return []
  if (populate === '*') return Object.keys(links).map((name) => [name, true])
  if (Array.isArray(populate)) return (populate as readonly string[]).map((name) => [name, true])
  return Object.entries(populate as Readonly<Record<string, true | Options>>)
}

function showLink(
  reach: QueryContext,
  { place, name, link }: { readonly place: EntryPlace; readonly name: string; readonly link: Link },
  options: Options,
  arrange: Arrange,
): unknown {
  const { pagination = {}, on } = options
  const isOne = 'many' in link && !link.many
  const found = arrange(reach, followLink(reach, place, name, link), options)
  const { start = 0, limit = found.length } = pagination
  const entries = found.slice(start, start + limit).flatMap((one) => {
    const part = on === undefined ? options : on[String(one.data['__component'])]
    if (part === undefined) return []
    return [showEntry(reach, localizeFile(reach, one), part === true ? {} : part, arrange)]
  })
  return isOne ? (entries[0] ?? null) : entries
}

/** A copy, so that callers cannot change the row. */
function copied(value: unknown): unknown {
  return typeof value === 'object' ? toJson(value) : value
}
