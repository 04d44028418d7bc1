import { ApplicationError } from '../base/errors.ts'
import { isRecord } from '../base/is-record.ts'
import { compileSchema } from '../schema/compile.ts'
import type { Data, Uid } from '../schema/definition.ts'
import { type DeclaredFile, openDeclarations } from '../schema/editing/open-declarations.ts'
import { applyLayout, type Layout, type LayoutField } from './apply-layout.ts'
import { type ArchiveFile, jsonLines, readArchive } from './read-archive.ts'

export interface LayoutImport {
  readonly file: ArchiveFile
  readonly contentTypesDir: string
  readonly dryRun: boolean
}

export interface LayoutReport {
  /** The content-types and components whose files change. */
  readonly changed: readonly Uid[]
  readonly notTaken: readonly string[]
}

const KEY = /^plugin_content_manager_configuration_(?:content_types|components)::(.+)$/
const MAX_LAYOUTS = 2_000

/** Writes all files or none. @throws ApplicationError for an archive without layouts; ValidationError for a fault */
export async function importLayouts({
  file,
  contentTypesDir,
  dryRun,
}: LayoutImport): Promise<LayoutReport> {
  const layouts = await readLayouts(file)
  if (layouts.size === 0) throw new ApplicationError(`${file.path} has no layouts of forms`)
  const declarations = openDeclarations(contentTypesDir, (definitions) => {
    compileSchema(definitions)
  })
  const { revision, files } = await declarations.read()
  const { changes, notTaken } = applyAll(files, layouts)
  if (!dryRun) {
    await declarations.change(changes, (current) => current === revision).catch(asRefusal)
  }
  return { changed: [...changes.keys()], notTaken }
}

/** @throws ApplicationError if a file cannot be written; other errors unchanged */
function asRefusal(error: unknown): never {
  if (!(error instanceof Error && 'syscall' in error)) throw error
  throw new ApplicationError(`The content-types cannot be written: ${error.message}`)
}

function applyAll(
  files: readonly DeclaredFile[],
  layouts: ReadonlyMap<Uid, Layout>,
): { readonly changes: ReadonlyMap<Uid, object>; readonly notTaken: readonly string[] } {
  const changes = new Map<Uid, object>()
  const notTaken: string[] = []
  for (const [uid, layout] of layouts) {
    const declared = files.find((one) => one.uid === uid)
    if (declared === undefined || !isRecord(declared.content)) {
      if (!uid.includes('::') || uid.startsWith('api::'))
        notTaken.push(`${uid}: it is not declared here`)
      continue
    }
    const applied = applyLayout(declared.content, layout)
    notTaken.push(...applied.notTaken.map((reason) => `${uid}: ${reason}`))
    if (JSON.stringify(applied.content) !== JSON.stringify(declared.content)) {
      changes.set(uid, applied.content)
    }
  }
  return { changes, notTaken }
}

async function readLayouts(file: ArchiveFile): Promise<ReadonlyMap<Uid, Layout>> {
  const layouts = new Map<Uid, Layout>()
  for await (const entry of readArchive(file)) {
    if (!entry.path.startsWith('configuration/')) {
      entry.bytes.resume()
      continue
    }
    for await (const line of jsonLines(entry)) {
      const [uid, layout] = layoutIn(line) ?? []
      if (uid === undefined || layout === undefined) continue
      if (layouts.size >= MAX_LAYOUTS)
        throw new ApplicationError(`${file.path}: more than ${MAX_LAYOUTS} layouts`)
      layouts.set(uid, layoutOf(layout))
    }
  }
  return layouts
}

/** Returns null for other settings of the archive. */
export function layoutIn({ value }: Data): readonly [Uid, Data] | null {
  const { key, value: layout } = isRecord(value) ? value : {}
  const uid = KEY.exec(String(key).slice(0, MAX_KEY))?.[1]
  return uid === undefined || !isRecord(layout) ? null : [uid, layout]
}

const MAX_KEY = 500

function layoutOf({ layouts, metadatas }: Data): Layout {
  const { edit } = isRecord(layouts) ? layouts : {}
  const rows = (Array.isArray(edit) ? edit : []).filter(Array.isArray)
  const fields = Object.entries(isRecord(metadatas) ? metadatas : {}).map(
    ([name, metadata]): [string, Data] => {
      const form = isRecord(metadata) ? metadata['edit'] : null
      return [name, isRecord(form) ? form : {}]
    },
  )
  return { rows: rows.map((row) => row.filter(isField)), fields: new Map(fields) }
}

function isField(field: unknown): field is LayoutField {
  return isRecord(field) && typeof field['name'] === 'string' && typeof field['size'] === 'number'
}
