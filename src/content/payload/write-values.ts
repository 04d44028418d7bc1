import { type ExistingDocuments, findExisting } from '../../mongo/write/find-existing.ts'
import type { Data, Uid } from '../../schema/definition.ts'
import type {
  AttributePlan,
  ContentTypePlan,
  MediaPlan,
  RelationPlan,
  ShapePlan,
} from '../../schema/plan.ts'
import { unsetValue } from '../../mongo/versions/stored-content.ts'
import { assertAttachable, lookUpFiles } from './attached-files.ts'
import { collectRelationChanges, countNewComponents, mergeComponents } from './component-values.ts'
import type { DocumentContext } from '../context.ts'
import { assertGiven, changedReferences, type DocumentChange } from './relation-change.ts'
import {
  type DocumentChanges,
  namedTargets,
  type RelationInput,
  resolveRelationChanges,
} from './relation-input.ts'
import {
  assertMayRelate,
  exceptHidden,
  findHiddenTargets,
  keepsHidden,
  mayInvite,
  withoutHidden,
} from './hidden-targets.ts'
import { assertLinkedEntries } from './linked-entries.ts'
import type { WriteTarget } from '../write-target.ts'

export interface PreparedValues {
  /** Validated, with hashed passwords. Relations and components still have their payload form. */
  readonly values: Data
  readonly changes: DocumentChanges
  readonly componentIds: ReadonlyMap<Uid, readonly number[]>
  readonly needsStored: boolean
  readonly madeUids?: readonly string[]
}

/** @throws ValidationError for missing or hidden targets of relations and links, and for disallowed file types */
export async function prepareValues(
  context: DocumentContext,
  target: WriteTarget,
  values: Data,
  { creating }: { readonly creating: boolean },
): Promise<PreparedValues> {
  const { plan, key, writer, permit } = target
  await assertLinkedEntries(context, target, values)
  const collected = collectRelationChanges(plan, values)
  const isFree = (input: RelationInput): boolean =>
    Object.hasOwn(permit?.set ?? {}, input.path[0] ?? '') || mayInvite(input, permit)
  const seen = collected.filter((each) => !isFree(each))
  for (const input of seen) assertMayRelate(input, writer)
  const hidden = await findHiddenTargets(context, writer, seen)
  const inputs = collected.map((each) => (isFree(each) ? each : withoutHidden(each, hidden)))
  const named = [...namedTargets(inputs)]
  const found = await Promise.all(
    named.map(async ([uid, targets]): Promise<readonly [Uid, ExistingDocuments]> => {
      const type = context.contentType(uid)
      const existing = context.targets?.existing(type, targets)
      const all = await (existing ?? findExisting(context.database, type, targets))
      return [uid, exceptHidden(all, hidden.get(uid))]
    }),
  )
  // The ids of components in adopted documents are their places.
  const isManaged = plan.adopted === undefined
  const counts = isManaged ? countNewComponents(plan, values, { creating }) : NO_COUNTS
  const componentIds = await Promise.all(
    [...counts].map(
      async ([uid, count]) => [uid, await context.ids.take(`component:${uid}`, count)] as const,
    ),
  )
  const attached = { target, inputs, isNew: creating }
  const { files, existing } = await lookUpFiles(context, attached, new Map(found))
  const changes = resolveRelationChanges(inputs, existing, key.locale)
  await assertAttachable(context, attached, files, changes)
  return {
    values: await hashPasswords(plan, values, context.hashPassword),
    changes,
    componentIds: new Map(componentIds),
    needsStored:
      !creating &&
      (hasComponents(plan, values) ||
        hasListChanges(changes) ||
        isTwoSided(inputs) ||
        keepsHidden(writer, inputs)),
  }
}

const NO_COUNTS: ReadonlyMap<Uid, number> = new Map()

