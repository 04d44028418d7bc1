import { isDeepStrictEqual } from 'node:util'
import { ForbiddenError } from '../../base/errors.ts'
import type { GuardedRow, RowGuard } from '../../mongo/write/row-guard.ts'
import { asVersion, type VersionDocument, versionsOf } from '../../mongo/versions/stored-version.ts'
import { contentOf } from '../../mongo/versions/stored-content.ts'
import { relationListOf } from '../../mongo/versions/stored-value.ts'
import { matchDocument } from '../../mongo/versions/version-match.ts'
import { contentAction } from '../../people/access/actions.ts'
import { stampName } from '../../people/rules/stamps.ts'
import type { Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { type MatchedRow, type RowMatcher, rowMatches } from '../../mongo/rules/row-matches.ts'
import type { RuleContext, WriteRule, WriteRules, WriteVerb } from '../write-rules.ts'
import { matcherOf } from './visible-documents.ts'

/** The write does not fit one permission. Another permission of the action may permit it. */
export class RuleRefused extends ForbiddenError {
  constructor(action: string, details: Data = {}) {
    super('Forbidden', details, { action })
    this.name = 'ForbiddenError'
  }
}

export interface GuardedDocument {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly verb: WriteVerb
  /** Whether the write creates the document, so that its versions have no state before. */
  readonly isNew: boolean
  /** For targets of entries without a locale. */
  readonly locale: string
  /** Each version must match one rule of each list. Empty if the actions are permitted without conditions. */
  readonly required: readonly RequiredRules[]
  /** Attributes that any role sets by `set` (`stampName`). */
  readonly stamped: ReadonlySet<string>
}

/** The rules of an action. Those that a version does not match are no longer tried. */
export interface RequiredRules {
  readonly verb: WriteVerb
  readonly rules: readonly WriteRule[]
  /** Limits the versions. Undefined stands for all of them. */
  readonly status?: Status
}

interface OtherVersion {
  readonly plan: ContentTypePlan
  readonly before: VersionDocument
  readonly matching: readonly WriteRule[]
}

/**
 * The versions of the written document must match the rule before the write and after it. A change of another
 * document is an update of that document. It must be permitted as one.
 */
export function writeGuard(
  context: RuleContext,
  rules: WriteRules,
  document: GuardedDocument,
): RowGuard {
  const matcher = matcherOf(context, rules, document.locale)
  const others = new Map<string, OtherVersion>()
  const isOwn = ({ plan, row }: GuardedRow): boolean =>
    plan.uid === document.plan.uid && row['documentId'] === document.documentId
  let required = document.required
  const assertOwn = async (version: GuardedRow): Promise<void> => {
    required = await matchingRequired(matcher, required, version)
  }
  return {
    begin: () => {
      required = document.required
      others.clear()
    },
    before: async (stored) => {
      if (isOwn(stored)) return assertOwn(stored)
      const { plan, row } = stored
      const updates = rules.rulesFor(contentAction(plan, 'update'))
      const matching = await matchingRules(matcher, updates, stored)
      others.set(`${plan.uid} ${row._id}`, { plan, before: row, matching })
    },
    added: async (added) => {
      if (!isOwn(added)) throw new ForbiddenError('Forbidden')
      if (document.isNew || required.length === 0) return
      for (const base of await basesOf(matcher, document, added)) await assertOwn(base)
    },
    unseen: async (locale) => {
      const others = await versionsElsewhere(matcher, document, locale)
      let left = document.required
      for (const other of others) left = await matchingRequired(matcher, left, other)
    },
    after: async (changed) => {
      if (isOwn(changed)) return assertOwn(changed)
      const { plan, row } = changed
      const other = others.get(`${plan.uid} ${row._id}`)
      if (other === undefined) throw new ForbiddenError('Forbidden')
      await assertOther(matcher, rules, { ...other, stamped: document.stamped }, changed)
    },
  }
}

/** A new version of a stored document begins as the version of its locale, or else as those of other locales. */
async function basesOf(
  matcher: RowMatcher,
  { plan, documentId }: GuardedDocument,
  { row, session }: GuardedRow,
): Promise<readonly GuardedRow[]> {
  const stored = await versionsOf(matcher.database, plan)
    .find(matchDocument(documentId), { session })
    .toArray()
  const inLocale = stored.filter(({ locale }) => locale === row['locale'])
  const locale: unknown = row['locale']
  const bases = inLocale.length > 0 ? inLocale : stored.map((each) => ({ ...each, locale }))
  return bases.map((base) => ({ plan, row: base, session }))
}

/** The bases of a version in a locale without one. */
async function versionsElsewhere(
  { database }: RowMatcher,
  { plan, documentId }: GuardedDocument,
  locale: string,
): Promise<readonly MatchedRow[]> {
  const stored = await versionsOf(database, plan).find(matchDocument(documentId)).toArray()
  return stored
    .filter((each) => each['locale'] !== locale)
    .map((each) => ({ plan, row: { ...each, locale }, session: undefined }))
}

/** @throws RuleRefused if no rule of an action is left */
export async function matchingRequired(
  matcher: RowMatcher,
  required: readonly RequiredRules[],
  version: MatchedRow,
): Promise<readonly RequiredRules[]> {
  const left: RequiredRules[] = []
  for (const one of required) {
    if (one.status !== undefined && version.row['status'] !== one.status) {
      left.push(one)
      continue
    }
    const rules = await matchingRules(matcher, one.rules, version)
    if (rules.length === 0) throw new RuleRefused(contentAction(version.plan, one.verb))
    left.push({ ...one, rules })
  }
  return left
}

async function matchingRules(
  matcher: RowMatcher,
  rules: readonly WriteRule[],
  version: MatchedRow,
): Promise<readonly WriteRule[]> {
  const matching: WriteRule[] = []
  for (const rule of rules) {
    if (await rowMatches(matcher, version, rule.where)) matching.push(rule)
  }
  return matching
}

/** @throws ForbiddenError */
async function assertOther(
  matcher: RowMatcher,
  rules: WriteRules,
  { plan, before, matching, stamped }: OtherVersion & Pick<GuardedDocument, 'stamped'>,
  changed: GuardedRow,
): Promise<void> {
  const action = contentAction(plan, 'update')
  const content = contentOf(plan, asVersion(plan, changed.row))
  const names = changedNames(contentOf(plan, asVersion(plan, before)), content)
  const refused = new ForbiddenError('Forbidden', {}, { action })
  if (names.some((name) => stamped.has(stampName(plan.uid, name)))) throw refused
  if (rules.has(action)) return
  for (const rule of matching) {
    const isPermitted = names.every((name) => rule.fields?.has(name) ?? true)
    if (!isPermitted || !holdsSet(content, rule.set)) continue
    if (await rowMatches(matcher, changed, rule.where)) return
  }
  throw refused
}

function changedNames(before: Data, after: Data): readonly string[] {
  return Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]))
}

/** A write that sets no values needs stored ones. */
export function holdsSet(content: Data, set: Data): boolean {
  return Object.entries(set).every(([name, value]) => {
    const stored = content[name]
    const isList = Array.isArray(value) || Array.isArray(stored)
    return isList
      ? isDeepStrictEqual(new Set(relationListOf(stored)), new Set(relationListOf(value)))
      : isDeepStrictEqual(stored ?? null, value)
  })
}
