import { request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Environment } from '../../base/config/config.ts'

export interface Probe {
  readonly url: string
  readonly deadlineMs: number
  readonly env: Environment
  readonly lookup?: LookupFunction
}

export type ProbeResult = { readonly bytes: number | null } | { readonly unavailable: string }

/** Sends a HEAD request. With a configured proxy, uses only the proxy. */
export async function probeDownload(probe: Probe): Promise<ProbeResult> {
  const url = new URL(probe.url)
  const signal = AbortSignal.timeout(probe.deadlineMs)
  try {
    return await new Promise<ProbeResult>((resolve, reject) => {
      const request = ask(url, probe, signal)
      request.on('response', (response) => {
        response.destroy()
        resolve(judge(url, response))
      })
      request.on('connect', (response: IncomingMessage) => {
        response.destroy()
        resolve(judge(url, response))
      })
      request.on('error', reject)
      request.on('close', () => {
        reject(new Error('it hung up')) // Node reports no error after a response with 101
      })
      request.end()
    })
  } catch (error) {
    const why = signal.aborted
      ? `did not answer within ${probe.deadlineMs / 1000} s`
      : `cannot be reached (${(error as NodeJS.ErrnoException).code ?? String(error)})`
    return { unavailable: `${url.host} ${why}` }
  }
}

function ask(url: URL, { env, lookup }: Probe, signal: AbortSignal): ClientRequest {
  const proxy = proxyOf(env)
  const common = { signal, agent: false as const, ...(lookup && { lookup }) }
  const send = (proxy ?? url).protocol === 'https:' ? httpsRequest : httpRequest
  if (proxy === null) return send(url, { ...common, method: 'HEAD' })
  const path = `${url.hostname}:${url.port || '443'}`
  return send(proxy, { ...common, method: 'CONNECT', path })
}

function proxyOf(env: Environment): URL | null {
  const given = env['https_proxy'] ?? env['HTTPS_PROXY'] ?? env['http_proxy'] ?? env['HTTP_PROXY']
  return given !== undefined && URL.canParse(given) ? new URL(given) : null
}

function judge(url: URL, response: IncomingMessage): ProbeResult {
  const status = response.statusCode ?? 0
  if (status >= 400) {
    return { unavailable: `${url.host} has no mongod for this system (it answered ${status})` }
  }
  const bytes = Number(response.headers['content-length'])
  return { bytes: status === 200 && bytes > 0 ? bytes : null }
}