/** `stored` is null for a new version. @throws ValidationError if a required value is missing, except in drafts */
export function completeValues(
  plan: ContentTypePlan,
  { values, changes, componentIds }: PreparedValues,
  stored: Data | null,
  references: Data | null = stored,
): Data {
  const waiting = new Map([...componentIds].map(([uid, ids]) => [uid, ids.values()]))
  const newId = (uid: Uid): number => waiting.get(uid)?.next().value ?? 0
  const complete: Data = {
    ...values,
    ...mergeComponents(plan, stored, values, { newId, changes, isDraft: plan.draftAndPublish }),
  }
  for (const attribute of plan.attributes.values()) {
    if (attribute.kind !== 'relation' && attribute.kind !== 'media') continue
    const { name } = attribute
    const change = changes.get(name)
    if (isStoredHere(attribute) && (change !== undefined || stored === null)) {
      const held = changedReferences(attribute, references?.[name], change)
      if (!plan.draftAndPublish) assertGiven(attribute, held, [name])
      complete[name] = held
    } else {
      delete complete[name]
    }
  }
  return complete
}

function isStoredHere(attribute: RelationPlan | MediaPlan): boolean {
  return attribute.kind === 'media' || attribute.side === 'owner'
}

export function unsetValues(plan: ContentTypePlan): Data {
  return Object.fromEntries(
    [...plan.attributes.values()]
      .filter((attribute) => attribute.kind !== 'relation' || attribute.side === 'owner')
      .map((attribute) => [attribute.name, unsetValue(attribute)]),
  )
}

export function inverseChanges(
  plan: ContentTypePlan,
  changes: DocumentChanges,
): readonly (readonly [RelationPlan, DocumentChange])[] {
  if (changes.size === 0) return []
  return [...plan.attributes.values()].flatMap((attribute) => {
    const change = changes.get(attribute.name)
    const isInverse = attribute.kind === 'relation' && attribute.side === 'inverse'
    return isInverse && change !== undefined ? [[attribute, change] as const] : []
  })
}

/** Relations in which a target has at most one owner. */
export function exclusiveRelations(plan: ContentTypePlan): readonly RelationPlan[] {
  return [...plan.attributes.values()].filter(
    (attribute): attribute is RelationPlan =>
      attribute.kind === 'relation' &&
      attribute.side === 'owner' &&
      attribute.relation === 'oneToOne' &&
      attribute.otherSide !== null,
  )
}

export function exclusiveChanges(
  plan: ContentTypePlan,
  changes: DocumentChanges,
): readonly RelationPlan[] {
  return exclusiveRelations(plan).filter(({ name }) => changes.has(name))
}

function hasComponents(plan: ContentTypePlan, values: Data): boolean {
  return [...plan.attributes.values()].some(
    ({ kind, name }) =>
      (kind === 'component' || kind === 'dynamiczone') && values[name] !== undefined,
  )
}

function hasListChanges(changes: DocumentChanges): boolean {
  return [...changes.values()].some(({ kind }) => kind === 'change')
}

function isTwoSided(inputs: readonly RelationInput[]): boolean {
  return inputs.some(
    ({ attribute }) => attribute.kind === 'relation' && attribute.otherSide !== null,
  )
}

type MapPassword = (password: string) => string

/** Expects no stored values. @throws ServiceUnavailableError if too many passwords are waiting */
export async function hashPasswords(
  holder: ShapePlan,
  values: Data,
  hash: (password: string) => Promise<string>,
): Promise<Data> {
  const given = new Set<string>()
  mapPasswords(holder, values, (password) => {
    given.add(password)
    return password
  })
  if (given.size === 0) return values
  const hashes = new Map<string, string>()
  for (const password of given) hashes.set(password, await hash(password))
  return mapPasswords(holder, values, (password) => hashes.get(password) ?? '')
}

function mapPasswords(holder: ShapePlan, values: Data, map: MapPassword): Data {
  const mapped: Data = { ...values }
  for (const attribute of holder.attributes.values()) {
    const value = values[attribute.name] ?? null
    if (value !== null) mapped[attribute.name] = mapValue(attribute, value, map)
  }
  return mapped
}

function mapValue(attribute: AttributePlan, value: unknown, map: MapPassword): unknown {
  switch (attribute.kind) {
    case 'scalar':
      return attribute.type === 'password' ? map(String(value)) : value
    case 'relation':
    case 'media':
      return value
    case 'component':
      return mapElements(value, (element) => mapPasswords(attribute.component(), element, map))
    case 'dynamiczone':
      return mapElements(value, (element) => {
        const component = attribute.components().get(String(element['__component']))
        return component === undefined ? element : mapPasswords(component, element, map)
      })
  }
}

function mapElements(value: unknown, map: (element: Data) => Data): unknown {
  return Array.isArray(value) ? (value as readonly Data[]).map(map) : map(value as Data)
}
