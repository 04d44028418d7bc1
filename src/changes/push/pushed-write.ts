import { applyOperation, elementKeyOf } from '@quire/merge/apply-operation'
import { NotFoundError } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import type { WriteVerb } from '../../content/write-rules.ts'
import type { Writer } from '../../content/write-target.ts'
import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import type { Session } from '../../mongo/connection/database.ts'
import type { PushedKeys, PushedOutcome } from '../../mongo/system/push-clients.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { WriteItem } from '../../mongo/write/write-path.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import type { Status, VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { type Attributes, type MergedPatch, takesOperation } from './merge-patch.ts'
import { isRuled, isStoredVisible, type PushReader, rowValues } from './pushed-type.ts'
import { type ConflictCode, pickConflict, type PushConflict } from './push-conflict.ts'
import type { Patch } from './push-request.ts'

export interface PushedWrite<M> extends PushReader {
  readonly plan: ContentTypePlan
  readonly mutation: M
  /** The revision that `base` stands for. */
  readonly base: string | null
  readonly key: VersionKey
  readonly status: Status
  readonly attributes: Attributes
  readonly writer: Writer
  readonly origin: WriteOrigin
}

/** A write with a transaction of its own. */
export interface SettlingWrite<M> extends PushedWrite<M> {
  /** Stores the outcome in the transaction of the write. */
  readonly settle: (outcome: SettledOutcome, session: Session) => Promise<void>
}

/** A write that is checked, and stored together with others. */
export interface PreparedPush {
  readonly item: WriteItem<StoredVersion | null>
  /** @throws EntryReplaced */
  readonly outcomeOf: (version: StoredVersion | null) => SettledOutcome
}

export type SettledOutcome = Omit<PushedOutcome, 'n' | 'documentId' | 'digest'>

/** The outcome of a mutation without effect, which stores nothing. */
export interface Unchanged extends SettledOutcome {
  readonly outcome: 'applied' | 'merged'
  readonly changed: false
}

/** Null if the write was stored and settled. */
export type WriteResult = PushConflict | Unchanged | null

export type AnyWrite = PushedWrite<{ readonly documentId: string }>

/** Stores of published versions write them directly. */
export function publishing({ plan, key }: Pick<AnyWrite, 'plan' | 'key'>) {
  return { publishes: plan.draftAndPublish && key.status === 'published' }
}

/** @throws NotFoundError */
export async function assertVisible(
  write: AnyWrite,
  stored: StoredVersion,
  verb: WriteVerb,
): Promise<void> {
  if (!(await isVisible(write, stored, verb))) throw new NotFoundError('Not Found')
}

export async function isVisible(
  write: AnyWrite,
  stored: StoredVersion,
  verb: WriteVerb,
): Promise<boolean> {
  const { plan, rules, writer } = write
  return !isRuled(rules, plan, verb) || isStoredVisible(write, plan, stored, writer.locale)
}

export function patchedOf({ attributes }: Pick<AnyWrite, 'attributes'>, patch: Patch): Attributes {
  return new Map([...attributes].filter(([name]) => patch.has(name)))
}

export function unknownAttributes(
  { attributes }: Pick<AnyWrite, 'attributes'>,
  patch: Patch,
  seen: Data,
): PushConflict | null {
  const unknown = [...patch].flatMap(([name, operation]) => {
    const attribute = attributes.get(name)
    return attribute !== undefined && takesOperation(attribute, operation) ? [] : [name]
  })
  if (unknown.length === 0) return null
  const sides = { ...clientSides({ patch, seen }), theirs: {}, revision: null }
  return { ...pickConflict('unknown_attribute', unknown, sides), theirs: null }
}

/** A conflict about the whole entry. Shows the attributes of a patch, or all of them. */
export async function conflictWith(
  write: AnyWrite,
  code: ConflictCode,
  stored: StoredVersion | null,
  shown: Attributes = write.attributes,
): Promise<PushConflict> {
  const theirs = stored === null ? null : await rowValues(write, write.plan, shown, stored)
  const revision = stored === null ? null : revisionOf(stored)
  return { code, attributes: [], ...clientSides(write.mutation), theirs, revision }
}

/** The values of the client before and after the mutation. */
export function clientSides(mutation: object): { readonly base: Data; readonly mine: Data } {
  if (!('patch' in mutation) || !(mutation.patch instanceof Map)) return { base: {}, mine: {} }
  const patch: Patch = mutation.patch
  const base = 'seen' in mutation && isRecord(mutation.seen) ? mutation.seen : {}
  const mine = [...patch].map(
    ([name, one]) => [name, applyOperation(base[name], one, elementKeyOf).value] as const,
  )
  return { base, mine: Object.fromEntries(mine) }
}

export function settled(
  { merged, keys }: MergedPatch,
  version: StoredVersion,
  isBase: boolean,
): SettledOutcome {
  const ids = keysOf(keys, version)
  const revision = revisionOf(version)
  return {
    outcome: merged.length > 0 ? 'merged' : 'applied',
    revision,
    ...(merged.length > 0 && { attributes: merged }),
    ...(ids.length > 0 && { keys: ids }),
    ...(!isBase && { rebased: true as const }),
  }
}

function keysOf(keys: MergedPatch['keys'], version: StoredVersion): PushedKeys {
  return keys.flatMap(({ attribute, key, index }) => {
    const list: unknown = version[attribute]
    const element: unknown = Array.isArray(list) ? list[index] : undefined
    const id: unknown =
      typeof element === 'object' && element !== null && 'id' in element ? element.id : undefined
    return typeof id === 'number' ? [{ attribute, key, id }] : []
  })
}
