import { ApplicationError, validationError } from '../../base/errors.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { takenFault, uniqueValues } from '../../mongo/write/unique-values.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { newVersions, prepareNew } from '../write/create-versions.ts'
import { refuseUnreviewed } from '../review/stage-of.ts'
import { checkUpdate, publishes } from '../write/update-versions.ts'
import { type BatchView, documentPayload, readView } from './batch-view.ts'
import type { DryRunResults } from './dry-run-results.ts'
import type { IdAllocator } from '../../mongo/system/id-allocator.ts'
import type { PreparedLine } from './prepare-line.ts'
import type { BulkWriter } from './bulk-line.ts'
import { assertMayUpsert, isUnchanged, locateDocument, targetOf } from './decide-line.ts'
import type { Done } from './write-lines.ts'

function assertFree(
  plan: ContentTypePlan,
  view: BatchView,
  [first]: readonly StoredVersion[],
): void {
  if (first?.status !== 'published') return
  const [fault, ...others] = uniqueValues(plan, first)
    .filter(
      ({ attribute, value }) => view.find(plan, { attribute, value }, first.locale) !== undefined,
    )
    .map(({ attribute, value }) => takenFault(attribute, value))
  if (fault !== undefined) throw validationError([fault, ...others], 'value_not_unique')
}

export function dryContext(context: DocumentContext): DocumentContext {
  return { ...context, ids: dryIds(), hashPassword: () => Promise.resolve('') }
}

function dryIds(): IdAllocator {
  let last = 0
  return {
    take: (_sequence, count) => Promise.resolve(Array.from({ length: count }, () => (last += 1))),
    raise: () => Promise.reject(new ApplicationError('A dry run raises no ids')),
    giveBack: () => undefined,
  }
}

/** Expects a line after its hooks (`prepareLine`). @throws CmsError */
export async function dryRunLine(
  context: DocumentContext,
  { line }: PreparedLine,
  writer: BulkWriter,
  trial: DryRunResults,
): Promise<Done> {
  const view = await readView(context, [line], writer, { trial })
  const located = locateDocument(context, view, line)
  const { documentId, versions } = located
  if (line.op === 'delete') {
    const result = versions.length > 0 ? 'deleted' : 'unchanged'
    return { result, documentId: versions.length > 0 ? documentId : null }
  }
  assertMayUpsert(writer, line, located)
  const inside = { ...context, targets: view.targets }
  const target = targetOf(line, documentId, writer)
  const data = documentPayload(line, view, writer)
  if (versions.length === 0) {
    const prepared = await prepareNew(inside, target, data)
    const made = await newVersions(inside, target, prepared)
    assertFree(line.plan, view, made)
    trial.note(line.plan, made)
    return { result: 'created', documentId }
  }
  // The result of a preceding line is only partly known, so the content cannot be compared.
  if (trial.documents(line.plan, documentId).length > 0) return { result: 'unchanged', documentId }
  const { prepared } = await checkUpdate(inside, target, data)
  const isSame = isUnchanged(target, prepared, versions)
  if (!isSame && publishes(target)) refuseUnreviewed(line.plan)
  return { result: isSame ? 'unchanged' : 'updated', documentId }
}
