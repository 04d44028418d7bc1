import { CmsError, ForbiddenError, NotFoundError } from '../../base/errors.ts'
import { versionsOf } from '../../mongo/versions/stored-version.ts'
import { matchDocument } from '../../mongo/versions/version-match.ts'
import type { RowGuard } from '../../mongo/write/row-guard.ts'
import { contentAction } from '../../people/access/actions.ts'
import { stampName } from '../../people/rules/stamps.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { exclusiveRelations } from '../payload/write-values.ts'
import { type GuardedDocument, type RequiredRules, RuleRefused, writeGuard } from './write-guard.ts'
import { errorForCaller } from './shown-faults.ts'
import { findVisibleLocales, isDocumentVisible, singleReadVerb } from './visible-documents.ts'
import {
  type AddressedWrite,
  isGivable,
  type RuleContext,
  type RuledWrite,
  UNRULED,
  type WritePermit,
  type WriteRule,
  type WriteRules,
  type WriteVerb,
} from '../write-rules.ts'

const NO_STAMPS: ReadonlySet<string> = new Set()

/** See `WriteRules.permit`. Errors are cut to the attributes that the caller sees. */
export async function permitWrite<T>(
  context: RuleContext,
  rules: WriteRules,
  write: RuledWrite,
  run: (permit: WritePermit) => Promise<T>,
): Promise<T> {
  try {
    return await tryPermits(context, rules, write, run)
  } catch (error) {
    throw errorForCaller(rules, write, error)
  }
}

async function tryPermits<T>(
  context: RuleContext,
  rules: WriteRules,
  write: RuledWrite,
  run: (permit: WritePermit) => Promise<T>,
): Promise<T> {
  const { plan, documentId, verb, locale } = write
  const action = contentAction(plan, verb)
  const stamped = (await context.stamped?.current()) ?? NO_STAMPS
  const document = { plan, documentId, verb, locale, stamped, isNew: isNew(write) }
  const required = requiredToPublish(rules, write)
  if (rules.has(action)) {
    return run({
      ...UNRULED,
      guard: unruledGuard(context, rules, { ...document, required }, write),
    })
  }
  let refusal: RuleRefused | null = null
  for (const own of attemptsOf(rules.rulesFor(action), verb)) {
    const guard = writeGuard(context, rules, {
      ...document,
      required: [{ verb, rules: own }, ...required],
    })
    try {
      return await runUnder(own[0], guard, write, run)
    } catch (error) {
      const refused = await refusalBehind(error, context, { guard, rules, write })
      if (refused === null) throw error
      refusal ??= refused
    }
  }
  throw refusal ?? new ForbiddenError('Forbidden', {}, { action })
}

function runUnder<T>(
  { fields, set }: WriteRule,
  guard: RowGuard,
  write: RuledWrite,
  run: (permit: WritePermit) => Promise<T>,
): Promise<T> {
  const { plan, verb, data, isCut } = write
  if (isCut !== true) assertFields(plan, contentAction(plan, verb), { fields, set }, data)
  return run({ fields, set, guard })
}

/** Values are checked before the version is locked, and their errors can depend on it. @throws NotFoundError */
async function refusalBehind(
  error: unknown,
  context: RuleContext,
  {
    guard,
    rules,
    write,
  }: { readonly guard: RowGuard; readonly rules: WriteRules; readonly write: RuledWrite },
): Promise<RuleRefused | null> {
  if (error instanceof RuleRefused) return error
  const { plan, documentId, verb, locales } = write
  if (!(error instanceof CmsError) || error.status !== 400 || verb === 'create') return null
  if (await hidesDocument(context, rules, write)) throw new NotFoundError('Not Found')
  const { database } = context
  const stored = await versionsOf(database, plan).find(matchDocument(documentId)).toArray()
  const changed = stored.filter(
    (row) =>
      (locales === undefined || locales.includes(String(row['locale']))) &&
      (!plan.draftAndPublish || row['status'] === 'draft'),
  )
  try {
    guard.begin()
    for (const row of changed) await guard.before({ plan, row, session: undefined })
    return null
  } catch (refused) {
    if (refused instanceof RuleRefused) return refused
    throw refused
  }
}

/** The guard of a write without rules for its own action. */
function unruledGuard(
  context: RuleContext,
  rules: WriteRules,
  document: GuardedDocument,
  { data, isRestored }: RuledWrite,
): RowGuard | null {
  if (document.required.length > 0) return writeGuard(context, rules, document)
  return isRestored === true ? null : guardForOthers(context, rules, document, data)
}

function isNew({ verb, isRestored }: RuledWrite): boolean {
  return verb === 'create' && isRestored !== true
}

