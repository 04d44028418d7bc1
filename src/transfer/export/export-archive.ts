import type { DocumentContext } from '../../content/context.ts'
import type { OriginalFile } from '../../media/crop-area.ts'
import type { FileRecord } from '../../media/file-records.ts'
import type { MediaStorage, StoredFile } from '../../media/storage/storage.ts'
import { plainName, possibleNames } from '../../media/stored-names.ts'
import type { Access } from '../../people/access/access.ts'
import type { LocaleList } from '../../content/locales/locales.ts'
import { toText } from '../../mongo/read/dump-versions.ts'
import { dumpSettings } from '../../mongo/system/settings-rows.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { DeclarationFile } from '../../schema/definition.ts'
import { typeNamed } from '../../schema/named-type.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { COMMENTS, dumpComments } from '../comment-lines.ts'
import { ORIGINALS } from '../import-assets.ts'
import { openLines } from './entity-lines.ts'
import { openSpool, type Spool } from './spool.ts'
import { type ArchiveTarget, type ArchiveWriter, writeArchive } from './write-archive.ts'

export interface ArchiveExport {
  readonly target: ArchiveTarget
  readonly documents: DocumentContext
  readonly schema: Schema
  readonly declarations: readonly DeclarationFile[]
  readonly locales: LocaleList
  readonly access: Pick<Access, 'roles'>
  readonly storage: MediaStorage
  readonly spoolFolder: string
  readonly onProgress?: (done: number, total: number) => void
}

export interface ExportReport {
  readonly types: Readonly<Record<string, number>>
  readonly files: number
  readonly links: number
  readonly isConsistent: boolean
  readonly missing: readonly string[]
}

const FILE = 'plugin::upload.file'
const ROLE = 'plugin::users-permissions.role'
const PERMISSION = 'plugin::users-permissions.permission'
const LOCALE = 'plugin::i18n.locale'
const LAYOUT = '5.54.0'

/** Rows as stored, settings and checksums go to `quire/`, so that `importArchive` restores an identical database. */
export async function exportArchive(given: ArchiveExport): Promise<ExportReport> {
  const { documents, schema, target, spoolFolder, onProgress } = given
  const spool = await openSpool(documents, schema, {
    folder: spoolFolder,
    onRead: (count) => onProgress?.(count, count * 2),
  })
  try {
    const types: Record<string, number> = {}
    const missing: string[] = []
    let [files, links] = [0, 0]
    await writeArchive(target, async (archive) => {
      const plans = [...schema.contentTypes.values()].filter(({ adopted }) => adopted === undefined)
      await archive.lines('schemas/schemas_00001.jsonl', schemasOf(given))
      const settings = await settingsLines(given)
      const linkLines: Iterable<object>[] = [settings.links]
      const lines = openLines(spool)
      await archive.lines(
        'entities/entities_00001.jsonl',
        chained([settings.entities, ...plans.map((plan) => entities(plan, spool, lines, types))]),
      )
      files = await writeAssets(archive, given.storage, recordsOf(spool, plans), missing)
      const again = openLines(spool)
      linkLines.push(...plans.map((plan) => linksOf(plan, spool, again)))
      links = await archive.lines('links/links_00001.jsonl', chained(linkLines))
      await archive.lines('configuration/configuration_00001.jsonl', configurationOf(given.locales))
      await archive.lines('quire/rows_00001.jsonl', rowsOf(plans, spool, onProgress))
      await archive.lines('quire/settings_00001.jsonl', await dumpSettings(documents.database))
      const comments = await dumpComments(documents.database, schema, spool)
      await archive.lines(`${COMMENTS}00001.jsonl`, comments)
      await archive.text('quire/checksums.json', JSON.stringify(archive.checksums()))
      await archive.text('metadata.json', JSON.stringify(metadataOf(documents, spool)))
    })
    return { types, files, links, isConsistent: spool.isConsistent, missing }
  } finally {
    await spool.close()
  }
}

function metadataOf({ now }: DocumentContext, { isConsistent }: Spool): object {
  return { createdAt: now(), strapi: { version: LAYOUT }, quire: { format: 1, isConsistent } }
}

/** Content-types have the uids that their entries have. */
function schemasOf({ declarations, schema }: ArchiveExport): readonly object[] {
  return declarations.map(({ uid: declared, kind, content }) => {
    const uid = kind === 'contentType' ? (typeNamed(schema, declared)?.uid ?? declared) : declared
    const modelType = kind === 'contentType' ? 'contentType' : 'component'
    return { ...(content as object), modelType, modelName: uid.split('.').at(-1), uid }
  })
}

