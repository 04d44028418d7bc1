import { BSON, type Document, MongoServerError } from 'mongodb'
import { CmsError } from '../../errors.ts'
import type { Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Authorship } from '../connection/authorship.ts'
import { optionsOf } from '../connection/commands.ts'
import { beginNextCommit, commitIdOf } from '../connection/commit-record.ts'
import type { Database, Session } from '../connection/database.ts'
import { SAME } from '../versions/line-state.ts'
import { COMMIT, LOCK, REVISION } from '../versions/revision.ts'
import {
  asVersion,
  type StoredVersion,
  type VersionDocument,
  versionsOf,
} from '../versions/stored-version.ts'
import { versionId } from '../versions/version-match.ts'
import { isHeld } from './hold-documents.ts'
import { tryTakeDocument } from './take-turns.ts'
import { notePut } from './note-versions.ts'
import { assertSmall, storeTogether } from './store-together.ts'
import { toChanges, toNewDocument, toUpdate } from './write-versions.ts'

/** A change of one version of a document, and of its publication where that follows it. */
export interface Patch {
  readonly documentId: string
  readonly locale: string
  readonly status: Status
  readonly changes: Data
  /** What the published version becomes, of the draft as it is then. @throws CmsError */
  readonly publish: ((draft: StoredVersion) => StoredVersion) | null
  readonly authorship: Authorship
}

/** One version: what it is before and after, and by which statement. */
interface Step {
  readonly after: VersionDocument
  readonly statement: Document
}

/**
 * Changes documents, no two of them the same, by one transaction and four commands: one reads all versions, one writes
 * them, one their rows of the log, one commits. A version is written only as long as it is the revision that was read.
 * Answers the version asked for of each; null where nothing was written: it is not stored, may not be published, another
 * transaction of this process writes it, or the database refused one of them.
 */
export async function patchTogether(
  database: Database,
  plan: ContentTypePlan,
  patches: readonly Patch[],
): Promise<readonly (StoredVersion | null)[]> {
  const patched = await storeTogether(database, async (session) => {
    const free = new Set(patches.filter((each) => tryTakeDocument(plan, each.documentId, session)))
    const stored = await readAll(database, plan, patches, session)
    const steps = patches.map((patch) => {
      beginNextCommit(session, patch.authorship)
      const own = free.has(patch) ? stepsOf(patch, stored, commitIdOf(session)) : null
      if (own !== null) {
        const versions = own.map(({ after }) => asVersion(after))
        notePut(plan, versions, session)
      }
      return own
    })
    await writeAll(
      database,
      plan,
      steps.flatMap((own) => own ?? []),
      session,
    )
    return steps.map((own) => {
      const last = own?.at(-1)
      return last === undefined ? null : asVersion(last.after)
    })
  })
  return patched ?? patches.map(() => null)
}

async function readAll(
  database: Database,
  plan: ContentTypePlan,
  patches: readonly Patch[],
  session: Session,
): Promise<ReadonlyMap<string, VersionDocument>> {
  const ids = patches.flatMap((patch) => {
    const own = versionId(patch.documentId, patch)
    return patch.publish === null ? [own] : [own, publishedId(patch)]
  })
  const found = await versionsOf(database, plan)
    .find({ _id: { $in: ids } }, optionsOf(database, session))
    .toArray()
  return new Map(found.map((version) => [version._id, version]))
}

/** Null where a version is missing, held by a release, or may not be published. */
function stepsOf(
  patch: Patch,
  stored: ReadonlyMap<string, VersionDocument>,
  commit: string,
): readonly Step[] | null {
  const written = stored.get(versionId(patch.documentId, patch))
  if (written === undefined || isHeld(written[LOCK])) return null
  const state = patch.publish === null ? undefined : SAME
  const first = stepOf(written, toChanges(patch.changes, state), commit)
  if (patch.publish === null) return [first]
  const published = stored.get(publishedId(patch))
  const copy = published && copyOf(first.after, patch.publish)
  if (published === undefined || copy === null || copy === undefined) return null
  return [first, stepOf(published, copy, commit)]
}

/** As `putVersion` sets it: `id` and `createdAt` stay. So does the lock, which a release may hold by now. */
function copyOf(draft: VersionDocument, publish: NonNullable<Patch['publish']>): Document | null {
  try {
    const {
      _id,
      id: _own,
      createdAt: _first,
      [COMMIT]: _before,
      ...rest
    } = publish(asVersion(draft))
    return toNewDocument(rest, SAME)
  } catch (error) {
    if (error instanceof CmsError) return null
    throw error
  }
}

function stepOf(before: VersionDocument, changes: Document, commit: string): Step {
  const last = (before[COMMIT] ?? '') as string
  return {
    // A commit that is later than this one shows itself to `notePut`.
    after: { ...before, ...asRead(changes), [COMMIT]: last > commit ? last : commit },
    statement: {
      q: { _id: before._id, [REVISION]: (before[REVISION] as unknown) ?? null },
      u: toUpdate(changes, commit),
    },
  }
}

/** Values as the driver would read them once they are stored. */
function asRead(values: Document): Document {
  return BSON.deserialize(BSON.serialize(values, { ignoreUndefined: false }), { useBigInt64: true })
}

/** @throws Error where another write came between */
async function writeAll(
  database: Database,
  plan: ContentTypePlan,
  steps: readonly Step[],
  session: Session,
): Promise<void> {
  if (steps.length === 0) return
  assertSmall(steps.map(({ after }) => after))
  const updates = steps.map(({ statement }) => statement)
  const { maxTimeMS } = optionsOf(database)
  const command = { update: plan.collectionName, updates, ordered: true, maxTimeMS }
  const reply = await database.commandIn(session, command)
  const [fault] = (reply['writeErrors'] ?? []) as readonly Document[]
  if (fault !== undefined) throw new MongoServerError(fault)
  if (reply['n'] !== updates.length) throw new Error('a version has changed since it was read')
}

function publishedId({ documentId, locale }: Patch): string {
  return versionId(documentId, { locale, status: 'published' })
}
