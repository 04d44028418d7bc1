import { BSON, type Document, MongoServerError } from 'mongodb'
import { CmsError } from '../../base/errors.ts'
import type { Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Authorship } from '../connection/authorship.ts'
import { optionsOf } from '../connection/commands.ts'
import { beginNextCommit, commitIdOf } from '../connection/commit-record.ts'
import type { Database, Session } from '../connection/database.ts'
import { STATE_SAME } from '../versions/stored-state.ts'
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

/** A change of one version, optionally followed by its publication. */
export interface Patch {
  readonly documentId: string
  readonly locale: string
  readonly status: Status
  readonly changes: Data
  /** Derives the published version from the changed draft. @throws CmsError */
  readonly publish: ((draft: StoredVersion) => StoredVersion) | null
  readonly authorship: Authorship
}

interface Step {
  readonly after: VersionDocument
  readonly statement: Document
}

/**
 * Changes distinct documents in one transaction with four commands: read the versions, write them,
 * write the log rows, commit. A version is only written if its revision has not changed since the
 * read.
 * Returns one version per patch. Null means that the version is missing or cannot be published,
 * that another transaction of this process writes it, or that the database rejected the
 * transaction.
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

/** Null if a version is missing, held by a release, or cannot be published. */
function stepsOf(
  patch: Patch,
  stored: ReadonlyMap<string, VersionDocument>,
  commit: string,
): readonly Step[] | null {
  const written = stored.get(versionId(patch.documentId, patch))
  if (written === undefined || isHeld(written[LOCK])) return null
  const state = patch.publish === null ? undefined : STATE_SAME
  const first = stepOf(written, toChanges(patch.changes, state), commit)
  if (patch.publish === null) return [first]
  const published = stored.get(publishedId(patch))
  const copy = published && copyOf(first.after, patch.publish)
  if (published === undefined || copy === null || copy === undefined) return null
  return [first, stepOf(published, copy, commit)]
}

/**
 * Like `putVersion`, keeps `id` and `createdAt`. It also keeps the lock, because a release may have
 * acquired it.
 */
function copyOf(draft: VersionDocument, publish: NonNullable<Patch['publish']>): Document | null {
  try {
    const {
      _id,
      id: _own,
      createdAt: _first,
      [COMMIT]: _before,
      ...rest
    } = publish(asVersion(draft))
    return toNewDocument(rest, STATE_SAME)
  } catch (error) {
    if (error instanceof CmsError) return null
    throw error
  }
}

function stepOf(before: VersionDocument, changes: Document, commit: string): Step {
  const last = (before[COMMIT] ?? '') as string
  return {
    // `notePut` throws if the stored commit is later than this one.
    after: { ...before, ...asRead(changes), [COMMIT]: last > commit ? last : commit },
    statement: {
      q: { _id: before._id, [REVISION]: (before[REVISION] as unknown) ?? null },
      u: toUpdate(changes, commit),
    },
  }
}

/** Converts values to the form that the driver reads back. */
function asRead(values: Document): Document {
  return BSON.deserialize(BSON.serialize(values, { ignoreUndefined: false }), { useBigInt64: true })
}

/** @throws Error if a version was changed by another write */
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
