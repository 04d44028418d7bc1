import { ROOT } from '../people/access/principal.ts'
import { NotFoundError } from '../base/errors.ts'
import { listDeliveries } from '../changes/webhooks/delivery-log.ts'
import {
  createWebhook,
  endRotation,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  rotateSecret,
  updateWebhook,
} from '../changes/webhooks/manage-webhooks.ts'
import { testWebhook } from '../changes/webhooks/test-webhook.ts'
import type { Webhook } from '../changes/webhooks/webhook.ts'
import {
  type Command,
  type OptionValues,
  textOption,
  UsageError,
  type WebhookParts,
  wordAt,
} from './command.ts'
import { formatTable, formatTime } from './table.ts'

const NO_OPERANDS = { min: 0, max: 0 }
const ONE = { min: 1, max: 1 }

const list: Command = {
  usage: 'webhook list',
  summary: 'list the webhooks, without their secrets',
  options: {},
  words: NO_OPERANDS,
  needs: 'database',
  run: async ({ webhooks }) => {
    const data = await listWebhooks(await webhooks())
    const rows = data.map((hook) => [
      hook.id,
      hook.name,
      hook.url,
      hook.events.join(' '),
      hook.types === null ? 'all' : hook.types.join(' '),
      stateOf(hook),
    ])
    return { data, text: formatTable(['ID', 'NAME', 'URL', 'EVENTS', 'TYPES', 'STATE'], rows) }
  },
}

function stateOf({ enabled, disabledBecause, missed }: Webhook): string {
  const lost = missed === null ? '' : `, missed ${missed.from} to ${missed.to}`
  return (enabled ? 'on' : `off (${disabledBecause ?? ''})`) + lost
}

const create: Command = {
  usage:
    'webhook create <name> <url> --event <event>... [--type <uid>]... [--locale <code>]... [--header <"name: value">]... [--thin] [--ordered]',
  summary: 'create a webhook for future changes and print its secret once',
  options: {
    event: { type: 'string', multiple: true },
    type: { type: 'string', multiple: true },
    locale: { type: 'string', multiple: true },
    header: { type: 'string', multiple: true },
    thin: { type: 'boolean' },
    ordered: { type: 'boolean' },
  },
  words: { min: 2, max: 2 },
  needs: 'database',
  run: async ({ webhooks }, words, options) => {
    const data = await createWebhook(await webhooks(), ROOT, {
      name: wordAt(words, 0),
      url: wordAt(words, 1),
      events: options['event'] ?? [],
      types: options['type'] ?? null,
      locales: options['locale'] ?? null,
      body: options['thin'] === true ? 'thin' : 'strapi',
      ordered: options['ordered'] === true,
      headers: headersOf((options['header'] ?? []) as readonly string[]),
    })
    return { data, text: `Created ${data.name}. Its secret is shown only now:\n${data.secret}` }
  },
}

/** Lines of HTTP, as `curl -H` takes them. The value stays out of the message, because it may be a secret. */
function headersOf(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line, index) => {
      const colon = line.indexOf(':')
      if (colon < 1) throw new UsageError(`--header ${index + 1}: expected "name: value"`)
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    }),
  )
}

const remove = ofOne('remove', 'remove a webhook and its pending deliveries', async (parts, id) => {
  const data = await removeWebhook(parts, ROOT, id)
  return { data, text: `Removed ${data.name}.` }
})

const enable = ofOne('enable', 'resume a webhook where it stopped', async (parts, id) => {
  const data = await updateWebhook(parts, ROOT, id, { enabled: true })
  return { data, text: `${data.name} continues after commit ${data.cursor}.` }
})

const disable = ofOne('disable', 'pause a webhook until it is enabled', async (parts, id) => {
  const data = await updateWebhook(parts, ROOT, id, { enabled: false })
  return { data, text: `${data.name} is paused.` }
})

const rotate = ofOne(
  'rotate',
  'sign with another secret too, and print it, once',
  async (parts, id) => {
    const data = await rotateSecret(parts, ROOT, id)
    return { data, text: `${data.name} signs with two secrets now. The new one:\n${data.secret}` }
  },
)

