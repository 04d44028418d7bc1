import { contentPath, type Entry } from '../../api/entries.ts'
import { ApiError, type Answer, request } from '../../api/request.ts'
import type { EntryDoor, ReadEntry, SaveAnswer } from '../../entry/door.ts'
import type { Data } from '../../entry/declaration.ts'
import { findEntry, type FormPlan } from './load-form.ts'

export interface OpenDoor extends EntryDoor {
  readonly documentId: () => string | null
}

/** Reads and writes one entry over HTTP; the first write makes it, where it is new. */
export function openDoor(
  plan: FormPlan,
  first: string | null,
  onCreated: (documentId: string) => void,
): OpenDoor {
  let documentId = first
  const save = async (data: Data, etag: string | null, attempt: string): Promise<Answer<Entry>> => {
    const { type, query } = plan
    const body = { data }
    if (documentId === null) {
      return request<Entry>('POST', contentPath(type.uid), { query, body, idempotencyKey: attempt })
    }
    const path = contentPath(type.uid, documentId)
    return request<Entry>('PUT', path, { query, body, ...(etag !== null && { ifMatch: etag }) })
  }
  return {
    documentId: () => documentId,
    save: async (data, etag, attempt) => {
      try {
        const answer = await save(data, etag, attempt)
        if (documentId === null) {
          documentId = answer.data.documentId
          onCreated(documentId)
        }
        return { kind: 'saved', entry: answer.data, etag: answer.etag }
      } catch (error) {
        return answerOf(error)
      }
    },
    read: async (): Promise<ReadEntry | null> => {
      if (documentId === null) return null
      try {
        return await findEntry(plan, documentId)
      } catch {
        return null // it is tried again
      }
    },
  }
}

/** What a refusal means for what was typed. */
function answerOf(error: unknown): SaveAnswer {
  if (!(error instanceof ApiError)) throw error
  const { status, faults, message } = error
  if (status === 412) return { kind: 'stale' }
  if (status === 404) return { kind: 'gone' }
  if (status === 0 || status === 409 || status === 429 || status >= 500)
    return { kind: 'unreachable' }
  return { kind: 'refused', faults, message }
}
