import { groupBy } from '../../base/group-by.ts'
import { isRecord } from '../../base/is-record.ts'
import { isIdOf } from '../../mongo/versions/document-id.ts'
import { linkHoldersOf, linkKey, linksOf, mapBlocks } from '../../mongo/versions/link-index.ts'
import { type StoredVersion, versionsOf } from '../../mongo/versions/stored-version.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import { contentAction } from '../../people/access/actions.ts'
import type { Data } from '../../schema/definition.ts'
import type { AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import { mapLinkNodes } from '../../schema/values/entry-links.ts'
import type { DocumentContext } from '../context.ts'
import { isHiddenDocument } from '../write-rules.ts'
import type { WriteTarget } from '../write-target.ts'
import {
  emptyLinksIn,
  type MatchedLinks,
  matchLinks,
  type StoredLink,
  storedLinksIn,
  type TextLink,
} from './match-links.ts'

interface SentText {
  readonly name: string
  readonly attribute: AttributePlan
  readonly value: unknown
  readonly links: readonly TextLink[]
}

/**
 * Fills in the stored targets of links that callers have read without a target. Links without a match do not change, and
 * the validation refuses them. `data` may be invalid.
 */
export async function restoreLinks<T>(
  context: DocumentContext,
  target: WriteTarget,
  data: T,
): Promise<T> {
  if (target.isTrusted === true || !isRecord(data)) return data
  const texts = textsWithEmptyLinks(target.plan, data)
  if (texts.length === 0) return data
  const versions = await readVersions(context, target)
  const restored: Record<string, unknown> = { ...data }
  for (const text of texts) {
    const matches = await bestMatches(context, target, text, versions)
    restored[text.name] = mapBlocks(text.attribute, text.value, (nodes) =>
      mapLinkNodes(nodes, (node) => {
        const entry = matches.get(node)
        return entry === undefined ? node : { ...node, entry }
      }),
    )
  }
  return restored as T
}

function textsWithEmptyLinks(plan: ContentTypePlan, data: Data): readonly SentText[] {
  const holders = linkHoldersOf(plan)
  if (holders.length === 0) return []
  return Object.entries(data).flatMap(([name, value]): readonly SentText[] => {
    const named = plan.members.get(name)?.aliasOf ?? name
    const attribute = holders.find((one) => one.name === named)
    if (attribute === undefined) return []
    const links = collectFrom(attribute, value, emptyLinksIn)
    return links.length === 0 ? [] : [{ name, attribute, value, links }]
  })
}

function collectFrom<T>(
  attribute: AttributePlan,
  value: unknown,
  collect: (nodes: readonly unknown[]) => readonly T[],
): readonly T[] {
  const found: T[] = []
  mapBlocks(attribute, value, (nodes) => {
    found.push(...collect(nodes))
    return nodes
  })
  return found
}

interface KnownVersions {
  /** The versions in the locale of the write. The requested status comes first. */
  readonly own: readonly StoredVersion[]
  /** Versions with the values that all locales share. */
  readonly sharing: readonly StoredVersion[]
}

const NONE: KnownVersions = { own: [], sharing: [] }

/** None of hidden versions. The guard of a rule refuses all data for other versions, so that guesses reveal no text. */
async function readVersions(context: DocumentContext, target: WriteTarget): Promise<KnownVersions> {
  const { plan, documentId, key, writer, permit } = target
  if (!isIdOf(plan, documentId)) return NONE
  const guard = permit?.guard ?? null
  const isRuled = writer.rules?.has(contentAction(plan, 'update')) === false
  if (isRuled && guard === null) return NONE
  const { locale } = writer
  const write = { plan, documentId, verb: 'update', locale, locales: [key.locale] } as const
  if (await isHiddenDocument(context, writer.rules, write)) return NONE
  const all = await getAllVersions(context.database, plan, documentId)
  const isAsked = ({ status }: StoredVersion): number => Number(status === key.status)
  const own = all
    .filter((version) => version.locale === key.locale)
    .sort((one, other) => isAsked(other) - isAsked(one))
  return { own, sharing: own.length === 0 && guard === null ? all : own }
}

/** Takes all targets from one version, because the caller has read one. */
async function bestMatches(
  context: DocumentContext,
  target: WriteTarget,
  { attribute, value, links }: SentText,
  { own, sharing }: KnownVersions,
): Promise<MatchedLinks> {
  const given = new Set(linksOf(attribute, value).map(keyOf))
  let best: MatchedLinks = new Map()
  for (const version of attribute.localized ? own : sharing) {
    const stored = collectFrom(attribute, version[attribute.name], storedLinksIn)
    const absent = stored.filter(({ entry }) => !given.has(keyOf(entry)))
    const matches = matchLinks(links, await exceptShown(context, target, absent))
    if (matches.size > best.size) best = matches
  }
  return best
}

function keyOf({ type, documentId }: StoredLink['entry']): string {
  return linkKey(type, documentId)
}

/** Omits links that the caller sees in drafts and in published versions. */
async function exceptShown(
  { database, linkable }: DocumentContext,
  { writer, key }: WriteTarget,
  links: readonly StoredLink[],
): Promise<readonly StoredLink[]> {
  const shown = await Promise.all(
    [...groupBy(links, ({ entry }) => entry.type)].map(async ([type, ofType]) => {
      const plan = linkable?.(type) ?? null
      if (plan === null || !writer.mayRead(plan.uid)) return []
      if (writer.rules?.hidesEntries(plan) === true) return []
      const documentIds = ofType.map(({ entry }) => entry.documentId)
      const { locale } = key
      const published = { status: 'published', ...(plan.localized && { locale }) }
      const rows = await versionsOf(database, plan)
        .find({ documentId: { $in: documentIds }, ...published }, { projection: { documentId: 1 } })
        .toArray()
      return rows.map(({ documentId }) => linkKey(type, String(documentId)))
    }),
  )
  const keys = new Set(shown.flat())
  return links.filter(({ entry }) => !keys.has(keyOf(entry)))
}
