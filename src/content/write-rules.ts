import { NotFoundError } from '../base/errors.ts'
import type { Database, Session } from '../mongo/connection/database.ts'
import type { RowGuard } from '../mongo/write/row-guard.ts'
import type { ActionLocales, Filter } from '../query/query.ts'
import type { Data } from '../schema/definition.ts'
import { assertTypeWritable } from '../schema/adopted-verbs.ts'
import type { ContentTypePlan } from '../schema/plan.ts'

/** A permission under conditions, with the values of its operands. */
export interface WriteRule {
  readonly where: Filter | null
  /** Null permits all attributes. */
  readonly fields: ReadonlySet<string> | null
  readonly set: Data
}

/** The permissions of the principal of a write. They travel with the write, never by the async context. */
export interface WriteRules {
  /** Whether the action is permitted without conditions. */
  has(action: string): boolean
  /** In stored order. Empty for actions that are permitted without conditions. */
  rulesFor(action: string): readonly WriteRule[]
  /** The documentId of the signed-in end user. */
  readonly user: string | null
  /**
   * Tries the permissions of the action in stored order. The first one that permits the write applies.
   * @throws NotFoundError if the document is hidden from the caller, ForbiddenError
   */
  permit<T>(
    context: RuleContext,
    write: RuledWrite,
    run: (permit: WritePermit) => Promise<T>,
  ): Promise<T>
  /** Whether the caller can see none of the versions of a named locale, or of the document if no locale is named. */
  hides(context: RuleContext, write: AddressedWrite): Promise<boolean>
  /** The locales of the document with a version that the caller can see. Null if it sees one in each of them. */
  visibleLocales(context: RuleContext, write: AddressedWrite): Promise<readonly string[] | null>
  /** Whether the caller cannot see all entries of the type in lists. */
  hidesEntries(plan: ContentTypePlan): boolean
  /** Returns the given documents that the caller sees in lists. */
  visibleTargets(
    context: RuleContext,
    targets: RuledTargets,
    documentIds: readonly string[],
  ): Promise<ReadonlySet<string>>
}

/** The members of a `DocumentContext` that decide on permissions. */
export interface RuleContext {
  readonly database: Database
  /** Attributes that roles set by the `set` of a rule. If absent, there are none. */
  readonly stamped?: StampedAttributes
}

/** Attributes that any role sets by the `set` of a rule (`stampName`). */
export interface StampedAttributes {
  current(): Promise<ReadonlySet<string>>
  /** The permissions open after the documents. */
  readFrom(source: () => Promise<ReadonlySet<string>>): void
}

export type WriteVerb = 'create' | 'update' | 'delete' | 'publish'

export interface RuledWrite {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly verb: WriteVerb
  readonly locale: string
  /** The named locales whose versions the write addresses. Undefined stands for all of them. */
  readonly locales?: readonly string[] | undefined
  /** The payload, for writes that have one. */
  readonly data?: unknown
  /** Whether `run` cuts the payload to the attributes that the caller can give. Otherwise others are refused. */
  readonly isCut?: boolean
  /** Whether the write brings back versions of a document that may have others. */
  readonly isRestored?: boolean
  /** Whether the write publishes, so that it needs `publish` as well: for all its versions, or for published ones. */
  readonly publishes?: Publishes | undefined
}

export type Publishes = 'all' | 'published'

export type AddressedWrite = Omit<RuledWrite, 'data'>

export interface RuledTargets {
  readonly target: ContentTypePlan
  /** For targets of entries without a locale. */
  readonly locale: string
  readonly session: Session | undefined
}

/** How a write may be done. */
export interface WritePermit {
  /** Null if the write needs no guard. */
  readonly guard: RowGuard | null
  /** The attributes that the caller can give. Null permits all. */
  readonly fields: ReadonlySet<string> | null
  /** Values that the server sets. */
  readonly set: Data
}

export const UNRULED: WritePermit = { guard: null, fields: null, set: {} }

/** Whether a permit lets the caller give the attribute. Values of the server are not given. */
export function isGivable(
  { fields, set }: Pick<WritePermit, 'fields' | 'set'>,
  name: string,
): boolean {
  return !Object.hasOwn(set, name) && (fields?.has(name) ?? true)
}

/** Whether the rules of some read actions show the attribute. */
export type IsShown = (name: string) => boolean

export function openStampedAttributes(): StampedAttributes {
  let source: () => Promise<ReadonlySet<string>> = () => Promise.resolve(new Set())
  return {
    current: () => source(),
    readFrom: (given) => {
      source = given
    },
  }
}

/** For `RuledWrite.locales`. */
export function namedLocales({ kind, locales }: ActionLocales): readonly string[] | undefined {
  return kind === 'every' ? undefined : locales
}

/** See `WriteRules.permit`. Root has no rules. @throws ForbiddenError for types that are only read */
export async function underRules<T>(
  context: RuleContext,
  rules: WriteRules | undefined,
  write: RuledWrite,
  run: (permit: WritePermit) => Promise<T>,
): Promise<T> {
  assertTypeWritable(write.plan, write.verb)
  return rules === undefined ? run(UNRULED) : rules.permit(context, write, run)
}

/** Call it before the response can depend on a stored version. @throws NotFoundError */
export async function refuseHidden(
  context: RuleContext,
  rules: WriteRules | undefined,
  write: AddressedWrite,
): Promise<void> {
  if (await isHiddenDocument(context, rules, write)) throw new NotFoundError('Not Found')
}

export async function isHiddenDocument(
  context: RuleContext,
  rules: WriteRules | undefined,
  write: AddressedWrite,
): Promise<boolean> {
  return rules !== undefined && rules.hides(context, write)
}

/** An action on all locales passes over those that rules hide, as over those without versions. */
export async function seenLocales(
  context: RuleContext,
  rules: WriteRules | undefined,
  write: AddressedWrite,
  asked: ActionLocales,
): Promise<ActionLocales> {
  if (asked.kind !== 'every') return asked
  const visible = (await rules?.visibleLocales(context, write)) ?? null
  if (visible === null) return asked
  return { ...asked, locales: asked.locales.filter((code) => visible.includes(code)) }
}

/** The values of the server replace those of hooks. */
export function withSet(data: unknown, permit: WritePermit | undefined): unknown {
  const { set } = permit ?? UNRULED
  const isEmpty = Object.keys(set).length === 0
  return isEmpty || typeof data !== 'object' || data === null ? data : { ...data, ...set }
}
