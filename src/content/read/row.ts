import { isRecord } from '../../base/is-record.ts'
import { type PendingLink, takeLinks } from './pending-links.ts'
import { computeValue } from './computed-values.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type {
  EntryFormat,
  FieldSelection,
  PopulateNode,
  Reader,
  Status,
  VersionKey,
} from '../../query/query.ts'
import { nodeName } from '../../query/query-names.ts'
import { type Data, FILE_UID, type ScalarType } from '../../schema/definition.ts'
import type { ContentTypePlan, ShapePlan, ScalarPlan } from '../../schema/plan.ts'
import { valueName } from '../../schema/alias.ts'
import { SCALAR_KINDS, type ScalarKind } from '../../schema/values/attribute-kinds.ts'

export interface PopulateContext {
  readonly database: Database
  readonly reader: Reader
  /** The links of all rows of the response. */
  readonly links: RowLinks[]
}

/** Links that one version shows. */
export type RowLinks = Pick<Row, 'links' | 'key' | 'times'>

export interface Row {
  readonly values: Data
  readonly entry: Entry
  /** Target of its attributes: the entry itself, or `attributes` in the older format. */
  readonly shown: Data
  readonly format: EntryFormat
  readonly documentId: string
  readonly key: VersionKey
  /** The links of its blocks, which are empty until their query completes. */
  readonly links: readonly PendingLink[]
  times: number
}

interface RowSelection {
  readonly fields: FieldSelection
  readonly populate: readonly PopulateNode[]
}

/** Populated attributes are null until their queries complete. */
export function toRow(
  values: Data,
  holder: ShapePlan,
  selection: RowSelection,
  { documentId, key, format, times }: Pick<Row, 'documentId' | 'key' | 'format' | 'times'>,
): Row {
  const flat = toEntry(values, holder, selection.fields)
  const isNested = format === 'v4' && 'collectionName' in holder
  const { entry, shown } = isNested ? nestAttributes(flat) : { entry: flat, shown: flat }
  // Creates keys in the order of the request, because queries complete in any order.
  for (const node of selection.populate) shown[nodeName(node)] = null
  const links = takeLinks(shownShape(holder).blocks, shown)
  return { values, entry, shown, format, documentId, key, links, times }
}

interface VersionView {
  readonly status: Status
  readonly format: EntryFormat
  readonly times?: number
}

export function toVersionRow(
  version: StoredVersion,
  plan: ContentTypePlan,
  selection: RowSelection,
  { status, format, times = 0 }: VersionView,
): Row {
  const { documentId, locale } = version
  return toRow(version, plan, selection, { documentId, key: { locale, status }, format, times })
}

function nestAttributes({ id, documentId, ...attributes }: Entry): Pick<Row, 'entry' | 'shown'> {
  return { entry: { id, documentId, attributes }, shown: attributes }
}

/** The older format wraps related documents in `data`. */
export function showDocuments({ format }: Row, documents: unknown): unknown {
  return format === 'v4' ? { data: documents } : documents
}

export type Entry = Data

interface ShownMember {
  readonly name: string
  readonly storedName: string
  readonly from: string
  readonly type: ScalarType
  readonly toJson: ScalarKind['toJson']
}

interface Shape {
  readonly plain: readonly ShownMember[]
  readonly computed: readonly ScalarPlan[]
  /** The members of type blocks. */
  readonly blocks: readonly string[]
  readonly all: ReadonlyMap<string, ShownMember>
}

const shapes = new WeakMap<ShapePlan, Shape>()

/** `id` and `documentId`, then the selected fields in order, or all plain members in declared order. */
export function toEntry(version: Data, holder: ShapePlan, fields: FieldSelection): Entry {
  const shape = shownShape(holder)
  const entry: Entry = {}
  if (fields === 'all') {
    for (const { name, from, toJson } of shape.plain) entry[name] = toJson(version[from] ?? null)
    for (const plan of shape.computed) entry[plan.name] = computeValue(holder, plan, version)
    return entry
  }
  for (const name of ['id', 'documentId', ...fields]) {
    const member = shape.all.get(name)
    if (member !== undefined) entry[name] = member.toJson(version[member.from] ?? null)
    else addComputed(entry, version, holder, name)
  }
  return entry
}

function addComputed(entry: Entry, version: Data, holder: ShapePlan, name: string): void {
  const plan = shownShape(holder).computed.find((one) => one.name === name)
  if (plan !== undefined) entry[name] = computeValue(holder, plan, version)
}

export function showsComputed(holder: ShapePlan, fields: FieldSelection): boolean {
  const { computed } = shownShape(holder)
  if (computed.length === 0) return false
  return fields === 'all' || computed.some(({ name }) => fields.includes(name))
}

export function shownBlocks(holder: ShapePlan, fields: FieldSelection): readonly string[] {
  const { blocks } = shownShape(holder)
  return fields === 'all' ? blocks : blocks.filter((name) => fields.includes(name))
}

/** The members that a reader of the shape sees. */
export function shownShape(holder: ShapePlan): Shape {
  const known = shapes.get(holder)
  if (known !== undefined) return known
  const plain: ShownMember[] = []
  const computed: ScalarPlan[] = []
  const all = new Map<string, ShownMember>()
  for (const member of holder.members.values()) {
    if (member.kind !== 'scalar' || member.private) continue
    if (member.computed !== undefined) {
      computed.push(member)
      continue
    }
    const { name, storedName, type } = member
    const { toJson } = SCALAR_KINDS[type]
    const shown = { name, from: valueName(member), storedName, type, toJson }
    all.set(name, shown)
    if (!member.onRequest) plain.push(shown)
  }
  const blocks = [...all.values()].filter(({ type }) => type === 'blocks').map(({ name }) => name)
  const shape = { plain, computed, blocks, all }
  shapes.set(holder, shape)
  return shape
}

/** Replaces the addresses of private files, also of their formats, by signed ones. */
export async function signFiles(
  { uid }: Pick<ContentTypePlan, 'uid'>,
  rows: readonly Pick<Row, 'shown'>[],
  { addresses }: Pick<Reader, 'addresses'>,
): Promise<void> {
  if (uid !== FILE_UID || addresses === undefined) return
  const sign = (holder: Data): Promise<string> | null =>
    typeof holder['url'] === 'string' ? addresses.sign(holder['url']) : null
  for (const { shown } of rows) {
    const url = sign(shown)
    if (url !== null) shown['url'] = await url
    if (isRecord(shown['formats'])) shown['formats'] = await signFormats(shown['formats'], sign)
  }
}

async function signFormats(
  formats: Data,
  sign: (holder: Data) => Promise<string> | null,
): Promise<Data> {
  const signed: Data = {}
  for (const [name, format] of Object.entries(formats)) {
    const url = isRecord(format) ? await sign(format) : null
    signed[name] = url === null || !isRecord(format) ? format : { ...format, url }
  }
  return signed
}
