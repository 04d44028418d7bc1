import { isRefusal } from '../base/is-refusal.ts'
import type { Folders } from '../media/folders.ts'
import type { ArchiveIndex } from './archive-index.ts'
import type { ArchiveEntity } from './scan-archive.ts'

export interface FoldersImport {
  readonly folders: Pick<Folders, 'add'>
  readonly index: Pick<ArchiveIndex, 'linked'>
  readonly leaveBehind: (sentence: string) => void
}

export const FOLDER = 'plugin::upload.folder'

export async function importFolders(
  { folders, index, leaveBehind }: FoldersImport,
  rows: readonly ArchiveEntity[],
): Promise<ReadonlyMap<number, string>> {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const parentOf = ({ id }: ArchiveEntity): ArchiveEntity | undefined =>
    byId.get(index.linked(FOLDER, id, 'parent')[0]?.ref ?? 0)
  const depthOf = (row: ArchiveEntity): number => {
    const seen = new Set<ArchiveEntity>()
    let at: ArchiveEntity | undefined = row
    while (at !== undefined && !seen.has(at)) {
      seen.add(at)
      at = parentOf(at)
    }
    return seen.size
  }
  const given = rows
    .map((row) => ({ row, depth: depthOf(row) }))
    .sort((one, other) => one.depth - other.depth)
    .map(({ row }) => {
      const parent = parentOf(row)
      return {
        id: idOf(row),
        name: folderName(row),
        parent: parent === undefined ? null : idOf(parent),
      }
    })
  try {
    const ids = await folders.add(given)
    return new Map(rows.map((row) => [row.id, ids.get(idOf(row)) ?? idOf(row)]))
  } catch (error) {
    if (!isRefusal(error)) throw error
    leaveBehind(`folders of files: ${rows.length}: ${error.message}`)
    return new Map()
  }
}

function idOf({ data }: ArchiveEntity): string {
  return String(data['documentId'])
}

/** Some folder names of the reference are invalid here. */
function folderName({ data }: ArchiveEntity): string {
  const name = String(data['name']).replace(/[\p{Cc}/\\]/gu, '_')
  return name.trim().slice(0, 100).trim() || '_'
}
