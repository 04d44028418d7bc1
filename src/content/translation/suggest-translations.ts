import { callInTime } from '../../base/call-in-time.ts'
import { fault, ServiceUnavailableError, validationError } from '../../base/errors.ts'
import { mapConcurrently } from '../../base/map-concurrently.ts'
import type { ExtensionHost } from '../../extensions/extension-host.ts'
import type { TranslateProvider } from '../../extensions/translate-provider.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { findUnits, type TranslationUnit } from './find-units.ts'
import { readTranslated, type TranslatedEntry, type Translator } from './read-translated.ts'
import type { FileEntry } from './translation-file.ts'

/** A service that translates texts, of an extension. */
export interface TranslationService {
  /** For editors. */
  readonly name: string
  /** @throws ServiceUnavailableError if the service fails, is late, or gives anything but a list of texts */
  translate(asked: AskedTexts, caller: SuggestionCaller): Promise<readonly (string | null)[]>
}

export interface SuggestionCaller {
  readonly requestId: string | null
  /** Aborts when the client disconnects. */
  readonly leaving: AbortSignal
}

interface AskedTexts extends Pick<TranslatedEntry, 'from' | 'to'> {
  readonly plan: ContentTypePlan
  readonly units: readonly TranslationUnit[]
}

export interface OpenedTranslation {
  readonly extension: string
  readonly provider: TranslateProvider
  readonly host: Pick<ExtensionHost, 'report' | 'translateTimes'>
}

export interface AskedSuggestion extends TranslatedEntry {
  /** Whether texts that have a translation are translated again. */
  readonly existing: boolean
  readonly caller: SuggestionCaller
}

const CALL_MS = 30_000
const ALL_MS = 120_000
const MAX_CALLS = 4
const MAX_TEXTS = 50
const MAX_CHARACTERS = 20_000
/** Of one request, because the service may cost money by the character. */
export const MAX_SUGGESTED_TEXTS = 1_000
export const MAX_SUGGESTED_CHARACTERS = 200_000
/** As in an import. */
const MAX_TRANSLATION = 1_000_000

/** Requests at a time, because each one waits for the service. */
const MAX_WAITING = 8

/** Errors are logged with the name of the extension, and responses have neither. */
export function openTranslation({
  extension,
  provider,
  host,
}: OpenedTranslation): TranslationService {
  let waiting = 0
  return {
    name: provider.name,
    translate: async ({ plan, units, from, to }, { requestId, leaving }) => {
      if (waiting >= MAX_WAITING) {
        const code = 'overloaded'
        throw new ServiceUnavailableError('Too many translations at a time', {}, { code })
      }
      waiting++
      const end = performance.now() + (host.translateTimes.allMs ?? ALL_MS)
      try {
        const given = await mapConcurrently(chunksOf(units), MAX_CALLS, async (chunk) => {
          const texts = chunk.map(({ format, source, path, maxLength }) => {
            return { format, text: source, path, maxLength }
          })
          const request = { contentType: plan.declaredUid, from, to, texts }
          const left = Math.max(0, end - performance.now())
          const answer = await callInTime(
            (signal) => provider.translate({ ...request, signal }),
            Math.min(host.translateTimes.callMs ?? CALL_MS, left),
            leaving,
          )
          return checkTranslations(answer, chunk.length)
        })
        return given.flat()
      } catch (error) {
        leaving.throwIfAborted()
        host.report({ extension, call: 'providers.translate translate', requestId, error })
        const code = 'translation_failed'
        throw new ServiceUnavailableError('The texts could not be translated', {}, { code })
      } finally {
        waiting--
      }
    },
  }
}

/**
 * The texts of an entry, as in a file, translated by the service. The entry has no texts if the caller may not translate it.
 * @throws ServiceUnavailableError; ValidationError for more texts than a request translates
 */
export async function suggestTranslations(
  context: DocumentContext,
  translator: Translator,
  service: TranslationService,
  { existing, caller, ...entry }: AskedSuggestion,
): Promise<FileEntry> {
  const { plan, publicPlan, isShown, isGivable } = translator
  const { from, to } = entry
  const file = { ...entry, uid: plan.uid, revision: null }
  const isAllowed = translator.mayRead(from) && translator.mayRead(to) && translator.mayWrite(to)
  const stored = isAllowed ? await readTranslated(context, translator, entry) : null
  if (stored === null || stored.isRefused) return { ...file, units: [] }
  const units = findUnits(publicPlan, stored, null).filter(
    ({ attribute, current }) =>
      isShown(attribute) && isGivable(attribute) && (existing || current === null),
  )
  assertFew(units, entry.documentId)
  const translations = await service.translate({ plan, units, from, to }, caller)
  return {
    ...file,
    units: units.map(({ id, source }, index) => {
      const target = translations[index] ?? ''
      return { id, source, target: target === '' ? null : target }
    }),
  }
}

function assertFew(units: readonly TranslationUnit[], documentId: string): void {
  const characters = units.reduce((sum, { source }) => sum + source.length, 0)
  if (units.length <= MAX_SUGGESTED_TEXTS && characters <= MAX_SUGGESTED_CHARACTERS) return
  const message = `The entry has more than ${MAX_SUGGESTED_TEXTS} texts or ${MAX_SUGGESTED_CHARACTERS} characters to translate`
  throw validationError([fault(['documentId'], message, documentId, { code: 'any.invalid' })])
}

function chunksOf(units: readonly TranslationUnit[]): readonly (readonly TranslationUnit[])[] {
  const chunks: TranslationUnit[][] = []
  let characters = 0
  for (const unit of units) {
    const last = chunks.at(-1)
    characters += unit.source.length
    if (last !== undefined && last.length < MAX_TEXTS && characters <= MAX_CHARACTERS) {
      last.push(unit)
    } else {
      chunks.push([unit])
      characters = unit.source.length
    }
  }
  return chunks
}

/** @throws Error for anything but a list of as many texts */
function checkTranslations(given: unknown, count: number): readonly (string | null)[] {
  if (!Array.isArray(given) || given.length !== count) {
    throw new Error(`the result must be a list of ${count} translations`)
  }
  return given.map((text: unknown, index) => {
    const isText = typeof text === 'string' && text.length <= MAX_TRANSLATION
    if (text !== null && !isText) {
      throw new Error(`translation ${index} must be null or a text of at most ${MAX_TRANSLATION}`)
    }
    return text
  })
}
