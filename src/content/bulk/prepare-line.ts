import { CmsError } from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { hooksOf } from '../hooks/document-hooks.ts'
import { assertSeenVersion, PreviousChanged, type SeenVersions } from '../hooks/seen-versions.ts'
import { restoreLinks } from '../payload/restore-links.ts'
import { assertSeenDeletion, hookDeletion } from '../write/delete-document.ts'
import { type BatchView, documentPayload, readView } from './batch-view.ts'
import type { DryRunResults } from './dry-run-results.ts'
import type { BulkLine, BulkWriter, UpsertLine } from './bulk-line.ts'
import {
  assertMayAsk,
  assertMayUpsert,
  type Located,
  locateDocument,
  targetOf,
} from './decide-line.ts'

export interface PreparedLine<Line extends BulkLine = BulkLine> {
  readonly line: Line
  /** Null without hooks, and after an earlier line of the same transaction wrote the document. */
  readonly seen: SeenByHooks | null
}

interface SeenByHooks {
  readonly documentId: string
  readonly version?: StoredVersion | null
  readonly locales?: SeenVersions | undefined
}

export interface PrepareOptions {
  readonly trial?: DryRunResults | undefined
  readonly dryRun?: boolean
  readonly written?: ReadonlySet<string>
}

/** Runs outside of the transaction. @throws ForbiddenError, and the errors of hooks (`hookData`) */
export async function prepareLine(
  context: DocumentContext,
  line: BulkLine,
  writer: BulkWriter,
  options: PrepareOptions = {},
): Promise<PreparedLine> {
  if (hooksOf(context, line.plan) === null) return { line, seen: null }
  assertMayAsk(writer, line)
  const view = await readView(context, [line], writer, { trial: options.trial })
  const located = locateDocument(context, view, line)
  if (line.op === 'upsert') {
    assertMayUpsert(writer, line, located)
    return hookUpsert(context, { ...line, data: payloadOf(line, view, writer) }, located, {
      ...options,
      writer,
    })
  }
  const { plan, locales } = line
  const { documentId } = located
  const { dryRun = false } = options
  const seen = await hookDeletion(context, {
    plan,
    documentId,
    locales,
    origin: writer.origin,
    dryRun,
  })
  const isWritten = options.written?.has(writtenDocument(plan, documentId)) === true
  return { line, seen: isWritten ? null : { documentId, locales: seen } }
}

/** An earlier line of the request may create the target of a key. */
function payloadOf(line: UpsertLine, view: BatchView, writer: BulkWriter): Data {
  try {
    return documentPayload(line, view, writer)
  } catch (error) {
    if (error instanceof CmsError) return line.data
    throw error
  }
}

export async function hookUpsert(
  context: DocumentContext,
  line: UpsertLine,
  { documentId, versions }: Located,
  { writer, dryRun = false, written }: PrepareOptions & { readonly writer: BulkWriter },
): Promise<PreparedLine<UpsertLine>> {
  const { plan, version: key } = line
  const hooks = hooksOf(context, plan)
  if (hooks === null) return { line, seen: null }
  const isWritten = written?.has(writtenDocument(plan, documentId)) === true
  const replaced = replacedVersion(line, versions)
  const isNew = versions.length === 0
  const operation = isNew || replaced === null ? ('create' as const) : ('update' as const)
  const previous = isWritten ? null : replaced
  const { origin } = writer
  const write = { plan, documentId, key, operation, origin, previous, dryRun }
  const target = targetOf(line, documentId, writer)
  const given = isNew ? line.data : await restoreLinks(context, target, line.data)
  const data = await hooks.hookData(write, given, { fill: isNew })
  return { line: { ...line, data }, seen: isWritten ? null : { documentId, version: previous } }
}

export function writtenDocument({ uid }: ContentTypePlan, documentId: string): string {
  return `${uid} ${documentId}`
}

function replacedVersion(
  { plan, version: { locale } }: UpsertLine,
  versions: readonly StoredVersion[],
): StoredVersion | null {
  const inLocale = versions.filter((version) => version.locale === locale)
  const draft = inLocale.find(({ status }) => status === 'draft')
  return (plan.draftAndPublish ? draft : undefined) ?? inLocale[0] ?? null
}

/** Runs before the transaction has written anything. @throws PreviousChanged */
export async function assertSeenBefore(
  context: DocumentContext,
  prepared: PreparedLine,
  writer: BulkWriter,
  session: Session,
): Promise<void> {
  if (prepared.seen === null) return
  const view = await readView(context, [prepared.line], writer, { session })
  await assertLineSeen(context, prepared, locateDocument(context, view, prepared.line), session)
}

/** Runs in the transaction of the line. @throws PreviousChanged */
export async function assertLineSeen(
  context: DocumentContext,
  { line, seen }: PreparedLine,
  { documentId, versions }: Located,
  session: Session,
): Promise<void> {
  if (seen === null) return
  if (seen.documentId !== documentId) throw new PreviousChanged()
  if (line.op === 'upsert') {
    assertSeenVersion(seen.version, replacedVersion(line, versions))
  } else {
    const { plan, locales } = line
    await assertSeenDeletion(context, { plan, documentId, locales, seen: seen.locales }, session)
  }
}