const rotated = ofOne('rotated', 'sign with the newest secret only', async (parts, id) => {
  const data = await endRotation(parts, ROOT, id)
  return { data, text: `${data.name} signs with one secret now.` }
})

const tryOut = ofOne(
  'test',
  'send an event without content, and print the result',
  async (parts, id) => {
    const data = await testWebhook(parts, id)
    const answer = data.status === null ? data.error : `status ${data.status}`
    const text = `${data.error === null ? 'Delivered' : 'Not delivered'}: ${answer}, ${data.ms} ms`
    return { data, text, failed: data.error !== null }
  },
)

const deliveries: Command = {
  usage: 'webhook deliveries <name or id> [--state due|delivered|failed] [--limit <n>]',
  summary: 'list past and pending deliveries, newest first',
  options: { state: { type: 'string' }, limit: { type: 'string' } },
  words: ONE,
  needs: 'database',
  run: async ({ webhooks }, words, options) => {
    const parts = await webhooks()
    const { id } = await findWebhookByName(parts, wordAt(words, 0))
    const { deliveries: data } = await listDeliveries(parts.database, id, given(options))
    const rows = data.map(({ seq, event, documentId, state, attempts, last, nextAttemptAt }) => [
      String(seq),
      event,
      documentId,
      state,
      String(attempts),
      String(last?.status ?? last?.error ?? ''),
      last?.withheld ?? '',
      formatTime(nextAttemptAt, ''),
    ])
    const headings = [
      'COMMIT',
      'EVENT',
      'DOCUMENT',
      'STATE',
      'ATTEMPTS',
      'LAST',
      'WITHHELD',
      'NEXT',
    ]
    return { data, text: formatTable(headings, rows) }
  },
}

const replay: Command = {
  usage: 'webhook replay <name or id> --from <commit> [--to <commit>]',
  summary: 'deliver the events of a range of commits again, with their original ids',
  options: { from: { type: 'string' }, to: { type: 'string' } },
  words: ONE,
  needs: 'database',
  run: async ({ webhooks }, words, options) => {
    const [from, to] = [numberOption(options, 'from'), numberOption(options, 'to')]
    if (from === undefined) throw new UsageError('--from is missing: the number of a commit')
    const parts = await webhooks()
    const { id } = await findWebhookByName(parts, wordAt(words, 0))
    const data = await replayWebhook(parts, ROOT, id, { from, ...(to !== undefined && { to }) })
    return {
      data,
      text: `${data.name} is told once more of ${from} to ${data.replay?.to ?? from}.`,
    }
  },
}

export const WEBHOOK_COMMANDS: readonly Command[] = [
  list,
  create,
  remove,
  enable,
  disable,
  rotate,
  rotated,
  tryOut,
  deliveries,
  replay,
]

function ofOne(
  verb: string,
  summary: string,
  run: (parts: WebhookParts, id: string) => ReturnType<Command['run']>,
): Command {
  return {
    usage: `webhook ${verb} <name or id>`,
    summary,
    options: {},
    words: ONE,
    needs: 'database',
    run: async ({ webhooks }, words) => {
      const parts = await webhooks()
      const { id } = await findWebhookByName(parts, wordAt(words, 0))
      return run(parts, id)
    },
  }
}

async function findWebhookByName(parts: WebhookParts, word: string): Promise<Webhook> {
  const all = await listWebhooks(parts)
  const [found, ...others] = all.filter(({ id, name }) => id === word || name === word)
  if (found === undefined) throw new NotFoundError(`There is no webhook ${word}`)
  if (others.length > 0) throw new UsageError(`Several webhooks are named ${word}: use the id`)
  return found
}

function given(options: OptionValues): object {
  const names = ['state', 'limit'] as const
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = textOption(options, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function numberOption(options: OptionValues, name: string): number | undefined {
  const text = textOption(options, name)
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new UsageError(`--${name} must be the number of a commit`)
  return Number(text)
}
