import { ApplicationError } from '../base/errors.ts'
import type { Data } from '../schema/definition.ts'
import type { ArchiveIndex } from './archive-index.ts'
import { layoutIn } from './import-layouts.ts'
import {
  type ArchiveEntry,
  type ArchiveFile,
  jsonLines,
  jsonOf,
  readArchive,
} from './read-archive.ts'

export interface ArchiveEntity {
  readonly type: string
  readonly id: number
  readonly data: Data
}

export type ArchivePart = 'content' | 'files' | 'config' | 'rows'

export interface ArchiveSummary {
  readonly version: string | null
  readonly fingerprint: string
  readonly defaultLocale: string | null
  readonly hasLayouts: boolean
  readonly settings: ReadonlyMap<string, readonly ArchiveEntity[]>
  readonly rows: number
  readonly parts: readonly ArchivePart[]
}

const SETTINGS: ReadonlySet<string> = new Set([
  'plugin::i18n.locale',
  'plugin::users-permissions.role',
  'plugin::users-permissions.permission',
  'plugin::upload.folder',
])

const PAUSE_INTERVAL = 2_000

export async function scanArchive(file: ArchiveFile, index: ArchiveIndex): Promise<ArchiveSummary> {
  const settings = new Map<string, ArchiveEntity[]>()
  const parts = new Set<ArchivePart>()
  let [rows, defaultLocale, metadata]: [number, string | null, Data] = [0, null, {}]
  let hasLayouts = false
  const addRow = (line: Data): void => {
    const entity = entityOf(line)
    addEntity(index, entity)
    rows += 1
    if (!SETTINGS.has(entity.type)) return
    const some = settings.get(entity.type) ?? []
    some.push(entity)
    settings.set(entity.type, some)
  }
  const readers: Readonly<Record<string, (entry: ArchiveEntry) => Promise<unknown>>> = {
    entities: (entry) => eachLine(entry, index, addRow),
    links: (entry) => eachLine(entry, index, (link) => index.addLink(link)),
    configuration: (entry) =>
      eachLine(entry, index, (line) => {
        defaultLocale = localeIn(line) ?? defaultLocale
        hasLayouts ||= layoutIn(line)?.[0].startsWith('api::') === true
      }),
    'metadata.json': async (entry) => {
      metadata = await jsonOf(entry)
    },
  }
  for await (const entry of readArchive(file)) {
    const [folder = ''] = entry.path.split('/')
    const part = PARTS.get(folder)
    if (part !== undefined) parts.add(part)
    const read = readers[folder]
    if (read === undefined) entry.bytes.resume()
    else await read(entry)
  }
  const { version = null } = (metadata['strapi'] ?? {}) as { readonly version?: string }
  const fingerprint = `${String(metadata['createdAt'])} ${version ?? ''}`
  return { version, fingerprint, defaultLocale, hasLayouts, settings, rows, parts: [...parts] }
}

const PARTS: ReadonlyMap<string, ArchivePart> = new Map([
  ['entities', 'content'],
  ['assets', 'files'],
  ['configuration', 'config'],
  ['quire', 'rows'],
])

async function eachLine(
  entry: ArchiveEntry,
  index: ArchiveIndex,
  take: (line: Data) => void,
): Promise<void> {
  let lines = 0
  for await (const line of jsonLines(entry)) {
    take(line)
    lines += 1
    if (lines % PAUSE_INTERVAL === 0) await index.settled()
  }
  await index.settled()
}

const MAX_KEY = 1_000

function entityOf({ type, id, data }: Data): ArchiveEntity {
  const isRow =
    typeof type === 'string' &&
    typeof id === 'number' &&
    typeof data === 'object' &&
    data !== null &&
    `${type} ${String((data as Data)['documentId'])} ${String((data as Data)['locale'])}`.length <=
      MAX_KEY
  if (isRow) return { type, id, data: data as Data }
  throw new ApplicationError('entities: a row has no type, no id that is a number, or no data')
}

function addEntity(index: ArchiveIndex, { type, id, data }: ArchiveEntity): void {
  const { documentId, locale, publishedAt } = data
  index.addRow(type, id, {
    documentId: String(documentId),
    locale: typeof locale === 'string' ? locale : null,
    published: (publishedAt ?? null) !== null,
  })
}

function localeIn({ type, value }: Data): string | null {
  const setting = (value ?? {}) as Data
  if (type !== 'core-store' || setting['key'] !== 'plugin_i18n_default_locale') return null
  return typeof setting['value'] === 'string' ? setting['value'] : null
}
