import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { EntryQuery, Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { showVersion } from '../read/find-documents.ts'
import { isVersionVisible } from '../rules/visible-documents.ts'
import type { WriteVerb } from '../write-rules.ts'
import type { Writer } from '../write-target.ts'
import { readsUnderRules } from '../rules/permit-write.ts'

export interface WrittenQuery {
  readonly plan: ContentTypePlan
  readonly verb: WriteVerb
  readonly status: Status
  readonly shown: EntryQuery
}

export interface WrittenEntry {
  readonly entry: Data
  /** Null if the caller cannot read the entry. */
  readonly revision: string | null
}

export function readsWrittenUnderRules(
  { rules }: Pick<Writer, 'rules'>,
  write: Pick<WrittenQuery, 'plan' | 'verb'>,
): boolean {
  return rules !== undefined && readsUnderRules(rules, write)
}

/** Shows a version as a read of its entry would. Of an entry that the caller cannot read, only the documentId. */
export async function showWrittenVersion(
  context: DocumentContext,
  { rules, locale }: Writer,
  version: StoredVersion,
  { plan, verb, status, shown }: WrittenQuery,
): Promise<WrittenEntry> {
  const { database } = context
  if (rules === undefined || !readsUnderRules(rules, { plan, verb })) {
    return showVersion(database, version, status, shown)
  }
  if (!(await isVersionVisible(context, rules, { plan, version, locale }))) {
    return { entry: { documentId: version.documentId }, revision: null }
  }
  return showVersion(database, version, status, shown)
}

export async function showWrittenVersions(
  context: DocumentContext,
  writer: Writer,
  versions: readonly StoredVersion[],
  written: WrittenQuery,
): Promise<readonly Data[]> {
  const shown = versions.map((version) => showWrittenVersion(context, writer, version, written))
  return (await Promise.all(shown)).map(({ entry }) => entry)
}
