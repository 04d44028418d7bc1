import type { Action } from './actions.ts'
import type { Grants } from './principal.ts'

const WRITING: ReadonlySet<string> = new Set(['create', 'update', 'delete', 'publish'])
const WRITING_FILES: ReadonlySet<string> = new Set(['upload', 'destroy'])

/** Whether grants permit any write of content or files, also under a rule. Cached, because every read calls it. */
export function contentWriters(actions: readonly Action[]): (grants: Grants) => boolean {
  const writing = actions.filter(isWriting)
  const known = new WeakMap<Grants, boolean>()
  return (grants) => {
    const before = known.get(grants)
    if (before !== undefined) return before
    const mayWrite = writing.some(
      ({ name }) => grants.has(name) || (grants.rules?.rulesFor(name).length ?? 0) > 0,
    )
    known.set(grants, mayWrite)
    return mayWrite
  }
}

export function isContentWrite(action: string): boolean {
  const dot = action.lastIndexOf('.')
  return isWriting({ subject: action.slice(0, dot), verb: action.slice(dot + 1) })
}

function isWriting({ subject, verb }: Pick<Action, 'subject' | 'verb'>): boolean {
  if (subject.startsWith('api::')) return WRITING.has(verb)
  return subject === 'plugin::upload.content-api' && WRITING_FILES.has(verb)
}
