import { queryOptions } from '@tanstack/react-query'
import { ApiError, request } from './request.ts'

export type Json = Readonly<Record<string, unknown>>

/** A file that declares a content-type or a component, as it stands. */
export interface DeclaredFile {
  readonly uid: string
  readonly kind: 'contentType' | 'component'
  readonly content: Json | null
}

export interface DeclaredFiles {
  readonly revision: string
  /** What the server was started with. */
  readonly running: string | null
  readonly files: readonly DeclaredFile[]
}

/** By uid; null removes one. */
export type DeclarationChanges = Readonly<Record<string, Json | null>>

const PATH = '/admin/declarations'

/** What others write into the files is seen when the settings are opened again. */
export const declarationFilesQuery = queryOptions({
  queryKey: ['declarations'],
  queryFn: async ({ signal }) => (await request<DeclaredFiles>('GET', PATH, { signal })).data,
  staleTime: 0,
})

/** @throws ApiError with what a start of the server would say; 412 where the files have changed since */
export async function saveDeclarations(
  declarations: DeclarationChanges,
  revision: string,
): Promise<DeclaredFiles> {
  const sent = { body: { declarations }, ifMatch: `"${revision}"` }
  return (await request<DeclaredFiles>('PUT', PATH, sent)).data
}

const ASK_AGAIN_MS = 500
const GIVE_UP_MS = 60_000

/** Resolves once the server has started again with this revision; false where it has not within a minute. */
export async function untilRunning(revision: string): Promise<boolean> {
  const end = Date.now() + GIVE_UP_MS
  while (Date.now() < end) {
    if ((await runningRevision()) === revision) return true
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
  }
  return false
}

/** Null while there is no answer: it has ended, and the next one has not begun. */
async function runningRevision(): Promise<string | null> {
  try {
    return (await request<DeclaredFiles>('GET', PATH)).data.running
  } catch (error) {
    if (error instanceof ApiError && (error.status === 0 || error.status >= 500)) return null
    throw error
  }
}
