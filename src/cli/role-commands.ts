import type { Access } from '../people/access/access.ts'
import type { Roles } from '../people/access/roles.ts'
import type { Role } from '../people/access/role-rows.ts'
import { NotFoundError } from '../base/errors.ts'
import { didYouMean } from '../base/near-miss.ts'
import { type Command, type Report, textOption, wordAt } from './command.ts'
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
    const rows = data.map(({ type, name, permissions, description }) => [
      type,
      name,
      String(permissions.length),
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

function changing(verb: 'grant' | 'revoke', summary: string): Command {
  return {
    usage: `role ${verb} <type> <action>...`,
    summary,
    options: {},
    words: { min: 2, max: UNLIMITED },
    needs: 'database',
    run: async (context, words) => {
      const [type, ...actions] = [wordAt(words, 0), ...words.slice(1)]
      const access = await context.access()
      await findRoleByName(access.roles, type)
      return reportOf(access, await access.roles[verb](type, actions))
    },
  }
}

const grant = changing(
  'grant',
  'grant actions to a role, such as api::article.article.find to public',
)
const revoke = changing('revoke', 'revoke actions of a role')

export const ROLE_COMMANDS: readonly Command[] = [list, showRole, create, remove, grant, revoke]

/** @throws NotFoundError with a suggestion */
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
  const rows = role.permissions
    .toSorted()
    .map((name) => [name, access.actions.has(name) ? '' : 'without effect: unknown action'])
  return { data: role, text: `${role.name} (${role.type})\n${formatTable(['ACTION', ''], rows)}` }
}
