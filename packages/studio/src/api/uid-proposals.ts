import { contentPath } from './entries.ts'
import { request } from './request.ts'

export interface UidProposal {
  readonly value: string
  readonly free: boolean
  /** The value, or the first numbered one that is free. */
  readonly proposal: string
}

/** The entry that gets the uid; `documentId` is null before its creation. */
export interface UidOwner {
  readonly uid: string
  readonly field: string
  readonly documentId: string | null
  readonly locale: string | null
}

/** Asks whether a uid is free, or for one made of `data`. @throws ApiError */
export async function askForUid(
  { uid, field, documentId, locale }: UidOwner,
  about: { readonly value: string } | { readonly data: Readonly<Record<string, unknown>> },
  signal?: AbortSignal,
): Promise<UidProposal> {
  const entry = { ...(documentId !== null && { documentId }), ...(locale !== null && { locale }) }
  const body = { field, ...about, ...entry }
  const path = contentPath(uid, 'uid-proposals')
  return (await request<UidProposal>('POST', path, { body, signal })).data
}
