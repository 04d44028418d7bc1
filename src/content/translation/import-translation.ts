import {
  fault,
  ForbiddenError,
  NotFoundError,
  PreconditionFailedError,
  validationError,
} from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { contentAction } from '../../people/access/actions.ts'
import type { Data } from '../../schema/definition.ts'
import type { DocumentContext } from '../context.ts'
import { copyPayload } from '../payload/copy-payload.ts'
import { withoutLost } from '../payload/existing-references.ts'
import { fillUids } from '../payload/fill-uids.ts'
import { findHiddenReferences } from '../payload/hidden-references.ts'
import { findUnits, parseUnitId } from './find-units.ts'
import {
  readTranslated,
  type StoredTranslation,
  type TranslatedEntry,
  type Translator,
} from './read-translated.ts'
import { translatePayload } from './translate-payload.ts'
import { writeTranslation } from './write-translation.ts'

export interface ImportedTranslation extends TranslatedEntry {
  /** As in the preview. */
  readonly revisions: { readonly source: string; readonly target: string | null }
  readonly units: readonly { readonly id: string; readonly text: string }[]
}

export interface StoredImport {
  readonly isCreated: boolean
  readonly version: StoredVersion
}

/**
 * Stores the texts in the draft of the translation, as an update by the caller. Begins the translation if there is none.
 * @throws PreconditionFailedError if the source or the translation has changed since the preview; NotFoundError; ForbiddenError;
 * ValidationError for an unknown text
 */
export async function importTranslation(
  context: DocumentContext,
  translator: Translator,
  entry: ImportedTranslation,
): Promise<StoredImport> {
  const { publicPlan } = translator
  const { units } = entry
  const stored = await readAllowed(context, translator, entry)
  const { source, target } = stored
  assertSeen(entry, stored)
  const parsed = units.map((unit) => ({ ...unit, ...parseUnitId(unit.id) }))
  const named = new Map(parsed.flatMap((one) => one.named))
  const known = new Map(findUnits(publicPlan, stored, named).map((unit) => [unit.key, unit]))
  const faults = parsed.flatMap(({ key, text }, index) => {
    const found = known.get(key)
    const isFine =
      found !== undefined &&
      translator.isShown(found.attribute) &&
      translator.isGivable(found.attribute) &&
      found.placement !== 'gone' &&
      found.accepts(text)
    const message = `units.${index} is no text of the entry that can be translated`
    return isFine ? [] : [fault(['units', String(index)], message, text, { code: 'any.unknown' })]
  })
  const [first, ...others] = faults
  if (first !== undefined) throw validationError([first, ...others])
  const texts = new Map(parsed.map(({ key, text }) => [key, text]))
  const copy = await copyFor(context, translator, source)
  const translated = translatePayload(publicPlan, stored, { texts, named, copy })
  const data = target === null ? await withUids(context, translator, entry, translated) : translated
  const given = new Set(parsed.flatMap(({ key }) => known.get(key)?.attribute ?? []))
  const version = await writeTranslation(context, translator, { entry, stored, data, given })
  return { isCreated: target === null, version }
}

async function readAllowed(
  context: DocumentContext,
  translator: Translator,
  entry: ImportedTranslation,
): Promise<StoredTranslation> {
  const { from, to } = entry
  const stored = translator.mayRead(from) ? await readTranslated(context, translator, entry) : null
  if (stored === null) throw new NotFoundError('Not Found')
  const isAllowed = translator.mayRead(to) && translator.mayWrite(to)
  if (isAllowed && !stored.isRefused) return stored
  throw new ForbiddenError('Forbidden', {}, { action: contentAction(translator.plan, 'update') })
}

/** @throws PreconditionFailedError */
function assertSeen(
  { revisions }: ImportedTranslation,
  { source, target }: StoredTranslation,
): void {
  const current = target === null ? null : revisionOf(target)
  if (revisions.source === revisionOf(source) && revisions.target === current) return
  const changed = revisions.target === current ? 'source' : 'translation'
  throw new PreconditionFailedError(`The ${changed} has changed since the preview`, current)
}

/** A new translation gets uids of its own. */
async function withUids(
  { database }: DocumentContext,
  { plan, isGivable }: Translator,
  { to: locale }: TranslatedEntry,
  data: Data,
): Promise<Data> {
  const filled = await fillUids(database, { plan, locale }, data, { which: 'all' })
  const isOwn = (name: string): boolean =>
    Object.hasOwn(data, name) || (isGivable(name) && plan.attributes.get(name)?.localized === true)
  const entries = Object.entries(isRecord(filled) ? filled : {})
  return Object.fromEntries(entries.filter(([name]) => isOwn(name)))
}

/** Values of the source that a new translation, or a new component of it, begins with. */
async function copyFor(
  context: DocumentContext,
  { plan, writer, isShown, isGivable }: Translator,
  source: StoredVersion,
): Promise<Data> {
  const copied = copyPayload(plan, source, {
    mayRead: (uid) => writer.mayRead(uid),
    isShown: (name) => isShown(name) && isGivable(name),
  })
  const hidden = await findHiddenReferences(context, { plan, writer }, copied.data)
  const { data } = await withoutLost(context, plan, copied.data, { hidden })
  return data
}
