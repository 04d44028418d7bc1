import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { getOverwritten } from '../../mongo/read/get-versions.ts'
import { isDocumentId } from '../../mongo/versions/document-id.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { permitsUpdate } from '../rules/permits-update.ts'
import { hasReadRules, singleReadVerb, visibleVersions } from '../rules/visible-documents.ts'
import type { Writer, WriteRequest } from '../write-target.ts'
import type { IsShown } from '../write-rules.ts'

/** An editor with the type that is translated. */
export interface Translator {
  readonly plan: ContentTypePlan
  /** The plan without private attributes. */
  readonly publicPlan: ContentTypePlan
  readonly writer: Writer
  readonly origin: WriteRequest['origin']
  /** Whether rules show the attribute. */
  readonly isShown: IsShown
  /** Whether a rule allows the attribute in an update. */
  readonly isGivable: IsShown
  /** Reads drafts of the locale. */
  mayRead(locale: string): boolean
  mayWrite(locale: string): boolean
}

export interface TranslatedEntry {
  readonly documentId: string
  readonly from: string
  readonly to: string
}

export interface StoredTranslation {
  readonly source: StoredVersion
  readonly target: StoredVersion | null
  /** Whether rules hide the translation or refuse its update. */
  readonly isRefused: boolean
}

/** The drafts, or else the published versions. Null if the caller sees no source. */
export async function readTranslated(
  context: DocumentContext,
  { plan, writer: { rules, locale } }: Translator,
  { documentId, from, to }: TranslatedEntry,
): Promise<StoredTranslation | null> {
  if (!isDocumentId(documentId)) return null
  const read = (code: string): Promise<StoredVersion | null> =>
    getOverwritten(context.database, { plan, documentId, locale: code })
  const [source, target] = await Promise.all([read(from), read(to)])
  const verb = singleReadVerb(plan)
  const visible = hasReadRules(rules, plan, verb)
    ? await visibleVersions(context, rules, { plan, documentIds: [documentId], locale, verb })
    : null
  const isSeen = (version: StoredVersion): boolean => visible?.has(version) ?? true
  if (source === null || !isSeen(source)) return null
  const isHidden = target !== null && !isSeen(target)
  const asked = { plan, documentId, locale: to, defaultLocale: locale }
  const isPermitted = rules === undefined || (await permitsUpdate(context, rules, asked))
  return { source, target: isHidden ? null : target, isRefused: isHidden || !isPermitted }
}
