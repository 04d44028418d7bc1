import type { Session } from '../../mongo/connection/database.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Uid } from '../../schema/definition.ts'
import { contentAction, type ContentVerb } from '../../people/access/actions.ts'
import {
  type StoredVersion,
  type VersionDocument,
  versionsOf,
} from '../../mongo/versions/stored-version.ts'
import { matchDocument, versionId } from '../../mongo/versions/version-match.ts'
import { type RowMatcher, rowMatches } from '../../mongo/rules/row-matches.ts'
import type { RuleContext, WriteRules } from '../write-rules.ts'

export function matcherOf(
  { database }: Pick<RuleContext, 'database'>,
  { user }: WriteRules,
  locale: string,
): RowMatcher {
  const isKnown = (uid: Uid, documentId: string): boolean =>
    uid === 'plugin::users-permissions.user' && documentId === user
  return { database, isKnown, locale }
}

type ReadVerb = Extract<ContentVerb, 'find' | 'findOne'>

/** Whether the principal has the action, perhaps under conditions. */
export function mayUnderRules(
  rules: WriteRules,
  plan: Pick<ContentTypePlan, 'uid'>,
  verb: ContentVerb,
): boolean {
  const action = contentAction(plan, verb)
  return rules.has(action) || rules.rulesFor(action).length > 0
}

/** Whether conditions decide which versions of the type the principal reads. */
export function hasReadRules(
  rules: WriteRules | undefined,
  plan: Pick<ContentTypePlan, 'uid' | 'draftAndPublish'>,
  verb: ReadVerb = 'find',
): rules is WriteRules {
  const verbs: readonly ContentVerb[] = plan.draftAndPublish ? [verb, 'readDrafts'] : [verb]
  return verbs.some((each) => (rules?.rulesFor(contentAction(plan, each)).length ?? 0) > 0)
}

/** The action of a single read. */
export function singleReadVerb({ kind }: Pick<ContentTypePlan, 'kind'>): ReadVerb {
  return kind === 'singleType' ? 'find' : 'findOne'
}

/** Whether conditions hide entries of the type from reads by this verb, or whether it is not permitted at all. */
export function hidesEntries(rules: WriteRules, plan: ContentTypePlan, verb: ReadVerb): boolean {
  if (!rules.has(contentAction(plan, verb))) return true
  return plan.draftAndPublish && rules.rulesFor(contentAction(plan, 'readDrafts')).length > 0
}

interface VisibilityRequest {
  readonly matcher: RowMatcher
  readonly rules: WriteRules
  readonly verb: ReadVerb
  readonly session: Session | undefined
}

/** Drafts need the action `readDrafts` as well. */
export async function isVisibleRow(
  { matcher, rules, verb, session }: VisibilityRequest,
  plan: ContentTypePlan,
  row: VersionDocument,
): Promise<boolean> {
  const isDraft = plan.draftAndPublish && row['status'] === 'draft'
  const verbs: readonly ContentVerb[] = isDraft ? [verb, 'readDrafts'] : [verb]
  for (const each of verbs) {
    const action = contentAction(plan, each)
    if (rules.has(action)) continue
    let isMatched = false
    for (const { where } of rules.rulesFor(action)) {
      isMatched ||= await rowMatches(matcher, { plan, row, session }, where)
    }
    if (!isMatched) return false
  }
  return true
}

/** Returns the given documents that have a visible version. */
export async function visibleDocuments(
  request: VisibilityRequest,
  plan: ContentTypePlan,
  documentIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const visible = new Set<string>()
  if (documentIds.length === 0) return visible
  const { matcher, session } = request
  const rows = await versionsOf(matcher.database, plan)
    .find({ documentId: { $in: [...documentIds] } }, { session })
    .toArray()
  for (const row of rows) {
    const documentId = String(row['documentId'])
    if (!visible.has(documentId) && (await isVisibleRow(request, plan, row)))
      visible.add(documentId)
  }
  return visible
}

