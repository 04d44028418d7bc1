import { type Author, writingAs } from '../mongo/connection/authorship.ts'
import type { Principal } from './principal.ts'

/** Runs what a request asks for: whatever it changes, the commit log says who has asked, and in which request. */
export function writingFor<T>(
  principal: Principal,
  requestId: string,
  work: () => Promise<T>,
): Promise<T> {
  return writingAs({ by: authorOf(principal), requestId }, work)
}

function authorOf(principal: Principal): Author {
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
