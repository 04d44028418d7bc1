import { ValidationError } from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { relationListOf } from '../../mongo/versions/stored-value.ts'
import { type ExistingDocuments, findExisting } from '../../mongo/write/find-existing.ts'
import type { Data, Uid } from '../../schema/definition.ts'
import type { ContentTypePlan, RelationPlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { relationsOfStored } from './component-values.ts'
import type { DocumentChange } from './relation-change.ts'
import type { DocumentChanges, NamedTargets, RelationInput, TargetRef } from './relation-input.ts'
import type { Writer } from '../write-target.ts'
import type { WritePermit, WriteRules } from '../write-rules.ts'

/** The hidden ones of the named targets, by content-type. */
export type HiddenTargets = ReadonlyMap<Uid, ReadonlySet<string | number>>

const NONE: HiddenTargets = new Map()

const USER: Uid = 'plugin::users-permissions.user'

/** @throws ValidationError for a relation to a type that the caller cannot find */
export function assertMayRelate({ attribute, path }: RelationInput, writer: Writer): void {
  if (attribute.kind !== 'relation' || writer.mayRead(attribute.targetUid)) return
  const at = path.join('.')
  throw new ValidationError(
    `Invalid key ${attribute.name}`,
    {
      key: attribute.name,
      path: at,
      source: 'body',
    },
    { code: 'invalid_key' },
  )
}

/**
 * Whether a rule names a relation to end users. Then the caller needs no permission to find users, which takes no rule.
 * It must give documentIds, because numbers can be guessed.
 */
export function mayInvite(
  { attribute, path, change }: RelationInput,
  permit: Pick<WritePermit, 'fields'> | undefined,
): boolean {
  return (
    attribute.kind === 'relation' &&
    attribute.targetUid === USER &&
    path.length === 1 &&
    permit?.fields?.has(attribute.name) === true &&
    refsOf(change).every((ref) => 'documentId' in ref)
  )
}

/** The rules of the writer, if they hide entries of the type to which the attribute relates. */
export function rulesThatHide(
  { rules }: Pick<Writer, 'rules'>,
  attribute: RelationInput['attribute'],
): WriteRules | null {
  if (rules === undefined || attribute.kind !== 'relation') return null
  return rules.hidesEntries(attribute.target()) ? rules : null
}

/** Includes disconnected targets. Runs no query unless a rule hides entries of a target type. */
export async function findHiddenTargets(
  context: DocumentContext,
  writer: Writer,
  inputs: readonly RelationInput[],
): Promise<HiddenTargets> {
  const ruled = inputs.filter(({ attribute }) => rulesThatHide(writer, attribute) !== null)
  const { rules } = writer
  if (rules === undefined || ruled.length === 0) return NONE
  const hidden = new Map<Uid, ReadonlySet<string | number>>()
  for (const [uid, named] of allTargets(ruled)) {
    const target = context.contentType(uid)
    const { documentIds, byId } = await findExisting(context.database, target, named)
    const ids = new Set([...documentIds, ...byId.values()])
    const ruledTargets = { target, locale: writer.locale, session: undefined }
    const visible = await rules.visibleTargets(context, ruledTargets, [...ids])
    const names = [...named.documentIds].filter((each) => ids.has(each) && !visible.has(each))
    const numbers = [...byId].filter(([, each]) => !visible.has(each)).map(([id]) => id)
    hidden.set(uid, new Set<string | number>([...names, ...numbers]))
  }
  return hidden
}

function allTargets(inputs: readonly RelationInput[]): ReadonlyMap<Uid, NamedTargets> {
  const named = new Map<Uid, { documentIds: Set<string>; ids: Set<number> }>()
  for (const { attribute, change } of inputs) {
    if (attribute.kind !== 'relation') continue
    const targets = named.get(attribute.targetUid) ?? { documentIds: new Set(), ids: new Set() }
    named.set(attribute.targetUid, targets)
    for (const ref of refsOf(change)) {
      if ('id' in ref) targets.ids.add(ref.id)
      else targets.documentIds.add(ref.documentId)
    }
  }
  return named
}

function refsOf(change: RelationInput['change']): readonly TargetRef[] {
  if (change.kind === 'set') return change.targets
  const connected = change.connect.flatMap(({ target, position }) =>
    'reference' in position ? [target, position.reference] : [target],
  )
  return [...connected, ...change.disconnect]
}

/** A hidden target counts as missing. A disconnection of a missing target has no effect. */
export function withoutHidden(input: RelationInput, hidden: HiddenTargets): RelationInput {
  const { attribute, change } = input
  const names = attribute.kind === 'relation' ? hidden.get(attribute.targetUid) : undefined
  if (names === undefined || change.kind === 'set') return input
  const isShown = (ref: TargetRef): boolean => !names.has('id' in ref ? ref.id : ref.documentId)
  return { ...input, change: { ...change, disconnect: change.disconnect.filter(isShown) } }
}

export function exceptHidden(
  { documentIds, byId }: ExistingDocuments,
  hidden: ReadonlySet<string | number> | undefined,
): ExistingDocuments {
  if (hidden === undefined || hidden.size === 0) return { documentIds, byId }
  return {
    documentIds: new Set([...documentIds].filter((each) => !hidden.has(each))),
    byId: new Map([...byId].filter(([id]) => !hidden.has(id))),
  }
}

/** Whether a list is replaced that may have hidden targets. */
export function keepsHidden(writer: Writer, inputs: readonly RelationInput[]): boolean {
  return inputs.some(
    ({ attribute, change }) =>
      change.kind === 'set' &&
      attribute.kind === 'relation' &&
      attribute.toMany &&
      rulesThatHide(writer, attribute) !== null,
  )
}

interface ReplacedList {
  readonly relation: RelationPlan
  readonly change: DocumentChange
  readonly stored: readonly string[]
}

/** A replaced list keeps its hidden targets behind the new ones, in their order. */
export async function keepHidden(
  context: DocumentContext,
  writer: Writer,
  { relation, change, stored }: ReplacedList,
  session: Session,
): Promise<DocumentChange> {
  const rules = rulesThatHide(writer, relation)
  if (rules === null || change.kind !== 'set' || !relation.toMany) return change
  const target = relation.target()
  const left = stored.filter((each) => !change.targets.includes(each))
  const ruledTargets = { target, locale: writer.locale, session }
  const visible = await rules.visibleTargets(context, ruledTargets, left)
  const gone = new Set(await missingOf(context, target, left, session))
  const hidden = left.filter((each) => !visible.has(each) && !gone.has(each))
  return { ...change, targets: [...change.targets, ...hidden] }
}

/** Targets that were deleted are no hidden ones. */
async function missingOf(
  { database }: DocumentContext,
  target: ContentTypePlan,
  documentIds: readonly string[],
  session: Session,
): Promise<readonly string[]> {
  if (documentIds.length === 0) return []
  const named = { documentIds: new Set(documentIds), ids: new Set<number>() }
  const existing = await findExisting(database, target, named, session)
  return documentIds.filter((each) => !existing.documentIds.has(each))
}

const EMPTIED: DocumentChange = { kind: 'set', targets: [] }

/** Applies `keepHidden` to the relations that the version itself stores, also in its components. */
export async function keepHiddenTargets(
  context: DocumentContext,
  { plan, writer }: { readonly plan: ContentTypePlan; readonly writer: Writer },
  { changes, values }: { readonly changes: DocumentChanges; readonly values: Data },
  stored: Data,
  session: Session,
): Promise<DocumentChanges> {
  if (writer.rules === undefined) return changes
  const kept = new Map(changes)
  const within = relationsOfStored(plan, stored, values)
  for (const { relation, path, stored: held, isReplaced } of within) {
    const change = changes.get(path) ?? (isReplaced ? EMPTIED : undefined)
    if (change === undefined) continue
    const replaced = { relation, change, stored: relationListOf(held) }
    kept.set(path, await keepHidden(context, writer, replaced, session))
  }
  for (const attribute of plan.attributes.values()) {
    const change = changes.get(attribute.name)
    if (attribute.kind !== 'relation' || attribute.side !== 'owner' || change === undefined)
      continue
    const replaced = { relation: attribute, change, stored: relationListOf(stored[attribute.name]) }
    kept.set(attribute.name, await keepHidden(context, writer, replaced, session))
  }
  return kept
}
