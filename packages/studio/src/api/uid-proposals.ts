import { contentPath } from './entries.ts'
import { request } from './request.ts'

export interface UidProposal {
  readonly value: string
  readonly free: boolean
  /** The requested value, or the first free value with a number. */
  readonly proposal: string
}

export interface UidOwner {
  readonly uid: string
  readonly field: string
  readonly documentId: string | null
  readonly locale: string | null
}

/** Checks whether a uid is available, or generates one from `data`. @throws ApiError */
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
