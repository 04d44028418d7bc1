import { type Fault, validationError } from '../../base/errors.ts'
import { groupBy } from '../../base/group-by.ts'
import { linkHoldersOf, linkIndexName, linkKey, linksOf } from '../../mongo/versions/link-index.ts'
import { versionsOf } from '../../mongo/versions/stored-version.ts'
import { findExisting } from '../../mongo/write/find-existing.ts'
import type { Data } from '../../schema/definition.ts'
import { lostEntry, type PlacedLink } from '../../schema/values/entry-links.ts'
import type { DocumentContext } from '../context.ts'
import type { WriteTarget } from '../write-target.ts'

/**
 * The document may keep links that it has, so that texts with links to deleted or hidden entries can be saved.
 * @throws ValidationError for new links to entries that are missing or hidden from the caller
 */
export async function assertLinkedEntries(
  context: DocumentContext,
  target: WriteTarget,
  values: Data,
): Promise<void> {
  const { plan, isTrusted = false } = target
  const given = linkHoldersOf(plan).filter(({ name }) => values[name] !== undefined)
  if (isTrusted || given.length === 0) return
  const links = given.flatMap((one) => linksOf(one, values[one.name]))
  if (links.length === 0) return
  const byType = groupBy(links, ({ type }) => type)
  const found = await Promise.all(
    [...byType].map(([type, ofType]) => findVisible(context, target, type, ofType)),
  )
  const visible = new Set(found.flat())
  const unseen = links.filter(({ type, documentId }) => !visible.has(linkKey(type, documentId)))
  const lost = unseen.length === 0 ? [] : await exceptHeld(context, target, unseen)
  const [fault, ...others] = lost.map(({ path, documentId }): Fault => lostEntry(path, documentId))
  if (fault !== undefined) throw validationError([fault, ...others])
}

async function findVisible(
  context: DocumentContext,
  { writer }: WriteTarget,
  type: string,
  links: readonly PlacedLink[],
): Promise<readonly string[]> {
  const plan = context.linkable?.(type) ?? null
  if (plan === null || !writer.mayRead(plan.uid)) return []
  const named = {
    documentIds: new Set(links.map(({ documentId }) => documentId)),
    ids: new Set<number>(),
  }
  // The lookup of a batch knows documents of its earlier lines, and no others that only links name.
  const inBatch = await context.targets?.existing(plan, named)
  const stored = await findExisting(context.database, plan, named)
  const isNamed = (documentId: string): boolean => named.documentIds.has(documentId)
  const documentIds = [...stored.documentIds, ...[...(inBatch?.documentIds ?? [])].filter(isNamed)]
  const { rules } = writer
  const hides = rules?.hidesEntries(plan) === true
  const targets = { target: plan, locale: writer.locale, session: undefined }
  const visible = hides ? await rules.visibleTargets(context, targets, documentIds) : documentIds
  return [...visible].map((documentId) => linkKey(type, documentId))
}

async function exceptHeld(
  { database }: DocumentContext,
  { plan, documentId, linksFrom = documentId }: WriteTarget,
  links: readonly PlacedLink[],
): Promise<readonly PlacedLink[]> {
  const names = linkHoldersOf(plan).map(linkIndexName)
  const projection = Object.fromEntries(names.map((name) => [name, 1]))
  const rows = await versionsOf(database, plan)
    .find({ documentId: linksFrom }, { projection })
    .toArray()
  const held = new Set(rows.flatMap((row) => names.flatMap((name): unknown => row[name] ?? [])))
  return links.filter((link) => !held.has(linkKey(link.type, link.documentId)))
}
