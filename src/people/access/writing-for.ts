import type { Caller } from '../../base/caller.ts'
import { type Author, type WriteOrigin, writingAs } from '../../mongo/connection/authorship.ts'
import type { Principal } from './principal.ts'

export function writingFor<T>(
  principal: Principal,
  requestId: string,
  work: () => Promise<T>,
  caller: Caller | null = null,
): Promise<T> {
  const { authorship } = originOf(principal, requestId, caller)
  return writingAs(authorship, work, caller)
}

export function originOf(
  principal: Principal,
  requestId: string,
  caller: Caller | null,
): WriteOrigin {
  return { authorship: { by: authorOf(principal), requestId }, caller }
}

export function authorOf(principal: Principal): Author {
  switch (principal.kind) {
    case 'apiToken':
      return { kind: principal.kind, id: principal.id, name: principal.name }
    case 'user':
      return { kind: principal.kind, id: principal.documentId, name: null }
    case 'administrator':
      return { kind: principal.kind, id: principal.id, name: principal.name }
    case 'preview':
    case 'root':
    case 'anonymous':
      return { kind: principal.kind, id: null, name: null }
  }
}
