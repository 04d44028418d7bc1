import { queryOptions } from '@tanstack/react-query'
import { ApiError, request } from './request.ts'

export type Json = Readonly<Record<string, unknown>>

export interface DeclaredFile {
  readonly uid: string
  readonly kind: 'contentType' | 'component'
  readonly content: Json | null
}

export interface DeclaredFiles {
  readonly revision: string
  readonly running: string | null
  readonly files: readonly DeclaredFile[]
}

export type DeclarationChanges = Readonly<Record<string, Json | null>>

const PATH = '/admin/declarations'

/** Never stale: changes by others appear when the settings are opened again. */
export const declarationFilesQuery = queryOptions({
  queryKey: ['declarations'],
  queryFn: async ({ signal }) => (await request<DeclaredFiles>('GET', PATH, { signal })).data,
  staleTime: 0,
})

/**
 * @throws ApiError with the faults that would stop the server at its start, or 412 if the files
 * have changed
 */
export async function saveDeclarations(
  declarations: DeclarationChanges,
  revision: string,
): Promise<DeclaredFiles> {
  const sent = { body: { declarations }, ifMatch: `"${revision}"` }
  return (await request<DeclaredFiles>('PUT', PATH, sent)).data
}

/** An attribute with a new type or other values, and its stored values. */
export interface PlannedConversion {
  readonly uid: string
  readonly name: string
  readonly from: string
  readonly to: string
  readonly values: number
  readonly rewritten: number
  /** Values that do not fit. */
  readonly lost: number
  /** `none` if such values stay stored, under the name `stored`. */
  readonly conversion: string
  readonly stored: string
}

export interface DeclarationPlan {
  readonly retyped: readonly PlannedConversion[]
}

/** The effects of a save. @throws like `saveDeclarations` */
export async function planDeclarations(
  declarations: DeclarationChanges,
  revision: string,
): Promise<DeclarationPlan> {
  const sent = { body: { declarations }, ifMatch: `"${revision}"` }
  return (await request<DeclarationPlan>('POST', `${PATH}/plan`, sent)).data
}

const POLL_INTERVAL_MS = 500
const RESTART_TIMEOUT_MS = 60_000

/** Resolves with true when the server runs with the revision, or with false after one minute. */
export async function untilRunning(revision: string): Promise<boolean> {
  const end = Date.now() + RESTART_TIMEOUT_MS
  while (Date.now() < end) {
    if ((await runningRevision()) === revision) return true
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS))
  }
  return false
}

/** Null while the server restarts. */
async function runningRevision(): Promise<string | null> {
  try {
    return (await request<DeclaredFiles>('GET', PATH)).data.running
  } catch (error) {
    if (error instanceof ApiError && (error.status === 0 || error.status >= 500)) return null
    throw error
  }
}