/** @throws ForbiddenError without a rule of `publish` */
function requiredToPublish(
  rules: WriteRules,
  { plan, publishes }: RuledWrite,
): readonly RequiredRules[] {
  const action = contentAction(plan, 'publish')
  if (publishes === undefined || rules.has(action)) return []
  const own = rules.rulesFor(action)
  // The restore itself refuses published versions.
  if (own.length === 0 && publishes === 'published') return []
  if (own.length === 0) throw new ForbiddenError('Forbidden', {}, { action })
  const published = publishes === 'published' ? ({ status: 'published' } as const) : {}
  return [{ verb: 'publish', rules: own, ...published }]
}

type Attempt = readonly [WriteRule, ...WriteRule[]]

/** Permissions with `fields` or `set` are tried one by one, because each one gives other versions. */
function attemptsOf(rules: readonly WriteRule[], verb: WriteVerb): readonly Attempt[] {
  if (verb === 'create' || verb === 'update') return rules.map((rule) => [rule])
  const [first, ...others] = rules
  return first === undefined ? [] : [[first, ...others]]
}

/** See `WriteRules.hides`. */
export async function hidesDocument(
  context: RuleContext,
  rules: WriteRules,
  write: AddressedWrite,
): Promise<boolean> {
  if (!readsUnderRules(rules, write)) return false
  return !(await isDocumentVisible(context, rules, write))
}

/** See `WriteRules.visibleLocales`. */
export async function visibleLocales(
  context: RuleContext,
  rules: WriteRules,
  write: AddressedWrite,
): Promise<readonly string[] | null> {
  return readsUnderRules(rules, write) ? findVisibleLocales(context, rules, write) : null
}

/** Principals without any rule for the type may write entries that they cannot read, as in the dialect. */
export function readsUnderRules(
  rules: WriteRules,
  { plan, verb }: Pick<RuledWrite, 'plan' | 'verb'>,
): boolean {
  const verbs = [singleReadVerb(plan), 'readDrafts'] as const
  return (
    !rules.has(contentAction(plan, verb)) ||
    verbs.some((each) => rules.rulesFor(contentAction(plan, each)).length > 0)
  )
}

function assertFields(
  plan: ContentTypePlan,
  action: string,
  permit: Pick<WritePermit, 'fields' | 'set'>,
  data: unknown,
): void {
  const given = givenAttributes(plan, data).filter((name) => !IGNORED.has(name))
  const beyond = given.find((name) => !isGivable(permit, name))
  if (beyond !== undefined) throw new RuleRefused(action, { key: beyond, path: beyond })
}

/** With the names of attributes instead of aliases. */
function givenAttributes({ members }: ContentTypePlan, data: unknown): readonly string[] {
  if (typeof data !== 'object' || data === null) return []
  return Object.keys(data).map((name) => members.get(name)?.aliasOf ?? name)
}

/** Keys of a payload that stand for no attribute. */
const IGNORED: ReadonlySet<string> = new Set(['locale', 'publishedAt'])

/** For writes that are permitted by other means, such as a registration. */
export async function guardOthers(
  context: RuleContext,
  rules: WriteRules | undefined,
  { plan, documentId, verb, locale, data }: RuledWrite,
): Promise<RowGuard | null> {
  if (rules === undefined) return null
  const stamped = (await context.stamped?.current()) ?? NO_STAMPS
  const document = { plan, documentId, verb, locale, stamped, isNew: verb === 'create' }
  return guardForOthers(context, rules, document, data)
}

/** Null if the write can change no other document that the caller may not update. */
function guardForOthers(
  context: RuleContext,
  rules: WriteRules,
  document: Omit<GuardedDocument, 'required'>,
  data: unknown,
): RowGuard | null {
  const isFree = ({ uid, attribute }: ChangedElsewhere): boolean =>
    rules.has(contentAction({ uid }, 'update')) && !document.stamped.has(stampName(uid, attribute))
  if (changedElsewhere(document, data).every(isFree)) return null
  return writeGuard(context, rules, { ...document, required: [] })
}

interface ChangedElsewhere {
  readonly uid: string
  readonly attribute: string
}

/** The attributes of other documents that a write can change. */
function changedElsewhere(
  { plan, verb }: Pick<GuardedDocument, 'plan' | 'verb'>,
  data: unknown,
): readonly ChangedElsewhere[] {
  if (verb === 'delete') return []
  const given = givenAttributes(plan, data)
  const taken = exclusiveRelations(plan).map(({ name }) => ({ uid: plan.uid, attribute: name }))
  const inverse = given.flatMap((name): readonly ChangedElsewhere[] => {
    const attribute = plan.attributes.get(name)
    if (attribute?.kind !== 'relation' || attribute.side !== 'inverse') return []
    return [{ uid: attribute.targetUid, attribute: attribute.otherSide ?? '' }]
  })
  return [...taken, ...inverse]
}
