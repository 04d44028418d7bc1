import { askedPublication } from '../../mongo/read/published-conditions.ts'
import { findRelationOwners } from '../../mongo/read/read-related.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { shownVersions, targetVersion } from '../../mongo/read/target-version.ts'
import { tooManyEntries } from '../../query/answer-size.ts'
import type { EntryFormat, MediaNode, FileUsageNode } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { populateRelation } from './populate-relation.ts'
import { relationListOf, unique } from '../../mongo/versions/stored-value.ts'
import { type Entry, type PopulateContext, type Row, showDocuments, toVersionRow } from './row.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

const WITHOUT_OTHERS = { fields: 'all', populate: [] } as const

export function populateMedia(
  context: PopulateContext,
  rows: readonly Row[],
  node: MediaNode,
  path: string,
): Promise<readonly Row[]> {
  const relation = node.media.files
  return populateRelation(context, rows, { ...node, kind: 'relation', relation, range: null }, path)
}

/** Each published entry once, with the uid of its type. Media in components are not included. */
export async function populateFileUsage(
  context: PopulateContext,
  rows: readonly Row[],
  { types, mode }: FileUsageNode,
  path: string,
): Promise<void> {
  const { answer } = context.reader
  const documentIds = unique(rows.map(({ documentId }) => documentId))
  const used = await Promise.all(types.map((plan) => usersIn(context, plan, documentIds, path)))
  for (const row of rows) {
    const entries = used.flatMap((users) => users.get(row.documentId) ?? [])
    if (mode === 'entries') answer.show(path, entries.length * row.times)
    row.shown['related'] =
      mode === 'count' ? { count: entries.length } : showDocuments(row, entries)
  }
}

async function usersIn(
  context: PopulateContext,
  plan: ContentTypePlan,
  documentIds: readonly string[],
  path: string,
): Promise<ReadonlyMap<string, readonly Entry[]>> {
  const limit = context.database.countLimit
  const media = [...plan.attributes.values()].filter(
    ({ kind, private: isPrivate }) => kind === 'media' && !isPrivate,
  )
  const found = await Promise.all(
    media.map(async ({ name }) => ({
      name,
      versions: await findUsers(context, plan, { attribute: name, documentIds }, limit + 1),
    })),
  )
  if (found.some(({ versions }) => versions.length > limit)) throw tooManyEntries(path, limit)
  const uses = found.flatMap(({ name, versions }) =>
    versions.flatMap((version) => relationListOf(version[name]).map((file) => ({ file, version }))),
  )
  const byFile = new Map<string, Map<number, StoredVersion>>()
  for (const { file, version } of uses) {
    const versions = byFile.get(file) ?? new Map<number, StoredVersion>()
    byFile.set(file, versions.set(version.id, version))
  }
  return new Map(
    [...byFile].map(([file, versions]) => [file, toEntries(plan, versions, context.reader.format)]),
  )
}

function findUsers(
  { database, reader }: PopulateContext,
  plan: ContentTypePlan,
  owned: { readonly attribute: string; readonly documentIds: readonly string[] },
  limit: number,
): Promise<readonly StoredVersion[]> {
  const file = { locale: NO_LOCALE, status: 'published' } as const
  const key = targetVersion(plan, file, { ...reader, status: 'published' })
  return findRelationOwners(database, plan, owned, {
    conditions: askedPublication(plan, key.status, reader),
    sort: [],
    versions: shownVersions(plan, key, reader),
    reader,
    limit,
    ...WITHOUT_OTHERS,
  })
}

function toEntries(
  plan: ContentTypePlan,
  versions: ReadonlyMap<number, StoredVersion>,
  format: EntryFormat,
): readonly Entry[] {
  return [...versions.values()]
    .toSorted((one, other) => one.id - other.id)
    .map((version) => {
      const { status } = version
      const { entry } = toVersionRow(version, plan, WITHOUT_OTHERS, { status, format })
      return { ...entry, __type: plan.uid }
    })
}
