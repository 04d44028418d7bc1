import { describePattern } from './describe-pattern.ts'
import { english, type TextKey } from './english.ts'
import { labelOf } from './labels.ts'
import { textsOf, type Texts, type TextValues } from './texts.ts'

/**
 * A fault of the server: its path in the request, the code of the rule, and the parameters of the
 * rule.
 */
export interface CodedFault {
  readonly path: readonly (string | number)[]
  /** In English. */
  readonly message: string
  readonly code?: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** An error response; `code` is one of docs/errors.md. */
export interface Refusal {
  readonly message: string
  readonly code: string
  readonly faults: readonly CodedFault[]
}

/** The language of the user, for code outside of components. */
let spoken = textsOf('en', english)

export function speak(texts: Texts): void {
  spoken = texts
}

export function spokenTexts(): Texts {
  return spoken
}

/** The text of a fault at its field. Falls back to the server's message for unknown codes. */
export function sayFault({ code, params = {}, message }: CodedFault, texts: Texts): string {
  const key = `fault.${code}`
  if (!isKey(key)) return message
  const text = texts.t(key, wordsOf(params, texts))
  const { near } = params
  return typeof near === 'string' ? texts.t('fault.near', { text, near }) : text
}

/** The text of a refusal outside of a field. It names the attribute of each fault. */
export function sayRefusal({ message, code, faults }: Refusal, texts: Texts): string {
  const isSaid = faults.length > 0 && faults.every((fault) => isKey(`fault.${fault.code}`))
  if (isSaid) return faults.map((fault) => sayPlaced(fault, texts)).join('; ')
  // A newer server has faults that this Studio does not know. Its message is more exact.
  if (faults.length > 0) return message
  const key = `refused.${code}`
  return isKey(key) ? texts.t(key) : message
}

function sayPlaced(fault: CodedFault, texts: Texts): string {
  const text = sayFault(fault, texts)
  const names = fault.path.filter((key) => key !== 'data').map(labelOfStep)
  return names.length === 0 ? text : texts.t('fault.within', { name: names.join(' › '), text })
}

/** Positions count from 1. */
function labelOfStep(key: string | number): string {
  return /^\d+$/.test(String(key)) ? String(Number(key) + 1) : labelOf(String(key))
}

function wordsOf(params: Readonly<Record<string, unknown>>, texts: Texts): TextValues {
  const { limit, from, to, valids, allowed, pattern } = params
  const names = Object.entries(params).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return {
    ...Object.fromEntries(names),
    ...((typeof limit === 'number' || typeof limit === 'string') && {
      limit: texts.number(limit),
      count: Number(limit),
    }),
    ...(typeof from === 'number' && { from }),
    ...(typeof to === 'number' && { to }),
    ...(Array.isArray(valids) && { valids: anyOf(valids.map(String), texts) }),
    ...(Array.isArray(allowed) && { allowed: anyOf(allowed.map(kindOf(texts)), texts) }),
    ...(typeof pattern === 'string' && { form: describePattern(pattern, texts) }),
  }
}

function anyOf(words: readonly string[], { language }: Texts): string {
  return new Intl.ListFormat(language, { type: 'disjunction' }).format(words)
}

function kindOf({ t }: Texts): (kind: unknown) => string {
  return (kind) => {
    const key = `media.kind.${String(kind).replace(/s$/, '')}`
    return isKey(key) ? t(key) : String(kind)
  }
}

function isKey(key: string): key is TextKey {
  return Object.hasOwn(english, key)
}
