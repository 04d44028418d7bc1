import { contentPath } from './entries.ts'
import { download, request, type SentError } from './request.ts'

export type TranslationFormat = 'xliff' | 'json'

export type UnitStatus =
  | 'new'
  | 'changed'
  | 'source_changed'
  | 'target_changed'
  | 'same'
  | 'source_removed'
  | 'target_removed'
  | 'untranslated'
  | 'tags'
  | 'not_allowed'

export interface ComparedUnit {
  readonly id: string
  /** Null for a text that the source no longer has. */
  readonly path: readonly string[] | null
  readonly source: string
  readonly current: string | null
  /** With tags, if it is a text of blocks. */
  readonly text: string
  readonly status: UnitStatus
}

export interface ComparedEntry {
  readonly documentId: string
  readonly from: string
  readonly to: string
  readonly status: 'ready' | 'missing' | 'not_allowed'
  readonly title: string
  readonly revisions: { readonly source: string; readonly target: string | null } | null
  readonly units: readonly ComparedUnit[]
}

export interface ImportResult {
  readonly documentId: string
  readonly locale: string
  readonly status: number
  readonly error?: SentError
}

/** The limit of the server. */
export const MAX_EXPORTED = 100

export interface ExportedTexts {
  readonly documentIds: readonly string[]
  readonly from: string
  readonly to: string
  readonly format: TranslationFormat
}

export function exportTexts(uid: string, sent: ExportedTexts): Promise<void> {
  return download(contentPath(uid, 'translations', 'export'), sent)
}

export async function compareFile(uid: string, file: File): Promise<readonly ComparedEntry[]> {
  const path = contentPath(uid, 'translations', 'compare')
  return (await request<readonly ComparedEntry[]>('POST', path, { body: file })).data
}

export interface AskedTranslation {
  readonly documentId: string
  readonly from: string
  readonly to: string
  /** Whether texts that have a translation are translated again. */
  readonly existing: boolean
}

export async function suggestTranslation(
  uid: string,
  asked: AskedTranslation,
  signal: AbortSignal,
): Promise<ComparedEntry> {
  const path = contentPath(uid, 'translations', 'suggest')
  return (await request<ComparedEntry>('POST', path, { body: asked, signal })).data
}

/** One entry per request, so that the texts of many entries stay below the limit of a body. */
export async function importEntry(
  uid: string,
  { documentId, from, to, revisions, units }: ComparedEntry,
  taken: ReadonlySet<string>,
): Promise<ImportResult> {
  const entry = {
    documentId,
    from,
    to,
    revisions,
    units: units.filter(({ id }) => taken.has(id)).map(({ id, text }) => ({ id, text })),
  }
  const { data } = await request<readonly ImportResult[]>(
    'POST',
    contentPath(uid, 'translations', 'import'),
    { body: { entries: [entry] } },
  )
  const [result] = data
  if (result === undefined) throw new Error('The server has returned no result')
  return result
}

const IMPORTED: ReadonlySet<UnitStatus> = new Set([
  'new',
  'changed',
  'source_changed',
  'target_changed',
])

export function isImportable({ status }: ComparedUnit): boolean {
  return IMPORTED.has(status)
}

/** Selected at first: texts that need no decision. */
export function isCertain({ status }: ComparedUnit): boolean {
  return status === 'new' || status === 'changed'
}

/** Without the tags of blocks, for display. */
export function shownText({ id, text }: Pick<ComparedUnit, 'id' | 'text'>): string {
  if (!id.includes('/#')) return text
  return text
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
