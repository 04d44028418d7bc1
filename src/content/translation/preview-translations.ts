import { revisionOf } from '../../mongo/versions/version-fields.ts'
import { titleFieldOf } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { findUnits, parseUnitId, type TranslationUnit } from './find-units.ts'
import { readTranslated, type StoredTranslation, type Translator } from './read-translated.ts'
import { plainTextOf } from './tagged-text.ts'
import { type FileEntry, type FileUnit, isTaggedUnit } from './translation-file.ts'
import { withoutControls } from './write-xliff.ts'

/** Statuses from `new` to `target_changed` can be imported. */
export const UNIT_STATUSES = [
  'new',
  'changed',
  'source_changed',
  'target_changed',
  'same',
  'source_removed',
  'target_removed',
  'untranslated',
  'tags',
  'not_allowed',
] as const

export type UnitStatus = (typeof UNIT_STATUSES)[number]

const IMPORTED: ReadonlySet<UnitStatus> = new Set([
  'new',
  'changed',
  'source_changed',
  'target_changed',
])

export function isImportable(status: UnitStatus): boolean {
  return IMPORTED.has(status)
}

export interface UnitPreview {
  readonly id: string
  /** Null for a text that the source no longer has. */
  readonly path: readonly string[] | null
  readonly source: string
  /** The translation at present, without tags. */
  readonly current: string | null
  /** The text of the file, with tags. */
  readonly text: string
  readonly status: UnitStatus
}

export interface EntryPreview extends Pick<FileEntry, 'documentId' | 'from' | 'to'> {
  readonly status: 'ready' | 'missing' | 'not_allowed'
  readonly title: string
  readonly revisions: { readonly source: string; readonly target: string | null } | null
  readonly units: readonly UnitPreview[]
}

/** Compares the texts of a file with the stored ones. Stores nothing. */
export async function previewTranslation(
  context: DocumentContext,
  translator: Translator,
  entry: FileEntry,
): Promise<EntryPreview> {
  const { documentId, from, to } = entry
  const addressed = { documentId, from, to }
  const refused = { ...addressed, title: '', revisions: null, units: [] }
  if (!translator.mayRead(from)) return { ...refused, status: 'missing' }
  const stored = await readTranslated(context, translator, entry)
  if (stored === null) return { ...refused, status: 'missing' }
  const isAllowed = translator.mayRead(to) && translator.mayWrite(to) && !stored.isRefused
  const title = titleOf(translator, stored)
  if (!isAllowed) return { ...refused, title, status: 'not_allowed' }
  const { source, target } = stored
  return {
    ...addressed,
    status: 'ready',
    title,
    revisions: {
      source: revisionOf(source),
      target: target === null ? null : revisionOf(target),
    },
    units: compareUnits(translator, stored, entry.units),
  }
}

function titleOf({ plan, isShown }: Translator, { source }: StoredTranslation): string {
  const name = titleFieldOf(plan)
  const title: unknown = source[name]
  return isShown(name) && typeof title === 'string' ? title : ''
}

function compareUnits(
  { publicPlan, isShown, isGivable }: Translator,
  stored: StoredTranslation,
  units: readonly FileUnit[],
): readonly UnitPreview[] {
  const parsed = units.map((unit) => ({ unit, ...parseUnitId(unit.id) }))
  const named = new Map(parsed.flatMap((one) => one.named))
  const known = new Map(
    findUnits(publicPlan, stored, named)
      .filter(({ attribute }) => isShown(attribute))
      .map((unit) => [unit.key, unit]),
  )
  return parsed.map(({ unit, key }): UnitPreview => {
    const { id, source, target } = unit
    const found = known.get(key)
    const text = target ?? ''
    if (found === undefined) {
      const status = target === null ? 'untranslated' : 'source_removed'
      return { id, path: null, source: shown(id, source), current: null, text, status }
    }
    const { path, current } = found
    const status = statusOf(unit, found, isGivable(found.attribute))
    return { id, path, source: shown(id, found.source), current, text, status }
  })
}

function shown(id: string, text: string): string {
  return isTaggedUnit(id) ? plainTextOf(text) : text
}

function statusOf(unit: FileUnit, found: TranslationUnit, isGivable: boolean): UnitStatus {
  const { target } = unit
  if (target === null) return 'untranslated'
  if (!isGivable) return 'not_allowed'
  if (unit.isTagged === true || !found.accepts(target)) return 'tags'
  if (found.placement === 'gone') return 'target_removed'
  return comparedStatus({ ...unit, target }, found)
}

function comparedStatus(
  { source, target }: { readonly source: string; readonly target: string },
  found: TranslationUnit,
): UnitStatus {
  if (found.target !== null && normalized(found.target) === normalized(target)) return 'same'
  if (normalized(source) !== normalized(found.source)) return 'source_changed'
  if (found.placement !== 'certain') return 'target_changed'
  return found.current === null ? 'new' : 'changed'
}

/** XML and tools change line ends, and XML contains no control characters. */
function normalized(text: string): string {
  return withoutControls(text.replace(/\r\n?/g, '\n'))
}
