import { ValidationError } from '../../base/errors.ts'
import { type ExistingDocuments, findExisting } from '../../mongo/write/find-existing.ts'
import type { Data, Uid } from '../../schema/definition.ts'
import type { ContentTypePlan, MediaPlan, RelationPlan } from '../../schema/plan.ts'
import { unsetValue } from '../../schema/values/unset-value.ts'
import { assertAllowedTypes } from './allowed-types.ts'
import { collectRelationChanges, countNewComponents, mergeComponents } from './component-values.ts'
import type { DocumentContext } from '../context.ts'
import { hashPasswords } from './hash-passwords.ts'
import { changedReferences, type DocumentChange } from './relation-change.ts'
import {
  type DocumentChanges,
  namedTargets,
  type RelationInput,
  resolveRelationChanges,
} from './relation-input.ts'
import { assertGiven } from './required-references.ts'
import type { Writer, WriteTarget } from '../write-target.ts'

export interface PreparedValues {
  /** Validated, with hashed passwords. Relations and components still have their payload form. */
  readonly values: Data
  readonly changes: DocumentChanges
  readonly componentIds: ReadonlyMap<Uid, readonly number[]>
  /** Required to merge a component or to change a list. */
  readonly needsStored: boolean
  /** Uid attributes of a new document whose values were generated. */
  readonly madeUids?: readonly string[]
}

/**
 * Looks up the targets of a payload and reserves component ids.
 * @throws ValidationError for missing or hidden targets, and for file types that the attribute does not allow
 */
export async function prepareValues(
  context: DocumentContext,
  { plan, key, writer }: WriteTarget,
  values: Data,
  { creating }: { readonly creating: boolean },
): Promise<PreparedValues> {
  const inputs = collectRelationChanges(plan, values)
  for (const input of inputs) assertMayRelate(input, writer)
  const named = [...namedTargets(inputs)]
  const found = await Promise.all(
    named.map(async ([uid, targets]): Promise<readonly [Uid, ExistingDocuments]> => {
      const target = context.contentType(uid)
      const existing = context.targets?.existing(target, targets)
      return [uid, await (existing ?? findExisting(context.database, target, targets))]
    }),
  )
  const counts = countNewComponents(plan, values, { creating })
  const componentIds = await Promise.all(
    [...counts].map(
      async ([uid, count]) => [uid, await context.ids.take(`component:${uid}`, count)] as const,
    ),
  )
  const changes = resolveRelationChanges(inputs, new Map(found), key.locale)
  await assertAllowedTypes(context, inputs, changes)
  return {
    values: await hashPasswords(plan, values, context.hashPassword),
    changes,
    componentIds: new Map(componentIds),
    needsStored:
      !creating && (hasComponents(plan, values) || hasListChanges(changes) || isTwoSided(inputs)),
  }
}

/**
 * `stored` is the previous version, or null for a new one; `references` provides its relations and
 * media. Inverse sides are omitted (`write-inverse.ts`).
 * @throws ValidationError if a required value is missing, except in drafts
 */
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

function assertMayRelate({ attribute, path }: RelationInput, writer: Writer): void {
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
