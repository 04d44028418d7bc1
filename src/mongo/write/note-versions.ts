import type { Document } from 'mongodb'
import type { Data } from '../../schema/definition.ts'
import {
  type AttributePlan,
  type ContentTypePlan,
  isNesting,
  type ShapePlan,
} from '../../schema/plan.ts'
import { isPasswordHash } from '../../schema/values/stored-password.ts'
import {
  assertLater,
  CommitBehind,
  commitIdOf,
  type NotedItem,
  noteItems,
} from '../connection/commit-record.ts'
import type { Database, Session } from '../connection/database.ts'
import { isLinkIndex } from '../versions/link-index.ts'
import { COMMIT, LOCK, REVISION, revisionOf, STATE_FIELD } from '../versions/version-fields.ts'
import { storedComponentOf } from '../versions/row-names.ts'
import { asRow, type VersionRow, versionsOf } from '../versions/stored-version.ts'
import { versionId } from '../versions/version-match.ts'
import { carriedMembers, carriedProjection, type StatesBefore } from './carried-members.ts'

export function itemOf(
  plan: ContentTypePlan,
  version: VersionRow,
  { isNew }: { readonly isNew: boolean },
): NotedItem {
  return {
    ...nameOf(plan, version),
    op: 'put',
    revision: revisionOf(version),
    ...(isNew && { isNew: true as const }),
    ...stateAfter(plan, version, isNew),
    ...contentOf(plan, version),
  }
}

/** Adds written versions to the commit log. @throws CommitBehind */
export function notePut(
  plan: ContentTypePlan,
  versions: readonly VersionRow[],
  session: Session,
  { isNew = false, before = null }: PutNotes = {},
): void {
  for (const version of versions) assertLater(session, version[COMMIT])
  noteItems(
    session,
    versions.map((version) => ({
      ...itemOf(plan, version, { isNew }),
      ...stateBefore(before, version),
    })),
  )
}

interface PutNotes {
  readonly isNew?: boolean
  /** From `carryBefore`. */
  readonly before?: StatesBefore | null
}

function stateAfter(
  plan: ContentTypePlan,
  version: VersionRow,
  isNew: boolean,
): Pick<NotedItem, 'was' | 'is'> {
  const is = carriedMembers(plan, version)
  return is === null ? {} : { is, ...(isNew && { was: null }) }
}

function stateBefore(
  before: StatesBefore | null,
  { documentId, locale, status }: VersionRow,
): Pick<NotedItem, 'was'> {
  if (before === null) return {}
  return { was: before.get(versionId(documentId, { locale, status })) ?? null }
}

/** Logs the last content. @throws CommitBehind, also if `count` differs from the number of read versions */
export function noteRemoved(
  plan: ContentTypePlan,
  versions: readonly VersionRow[],
  count: number,
  session: Session,
  before: StatesBefore | null = null,
): void {
  if (count !== versions.length) throw new CommitBehind(commitIdOf(session))
  for (const version of versions) assertLater(session, version[COMMIT])
  noteItems(
    session,
    versions.map((version) => ({
      ...nameOf(plan, version),
      op: 'delete' as const,
      revision: null,
      ...stateBefore(before, version),
      ...contentOf(plan, version),
    })),
  )
}

/** Versions changed by one command, which share the new revision. */
interface Changed {
  /** A selective filter for these versions. */
  readonly which: Document
  readonly revision: string
  readonly count: number
  readonly before: StatesBefore | null
}

export async function noteChanged(
  database: Database,
  plan: ContentTypePlan,
  { which, revision, count, before }: Changed,
  session: Session,
): Promise<void> {
  if (count === 0) return
  const found = await versionsOf(database, plan)
    .find(
      { ...which, [REVISION]: revision },
      {
        session,
        projection: plan.history
          ? {}
          : { ...NAMES, ...carriedProjection(plan), [REVISION]: 1, updatedAt: 1 },
      },
    )
    .toArray()
  if (found.length !== count) throw new CommitBehind(commitIdOf(session))
  notePut(plan, found.map(asRow), session, { before })
}

const NAMES = { _id: 0, documentId: 1, locale: 1, status: 1, [COMMIT]: 1 } as const

/** The members to read before a version is deleted. */
export function removalProjection(plan: ContentTypePlan): Document {
  return plan.history ? {} : NAMES
}

function nameOf(
  { uid, adopted }: ContentTypePlan,
  { documentId, locale, status }: VersionRow,
): Pick<NotedItem, 'type' | 'documentId' | 'locale' | 'status' | 'isAdopted'> {
  const isAdopted = adopted !== undefined && { isAdopted: true as const }
  return { type: uid, documentId, locale, status, ...isAdopted }
}

/** The content for the history, with stored names and without password hashes. Those are never shown again. */
function contentOf(plan: ContentTypePlan, version: VersionRow): Pick<NotedItem, 'content'> {
  if (!plan.history) return {}
  const content = Object.entries(version).filter(
    ([name]) => !UNKEPT.has(name) && !isLinkIndex(name),
  )
  return { content: withoutPasswords(plan, content) }
}

const UNKEPT: ReadonlySet<string> = new Set(['_id', COMMIT, LOCK, REVISION, STATE_FIELD])

function withoutPasswords(
  { stored }: ShapePlan,
  members: readonly (readonly [string, unknown])[],
): Document {
  const kept: (readonly [string, unknown])[] = []
  for (const [name, value] of members) {
    const attribute = stored.get(name)
    if (attribute === undefined) {
      if (!isPasswordHash(value)) kept.push([name, value])
    } else if (attribute.kind !== 'scalar') {
      kept.push([name, keptValue(attribute, value)])
    } else if (attribute.type !== 'password') {
      kept.push([name, value])
    }
  }
  return Object.fromEntries(kept)
}

function keptValue(attribute: AttributePlan, value: unknown): unknown {
  if (!isNesting(attribute) || value === null || value === undefined) return value
  const one = (element: Data): Data => {
    const component = storedComponentOf(attribute, element)
    return component === undefined ? element : withoutPasswords(component, Object.entries(element))
  }
  return Array.isArray(value) ? (value as readonly Data[]).map(one) : one(value as Data)
}
