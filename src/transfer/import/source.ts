import { isUtf8 } from 'node:buffer'
import type { LookupFunction } from 'node:net'
import { ApplicationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'
import { fetchBounded } from './fetch-bounded.ts'

const MAX_PAGE_BYTES = 134_217_728

export interface Source {
  read(path: string, query?: Data): Promise<unknown>
  download(url: string): Promise<Buffer>
}

export interface SourceOptions {
  readonly token: string | null
  readonly filesFrom?: string | undefined
  readonly maxFileBytes: number
  readonly lookup?: LookupFunction
}

/** The token is sent to this origin only, even if files have other origins. */
export function openSource(url: string, options: SourceOptions): Source {
  const { token, filesFrom, maxFileBytes, lookup } = options
  const base = addressOf(url)
  const named = filesFrom === undefined ? [] : [addressOf(filesFrom).origin]
  const bounds = {
    credentials: token === null ? {} : { authorization: `Bearer ${token}` },
    credentialsOrigin: base.origin,
    trustedOrigins: new Set([base.origin, ...named]),
    lookup,
  }
  return {
    read: async (path, query = {}) => {
      const target = new URL(`api/${path}`, base)
      target.search = bracketed(query).join('&')
      const { status, bytes } = await fetchBounded(target, { ...bounds, maxBytes: MAX_PAGE_BYTES })
      if (status === 403 || status === 404) return null
      assertAnswered(target, status)
      return parsed(target, bytes)
    },
    download: async (address) => {
      if (!URL.canParse(address, base.href)) throw new ApplicationError(`${address} is no address`)
      const target = new URL(address, base)
      const { status, bytes } = await fetchBounded(target, { ...bounds, maxBytes: maxFileBytes })
      assertAnswered(target, status)
      return bytes
    },
  }
}

function parsed({ origin, pathname }: URL, bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ApplicationError(`${origin} answers no UTF-8 to ${pathname}`)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new ApplicationError(`${origin} answers no JSON to ${pathname}`)
  }
}

function addressOf(url: string): URL {
  const base = URL.canParse(url) ? new URL(url.endsWith('/') ? url : `${url}/`) : null
  if (base !== null && /^https?:$/.test(base.protocol)) return base
  throw new ApplicationError(`${url} is not the URL of a server, such as https://cms.example.com`)
}

function assertAnswered({ pathname }: URL, status: number): void {
  if (status >= 200 && status < 300) return
  const hint = status === 401 ? '; is the token one of its own?' : ''
  throw new ApplicationError(`the source answers ${status} to ${pathname}${hint}`)
}

function bracketed(value: Data, prefix = ''): readonly string[] {
  return Object.entries(value).flatMap(([key, one]) => {
    const name = prefix === '' ? key : `${prefix}[${key}]`
    return typeof one === 'object' && one !== null
      ? bracketed(one as Data, name)
      : [`${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`]
  })
}