export interface VisibleVersions {
  has(version: Pick<StoredVersion, 'documentId' | 'locale' | 'status'>): boolean
}

/** Finds the stored versions that the caller sees by a read action. */
export async function visibleVersions(
  context: Pick<RuleContext, 'database'>,
  rules: WriteRules,
  {
    plan,
    documentIds,
    locale,
    verb = 'find',
  }: {
    readonly documentIds: readonly string[]
    readonly verb?: ReadVerb
  } & Pick<RuledDocument, 'plan' | 'locale'>,
): Promise<VisibleVersions> {
  const rows = await versionsOf(context.database, plan)
    .find({ documentId: { $in: [...new Set(documentIds)] } })
    .toArray()
  const matcher = matcherOf(context, rules, locale)
  const request = { matcher, rules, verb, session: undefined }
  const visible = new Set<string>()
  for (const row of rows) {
    if (await isVisibleRow(request, plan, row)) visible.add(row._id)
  }
  return { has: (version) => visible.has(versionId(version.documentId, version)) }
}

export interface RuledDocument {
  readonly plan: ContentTypePlan
  readonly documentId: string
  /** For targets of entries without a locale. */
  readonly locale: string
  /** Limits the versions. Undefined stands for all of them. */
  readonly locales?: readonly string[] | undefined
}

/** Each of the locales that have versions needs a visible one. True if there are no versions. */
export async function isDocumentVisible(
  context: Pick<RuleContext, 'database'>,
  rules: WriteRules,
  document: RuledDocument,
): Promise<boolean> {
  const { plan, documentId, locales } = document
  const rows = await versionsOf(context.database, plan).find(matchDocument(documentId)).toArray()
  if (rows.length === 0) return true
  const addressed = (locales ?? [])
    .map((code) => rows.filter((row) => row['locale'] === code))
    .filter((own) => own.length > 0)
  const request = writeRequest(context, rules, document)
  for (const own of addressed.length > 0 ? addressed : [rows]) {
    if (!(await hasVisibleRow(request, plan, own))) return false
  }
  return true
}

/** Null if each locale of the document has a visible version. */
export async function findVisibleLocales(
  context: Pick<RuleContext, 'database'>,
  rules: WriteRules,
  document: RuledDocument,
): Promise<readonly string[] | null> {
  const { plan, documentId } = document
  const rows = await versionsOf(context.database, plan).find(matchDocument(documentId)).toArray()
  const stored = [...new Set(rows.map((row) => String(row['locale'])))]
  const request = writeRequest(context, rules, document)
  const visible: string[] = []
  for (const code of stored) {
    const own = rows.filter((row) => row['locale'] === code)
    if (await hasVisibleRow(request, plan, own)) visible.push(code)
  }
  return visible.length === stored.length ? null : visible
}

/** A write needs the entries that a single read shows. */
function writeRequest(
  context: Pick<RuleContext, 'database'>,
  rules: WriteRules,
  { plan, locale }: Pick<RuledDocument, 'plan' | 'locale'>,
): VisibilityRequest {
  const matcher = matcherOf(context, rules, locale)
  return { matcher, rules, verb: singleReadVerb(plan), session: undefined }
}

async function hasVisibleRow(
  request: VisibilityRequest,
  plan: ContentTypePlan,
  rows: readonly VersionDocument[],
): Promise<boolean> {
  for (const row of rows) if (await isVisibleRow(request, plan, row)) return true
  return false
}

/** Reads the version again, because later writes may have hidden it. */
export async function isVersionVisible(
  context: Pick<RuleContext, 'database'>,
  rules: WriteRules,
  {
    plan,
    version,
    locale,
  }: {
    readonly plan: ContentTypePlan
    readonly version: Pick<StoredVersion, 'documentId' | 'locale' | 'status'>
    readonly locale: string
  },
): Promise<boolean> {
  const _id = versionId(version.documentId, version)
  const row = await versionsOf(context.database, plan).findOne({ _id })
  if (row === null) return false
  return isVisibleRow(writeRequest(context, rules, { plan, locale }), plan, row)
}
