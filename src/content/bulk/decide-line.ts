import { valueKey } from '../../mongo/write/find-by-unique.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { DocumentContext } from '../context.ts'
import type { WriteTarget, Writer } from '../write-target.ts'
import { areStoredAlike, contentOf, haveSameContent } from '../../mongo/versions/stored-content.ts'
import { toBson } from '../../mongo/versions/stored-value.ts'
import type { Data } from '../../schema/definition.ts'
import type { AttributePlan, ShapePlan } from '../../schema/plan.ts'
import { rulesThatHide } from '../payload/hidden-targets.ts'
import { completeValues, inverseChanges, type PreparedValues } from '../payload/write-values.ts'
import { ForbiddenError } from '../../base/errors.ts'
import { assertTypeWritable } from '../../schema/adopted-verbs.ts'
import { contentAction } from '../../people/access/actions.ts'
import { hasReadRules, singleReadVerb } from '../rules/visible-documents.ts'
import { type BatchView, keyedDocumentId } from './batch-view.ts'
import type { BulkLine, BulkWriter, Key, UpsertLine } from './bulk-line.ts'
import { isShownKey } from './hidden-keys.ts'

export interface Located {
  readonly documentId: string
  readonly versions: readonly StoredVersion[]
}

export function locateDocument(context: DocumentContext, view: BatchView, line: BulkLine): Located {
  const { plan, address, version } = line
  if ('documentId' in address) {
    const { documentId } = address
    return { documentId, versions: view.versions(plan, documentId) }
  }
  const found = view.find(plan, address.key, version.locale)
  if (found !== undefined) return { documentId: found, versions: view.versions(plan, found) }
  const derived = keyedDocumentId(plan, address.key, version.locale)
  const made = view.versions(plan, derived)
  // A concurrent request has created the document between the lookups by value and by documentId.
  if (made.some((each) => holds(each, address.key))) return { documentId: derived, versions: made }
  // The derived documentId may be in use by a document with another value now. The new document then needs another id.
  return { documentId: made.length > 0 ? context.newDocumentId(plan) : derived, versions: [] }
}

function holds(version: StoredVersion, { attribute, value }: Key): boolean {
  const held = version[attribute.name] ?? null
  return held !== null && valueKey(attribute, held) === valueKey(attribute, value)
}

export function assertMayUpsert(
  writer: BulkWriter,
  { plan }: UpsertLine,
  { versions }: Located,
): void {
  const isNew = versions.length === 0 && plan.kind === 'collectionType'
  if (isNew) assertTypeWritable(plan, 'create')
  writer.assertMay(plan, isNew ? 'create' : 'update')
}

/**
 * @throws ForbiddenError before any lookup, if the writer lacks every permission that the line could need, or if rules
 * hide the attribute of its key
 */
export function assertMayAsk(writer: BulkWriter, { op, plan, address }: BulkLine): void {
  if (op === 'delete') writer.assertMay(plan, 'delete')
  else if (!writer.may(plan, 'create')) writer.assertMay(plan, 'update')
  if ('documentId' in address || isShownKey(writer, plan, address.key)) return
  const { name } = address.key.attribute
  const action = contentAction(plan, 'find')
  throw new ForbiddenError('Forbidden', { key: name, path: `key.${name}` }, { action })
}

/** Whether rules decide about the line. Such a line runs alone, with a transaction for each attempt. */
export function isRuledLine({ rules }: BulkWriter, { op, plan }: BulkLine): boolean {
  if (rules === undefined) return false
  const verbs = op === 'delete' ? (['delete'] as const) : (['create', 'update'] as const)
  const isRuled = verbs.some((verb) => rules.rulesFor(contentAction(plan, verb)).length > 0)
  return isRuled || hasReadRules(rules, plan, singleReadVerb(plan))
}

/** One transaction for all lines cannot try several permissions. Null if no rule decides about the line. */
export function refusedInOne(writer: BulkWriter, line: BulkLine): ForbiddenError | null {
  if (!isRuledLine(writer, line)) return null
  const { op, plan } = line
  const action = contentAction(plan, op === 'delete' ? 'delete' : 'update')
  return new ForbiddenError('Forbidden', {}, { action })
}

