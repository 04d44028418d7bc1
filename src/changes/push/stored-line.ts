import { PreviousChanged } from '../../content/hooks/seen-versions.ts'
import { type RuledWrite, underRules } from '../../content/write-rules.ts'
import type { WriteCondition } from '../../content/write-target.ts'
import { PreconditionFailedError } from '../../base/errors.ts'
import { findVersions } from '../../mongo/read/get-versions.ts'
import { haveSameContent } from '../../mongo/versions/stored-content.ts'
import {
  asVersion,
  type StoredVersion,
  type VersionDocument,
} from '../../mongo/versions/stored-version.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import type { Status } from '../../query/query.ts'
import { type AnyWrite, publishing, type WriteResult } from './pushed-write.ts'

export interface StoredLine {
  /** The version of the status of the store. */
  readonly stored: StoredVersion | null
  /** The version that a write replaces. */
  readonly overwritten: StoredVersion | null
  readonly published: StoredVersion | null
  readonly rows: readonly VersionDocument[]
}

export async function readLine({ documents, plan, key, mutation }: AnyWrite): Promise<StoredLine> {
  const statuses: readonly Status[] = plan.draftAndPublish ? ['published', 'draft'] : ['published']
  const ids = statuses.map((status) => versionId(mutation.documentId, { ...key, status }))
  const rows = await findVersions(documents.database, plan, ids)
  const versions = rows.map((row) => asVersion(plan, row))
  const published = versions.find(({ status }) => status === 'published') ?? null
  const overwritten = versions.find(({ status }) => status === 'draft') ?? published
  return { stored: key.status === 'draft' ? overwritten : published, overwritten, published, rows }
}

/** Whether the caller may not see the draft that its mutation replaces. */
function mayHideDraft({ plan, key }: AnyWrite): boolean {
  return plan.draftAndPublish && key.status === 'published'
}

/** Called before the draft is compared, so that the refusal of a caller does not depend on it. @throws ForbiddenError */
export async function assertMayReplace(
  write: AnyWrite,
  { rows }: StoredLine,
  changed: Pick<RuledWrite, 'verb' | 'data'>,
): Promise<void> {
  if (!mayHideDraft(write)) return
  const { documents, plan, key, rules, writer, mutation } = write
  const { publishes } = changed.verb === 'update' ? publishing(write) : { publishes: false }
  const ruled = {
    ...changed,
    plan,
    documentId: mutation.documentId,
    locale: writer.locale,
    locales: [key.locale],
    publishes: publishes ? ('all' as const) : undefined,
  }
  await underRules(documents, rules, ruled, async ({ guard }) => {
    for (const row of rows) await guard?.before({ plan, row, session: undefined })
  })
}

export function isDraftModified(write: AnyWrite, { overwritten, published }: StoredLine): boolean {
  const { plan } = write
  if (!mayHideDraft(write)) return false
  if (overwritten === null || published === null) return false
  return !haveSameContent(plan, overwritten, published)
}

export class EntryReplaced extends Error {
  constructor() {
    super('Another writer replaced the version')
    this.name = 'EntryReplaced'
  }
}

const LOST = [PreconditionFailedError, PreviousChanged, EntryReplaced] as const

/** How often a mutation is merged again because the entry changed in the meantime. */
const ATTEMPTS = 8

/** Merges again while other writers change the entry. @throws PreconditionFailedError after some attempts */
export async function attempt(work: () => Promise<WriteResult>): Promise<WriteResult> {
  for (let count = 1; ; count += 1) {
    try {
      return await work()
    } catch (error) {
      if (!LOST.some((lost) => error instanceof lost)) throw error
      if (count === ATTEMPTS) throw new PreconditionFailedError('The entry keeps changing', null)
    }
  }
}

export function matching(version: StoredVersion): WriteCondition {
  return { match: new Set([revisionOf(version)]), noneMatch: null }
}
