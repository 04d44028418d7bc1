import type { BulkRun, SentLine } from '../../content/bulk/run-lines.ts'
import { withFiles } from './block-files.ts'
import { expandDottedMembers } from './dotted-members.ts'
import type { FileReferences } from './file-references.ts'
import { mapLines } from './map-lines.ts'

export async function prepareLines(
  run: BulkRun,
  lines: readonly SentLine[],
  references: FileReferences,
): Promise<readonly SentLine[]> {
  const expanded = mapLines(lines, run.rules.types, { members: expandDottedMembers })
  return withFiles(run, await references.resolve(run, expanded))
}
