import type { Access } from '../access/access.ts'
import type { Role } from '../access/roles.ts'
import { type Command, type Report, wordAt } from './command.ts'
import { formatTable } from './table.ts'

const MANY = Number.POSITIVE_INFINITY

const list: Command = {
  usage: 'role list',
  summary: 'the roles',
  options: {},
  words: { min: 0, max: 0 },
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

const show: Command = {
  usage: 'role show <type>',
  summary: 'what a role may do',
  options: {},
  words: { min: 1, max: 1 },
  run: async (context, words) => {
    const access = await context.access()
    return reportOf(access, await access.roles.get(wordAt(words, 0)))
  },
}

const grant: Command = {
  usage: 'role grant <type> <action>...',
  summary: 'permit actions to a role, such as api::article.article.find to public',
  options: {},
  words: { min: 2, max: MANY },
  run: async (context, words) => {
    const [type, ...actions] = [wordAt(words, 0), ...words.slice(1)]
    const access = await context.access()
    return reportOf(access, await access.roles.grant(type, actions))
  },
}

const revoke: Command = {
  usage: 'role revoke <type> <action>...',
  summary: 'no longer permit actions to a role',
  options: {},
  words: { min: 2, max: MANY },
  run: async (context, words) => {
    const [type, ...actions] = [wordAt(words, 0), ...words.slice(1)]
    const access = await context.access()
    return reportOf(access, await access.roles.revoke(type, actions))
  },
}

export const ROLE_COMMANDS: readonly Command[] = [list, show, grant, revoke]

function reportOf(access: Access, role: Role): Report {
  const rows = role.permissions
    .toSorted()
    .map((name) => [
      name,
      access.actions.has(name) ? '' : 'without effect: there is no such action',
    ])
  return { data: role, text: `${role.name} (${role.type})\n${formatTable(['ACTION', ''], rows)}` }
}
