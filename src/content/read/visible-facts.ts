import type { DocumentLocale } from '../../mongo/read/compare-statuses.ts'
import { asVersion, type StoredVersion, versionsOf } from '../../mongo/versions/stored-version.ts'
import { matchDocument } from '../../mongo/versions/version-match.ts'
import { contentAction } from '../../people/access/actions.ts'
import type { EntryState } from '../../query/query.ts'
import { type ContentTypePlan, titleFieldOf } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { findStates, type StateOfLocale } from './find-states.ts'
import { stateOfVersions } from './list-locales.ts'
import { titlesOf } from './overview.ts'
import type { WriteRules } from '../write-rules.ts'
import { hasReadRules, isVisibleRow, matcherOf } from '../rules/visible-documents.ts'

export interface LineFacts {
  readonly title: string
  readonly state: EntryState
}

interface FactsRequest {
  readonly plan: ContentTypePlan
  /** For targets of entries without a locale. */
  readonly locale: string
  /** Omits lines with a hidden draft, even if their published version is visible. */
  readonly needsDraft?: boolean
}

/** Titles and states by `documentId:locale`, of the versions that rules show. Other lines are omitted. */
export async function factsOfLines(
  context: Pick<DocumentContext, 'database'>,
  rules: WriteRules | undefined,
  { plan, locale, needsDraft = false }: FactsRequest,
  lines: readonly DocumentLocale[],
): Promise<ReadonlyMap<string, LineFacts>> {
  if (lines.length === 0) return new Map()
  if (!hasReadRules(rules, plan)) return factsOfAll(context, plan, lines)
  const versions = await visibleVersionsOf(context, rules, { plan, locale }, lines)
  const facts = new Map<string, LineFacts>()
  for (const line of lines) {
    const own = versions.filter(
      (version) => version.documentId === line.documentId && version.locale === line.locale,
    )
    const found = stateOfVersions(plan, own)
    if (found === null) continue
    if (needsDraft && plan.draftAndPublish && own.every(({ status }) => status !== 'draft'))
      continue
    facts.set(lineKey(line), { title: titleOf(rules, plan, own), state: found.state })
  }
  return facts
}

/** Whether the document has a version in any locale and status. */
export async function isStoredDocument(
  { database }: Pick<DocumentContext, 'database'>,
  plan: ContentTypePlan,
  documentId: string,
): Promise<boolean> {
  const options = { projection: { _id: 1 } } as const
  return (await versionsOf(database, plan).findOne(matchDocument(documentId), options)) !== null
}

/** Like `findStates`, of the versions that rules show. */
export async function shownStates(
  context: Pick<DocumentContext, 'database'>,
  rules: WriteRules | undefined,
  request: FactsRequest,
  lines: readonly DocumentLocale[],
): Promise<readonly StateOfLocale[]> {
  const { plan } = request
  if (!hasReadRules(rules, plan)) return findStates(context.database, plan, lines)
  const facts = await factsOfLines(context, rules, request, lines)
  return lines.flatMap((line) => {
    const found = facts.get(lineKey(line))
    return found === undefined ? [] : [{ ...line, state: found.state }]
  })
}

export function lineKey({ documentId, locale }: DocumentLocale): string {
  return `${documentId}:${locale}`
}

async function factsOfAll(
  { database }: Pick<DocumentContext, 'database'>,
  plan: ContentTypePlan,
  lines: readonly DocumentLocale[],
): Promise<ReadonlyMap<string, LineFacts>> {
  const states = await findStates(database, plan, lines)
  const titles = await titlesOf(database, plan, lines)
  return new Map(
    states.flatMap(({ state, ...line }): readonly [string, LineFacts][] => {
      const title = titles.get(lineKey(line))
      return title === undefined ? [] : [[lineKey(line), { title, state }]]
    }),
  )
}

async function visibleVersionsOf(
  context: Pick<DocumentContext, 'database'>,
  rules: WriteRules,
  { plan, locale }: FactsRequest,
  lines: readonly DocumentLocale[],
): Promise<readonly StoredVersion[]> {
  const ids = [...new Set(lines.map(({ documentId }) => documentId))]
  const rows = await versionsOf(context.database, plan)
    .find({ documentId: { $in: ids } })
    .toArray()
  const matcher = matcherOf(context, rules, locale)
  const request = { matcher, rules, verb: 'find', session: undefined } as const
  const visible: StoredVersion[] = []
  for (const row of rows) {
    if (await isVisibleRow(request, plan, row)) visible.push(asVersion(plan, row))
  }
  return visible
}

/** Empty if rules hide the attribute. The title of the draft is preferred. */
function titleOf(
  rules: WriteRules,
  plan: ContentTypePlan,
  versions: readonly StoredVersion[],
): string {
  const name = titleFieldOf(plan)
  const draft = versions.find(({ status }) => status === 'draft')
  const verbs = draft === undefined ? (['find'] as const) : (['find', 'readDrafts'] as const)
  const isShown = verbs
    .flatMap((verb) => rules.rulesFor(contentAction(plan, verb)))
    .every(({ fields }) => fields?.has(name) ?? true)
  const title: unknown = (draft ?? versions[0])?.[name]
  return isShown && typeof title === 'string' ? title : ''
}