export function targetOf(line: UpsertLine, documentId: string, writer: BulkWriter): WriteTarget {
  return {
    plan: line.plan,
    documentId,
    key: line.version,
    writer: {
      mayRead: (uid) => writer.mayRead(uid),
      maySeePrivate: (file) => writer.maySeePrivate?.(file) === true,
      locale: line.ownersLocale,
      ...(writer.rules !== undefined && { rules: writer.rules }),
    },
  }
}

/**
 * Ignores component ids, because payloads usually omit them. Inverse sides and passwords count as changes, and so do
 * relations with targets that rules can hide from the writer.
 */
export function isUnchanged(
  { plan, key: { locale, status }, writer }: WriteTarget,
  prepared: PreparedValues,
  versions: readonly StoredVersion[],
): boolean {
  const given = [...Object.keys(prepared.values), ...prepared.changes.keys()]
  if (given.some((path) => mayRelateHidden(writer, plan.attributes.get(rootOf(path))))) return false
  const inLocale = versions.filter((version) => version.locale === locale)
  const published = inLocale.find((version) => version.status === 'published')
  const written = plan.draftAndPublish
    ? inLocale.find((version) => version.status === 'draft')
    : published
  if (written === undefined || inverseChanges(plan, prepared.changes).length > 0) return false
  if (givesPassword(plan, prepared.values)) return false
  const values = completeValues(plan, { ...prepared, componentIds: new Map() }, written)
  const held = contentOf(plan, written)
  const before = Object.fromEntries(Object.keys(values).map((name) => [name, held[name]]))
  const after = toBson(withoutIds(plan, values)) as Data // an object stays an object
  if (!areStoredAlike(after, withoutIds(plan, before))) return false
  if (!plan.draftAndPublish || status === 'draft') return true
  return published !== undefined && haveSameContent(plan, written, published)
}

function rootOf(path: string): string {
  return path.split('.', 1)[0] ?? path
}

/** Whether the attribute has relations, also within its components, to a type of which rules hide entries. */
function mayRelateHidden(
  writer: Pick<Writer, 'rules'>,
  attribute: AttributePlan | undefined,
  known: Set<ShapePlan> = new Set(),
): boolean {
  if (attribute?.kind === 'relation') return rulesThatHide(writer, attribute) !== null
  if (attribute?.kind !== 'component' && attribute?.kind !== 'dynamiczone') return false
  const components =
    attribute.kind === 'component' ? [attribute.component()] : [...attribute.components().values()]
  return components.some((component) => {
    if (known.has(component)) return false
    known.add(component)
    return [...component.attributes.values()].some((one) => mayRelateHidden(writer, one, known))
  })
}

function givesPassword(holder: ShapePlan, values: Data): boolean {
  return some(holder, values, ({ attributes }, held) =>
    Object.entries(held).some(([name, value]) => {
      const attribute = attributes.get(name)
      return attribute?.kind === 'scalar' && attribute.type === 'password' && value !== null
    }),
  )
}

function some(
  holder: ShapePlan,
  values: Data,
  test: (holder: ShapePlan, values: Data) => boolean,
): boolean {
  let found = test(holder, values)
  mapComponents(holder, values, (component, element) => {
    found ||= some(component, element, test)
    return element
  })
  return found
}

function withoutIds(holder: ShapePlan, values: Data): Data {
  return mapComponents(holder, values, (component, { id: _own, ...element }) =>
    withoutIds(component, element),
  )
}

function mapComponents(
  holder: ShapePlan,
  values: Data,
  map: (component: ShapePlan, element: Data) => Data,
): Data {
  const mapped: Data = { ...values }
  for (const attribute of holder.attributes.values()) {
    const value = values[attribute.name]
    if (attribute.kind !== 'component' && attribute.kind !== 'dynamiczone') continue
    if (typeof value !== 'object' || value === null) continue
    const one = (element: Data): Data => {
      const component =
        attribute.kind === 'component'
          ? attribute.component()
          : attribute.components().get(String(element['__component']))
      return component === undefined ? element : map(component, element)
    }
    mapped[attribute.name] = Array.isArray(value)
      ? (value as readonly Data[]).map(one)
      : one(value as Data)
  }
  return mapped
}
