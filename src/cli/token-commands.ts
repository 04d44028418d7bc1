import type { ApiToken } from '../people/access/api-token-rows.ts'
import type { ApiTokens } from '../people/access/api-tokens.ts'
import { API_TOKEN_TYPES } from '../people/access/principal.ts'
import { NotFoundError } from '../base/errors.ts'
import { didYouMean } from '../base/near-miss.ts'
import { type Command, textOption, UsageError, wordAt } from './command.ts'
import { jsonObject } from './rule-options.ts'
import { formatTable, formatTime } from './table.ts'

const list: Command = {
  usage: 'token list',
  summary: 'list the API tokens, without their keys',
  options: {},
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async ({ access }) => {
    const data = await (await access()).apiTokens.list()
    const rows = data.map((token) => [
      String(token.id),
      token.name,
      token.type === 'custom'
        ? `custom (${token.permissions.length + (token.rules?.length ?? 0)} actions)`
        : token.type,
      token.readPreference ?? '',
      formatTime(token.expiresAt, 'never'),
      formatTime(token.lastUsedAt, 'never'),
    ])
    return {
      data,
      text: formatTable(['ID', 'NAME', 'TYPE', 'READS FROM', 'EXPIRES', 'LAST USED'], rows),
    }
  },
}

const create: Command = {
  usage:
    'token create <name> --type read-only|full-access|custom [--permission <action>]... [--rule <json>]... [--read-preference <mode>] [--days <n>] [--description <text>]',
  summary: 'create an API token and print its key, once',
  options: {
    type: { type: 'string' },
    permission: { type: 'string', multiple: true },
    rule: { type: 'string', multiple: true },
    'read-preference': { type: 'string' },
    days: { type: 'string' },
    description: { type: 'string' },
  },
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async ({ access }, words, options) => {
    const type = textOption(options, 'type')
    if (type === undefined) {
      throw new UsageError('--type is missing: read-only, full-access or custom')
    }
    assertType(type)
    const description = textOption(options, 'description')
    const given = options['rule']
    const texts = Array.isArray(given) ? given.filter((one) => typeof one === 'string') : []
    const rules = texts.map((one) => jsonObject(one, '--rule'))
    const data = await (
      await access()
    ).apiTokens.create({
      name: wordAt(words, 0),
      type,
      permissions: options['permission'] ?? [],
      ...(rules.length > 0 && { rules }),
      readPreference: textOption(options, 'read-preference') ?? null,
      lifespanDays: daysOf(textOption(options, 'days')),
      ...(description === undefined ? {} : { description }),
    })
    const expiry = data.expiresAt === null ? '' : `, until ${formatTime(data.expiresAt, '')}`
    const isIdle = data.type === 'custom' && data.permissions.length + rules.length === 0
    return {
      data,
      ...(isIdle && { warning: IDLE }),
      text: `Created the ${data.type} token ${data.name}${expiry}. Its key is shown only now:\n${data.accessKey}`,
    }
  },
}

const revoke: Command = {
  usage: 'token revoke <name or id>',
  summary: 'remove an API token; it stops working within a second',
  options: {},
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async (context, words) => {
    const { apiTokens } = await context.access()
    const { id } = await findTokenByName(apiTokens, wordAt(words, 0))
    const data = await apiTokens.remove(id)
    return { data, text: `Revoked ${data.name}.` }
  },
}

export const TOKEN_COMMANDS: readonly Command[] = [list, create, revoke]

const IDLE =
  'Warning: a custom token without permissions has no access; grant it actions with --permission <action>'

function assertType(type: string): void {
  if ((API_TOKEN_TYPES as readonly string[]).includes(type)) return
  const hint = didYouMean(type, API_TOKEN_TYPES)
  throw new UsageError(
    `--type must be one of ${API_TOKEN_TYPES.join(', ')}; there is no ${type}${hint}`,
  )
}

async function findTokenByName(apiTokens: ApiTokens, word: string): Promise<ApiToken> {
  const tokens = await apiTokens.list()
  const found =
    tokens.find((token) => token.name === word) ?? tokens.find((token) => String(token.id) === word)
  if (found === undefined) throw new NotFoundError(`There is no API token ${word}`)
  return found
}

function daysOf(text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^[1-9][0-9]{0,4}$/.test(text)) throw new UsageError('--days must be a whole number of days')
  return Number(text)
}
