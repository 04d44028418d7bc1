import { setTimeout as delay } from 'node:timers/promises'
import { sendRequest } from './send-request.ts'

export interface SetupOptions {
  readonly url: string
  readonly token: string
  readonly locales: readonly string[]
  readonly hookUrl: string
  /** Whether the webhook delivers the events of a document in order. */
  readonly isOrdered: boolean
}

export interface World {
  readonly tags: readonly string[]
}

const TAGS = ['red', 'green', 'blue']
const PAUSE_MS = 100

/** Creates locales, tags and a webhook, as soon as the server responds. */
export async function start(options: SetupOptions): Promise<World> {
  await untilReady(options)
  for (const code of options.locales) await post(options, '/admin/locales', { code })
  const tags: string[] = []
  for (const name of TAGS) {
    const { data } = await post(options, '/api/tags', { data: { name } })
    tags.push(data.documentId)
  }
  const name = options.isOrdered ? 'ordered' : 'plain'
  await post(options, '/admin/webhooks', {
    name,
    url: `${options.hookUrl}/${name}`,
    events: ['entry.create', 'entry.update', 'entry.delete', 'entry.publish', 'entry.unpublish'],
    types: ['api::thing.thing'],
    body: 'thin',
    ordered: options.isOrdered,
  })
  return { tags }
}

async function untilReady({ url }: SetupOptions): Promise<void> {
  for (;;) {
    const answer = await sendRequest({ method: 'GET', url: `${url}/_health` }).catch(() => null)
    if (answer !== null) return
    await delay(PAUSE_MS)
  }
}

async function post(
  { url, token }: SetupOptions,
  path: string,
  body: object,
): Promise<{ readonly data: { readonly documentId: string } }> {
  const answer = await sendRequest({
    method: 'POST',
    url: `${url}${path}`,
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return JSON.parse(answer.text) as { readonly data: { readonly documentId: string } }
}
