import { type CmsError, MalformedBodyError } from '../../base/errors.ts'

/** Logged with a 400. It never contains values of the request. */
export interface BadRequestReason {
  readonly code: string
  /** Absent for a malformed body, because the parser quotes the body in its message. */
  readonly reason?: string
  readonly paths?: readonly string[]
}

const MAX_REASON = 300
const MAX_PATH = 200
const MAX_PATHS = 5

/** Error messages quote the invalid values. */
const QUOTED = /"(?:[^"\\]|\\.)*"?|`[^`]*`?/g
/** The value after these words may span several lines and contain quotes. */
const FINAL_VALUE = /(?:but the final value was|cast from the value|expected [^,]{1,60}? got) .*/s
const OWN_QUOTES: ReadonlySet<string> = new Set(['"data"'])

export function badRequestReason(error: CmsError): BadRequestReason {
  const code = error.errorCode
  if (error instanceof MalformedBodyError) return { code }
  const paths = pathsOf(error).map((path) => path.slice(0, MAX_PATH))
  return { code, reason: withoutValues(error.message), ...(paths.length > 0 && { paths }) }
}

function withoutValues(message: string): string {
  return message
    .replace(FINAL_VALUE, (found) => `${found.slice(0, found.indexOf(' '))} …`)
    .replace(QUOTED, (quoted) => (OWN_QUOTES.has(quoted) ? quoted : '"…"'))
    .replace(/\s+/g, ' ')
    .slice(0, MAX_REASON)
}

function pathsOf({ details }: CmsError): readonly string[] {
  const { errors, path } = details ?? {}
  if (typeof path === 'string') return [path]
  if (!Array.isArray(errors)) return []
  return (errors as readonly { readonly path?: unknown }[])
    .slice(0, MAX_PATHS)
    .flatMap(({ path: parts }) => (Array.isArray(parts) ? [parts.join('.')] : []))
}
