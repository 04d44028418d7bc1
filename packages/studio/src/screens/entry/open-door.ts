import type { Data } from '../../entry/data.ts'
import type { OpenDoor } from '../../entry/entry-session.ts'
import type { FormPlan, FoundEntry } from '../../entry/form-plan.ts'
import { contentPath, type Entry } from '../../api/entries.ts'
import type { SavedFacts } from '../../api/saved-facts.ts'
import { ApiError, type Answer, request } from '../../api/request.ts'
import type { ReadEntry, SaveAnswer } from '../../entry/door.ts'
import type { ConflictAuthor } from '../../entry/merge.ts'
import { findAuthor, findEntry } from './load-form.ts'

export interface Opened {
  readonly documentId: string | null
  readonly found: FoundEntry | null
}

/** The response to a creation has no facts. */
type SavedAnswer = Answer<Entry, Partial<SavedFacts>>

/** Reads and writes one entry over HTTP. The first write creates a new entry. */
export function openDoor(
  plan: FormPlan,
  { documentId: first, found: firstFound }: Opened,
  onCreated: (documentId: string) => void,
): OpenDoor {
  let documentId = first
  let writtenAt = firstFound?.entry.updatedAt ?? null
  let facts: SavedFacts | null = null
  const publication = trackPublication()
  const save = async (data: Data, etag: string | null, attempt: string): Promise<SavedAnswer> => {
    const sent = { query: plan.query, body: { data } }
    const path = contentPath(plan.type.uid, ...(documentId === null ? [] : [documentId]))
    if (documentId === null) {
      return request('POST', path, { ...sent, idempotencyKey: attempt })
    }
    return request('PUT', path, { ...sent, ...(etag !== null && { ifMatch: etag }) })
  }
  return {
    documentId: () => documentId,
    writtenAt: () => writtenAt,
    savedFacts: () => facts,
    ...publication,
    save: async (data, etag, attempt) => {
      try {
        const answer = await save(data, etag, attempt)
        if (documentId === null) {
          documentId = answer.data.documentId
          onCreated(documentId)
        }
        writtenAt = answer.data.updatedAt
        facts = factsIn(answer)
        if (!plan.type.draftAndPublish) publication.notePublished()
        return { kind: 'saved', entry: answer.data, etag: answer.etag }
      } catch (error) {
        return answerOf(error)
      }
    },
    read: async (): Promise<ReadEntry | 'gone' | null> => {
      if (documentId === null) return null
      try {
        const found = await findEntry(plan, documentId)
        writtenAt = found?.entry.updatedAt ?? null
        return found ?? 'gone'
      } catch {
        return null // the caller retries
      }
    },
    readAuthor: () => readAuthor(plan, documentId, writtenAt),
  }
}

async function readAuthor(
  plan: FormPlan,
  documentId: string | null,
  writtenAt: string | null,
): Promise<ConflictAuthor | null> {
  if (documentId === null || writtenAt === null) return null
  return findAuthor(plan, documentId, writtenAt).catch(() => null)
}

function factsIn({ meta: { locales, history } }: SavedAnswer): SavedFacts | null {
  return locales === undefined || history === undefined ? null : { locales, history }
}

function trackPublication(): Pick<OpenDoor, 'wasPublished' | 'notePublished'> {
  let wasPublished = false
  return {
    wasPublished: () => wasPublished,
    notePublished: () => void (wasPublished = true),
  }
}

function answerOf(error: unknown): SaveAnswer {
  if (!(error instanceof ApiError)) throw error
  const { status, faults, message } = error
  if (status === 412) return { kind: 'stale' }
  if (status === 404) return { kind: 'gone' }
  if (status === 0 || status === 409 || status === 429 || status >= 500)
    return { kind: 'unreachable' }
  return { kind: 'refused', faults, message }
}
