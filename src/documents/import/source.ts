import { ApplicationError } from '../../errors.ts'
import type { Data } from '../../schema/definition.ts'

const TIMEOUT_MS = 30_000

/** A running server of the same dialect, of which content is read. */
export interface Source {
  /** What a path below `/api` answers; null when it is not there or may not be read. */
  read(path: string, query?: Data): Promise<unknown>
  /** The bytes of a file, by the `url` of its record. */
  download(url: string): Promise<Buffer>
}

/**
 * The server at `url`. Its token goes to it alone: files may lie elsewhere, and are asked for without.
 * @throws ApplicationError for an address that is none
 */
export function openSource(url: string, token: string | null): Source {
  const base = addressOf(url)
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  return {
    read: async (path, query = {}) => {
      const target = new URL(`api/${path}`, base)
      target.search = bracketed(query).join('&')
      const response = await ask(target, authorization)
      if (response.status === 403 || response.status === 404) return null
      assertAnswered(target, response)
      return response.json()
    },
    download: async (address) => {
      const target = new URL(address, base)
      const response = await ask(target, target.origin === base.origin ? authorization : {})
      assertAnswered(target, response)
      return Buffer.from(await response.arrayBuffer())
    },
  }
}

function addressOf(url: string): URL {
  const base = URL.canParse(url) ? new URL(url.endsWith('/') ? url : `${url}/`) : null
  if (base !== null && /^https?:$/.test(base.protocol)) return base
  throw new ApplicationError(`${url} is no address of a server, such as https://cms.example.com`)
}

async function ask(target: URL, headers: Readonly<Record<string, string>>): Promise<Response> {
  try {
    return await fetch(target, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ApplicationError(`${target.origin} does not answer: ${reason}`, {}, { cause: error })
  }
}

function assertAnswered({ pathname }: URL, response: Response): void {
  if (response.ok) return
  const hint = response.status === 401 ? '; is the token one of its own?' : ''
  throw new ApplicationError(`the source answers ${response.status} to ${pathname}${hint}`)
}

/** `{ a: { b: 1 } }` as `a[b]=1`. */
function bracketed(value: Data, prefix = ''): readonly string[] {
  return Object.entries(value).flatMap(([key, one]) => {
    const name = prefix === '' ? key : `${prefix}[${key}]`
    return typeof one === 'object' && one !== null
      ? bracketed(one as Data, name)
      : [`${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`]
  })
}
