import type { Action } from './actions.ts'
import type { Grants } from './principal.ts'

const WRITING: ReadonlySet<string> = new Set(['create', 'update', 'delete', 'publish'])
const WRITING_FILES: ReadonlySet<string> = new Set(['upload', 'destroy'])

/** Whether grants permit any write of content or files. Cached, because every read calls it. */
export function contentWriters(actions: readonly Action[]): (grants: Grants) => boolean {
  const writing = actions.filter(isWriting)
  const known = new WeakMap<Grants, boolean>()
  return (grants) => {
    const before = known.get(grants)
    if (before !== undefined) return before
    const mayWrite = writing.some(({ name }) => grants.has(name))
    known.set(grants, mayWrite)
    return mayWrite
  }
}

function isWriting({ subject, verb }: Action): boolean {
  if (subject.startsWith('api::')) return WRITING.has(verb)
  return subject === 'plugin::upload.content-api' && WRITING_FILES.has(verb)
}
