import { isRecord } from '../../base/is-record.ts'
import type { Proposal, ProposedEntry } from '../../mongo/search/search-source.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

const MAX_ID_LENGTH = 255

/** Takes the first hits up to the limit. @throws Error for another shape */
export function checkProposal(given: unknown, limit: number): Proposal {
  if (!isRecord(given)) throw new Error('find must return an object')
  const { hits, isCapped = false } = given
  if (!Array.isArray(hits)) throw new Error('hits: must be a list')
  if (typeof isCapped !== 'boolean') throw new Error('isCapped: must be true or false')
  const entries = Array.from(hits.slice(0, limit), checkHit) // holes are checked, too
  return { entries, isCapped: isCapped || hits.length > limit }
}

function checkHit(hit: unknown, at: number): ProposedEntry {
  if (!isRecord(hit)) throw new Error(`hits[${at}]: must be an object`)
  const { documentId, locale, score } = hit
  if (!isName(documentId)) throw new Error(`hits[${at}].documentId: must be a text`)
  if (locale !== null && !isName(locale)) {
    throw new Error(`hits[${at}].locale: must be a locale or null`)
  }
  if (typeof score !== 'number' || !Number.isFinite(score)) {
    throw new Error(`hits[${at}].score: must be a finite number`)
  }
  return { documentId, locale: locale ?? NO_LOCALE, score }
}

function isName(given: unknown): given is string {
  return typeof given === 'string' && given.length > 0 && given.length <= MAX_ID_LENGTH
}
