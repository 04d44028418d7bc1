import type { Access } from '../people/access/access.ts'
import type { Roles } from '../people/access/roles.ts'
import type { Role } from '../people/access/role-rows.ts'
import { NotFoundError } from '../base/errors.ts'
import { didYouMean } from '../base/near-miss.ts'
import { type Command, type Report, textOption, wordAt } from './command.ts'
import { formatRules, RULE_OPTIONS, ruleMembers } from './rule-options.ts'
import { formatTable } from './table.ts'

const UNLIMITED = Number.POSITIVE_INFINITY

const list: Command = {
  usage: 'role list',
  summary: 'list the roles',
  options: {},
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async ({ access }) => {
    const data = await (await access()).roles.list()
    const rows = data.map(({ type, name, permissions, rules = [], description }) => [
      type,
      name,
      String(permissions.length + rules.length),
      description,
    ])
    return { data, text: formatTable(['TYPE', 'NAME', 'ACTIONS', 'DESCRIPTION'], rows) }
  },
}

const showRole: Command = {
  usage: 'role show <type>',
  summary: 'show the permissions of a role',
  options: {},
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async (context, words) => {
    const access = await context.access()
    return reportOf(access, await findRoleByName(access.roles, wordAt(words, 0)))
  },
}

const create: Command = {
  usage: 'role create <type> [--name <name>] [--description <text>] [--permission <action>]...',
  summary: 'add a role for end users',
  options: {
    name: { type: 'string' },
    description: { type: 'string' },
    permission: { type: 'string', multiple: true },
  },
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async (context, words, options) => {
    const type = wordAt(words, 0)
    const description = textOption(options, 'description')
    const access = await context.access()
    const role = await access.roles.create({
      type,
      name: textOption(options, 'name') ?? type,
      permissions: options['permission'] ?? [],
      ...(description !== undefined && { description }),
    })
    return reportOf(access, role)
  },
}

const remove: Command = {
  usage: 'role remove <type>',
  summary: 'remove a role without users',
  options: {},
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async (context, words) => {
    const { roles } = await context.access()
    const { type } = await findRoleByName(roles, wordAt(words, 0))
    const data = await roles.remove(type)
    return { data, text: `Removed the role ${data.name}.` }
  },
}

const grant: Command = {
  usage: 'role grant <type> <action>... [--where <json>] [--fields <a,b>] [--set <json>]',
  summary:
    'grant actions to a role, such as api::article.article.find to public; with options under a rule, see docs/rules.md',
  options: RULE_OPTIONS,
  words: { min: 2, max: UNLIMITED },
  needs: 'database',
  run: async (context, words, options) => {
    const [type, ...actions] = [wordAt(words, 0), ...words.slice(1)]
    const access = await context.access()
    await findRoleByName(access.roles, type)
    const members = ruleMembers(options)
    const role =
      members === null
        ? await access.roles.grant(type, actions)
        : await access.roles.grantRules(
            type,
            actions.map((action) => ({ action, ...members })),
          )
    return reportOf(access, role)
  },
}

const revoke: Command = {
  usage: 'role revoke <type> <action>...',
  summary: 'revoke actions of a role, with their rules',
  options: {},
  words: { min: 2, max: UNLIMITED },
  needs: 'database',
  run: async (context, words) => {
    const [type, ...actions] = [wordAt(words, 0), ...words.slice(1)]
    const access = await context.access()
    await findRoleByName(access.roles, type)
    return reportOf(access, await access.roles.revoke(type, actions))
  },
}

export const ROLE_COMMANDS: readonly Command[] = [list, showRole, create, remove, grant, revoke]

export async function findRoleByName(roles: Pick<Roles, 'list'>, type: string): Promise<Role> {
  const all = await roles.list()
  const found = all.find((role) => role.type === type)
  if (found !== undefined) return found
  const hint = didYouMean(
    type,
    all.map((role) => role.type),
  )
  throw new NotFoundError(`There is no role ${type}${hint}`)
}

function reportOf(access: Access, role: Role): Report {
  const { permissions, rules = [] } = role
  const rows = permissions
    .toSorted()
    .map((name) => [name, access.actions.has(name) ? '' : 'without effect: unknown action'])
  const table = formatTable(['ACTION', ''], rows)
  const ruled = rules.length === 0 ? '' : `\n\n${formatRules(rules)}`
  return { data: role, text: `${role.name} (${role.type})\n${table}${ruled}` }
}
