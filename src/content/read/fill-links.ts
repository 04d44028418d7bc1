import { groupBy } from '../../base/group-by.ts'
import { findTargets } from '../../mongo/read/read-related.ts'
import { resolveFilter } from '../../mongo/read/resolve-filter.ts'
import { groupByTarget, shownVersions } from '../../mongo/read/target-version.ts'
import { unique } from '../../mongo/versions/stored-value.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { Reader, RuledType, VersionKey } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { fillUrl, placesOf } from '../../schema/url-template.ts'
import type { PendingLink } from './pending-links.ts'
import { type PopulateContext, type RowLinks, shownShape } from './row.ts'

interface AskedLink {
  readonly link: PendingLink
  /** The version of the entry that has the link. */
  readonly from: VersionKey
}

/**
 * Shows the targets that the caller sees in the locale and status of each entry, with one query per type, locale and
 * status. Other links keep an empty URL and lose their target. @throws ValidationError for too many links
 */
export async function fillLinks({ links, ...context }: PopulateContext): Promise<void> {
  if (links.length === 0) return
  const { answer } = context.reader
  answer.show('links', countOf(links))
  const asked = links.flatMap(({ links: own, key }): readonly AskedLink[] =>
    own.map((link) => ({ link, from: key })),
  )
  await Promise.all(
    [...groupBy(asked, ({ link }) => link.type)].map(async ([type, ofType]) => {
      const target = context.reader.linked(type)
      if (target === null) return
      answer.linkedTypes.add(target.plan.uid)
      await fillType(context, target, ofType)
    }),
  )
}

function countOf(rows: readonly RowLinks[]): number {
  return rows.reduce((sum, { links, times }) => sum + links.length * times, 0)
}

type Reading = Omit<PopulateContext, 'links'>

async function fillType(
  context: Reading,
  target: RuledType,
  asked: readonly AskedLink[],
): Promise<void> {
  const { reader } = context
  const { plan } = target
  const groups = groupByTarget(plan, reader, asked, ({ from }) => from)
  await Promise.all(
    groups.map(async ([key, group]) => {
      const found = await findLinked(context, target, key, group)
      for (const { link, from } of group) {
        const version = found.get(link.documentId)
        if (version !== undefined) link.show(urlOf(plan, version, from, reader))
        else if (seesAll(target, reader)) link.show(null)
      }
    }),
  )
}

/** Whether the caller reads drafts and sees all entries of the type, so that a reference reveals no entry. */
function seesAll({ plan, condition }: RuledType, reader: Reader): boolean {
  if (condition !== null || reader.status !== 'draft') return false
  return !plan.draftAndPublish || reader.mayReadDrafts(plan.uid)
}

async function findLinked(
  { database, reader }: Reading,
  { plan, condition }: RuledType,
  key: VersionKey,
  asked: readonly AskedLink[],
): Promise<ReadonlyMap<string, StoredVersion>> {
  const versions = shownVersions(plan, key, reader)
  const documentIds = unique(asked.map(({ link }) => link.documentId))
  const found = await findTargets(database, plan, documentIds, {
    conditions: await resolveFilter(database, condition, versions, reader),
    sort: [],
    versions,
    reader,
    fields: placesOf(plan).filter((name) => shownShape(plan).all.has(name)),
    populate: [],
    limit: 0,
  })
  return new Map(found.map((version) => [version.documentId, version]))
}

/** Null without a template, and if an attribute has no value or is hidden from the caller. */
function urlOf(
  plan: ContentTypePlan,
  version: StoredVersion,
  from: VersionKey,
  { locale }: Reader,
): string | null {
  if (plan.url === undefined) return null
  const { all } = shownShape(plan)
  return fillUrl(plan.url, (name) => {
    if (name === 'locale') return version.locale || from.locale || locale
    const member = all.get(name)
    return member === undefined ? null : member.toJson(version[member.from] ?? null)
  })
}