interface SettingsLines {
  readonly entities: readonly object[]
  readonly links: readonly object[]
}

async function settingsLines({ access, locales, schema }: ArchiveExport): Promise<SettingsLines> {
  const roles = await access.roles.list()
  const times = { locale: null }
  const localeRows = locales.all.map((locale) => {
    const { id, documentId, code, name, createdAt, updatedAt, publishedAt } = locale
    return {
      type: LOCALE,
      id,
      data: { documentId, code, name, createdAt, updatedAt, publishedAt, ...times },
    }
  })
  const granted = roles.flatMap((role) => role.permissions.map((action) => ({ role, action })))
  const permissions = granted.map(({ role, action }, index) => {
    const { createdAt, updatedAt, documentId } = role
    const data = { documentId, action, createdAt, updatedAt, publishedAt: createdAt, ...times }
    return { type: PERMISSION, id: index + 1, data }
  })
  const hasRoles = schema.contentTypes.has(ROLE)
  const links = granted.map(({ role }, index) => ({
    kind: 'relation.basic',
    relation: 'manyToOne',
    left: { type: PERMISSION, field: 'role', ref: index + 1 },
    right: { type: ROLE, field: 'permissions', ref: role.id, pos: index + 1 },
  }))
  return { entities: [...localeRows, ...permissions], links: hasRoles ? links : [] }
}

function* entities(
  plan: ContentTypePlan,
  spool: Spool,
  lines: ReturnType<typeof openLines>,
  types: Record<string, number>,
): Generator<object> {
  for (const version of spool.versions(plan)) {
    types[plan.uid] = (types[plan.uid] ?? 0) + 1
    yield lines.entity(plan, version)
  }
}

function* linksOf(
  plan: ContentTypePlan,
  spool: Spool,
  lines: ReturnType<typeof openLines>,
): Generator<object> {
  for (const version of spool.versions(plan)) {
    lines.entity(plan, version)
    yield* lines.links(plan, version)
  }
}

function* rowsOf(
  plans: readonly ContentTypePlan[],
  spool: Spool,
  onProgress: ArchiveExport['onProgress'],
): Generator<object> {
  let done = 0
  for (const plan of plans) {
    for (const { generation: _stored, ...version } of spool.versions(plan)) {
      done += 1
      if (done % 1_000 === 0) onProgress?.(spool.count + done, spool.count * 2)
      yield { type: plan.uid, row: toText(version) }
    }
  }
}

function* recordsOf(spool: Spool, plans: readonly ContentTypePlan[]): Generator<StoredVersion> {
  for (const plan of plans) if (plan.uid === FILE) yield* spool.versions(plan)
}

async function writeAssets(
  archive: ArchiveWriter,
  storage: MediaStorage,
  records: Iterable<StoredVersion>,
  missing: string[],
): Promise<number> {
  let files = 0
  for (const version of records) {
    const record = version as unknown as FileRecord
    for (const part of [record, ...Object.values(record.formats ?? {})]) {
      const name = plainName(part)
      const stored = await firstOf(storage, possibleNames(part, record.generation))
      if (stored === null) {
        missing.push(name)
        continue
      }
      const { hash, ext, mime, size, url } = part
      await archive.text(
        `assets/metadata/${name}.json`,
        JSON.stringify({ hash, ext, mime, size, url }),
      )
      await archive.bytes(`assets/uploads/${name}`, stored.size, stored.read())
      files += 1
    }
    if (record.original) await writeOriginal(archive, storage, record.original, missing)
  }
  return files
}

/** Outside of \`assets\`, because other servers would serve it. */
async function writeOriginal(
  archive: ArchiveWriter,
  storage: MediaStorage,
  original: OriginalFile,
  missing: string[],
): Promise<void> {
  const name = plainName(original)
  const stored = await storage.get(name)
  if (stored === null) missing.push(name)
  else await archive.bytes(`${ORIGINALS}${name}`, stored.size, stored.read())
}

async function firstOf(
  storage: MediaStorage,
  names: readonly string[],
): Promise<StoredFile | null> {
  for (const name of names) {
    const stored = await storage.get(name)
    if (stored !== null) return stored
  }
  return null
}

function configurationOf({ defaultCode }: LocaleList): readonly object[] {
  const key = 'plugin_i18n_default_locale'
  const value = { id: 1, key, value: defaultCode, type: 'string', environment: null, tag: null }
  return [{ type: 'core-store', value }]
}

function* chained(parts: readonly Iterable<object>[]): Generator<object> {
  for (const part of parts) yield* part
}
